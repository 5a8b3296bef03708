"""Sums, means and extremes along axes, and products of matrices."""

from functools import partial

import numpy as np

from tournament.intake.layers.base import Builder
from tournament.intake.operations.base import (
    OPERAND,
    TENSOR,
    Found,
    FunctionKind,
    axis_of,
    reshaped,
    transposed,
)
from tournament.intake.ops import Dense, GlobalPool, MatMul, Reduce
from tournament.intake.options import boolean, choice, ignored, integers, optional


def _reduce(kind: str, builder: Builder, arguments: dict) -> int:
    x = arguments["x"].index
    shape = builder.shape(x)
    if arguments["axis"] is None:
        builder.refuse("no axis is given, so all positions are mixed", "give axis=(1, 2)")
    axes = {axis_of(builder, axis, len(shape)) for axis in arguments["axis"]}
    if len(shape) == 3 and axes == {0, 1} and kind in ("mean", "max"):
        pooled = "average" if kind == "mean" else "max"
        return builder.add(GlobalPool(pooled, bool(arguments["keepdims"])), x)
    result = builder.add(Reduce(kind, tuple(sorted(axes))), x)
    if arguments["keepdims"]:
        return result
    kept = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    return reshaped(builder, result, kept)


def _matmul(builder: Builder, arguments: dict) -> int:
    left, right = arguments["x"], arguments["y"]
    if not isinstance(left, Found):
        builder.refuse("the left matrix is a constant", "use layers.Dense")
    first = _turned(builder, left.index, arguments["transpose_a"])
    if isinstance(right, Found):
        return builder.add(MatMul(), first, _turned(builder, right.index, arguments["transpose_b"]))
    kernel = np.swapaxes(right, -1, -2) if arguments["transpose_b"] and right.ndim > 1 else right
    if kernel.ndim != 2 or kernel.shape[0] != builder.shape(first)[-1]:
        builder.refuse(f"the constant matrix is {kernel.shape}", "use layers.Dense")
    builder.count(kernel)
    return builder.add(Dense(kernel, None), first)


def _turned(builder: Builder, x: int, turn: bool) -> int:
    """Return a result with its last two axes exchanged, if `turn` says so."""
    rank = len(builder.shape(x))
    if not turn or rank < 2:
        return x
    return transposed(builder, x, (*range(rank - 2), rank - 1, rank - 2))


_REDUCTION = {
    "x": TENSOR,
    "axis": optional(integers(-8, 8)),
    "keepdims": optional(boolean()),
    "dtype": choice(None, "float32", default=None),
    "initial": choice(None, default=None),
    "where": choice(None, default=None),
    "name": ignored(),
}
_REDUCTION_NAMES = {"input_tensor": "x", "keep_dims": "keepdims"}

REDUCTIONS: dict[str, FunctionKind] = {
    **{
        f"reduce_{kind}": FunctionKind(_REDUCTION, partial(_reduce, kind), _REDUCTION_NAMES)
        for kind in ("mean", "sum", "max", "min")
    },
    "matmul": FunctionKind(
        {
            "x": TENSOR,
            "y": OPERAND,
            "transpose_a": boolean(False),
            "transpose_b": boolean(False),
            **{
                name: choice(False, default=False)
                for name in ("adjoint_a", "adjoint_b", "a_is_sparse", "b_is_sparse")
            },
            "output_type": choice(None, default=None),
            "grad_a": ignored(),
            "grad_b": ignored(),
            "name": ignored(),
        },
        _matmul,
        {"x1": "x", "x2": "y", "a": "x", "b": "y"},
    ),
}
