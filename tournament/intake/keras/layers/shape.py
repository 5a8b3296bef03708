"""Layers that only move numbers, and those that do nothing once the network is trained."""

from math import prod

from tournament.intake.graph.ops import Cut, Pad, Reshape, Resize, Transpose
from tournament.intake.keras.builder import Builder
from tournament.intake.keras.layers.base import LayerKind, need_board
from tournament.intake.keras.options import (
    MAX_UNITS,
    Option,
    OptionError,
    choice,
    ignored,
    integers,
    pair,
)

_DATA_FORMAT = choice("channels_last", None, default=None)


def _sides(high: int) -> Option:
    """Read [[top, bottom], [left, right]], or a shorter form."""
    side = pair(0, high)

    def read(value: object) -> tuple[tuple[int, int], tuple[int, int]]:
        if not isinstance(value, list):
            value = [value, value]
        if len(value) != 2:
            raise OptionError("[[top, bottom], [left, right]]")
        return side.read(value[0]), side.read(value[1])

    return Option(read)


def _zero_padding(builder: Builder, options: dict, x: int) -> int:
    need_board(builder, x)
    return builder.add(Pad(options["padding"]), x)


def _cropping(builder: Builder, options: dict, x: int) -> int:
    rows, columns, channels = need_board(builder, x)
    (top, bottom), (left, right) = options["cropping"]
    return builder.add(Cut((top, left, 0), (rows - bottom, columns - right, channels), (1,) * 3), x)


def _up_sampling(builder: Builder, options: dict, x: int) -> int:
    need_board(builder, x)
    return builder.add(Resize(options["size"], options["interpolation"]), x)


def _flatten(builder: Builder, options: dict, x: int) -> int:
    return builder.add(Reshape((prod(builder.shape(x)),)), x)


def _reshape(builder: Builder, options: dict, x: int) -> int:
    target, size = options["target_shape"], prod(builder.shape(x))
    known = prod(n for n in target if n != -1)
    if target.count(-1) == 1 and known > 0 and size % known == 0:
        target = tuple(size // known if n == -1 else n for n in target)
    if min(target, default=1) < 1 or prod(target) != size:
        builder.refuse(
            f"option 'target_shape' is {options['target_shape']}, the input is {builder.shape(x)}",
            "give a shape with as many numbers as the input has",
        )
    return builder.add(Reshape(target), x)


def _permute(builder: Builder, options: dict, x: int) -> int:
    return builder.add(Transpose(tuple(axis - 1 for axis in options["dims"])), x)


def _identity(builder: Builder, options: dict, x: int) -> int:
    return x


def _train_time(*names: str) -> LayerKind:
    return LayerKind({name: ignored() for name in (*names, "seed")}, _identity)


SHAPE_LAYERS = {
    "ZeroPadding2D": LayerKind(
        {"padding": _sides(19), "data_format": _DATA_FORMAT}, _zero_padding
    ),
    "Cropping2D": LayerKind(
        {"cropping": _sides(MAX_UNITS), "data_format": _DATA_FORMAT}, _cropping
    ),
    "UpSampling2D": LayerKind(
        {
            "size": pair(1, 8, (2, 2)),
            "data_format": _DATA_FORMAT,
            "interpolation": choice("nearest", "bilinear", default="nearest"),
        },
        _up_sampling,
    ),
    "Flatten": LayerKind({"data_format": _DATA_FORMAT}, _flatten),
    "Reshape": LayerKind({"target_shape": integers(-1, MAX_UNITS)}, _reshape),
    "Permute": LayerKind({"dims": integers(1, 8)}, _permute),
    "Dropout": _train_time("rate", "noise_shape"),
    "SpatialDropout2D": _train_time("rate", "noise_shape", "data_format"),
    "AlphaDropout": _train_time("rate", "noise_shape"),
    "GaussianDropout": _train_time("rate"),
    "GaussianNoise": _train_time("stddev"),
    "SpatialDropout1D": _train_time("rate", "noise_shape"),
    "ActivityRegularization": _train_time("l1", "l2"),
    "Identity": LayerKind({}, _identity),
}
