"""Batch and layer normalisation."""

import numpy as np

from tournament.intake.layers.base import Builder, LayerKind
from tournament.intake.ops import BatchNorm, LayerNorm
from tournament.intake.options import (
    boolean,
    choice,
    ignored,
    integers,
    number,
    numbers,
    optional,
    training_only,
)

_AFFINE = {
    "epsilon": number(1e-12, 1.0, 1e-3),
    "center": boolean(True),
    "scale": boolean(True),
    **training_only(
        "beta_initializer", "gamma_initializer", "beta_regularizer", "gamma_regularizer",
        "beta_constraint", "gamma_constraint",
    ),
}


def _gamma_beta(
    builder: Builder, options: dict, shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    gamma = builder.weight("gamma", shape) if options["scale"] else np.ones(shape, np.float32)
    beta = builder.weight("beta", shape) if options["center"] else np.zeros(shape, np.float32)
    return gamma, beta


def _batch_normalization(builder: Builder, options: dict, x: int) -> int:
    shape = builder.shape(x)
    if options["axis"] not in ((-1,), (len(shape),)):
        builder.refuse(
            "option 'axis' is not the channels", "use layers.BatchNormalization(axis=-1)"
        )
    channels = shape[-1:]
    gamma, beta = _gamma_beta(builder, options, channels)
    mean = builder.weight("moving_mean", channels, trainable=False)
    variance = builder.weight("moving_variance", channels, trainable=False)
    if variance.min() < 0.0:
        builder.refuse("a moving variance is negative", "train the network again and save it")
    return builder.add(BatchNorm(gamma, beta, mean, variance, options["epsilon"]), x)


def _layer_normalization(builder: Builder, options: dict, x: int) -> int:
    shape = builder.shape(x)
    rank = len(shape)
    axes = sorted(axis - 1 if axis > 0 else axis + rank for axis in options["axis"])
    if axes != list(range(rank - len(axes), rank)):
        builder.refuse(
            "option 'axis' is not the last axes", "use layers.LayerNormalization(axis=-1)"
        )
    gamma, beta = _gamma_beta(builder, options, shape[axes[0] :])
    return builder.add(LayerNorm(gamma, beta, options["epsilon"]), x)


def _normalization(builder: Builder, options: dict, x: int) -> int:
    """(x - mean) / sqrt(variance), numbers that were given or were found by `adapt`."""
    shape = builder.shape(x)
    if options["axis"] not in ((-1,), (len(shape),)):
        builder.refuse("option 'axis' is not the channels", "use layers.Normalization(axis=-1)")
    if (options["mean"] is None) != (options["variance"] is None):
        builder.refuse("one of mean and variance is given", "give both or neither")
    if options["mean"] is None:
        mean = builder.weight("mean", shape[-1:], trainable=False)
        variance = builder.weight("variance", shape[-1:], trainable=False)
        builder.weight("count", (), trainable=False)
    else:
        mean, variance = (
            _per_channel(builder, options[name], shape[-1]) for name in ("mean", "variance")
        )
    if variance.min() < 0.0:
        builder.refuse("a variance is negative", "give the variance of the planes")
    floored = np.maximum(variance, SMALLEST_DEVIATION**2)
    one, zero = np.ones(shape[-1], np.float32), np.zeros(shape[-1], np.float32)
    return builder.add(BatchNorm(one, zero, mean, floored, 0.0), x)


def _rescaling(builder: Builder, options: dict, x: int) -> int:
    channels = builder.shape(x)[-1]
    scale, offset = (
        _per_channel(builder, options[name], channels) for name in ("scale", "offset")
    )
    zero, one = np.zeros(channels, np.float32), np.ones(channels, np.float32)
    return builder.add(BatchNorm(scale, offset, zero, one, 0.0), x)


def _per_channel(builder: Builder, given: np.ndarray, channels: int) -> np.ndarray:
    """Return numbers of an option, one for each channel; more than one count as parameters."""
    builder.count(given)
    if given.size not in (1, channels) or given.shape[:-1] != (1,) * (given.ndim - 1):
        builder.refuse(
            f"expected 1 or {channels} numbers: got an array {given.shape}",
            "give one number for each channel",
        )
    return np.broadcast_to(given.reshape(-1), (channels,)).astype(np.float32)


SMALLEST_DEVIATION = 1e-7  # keras.backend.epsilon()

NORMALISATION_LAYERS = {
    "Rescaling": LayerKind({"scale": numbers(), "offset": numbers(0.0)}, _rescaling),
    "Normalization": LayerKind(
        {
            "axis": integers(-8, 8, default=(-1,)),
            "mean": optional(numbers()),
            "variance": optional(numbers()),
            "invert": choice(False, default=False),
        },
        _normalization,
    ),
    "BatchNormalization": LayerKind(
        {
            **_AFFINE,
            "axis": integers(-8, 8, default=(-1,)),
            "momentum": ignored(),
            "synchronized": ignored(),
            "renorm": ignored(),
            "renorm_clipping": ignored(),
            "renorm_momentum": ignored(),
            "fused": ignored(),
            "virtual_batch_size": choice(None, default=None),
            "adjustment": choice(None, default=None),
            **training_only("moving_mean_initializer", "moving_variance_initializer"),
        },
        _batch_normalization,
    ),
    "LayerNormalization": LayerKind(
        {
            **_AFFINE,
            "axis": integers(-8, 8, default=(-1,)),
            "rms_scaling": choice(False, default=False),
        },
        _layer_normalization,
    ),
}
