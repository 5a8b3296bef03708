"""The moving parts of training: batches ahead of time, one step, validation, a wish to stop."""

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from models.contract import POLICY_NAME, VALUE_NAME
from models.training.files import write_whole
from models.training.precision import with_precision

if TYPE_CHECKING:
    import keras

TARGETS = ("policy", "value_white")
"""What a batch must hold besides its planes."""

METRICS = {
    "loss": "loss",
    "policy_loss": "policy_loss",
    "policy_categorical_accuracy": "policy_accuracy",
    "value_loss": "value_loss",
    "value_mse": "value_mse",
}
"""Keras's names of the metrics to ours."""


def prefetched(sample: Callable[[int], Any], first_step: int) -> Iterator[Any]:
    """Yield `sample(first_step)`, `sample(first_step + 1)` and so on, the next one under way.

    Args:
        sample: draws one batch; called from one other thread, never twice at a time.
        first_step: argument of the first call.
    """
    with ThreadPoolExecutor(1) as pool:
        upcoming = pool.submit(sample, first_step)
        step = first_step
        while True:
            batch = upcoming.result()
            step += 1
            upcoming = pool.submit(sample, step)
            yield batch


def train_batch(model: "keras.Model", batch: Any) -> dict[str, float]:
    """Take one optimizer step on `batch` (`planes`, `policy`, `value_white`).

    Returns:
        Means over this batch alone, under the names of `METRICS`.
    """
    model.reset_metrics()
    return _named(model.train_on_batch(batch.planes, _targets(batch), return_dict=True))


def evaluate(model: "keras.Model", batches: Sequence[Any]) -> dict[str, float]:
    """Measure a model without training it: means over all positions, named as in `METRICS`."""
    sums = dict.fromkeys(METRICS.values(), 0.0)
    for batch in batches:
        model.reset_metrics()
        means = _named(model.test_on_batch(batch.planes, _targets(batch), return_dict=True))
        for name, mean in means.items():
            sums[name] += mean * len(batch.planes)
    num_positions = sum(len(batch.planes) for batch in batches)
    return {name: total / num_positions for name, total in sums.items()}


def walk_once(
    walk: Callable[[int, int], Any], num_positions: int, batch_size: int
) -> list[Any]:
    """Draw `walk(rows, start)` over the first `num_positions` rows, the last batch shorter."""
    starts = range(0, num_positions, batch_size)
    return [walk(min(batch_size, num_positions - start), start) for start in starts]


def constant_mse(batches: Sequence[Any]) -> float:
    """Compute the value MSE of the best constant: what a value head must beat."""
    return float(np.var(np.concatenate([batch.value_white for batch in batches])))


def save_network(path: Path, model: "keras.Model") -> None:
    """Write the .h5 to hand in: architecture and weights, no optimizer; whole or not at all.

    Its layers compute in float32, whatever they were trained in.
    """
    network = with_precision(model, "float32")
    write_whole(path, lambda beside: network.save(beside, include_optimizer=False))


class StopRequest:
    """Within it, the first Ctrl-C or SIGTERM is only noted; a second one kills as usual."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    def __enter__(self) -> "StopRequest":
        numbers = (signal.SIGINT, signal.SIGTERM)
        self._before = {number: signal.signal(number, self._note) for number in numbers}
        return self

    def __exit__(self, *_error: Any) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _frame: Any) -> None:
        self.signal = signal.Signals(number)
        signal.signal(number, signal.SIG_DFL)


def _targets(batch: Any) -> dict[str, np.ndarray]:
    return {POLICY_NAME: batch.policy, VALUE_NAME: batch.value_white[:, None]}


def _named(metrics: dict[str, Any]) -> dict[str, float]:
    return {ours: float(metrics[keras_name]) for keras_name, ours in METRICS.items()}
