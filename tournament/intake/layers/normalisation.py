"""Batch and layer normalisation."""

import numpy as np

from tournament.intake.layers.base import Builder, LayerKind
from tournament.intake.ops import BatchNorm, LayerNorm
from tournament.intake.options import boolean, choice, ignored, integers, number, training_only

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


NORMALISATION_LAYERS = {
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
