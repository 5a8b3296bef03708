"""Products of matrices, and sums of products by Einstein's convention."""

import re

import numpy as np

from tournament.intake.functions.base import OPERAND, TENSOR, Found, FunctionKind, transposed
from tournament.intake.layers.base import Builder
from tournament.intake.ops import Dense, Einsum, MatMul
from tournament.intake.schema import Option, OptionError, boolean, choice, ignored

_EQUATION = re.compile(r"[A-Za-z]{1,8},[A-Za-z]{1,8}->[A-Za-z]{1,8}")


def _matmul(builder: Builder, arguments: dict) -> int:
    right = arguments["y"]
    first = _turned(builder, arguments["x"].index, arguments["transpose_a"])
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


def _einsum(builder: Builder, arguments: dict) -> int:
    """Append einsum of two tensors; the batch is the first letter of both and of the result."""
    operands, _, output = arguments["equation"].partition("->")
    left, right = operands.split(",")
    batch = output[0]
    if left[0] != batch or right[0] != batch or batch in left[1:] + right[1:] + output[1:]:
        builder.refuse(
            f"the equation is {arguments['equation']!r}: the batch is not the first axis of all",
            "begin both operands and the result with the same letter, as in 'bij,bjk->bik'",
        )
    op = Einsum((left[1:], right[1:]), output[1:])
    return builder.add(op, arguments["x"].index, arguments["y"].index)


def _read_equation(value: object) -> str:
    text = value.replace(" ", "") if isinstance(value, str) else ""
    if not _EQUATION.fullmatch(text):
        raise OptionError("an equation of two operands such as 'bij,bjk->bik'")
    return text


_UNUSED = ("adjoint_a", "adjoint_b", "a_is_sparse", "b_is_sparse")

PRODUCTS: dict[str, FunctionKind] = {
    "matmul": FunctionKind(
        {
            "x": TENSOR,
            "y": OPERAND,
            "transpose_a": boolean(False),
            "transpose_b": boolean(False),
            **{name: choice(False, default=False) for name in _UNUSED},
            "output_type": choice(None, default=None),
            "grad_a": ignored(),
            "grad_b": ignored(),
            "name": ignored(),
        },
        _matmul,
        {"x1": "x", "x2": "y", "a": "x", "b": "y", "adj_x": "transpose_a", "adj_y": "transpose_b"},
    ),
    "einsum": FunctionKind(
        {"equation": Option(_read_equation), "x": TENSOR, "y": TENSOR, "name": ignored()},
        _einsum, {"subscripts": "equation"},
    ),
}
