"""Whether a training step gets cheaper by XLA, or by running several steps in one execution.

Named peer: train.py's own step, `train_on_batch` without XLA. One process, rounds alternate, and
medians of the CPU time of all threads are compared, which bears a busy machine. Compiling is left
out: a first round of each warms up.

    python benchmarks/training_step.py [--batch-size 32] [--rounds 5]
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from golois.dataset import Dataset
from models.training.quiet import import_keras_quietly
from models.training.steps import train_batch
from models.training.targets import arrays_for

DATA = Path(__file__).resolve().parent.parent / "data" / "katago_b6.games"
NETWORKS = {
    "resnet 5 × 28": ("resnet", dict(blocks=5, filters=28)),
    "mixnet 2 × 32": ("mixnet", dict(blocks=2)),
}
NUM_STEPS = 4


def steps_by_name(name: str, settings: dict, batch_size: int) -> dict[str, Callable[[], None]]:
    """What each way does for `NUM_STEPS` steps, every one with a network of its own."""
    import models
    from models.losses import compile_for_training
    from models.training.unpacking import PackedInput

    batch = Dataset(DATA, planes="bits").sample(batch_size, 0, targets=arrays_for(()))
    planes = np.concatenate([batch.planes] * NUM_STEPS)
    labels = {"policy": batch.policy, "value": batch.value_white[:, None]}
    labels = {key: np.concatenate([value] * NUM_STEPS) for key, value in labels.items()}

    def compiled(jit: bool) -> PackedInput:
        model = PackedInput(models.build(name, **settings))
        compile_for_training(model, learning_rate=0.001, value_weight=4.0, jit=jit)
        return model

    def one_by_one(model: PackedInput) -> Callable[[], None]:
        return lambda: [train_batch(model, batch) for _ in range(NUM_STEPS)] and None

    together = compiled(jit=False)
    together.steps_per_execution = NUM_STEPS

    def at_once() -> None:
        together.fit(planes, labels, batch_size=batch_size, shuffle=False, verbose=0)

    return {
        "train_on_batch": one_by_one(compiled(jit=False)),
        "with XLA": one_by_one(compiled(jit=True)),
        f"{NUM_STEPS} steps per execution": at_once,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()

    import_keras_quietly()
    for network, (name, settings) in NETWORKS.items():
        table = Table(title=f"a training step of {network} in batches of {options.batch_size}")
        table.add_column("way")
        for column in ("CPU µs/position", "of train_on_batch"):
            table.add_column(column, justify="right")
        ways = steps_by_name(name, settings, options.batch_size)
        rounds = {way: [] for way in ways}
        for _ in range(options.rounds + 1):
            for way, take in ways.items():
                start = time.process_time()
                take()
                rounds[way].append(time.process_time() - start)
        costs = {way: statistics.median(seconds[1:]) for way, seconds in rounds.items()}
        for way, cost in costs.items():
            micros = 1e6 * cost / (NUM_STEPS * options.batch_size)
            ratio = cost / costs["train_on_batch"]
            table.add_row(way, f"{micros:,.0f}", f"{ratio:.2f}")
        Console(width=100).print(table)


if __name__ == "__main__":
    main()
