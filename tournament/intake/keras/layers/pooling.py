"""Pooling layers."""

from functools import partial

from tournament.intake.graph.ops import GlobalPool, Pool, Reduce, Reshape
from tournament.intake.graph.ops.pool import PoolKind, ReduceKind
from tournament.intake.keras.builder import Builder
from tournament.intake.keras.layers.base import LayerKind, need_board, same_or_valid
from tournament.intake.keras.options import boolean, choice, optional, pair

_DATA_FORMAT = {"data_format": choice("channels_last", None, default=None)}
_WINDOW = {
    **_DATA_FORMAT,
    "pool_size": pair(1, 19, (2, 2)),
    "strides": optional(pair(1, 19)),
    "padding": choice("valid", "same", default="valid"),
}
_GLOBAL = {**_DATA_FORMAT, "keepdims": boolean(False)}


def _pool(kind: PoolKind, builder: Builder, options: dict, x: int) -> int:
    shape = need_board(builder, x)
    size = options["pool_size"]
    strides = options["strides"] or size
    pads = same_or_valid(options["padding"], shape[:2], size, strides)
    return builder.add(Pool(kind, size, strides, pads), x)


def _global_pool(kind: PoolKind, builder: Builder, options: dict, x: int) -> int:
    need_board(builder, x)
    return builder.add(GlobalPool(kind, options["keepdims"]), x)


def _global_pool_1d(kind: ReduceKind, builder: Builder, options: dict, x: int) -> int:
    """Pool over the tokens of (tokens, channels)."""
    shape = builder.shape(x)
    if len(shape) != 2:
        builder.refuse(f"expected an input of (tokens, channels): got {shape}",
                       "use the layer of the same name with 2D")
    result = builder.add(Reduce(kind, (0,)), x)
    return result if options["keepdims"] else builder.add(Reshape(shape[1:]), result)


POOLING_LAYERS = {
    "AveragePooling2D": LayerKind(_WINDOW, partial(_pool, "average")),
    "MaxPooling2D": LayerKind(_WINDOW, partial(_pool, "max")),
    "GlobalAveragePooling2D": LayerKind(_GLOBAL, partial(_global_pool, "average")),
    "GlobalMaxPooling2D": LayerKind(_GLOBAL, partial(_global_pool, "max")),
    "GlobalAveragePooling1D": LayerKind(_GLOBAL, partial(_global_pool_1d, "mean")),
    "GlobalMaxPooling1D": LayerKind(_GLOBAL, partial(_global_pool_1d, "max")),
}
