"""The parts of training: devices, prefetched batches, one step, and validation."""

from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from golois.kit.command import UsageError
from golois.kit.files import write_whole
from models.training.precision import with_precision
from models.training.targets import labels, row_weights

if TYPE_CHECKING:
    import keras

METRICS = {
    "policy_categorical_accuracy": "policy_accuracy",
    "played_categorical_accuracy": "played_accuracy",
}
"""Keras's names of the metrics to ours; all others stay as they are."""


def share_batches(num_devices: int) -> None:
    """Let later models split batches among devices; UsageError: not jax, or fewer devices."""
    if num_devices == 1:
        return
    import keras

    if keras.backend.backend() != "jax":
        raise UsageError(
            f"--devices {num_devices} needs KERAS_BACKEND=jax, not {keras.backend.backend()}: "
            "set it, or leave out --devices"
        )
    devices = keras.distribution.list_devices()
    if len(devices) < num_devices:
        raise UsageError(
            f"--devices {num_devices} is more than this machine has: {', '.join(devices)}"
        )
    parallel = keras.distribution.DataParallel(
        devices=devices[:num_devices], auto_shard_dataset=False
    )
    keras.distribution.set_distribution(parallel)


def prefetched(sample: Callable[[int], Any], first_step: int) -> Generator[Any, None, None]:
    """Yield `sample(first_step)` and so on; another thread makes the next batch meanwhile."""
    with ThreadPoolExecutor(1) as pool:
        upcoming = pool.submit(sample, first_step)
        step = first_step
        while True:
            batch = upcoming.result()
            step += 1
            upcoming = pool.submit(sample, step)
            yield batch


def build_variables(model: "keras.Model", batch: Any) -> None:
    """Create the variables of optimizer and metrics, which Keras leaves to the first step.

    TensorFlow traces a step twice if variables are created in it. An optimizer that was restored
    has them already: Keras's of a scaled loss would make two of them anew.
    """
    planes, targets, weights = example(model, batch)
    outputs = model(planes, training=False)
    model.compute_loss(planes, targets, outputs, weights, training=False)
    model.compute_metrics(planes, targets, outputs, weights)
    if not model.optimizer.built:
        model.optimizer.build(model.trainable_variables)


def train_batch(model: "keras.Model", batch: Any) -> dict[str, float]:
    """Take one optimizer step on `batch` (`planes` and what `targets.arrays_for` names).

    The result is means over this batch alone, under the names of `METRICS` and, of auxiliary heads,
    as `ownership_loss`.
    """
    model.reset_metrics()
    return named(model.train_on_batch(*example(model, batch), return_dict=True))


def evaluate(model: "keras.Model", batches: Sequence[Any]) -> dict[str, float]:
    """Measure a model by means over all positions; the loss leaves out the auxiliary heads."""
    sums: dict[str, float] = defaultdict(float)
    counts: dict[str, float] = defaultdict(float)
    for batch in batches:
        model.reset_metrics()
        means = named(model.test_on_batch(*example(model, batch), return_dict=True))
        known = rows_known(model, batch)
        for name, mean in without_heads(model, means).items():
            count = known.get(name, len(batch.planes))
            sums[name] += mean * count
            counts[name] += count
    return {name: float(sums[name] / counts[name]) if counts[name] else nan for name in sums}


def without_heads(model: "keras.Model", means: dict[str, float]) -> dict[str, float]:
    """Return the metrics of a batch, whose loss leaves out the auxiliary heads."""
    heads = _auxiliary(model)
    others = sum(weight * means[f"{name}_loss"] for name, weight in heads.items())
    return {**means, "loss": means["loss"] - others}


def rows_known(model: "keras.Model", batch: Any) -> dict[str, float]:
    """Return how many rows of a batch have a target, by the names of the heads' losses."""
    heads = _auxiliary(model)
    weights = row_weights(batch, heads)
    return {f"{name}_loss": float(weights[name].sum()) for name in heads}


def constant_errors(batches: Sequence[Any]) -> tuple[float, float]:
    """Compute the value MSE and MAE of the constant that is best for each; a head must beat it."""
    labels = np.concatenate([batch.value_white for batch in batches])
    return float(np.var(labels)), float(np.mean(np.abs(labels - np.median(labels))))


def save_network(path: Path, model: "keras.Model") -> None:
    """Write the float32 .h5 to hand in, without an optimizer; whole or not at all."""
    from models.training.dense_hdf5 import make_dense  # here, so that --help answers at once

    network = with_precision(model, "float32")

    def write(beside: Path) -> None:
        network.save(beside, include_optimizer=False)
        make_dense(beside)

    write_whole(path, write, durable=False)


def is_out_of_memory(error: Exception) -> bool:
    """Return whether an error of any backend says that the memory of the device or host is full."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    return bool(kinds & {"MemoryError", "ResourceExhaustedError", "OutOfMemoryError"}) or (
        "RESOURCE_EXHAUSTED" in str(error)  # jax
    )


def _auxiliary(model: "keras.Model") -> Mapping[str, float]:
    return getattr(model, "auxiliary", {})


def example(model: "keras.Model", batch: Any) -> tuple[Any, dict, dict | None]:
    """Return planes, targets and, with auxiliary heads, which rows have a target."""
    auxiliary, shows_played = _auxiliary(model), getattr(model, "shows_played", False)
    weights = row_weights(batch, auxiliary, shows_played) if auxiliary else None
    return batch.planes, labels(batch, auxiliary, shows_played), weights


def named(metrics: dict[str, Any]) -> dict[str, float]:
    """Return Keras's metrics under the names of `METRICS`."""
    return {METRICS.get(name, name): float(value) for name, value in metrics.items()}
