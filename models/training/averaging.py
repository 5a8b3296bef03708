"""Averages of the weights of many batches, which often play better than the last weights.

`--ema` keeps an exponential moving average in the optimizer. `--swa` takes the mean of the weights
at the ends of epochs. The statistics of batch normalization are measured anew. Source: Polyak and
Juditsky, "Acceleration of Stochastic Approximation by Averaging", 1992; Izmailov et al., "Averaging
Weights Leads to Wider Optima and Better Generalization", 2018 (SWA).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from models.training.unpacking import PackedInput

STATISTICS_BATCHES = 4
STATISTICS_BATCH_SIZE = 256
BLENDS = (0.25, 0.5, 0.75)
"""Shares of the average in blends with the last weights, which a run tries at its end."""


def add_to_mean(mean: list[np.ndarray], values: Sequence[Any], count: int) -> list[np.ndarray]:
    """Return the mean of `count` lists of arrays, given that of all but the last one."""
    arrays = [np.array(value) for value in values]
    if count == 1:
        return arrays
    return [old + (new - old) / count for old, new in zip(mean, arrays, strict=True)]


@contextmanager
def averaged(
    model: "PackedInput",
    mean: Sequence[np.ndarray],
    sample: Callable[[int, int], Any],
    share: float = 1.0,
) -> Iterator[None]:
    """Give a compiled model its averaged weights inside; restore every variable afterwards.

    Without `mean`, the optimizer's moving average is taken. With a `share` below 1, the rest is of
    the model's own weights. `sample` draws training positions, given a size and a batch's number,
    to measure the statistics of BatchNormalization.
    """
    trained = model.trainable_variables
    kept = [np.array(variable) for variable in model.variables]
    weights = [np.array(variable) for variable in trained]
    try:
        if not mean:
            model.optimizer.finalize_variable_values(trained)
            mean = [np.array(variable) for variable in trained]  # jax frees what it evaluates
        pairs = zip(weights, mean, strict=True)
        _assign(trained, [(1 - share) * weight + share * average for weight, average in pairs])
        measure_statistics(model, sample)
        yield
    finally:
        _assign(model.variables, kept)


def measure_statistics(model: "PackedInput", sample: Callable[[int, int], Any]) -> None:
    """Make the statistics of each norm that has some the means over `STATISTICS_BATCHES`."""
    layers = model.trained._flatten_layers(include_self=False)  # also those of nested networks
    norms = [layer for layer in layers if hasattr(layer, "moving_mean")]
    momenta = [norm.momentum for norm in norms]
    try:
        for count in range(STATISTICS_BATCHES if norms else 0):
            for norm in norms:
                norm.momentum = count / (count + 1)  # so the moving average is a plain mean
            model(sample(STATISTICS_BATCH_SIZE, count).planes, training=True)
    finally:
        for norm, momentum in zip(norms, momenta, strict=True):
            norm.momentum = momentum


def _assign(variables: Sequence[Any], values: Sequence[np.ndarray]) -> None:
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)
