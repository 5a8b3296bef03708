"""What a network loses while it waits for data: positions/s by where the batches come from.

Named peer: one batch of float32 planes in memory, trained on again and again. Against it, a data
set of such planes and one of bits that are unpacked in the graph, both read ahead by train.py's own
thread. Rounds of all of them alternate, and medians are compared. Where the device is this CPU,
loading takes cores from training even if nothing waits: the CPU time, of all threads, shows how
much, and is less affected by a busy machine than the wall clock.

    python benchmarks/training_input.py [--data FILE.games] [--batch-size 128] [--rounds 7]
"""

import argparse
import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from golois.dataset import Dataset
from models.training.quiet import import_keras_quietly
from models.training.steps import prefetched, train_batch
from models.training.targets import arrays_for

DATA = Path(__file__).resolve().parent.parent / "data" / "katago_b6.games"
NETWORKS = {
    "resnet 5 × 28": dict(blocks=5, filters=28),
    "resnet 2 × 16": dict(blocks=2, filters=16),
    "resnet 1 × 4": dict(blocks=1, filters=4),
}
ROUND_SECONDS = 2.0
MIN_BATCHES = 3
FLOAT32, BITS = "float32", "bits"


def compiled_models(settings: dict[str, int]) -> dict[str, Any]:
    """Two networks alike, one of planes and one of bits; each compiled."""
    import models
    from models.training.losses import compile_for_training
    from models.training.unpacking import PackedInput

    network = models.build("resnet", **settings)
    by_format = {FLOAT32: network, BITS: PackedInput(models.build("resnet", **settings))}
    for model in by_format.values():
        compile_for_training(model, learning_rate=0.001, value_weight=4.0)
    return by_format


def batches_by_name(path: Path, batch_size: int) -> dict[str, tuple[str, Iterator[Any]]]:
    """The format and the endless batches of each input."""
    sources = {planes: Dataset(path, planes=planes) for planes in (FLOAT32, BITS)}

    def sampler(planes: str) -> Callable[[int], Any]:
        return lambda step: sources[planes].sample(batch_size, step, targets=arrays_for(()))

    return {
        "memory": (FLOAT32, itertools.repeat(sampler(FLOAT32)(0))),
        "Dataset, float32": (FLOAT32, prefetched(sampler(FLOAT32), 0)),
        "Dataset, bits": (BITS, prefetched(sampler(BITS), 0)),
    }


class Cost(NamedTuple):
    """Microseconds a position, by the clock and of the CPU."""

    wall: float
    cpu: float


def train_round(model: Any, batches: Iterator[Any], batch_size: int) -> Cost:
    """Cost of one round."""
    num_batches = 0
    start, cpu_start = time.perf_counter(), time.process_time()
    while (seconds := time.perf_counter() - start) < ROUND_SECONDS or num_batches < MIN_BATCHES:
        train_batch(model, next(batches))
        num_batches += 1
    cpu_seconds = time.process_time() - cpu_start
    num_micropositions = num_batches * batch_size / 1e6
    return Cost(seconds / num_micropositions, cpu_seconds / num_micropositions)


def measure(settings: dict[str, int], options: argparse.Namespace) -> dict[str, Cost]:
    """Median costs by input; a first round warms up."""
    models = compiled_models(settings)
    inputs = batches_by_name(options.data, options.batch_size)
    rounds = {name: [] for name in inputs}
    with ExitStack() as stack:
        for _, batches in inputs.values():
            if hasattr(batches, "close"):
                stack.enter_context(closing(batches))
        for _ in range(options.rounds + 1):
            for name, (planes, batches) in inputs.items():
                rounds[name].append(train_round(models[planes], batches, options.batch_size))
    return {
        name: Cost(*map(statistics.median, zip(*costs[1:], strict=True)))
        for name, costs in rounds.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()

    import_keras_quietly()
    table = Table(title=f"training in batches of {options.batch_size}")
    for column in ("network", "input"):
        table.add_column(column)
    for column in ("positions/s", "of memory's", "CPU µs/position", "of memory's"):
        table.add_column(column, justify="right")
    for network, settings in NETWORKS.items():
        costs = measure(settings, options)
        base = costs["memory"]
        for name, cost in costs.items():
            speed, share = f"{1e6 / cost.wall:,.0f}", f"{base.wall / cost.wall:.3f}"
            cpu, cpu_share = f"{cost.cpu:,.0f}", f"{cost.cpu / base.cpu:.3f}"
            table.add_row(network, name, speed, share, cpu, cpu_share)
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
