"""How fast train.py's own step is on a CPU: positions/s by batch size and threads.

Named peer: the same network of stock layers as Keras computes them. Against it, what train.py does
(the twins of `models.training.faster_layers`, the chain of `models.training.bottlenecks`). If asked
for, also the twins alone, the same compiled by XLA (`--jit`), in mixed_bfloat16, with four steps in
one execution of TensorFlow's (`together`), or on one batch in memory again and again (`memory`),
which shows what loading costs. Batches are otherwise read ahead from a data set and unpacked as in
train.py.

Rounds of the ways alternate within one process, and the least costs are compared, since other work
only adds; the CPU time, of all threads, is less affected by a busy machine than the wall clock.
TensorFlow takes its numbers of threads once, so each setting has a process of its own.

    python -m benchmarks.training [--networks mixnet resnet] [--batch-sizes 32 128 256]
                                  [--ways twins train.py xla together bfloat16 memory]
                                  [--threads 0/0 1/2] [--blocks N] [--rounds 5]
                                  [--data FILE.games]
"""

import argparse
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from itertools import islice, repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.report import DATA, show
from golois.data.dataset import Dataset
from models.training.quiet import import_keras_quietly
from models.training.steps import prefetched, train_batch
from models.training.targets import arrays_for, labels

STOCK, TWINS, KIT, XLA = "stock", "twins", "train.py", "xla"
TOGETHER, HALF, MEMORY = "together", "bfloat16", "memory"
WAYS = [TWINS, KIT, XLA, TOGETHER, HALF, MEMORY]
THREADS = ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")
BATCHES_A_ROUND = 4


class Cost(NamedTuple):
    """Microseconds a position, by the clock and of the CPU."""

    wall: float
    cpu: float


def set_threads(setting: str) -> None:
    """Take "intra/inter" for TensorFlow, before it is imported; 0 is TensorFlow's own choice."""
    os.environ.update(zip(THREADS, setting.split("/"), strict=True))


def compiled(network: str, way: str, blocks: int) -> Any:
    """A network in train.py's hands, or in Keras's alone (`STOCK`)."""
    import models
    from models.training.faster_layers import with_faster_layers
    from models.training.losses import compile_for_training
    from models.training.unpacking import PackedInput

    network = models.build(network, **({"blocks": blocks} if blocks else {}))
    precision = "mixed_bfloat16" if way == HALF else "float32"
    model = PackedInput(network, precision=precision, jit=way == XLA)
    if way == STOCK:
        model.faster = model.trained
    if way == TWINS:
        model.faster = with_faster_layers(model.trained)
    compile_for_training(model, learning_rate=0.001, value_weight=4.0, jit=way == XLA)
    if way == TOGETHER:
        model.steps_per_execution = BATCHES_A_ROUND
    return model


def train_round(model: Any, way: str, batches: Iterator[Any], batch_size: int) -> Cost:
    """Cost of one round."""
    start, cpu_start = time.perf_counter(), time.process_time()
    taken = islice(batches, BATCHES_A_ROUND)
    if way == TOGETHER:
        planes, targets = zip(*((batch.planes, labels(batch)) for batch in taken), strict=True)
        joined = {name: np.concatenate([of[name] for of in targets]) for name in targets[0]}
        model.fit(
            np.concatenate(planes), joined, batch_size=batch_size, shuffle=False, verbose=0
        )
    else:
        for batch in taken:
            train_batch(model, batch)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    num_micropositions = BATCHES_A_ROUND * batch_size / 1e6
    return Cost(seconds / num_micropositions, cpu_seconds / num_micropositions)


def measure(network: str, options: argparse.Namespace) -> dict[tuple[int, str], Cost]:
    """Least costs by batch size and way, in this process."""
    import_keras_quietly()
    ways = dict.fromkeys([STOCK, *options.ways])
    models = {way: compiled(network, way, options.blocks) for way in ways}
    dataset = Dataset(options.data, planes="bits")
    costs = {}
    for size in options.batch_sizes:
        rounds = {way: [] for way in models}

        def sample(step: int, size: int = size) -> Any:
            return dataset.sample(size, step, targets=arrays_for(()))

        with closing(prefetched(sample, 0)) as batches:
            for number in range(options.rounds + 1):  # the first one builds the graph
                for way, model in models.items():
                    taken = repeat(next(batches)) if way == MEMORY else batches
                    cost = train_round(model, way, taken, size)
                    if number:
                        rounds[way].append(cost)
        for way, measured in rounds.items():
            costs[size, way] = Cost(*map(min, zip(*measured, strict=True)))
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", nargs="+", default=["mixnet", "resnet"])
    parser.add_argument("--batch-sizes", nargs="+", type=int, default=[32, 128, 256])
    parser.add_argument("--ways", nargs="+", default=[KIT], choices=WAYS)
    parser.add_argument("--threads", nargs="+", default=["0/0", "1/2"], metavar="INTRA/INTER")
    parser.add_argument("--blocks", type=int, default=0, help="of the network, 0: its preset's")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()

    rows = []
    for network in options.networks:
        for threads in options.threads:
            fresh = ProcessPoolExecutor(1, get_context("spawn"), set_threads, (threads,))
            with fresh as process:
                costs = process.submit(measure, network, options).result()
            for (size, way), cost in costs.items():
                base = costs[size, STOCK]
                speeds = f"{1e6 / cost.wall:,.0f}", f"{base.wall / cost.wall:.2f}×"
                cpu = f"{cost.cpu:,.0f}", f"{base.cpu / cost.cpu:.2f}×"
                rows.append((network, threads, str(size), way, *speeds, *cpu))
    show(
        "training steps, input included",
        "network | threads | batch | way | positions/s | of stock's | CPU µs/position "
        "| stock's of it",
        rows,
        words=4,
    )


if __name__ == "__main__":
    main()
