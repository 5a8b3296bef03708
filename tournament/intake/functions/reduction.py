"""Sums, means, extremes, deviations and norms along axes of one position."""

from collections.abc import Callable
from functools import partial
from typing import Literal

from tournament.intake.functions.base import TENSOR, FunctionKind, axis_of, reshaped
from tournament.intake.layers.base import Builder
from tournament.intake.ops import Combine, GlobalPool, Reduce, Unary
from tournament.intake.ops.pool import PoolKind
from tournament.intake.ops.reduce import ReduceKind
from tournament.intake.schema import boolean, choice, ignored, integers, number, optional

Axes = tuple[int, ...]
Along = Callable[[Builder, int, Axes], int]
_LARGEST = 3e38


def _axes(builder: Builder, arguments: dict) -> Axes:
    """Return the axes, from 0 without the batch; none at all would mix the positions."""
    rank = len(builder.shape(arguments["x"].index))
    if arguments["axis"] is None:
        builder.refuse("no axis is given, so all positions are mixed", "give axis=(1, 2)")
    return tuple(sorted({axis_of(builder, axis, rank) for axis in arguments["axis"]}))


def _finish(builder: Builder, result: int, axes: Axes, keepdims: bool | None) -> int:
    """Return a result without its axes of length 1, unless they are kept."""
    if keepdims:
        return result
    shape = builder.shape(result)
    kept = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    return reshaped(builder, result, kept)


def _plain(kind: ReduceKind, builder: Builder, x: int, axes: Axes) -> int:
    return builder.add(Reduce(kind, axes), x)


def _variance(builder: Builder, x: int, axes: Axes) -> int:
    centred = builder.add(Combine("subtract"), x, _plain("mean", builder, x, axes))
    return _plain("mean", builder, builder.add(Unary("square"), centred), axes)


def _deviation(builder: Builder, x: int, axes: Axes) -> int:
    return builder.add(Unary("sqrt"), _variance(builder, x, axes))


def _sum_of_squares(builder: Builder, x: int, axes: Axes) -> int:
    return _plain("sum", builder, builder.add(Unary("square"), x), axes)


def _norm(builder: Builder, x: int, axes: Axes) -> int:
    return builder.add(Unary("sqrt"), _sum_of_squares(builder, x, axes))


def log_sum_exp(builder: Builder, x: int, axes: Axes) -> int:
    """Append log(sum(exp(x))) along axes, which stay with length 1."""
    largest = _plain("max", builder, x, axes)
    powers = builder.add(Unary("exponential"), builder.add(Combine("subtract"), x, largest))
    logarithm = builder.add(Unary("log"), _plain("sum", builder, powers, axes))
    return builder.add(Combine("add"), logarithm, largest)


def _reduce(along: Along, builder: Builder, arguments: dict) -> int:
    axes = _axes(builder, arguments)
    result = along(builder, arguments["x"].index, axes)
    return _finish(builder, result, axes, arguments["keepdims"])


def _pool(kind: Literal["mean", "max"], builder: Builder, arguments: dict) -> int:
    """Append the mean or the maximum; over a whole board, as the pooling that runtimes optimise."""
    x = arguments["x"].index
    if len(builder.shape(x)) == 3 and _axes(builder, arguments) == (0, 1):
        pooled: PoolKind = "average" if kind == "mean" else "max"
        return builder.add(GlobalPool(pooled, bool(arguments["keepdims"])), x)
    return _reduce(partial(_plain, kind), builder, arguments)


def _moments(builder: Builder, arguments: dict) -> tuple[int, int]:
    """Append the mean and the variance."""
    mean, variance = partial(_plain, "mean"), _variance
    return _reduce(mean, builder, arguments), _reduce(variance, builder, arguments)


def _l2_normalize(builder: Builder, arguments: dict, smallest: float) -> int:
    """Return x / sqrt(max(sum(x²), smallest)) along the axes."""
    x, axes = arguments["x"].index, _axes(builder, arguments)
    floored = Unary("clip", (smallest, _LARGEST))
    length = builder.add(Unary("sqrt"), builder.add(floored, _sum_of_squares(builder, x, axes)))
    return builder.add(Combine("divide"), x, length)


def _l2_normalize_tf(builder: Builder, arguments: dict) -> int:
    return _l2_normalize(builder, arguments, arguments["epsilon"])


def _l2_normalize_keras(builder: Builder, arguments: dict) -> int:
    """Normalise as Keras 3, which gives the smallest length; TensorFlow gives its square."""
    return _l2_normalize(builder, arguments, (arguments["epsilon"] or SMALLEST_LENGTH) ** 2)


def _normalize(builder: Builder, arguments: dict) -> tuple[int, int]:
    """Append x divided by its length, and the length, as tf.linalg.normalize does."""
    x = arguments["x"].index
    length = _norm(builder, x, _axes(builder, arguments))
    return builder.add(Combine("divide"), x, length), length


SMALLEST_LENGTH = 1e-7  # keras.backend.epsilon()

_NAME = {"name": ignored()}
_AXIS = optional(integers(-8, 8))
_REDUCTION = {
    "x": TENSOR,
    "axis": _AXIS,
    "keepdims": optional(boolean()),
    "dtype": choice(None, "float32", default=None),
    "initial": choice(None, default=None),
    "where": choice(None, default=None),
    **_NAME,
}
_NAMES = {"input_tensor": "x", "keep_dims": "keepdims", "reduction_indices": "axis"}
_ORDER = choice(None, "euclidean", default=None)
_ALONG: dict[str, Along] = {
    "sum": partial(_plain, "sum"),
    "min": partial(_plain, "min"),
    "prod": partial(_plain, "prod"),
    "variance": _variance,
    "std": _deviation,
    "logsumexp": log_sum_exp,
    "euclidean_norm": _norm,
}

REDUCTIONS: dict[str, FunctionKind] = {
    **{
        f"reduce_{kind}": FunctionKind(_REDUCTION, partial(_pool, kind), _NAMES)
        for kind in ("mean", "max")
    },
    **{
        f"reduce_{name}": FunctionKind(_REDUCTION, partial(_reduce, along), _NAMES)
        for name, along in _ALONG.items()
    },
    "norm": FunctionKind(
        {"x": TENSOR, "ord": _ORDER, "axis": _AXIS, "keepdims": optional(boolean()), **_NAME},
        partial(_reduce, _norm), {"tensor": "x"},
    ),
    "moments": FunctionKind(
        {"x": TENSOR, "axis": _AXIS, "keepdims": optional(boolean()),
         "synchronized": choice(False, default=False), **_NAME},
        _moments, {"axes": "axis"},
    ),
    "l2_normalize": FunctionKind(
        {"x": TENSOR, "axis": _AXIS, "epsilon": number(0.0, 1.0, 1e-12), **_NAME},
        _l2_normalize_tf, {"dim": "axis"},
    ),
    "normalize_keras": FunctionKind(
        {"x": TENSOR, "axis": integers(-8, 8, default=(-1,)), "order": choice(2, default=2),
         "epsilon": optional(number(1e-12, 1.0))},
        _l2_normalize_keras,
    ),
    "normalize_tf": FunctionKind(
        {"x": TENSOR, "ord": _ORDER, "axis": _AXIS, **_NAME}, _normalize, {"tensor": "x"}
    ),
}
