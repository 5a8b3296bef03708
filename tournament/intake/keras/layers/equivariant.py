"""This kit's two layers of `models/parts/equivariant.py`: free weights become plain kernels.

Keras writes them under the name that they are registered by; no code of theirs is run.
"""

import numpy as np

from golois.irreps import WINDOWS, Fields, Sharing, count_free, share_bias, share_kernel
from tournament.intake.graph.ops import BatchNorm, Conv
from tournament.intake.keras.builder import Builder
from tournament.intake.keras.layers.base import LayerKind, need_board
from tournament.intake.keras.options import Option, OptionError, boolean, choice, integer, number

MAX_FIELDS = 1024
# Numbers of a kernel for each of its free weights, zeros included; a good one has about 8.
MAX_SHARING = 64
_KINDS = len(Fields().numbers)


def fields() -> Option:
    """Return the numbers of fields T, S, D, C, F and R."""
    single = integer(0, MAX_FIELDS)

    def read(value: object) -> Fields:
        if not isinstance(value, list) or len(value) != _KINDS:
            raise OptionError(f"{_KINDS} whole numbers, of fields T, S, D, C, F and R,")
        return Fields(*map(single.read, value))

    return Option(read)


def _need_fields(builder: Builder, x: int, expected: Fields) -> tuple[int, ...]:
    """Return the shape of a board, or refuse one of other channels than the fields have."""
    shape = need_board(builder, x)
    if shape[2] != expected.channels:
        builder.refuse(
            f"expected the {expected.channels} channels of {expected}: got {shape[2]}",
            "give the layer the fields of the layer before it",
        )
    return shape


def _conv(builder: Builder, options: dict, x: int) -> int:
    source, target, window = options["input_fields"], options["fields"], options["window"]
    _need_fields(builder, x, source)
    num_free = count_free(source, target, window)
    size = window * window * source.channels * target.channels
    if not num_free or size > MAX_SHARING * num_free:
        builder.refuse(
            f"its kernel of {size:,} numbers has {num_free:,} free weights; expected one for each "
            f"{MAX_SHARING} at least", "leave out fields that the window cannot connect",
        )
    weight = builder.weight("weight", (num_free,))
    kernel = share_kernel(source, target, window).expand(weight)
    bias = _shared(builder, "bias", share_bias(target)) if options["use_bias"] else None
    pad = (window // 2, window // 2)
    return builder.add(Conv(kernel, bias, (1, 1), (pad, pad), (1, 1), 1), x)


def _batch_normalization(builder: Builder, options: dict, x: int) -> int:
    _need_fields(builder, x, options["fields"])
    of_channel, shared = options["fields"].field_of_channel(), share_bias(options["fields"])
    count = (int(of_channel[-1]) + 1,)
    gamma = builder.weight("gamma", count)[of_channel]
    beta = _shared(builder, "beta", shared)
    mean = _shared(builder, "moving_mean", shared, trainable=False)
    variance = builder.weight("moving_variance", count, trainable=False)[of_channel]
    if variance.min() < 0.0:
        builder.refuse("a moving variance is negative", "train the network again and save it")
    return builder.add(BatchNorm(gamma, beta, mean, variance, options["epsilon"]), x)


def _shared(builder: Builder, name: str, sharing: Sharing, trainable: bool = True) -> np.ndarray:
    """Return a number for each channel out of the stored ones, one for each T and R."""
    return sharing.expand(builder.weight(name, (sharing.num_free,), trainable))


EQUIVARIANT_LAYERS = {
    "golois>EquivariantConv2D": LayerKind(
        {
            "input_fields": fields(),
            "fields": fields(),
            "window": choice(*WINDOWS),
            "use_bias": boolean(),
        },
        _conv,
    ),
    "golois>EquivariantBatchNormalization": LayerKind(
        {"fields": fields(), "epsilon": number(1e-12, 1.0)}, _batch_normalization
    ),
}
