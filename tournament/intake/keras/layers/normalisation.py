"""Batch and layer normalisation."""

import numpy as np

from tournament.intake.graph.ops import BatchNorm, LayerNorm, Reshape
from tournament.intake.keras.builder import Builder
from tournament.intake.keras.layers.base import LayerKind, axes_of_position, with_axes_last
from tournament.intake.keras.options import (
    boolean,
    choice,
    ignored,
    integer,
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
SMALLEST_DEVIATION = 1e-7  # keras.backend.epsilon()


def _gamma_beta(
    builder: Builder, options: dict, shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    gamma = builder.weight("gamma", shape) if options["scale"] else np.ones(shape, np.float32)
    beta = builder.weight("beta", shape) if options["center"] else np.zeros(shape, np.float32)
    return gamma, beta


def _batch_normalization(builder: Builder, options: dict, x: int) -> int:
    shape = builder.shape(x)
    axes = axes_of_position(builder, options["axis"], len(shape))
    if len(axes) > 1:
        builder.refuse(f"option 'axis' is {options['axis']}", "use one axis, as axis=-1")
    channels = (shape[axes[0]],)
    gamma, beta = _gamma_beta(builder, options, channels)
    # A statistic without a trainable number beside it is what the network has learned there.
    mean = builder.weight("moving_mean", channels, False, counts=not options["center"])
    variance = builder.weight("moving_variance", channels, False, counts=not options["scale"])
    if options["renorm"]:  # of Keras 2; only training uses them
        for name in ("moving_stddev", "renorm_mean", "renorm_stddev"):
            builder.weight(name, channels, False)
    if variance.min() < 0.0:
        builder.refuse("a moving variance is negative", "train the network again and save it")
    op = BatchNorm(gamma, beta, mean, variance, options["epsilon"])
    return with_axes_last(builder, x, axes, lambda turned: builder.add(op, turned))


def _layer_normalization(builder: Builder, options: dict, x: int) -> int:
    shape = builder.shape(x)
    axes = axes_of_position(builder, options["axis"], len(shape))
    gamma, beta = _gamma_beta(builder, options, tuple(shape[axis] for axis in axes))
    op = LayerNorm(gamma, beta, options["epsilon"])
    return with_axes_last(builder, x, axes, lambda turned: builder.add(op, turned))


def _group_normalization(builder: Builder, options: dict, x: int) -> int:
    """Normalise each group of channels of a position separately; Wu & He 2018."""
    shape, groups = builder.shape(x), options["groups"]
    channels = shape[-1]
    groups = channels if groups == -1 else groups
    if options["axis"] not in (-1, len(shape)) or groups < 1 or channels % groups:
        builder.refuse(
            f"options 'axis' and 'groups' are {options['axis']} and {options['groups']}, the input "
            f"is {shape}", "use axis=-1 and groups that divide the channels",
        )
    gamma, beta = _gamma_beta(builder, options, (channels,))
    split = (*shape[:-1], groups, channels // groups)
    axes = tuple(axis for axis in range(len(split)) if axis != len(split) - 2)
    inner = tuple(split[axis] for axis in axes)
    norm = LayerNorm(np.ones(inner, np.float32), np.zeros(inner, np.float32), options["epsilon"])
    normal = with_axes_last(
        builder, builder.add(Reshape(split), x), axes, lambda turned: builder.add(norm, turned)
    )
    zero, one = np.zeros(channels, np.float32), np.ones(channels, np.float32)
    return builder.add(BatchNorm(gamma, beta, zero, one, 0.0), builder.add(Reshape(shape), normal))


def _normalization(builder: Builder, options: dict, x: int) -> int:
    """Append (x - mean) / sqrt(variance), with numbers that were given or found by `adapt`."""
    shape = builder.shape(x)
    if options["axis"] not in ((-1,), (len(shape),)):
        builder.refuse("option 'axis' is not the channels", "use layers.Normalization(axis=-1)")
    if (options["mean"] is None) != (options["variance"] is None):
        builder.refuse("one of mean and variance is given", "give both or neither")
    if options["mean"] is None:
        mean = builder.weight("mean", shape[-1:], trainable=False, counts=True)
        variance = builder.weight("variance", shape[-1:], trainable=False, counts=True)
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
    """Return numbers of an option, one for each channel, and count those that were given."""
    builder.count(given)
    if given.size not in (1, channels) or given.shape[:-1] != (1,) * (given.ndim - 1):
        builder.refuse(
            f"expected 1 or {channels} numbers: got an array {given.shape}",
            "give one number for each channel",
        )
    return np.broadcast_to(given.reshape(-1), (channels,)).astype(np.float32)


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
            "renorm": boolean(False),
            "renorm_clipping": ignored(),
            "renorm_momentum": ignored(),
            "fused": ignored(),
            "virtual_batch_size": choice(None, default=None),
            "adjustment": choice(None, default=None),
            **training_only("moving_mean_initializer", "moving_variance_initializer"),
        },
        _batch_normalization,
    ),
    "GroupNormalization": LayerKind(
        {**_AFFINE, "groups": integer(-1, 4096, 32), "axis": integer(-8, 8, -1)},
        _group_normalization,
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
