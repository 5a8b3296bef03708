"""Functions of tensors, one entry each: of tf (Keras 2) and of keras.ops (Keras 3).

To teach the intake a function, add a FunctionKind and its names, and a case to function_cases.py of
the tests. What is not here is refused; faults.py says what to write instead.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, pairwise
from types import EllipsisType
from typing import Literal

import numpy as np

from tournament.intake.graph import ops
from tournament.intake.graph.ops import CombineKind
from tournament.intake.keras.builder import (
    MAX_UNITS,
    Builder,
    Option,
    OptionError,
    Schema,
    boolean,
    choice,
    integer,
    integers,
    number,
    numbers,
    optional,
    pair,
    row,
    unread,
)
from tournament.intake.keras.description import Slice, TensorRef
from tournament.intake.keras.layers.plain import activate, concatenate, filled, softmax

MAX_PARTS = 256
Results = int | tuple[int, ...]
Item = Slice | int | EllipsisType | None
_ALL = (Slice(None, None, None), Slice(None, None, 1))
_COMBINED: tuple[CombineKind, ...] = (
    "add", "subtract", "multiply", "divide", "maximum", "minimum"
)
_REDUCED: tuple[Literal["mean", "max"], ...] = ("mean", "max")
_ACTIVATIONS = (
    "selu", "silu", "hard_silu", "relu", "relu6", "sigmoid", "tanh", "hard_tanh", "softplus",
    "softsign", "exponential", "hard_sigmoid", "log_sigmoid",
)
# tf writes the name of the function it ends in: tf.nn.swish is "nn.silu", and tf.pad is
# "compat.v1.pad", or "pad" where a version of TensorFlow ends there.
_TF_NAMES: dict[str, str] = {
    **{
        f"math.{name}": name
        for name in ("add", "subtract", "multiply", "maximum", "minimum", "negative", "sigmoid",
                     "tanh", "softplus", "log_sigmoid")
    },
    **{f"nn.{name}": name for name in ("relu", "relu6", "elu", "selu", "leaky_relu", "softsign")},
    "__operators__.add": "add", "__operators__.getitem": "get_item", "math.truediv": "divide",
    "math.exp": "exponential", "math.reduce_mean": "mean", "math.reduce_max": "max",
    "nn.gelu": "gelu_tf", "nn.silu": "swish", "nn.softmax": "softmax_tf",
    "compat.v1.nn.softmax": "softmax_tf", "concat": "concat", "split": "split_tf",
    "reshape": "reshape", "transpose": "transpose", "compat.v1.transpose": "transpose",
    "pad": "pad", "compat.v1.pad": "pad",
}
# Keras 3 writes the class of the operation.
_KERAS_NAMES: dict[str, str] = {
    **{
        name: name.lower()
        for name in ("Add", "Subtract", "Multiply", "Divide", "Maximum", "Minimum", "Negative",
                     "Relu", "Relu6", "Elu", "Selu", "Celu", "Silu", "Sigmoid", "Tanh", "Softplus",
                     "Softsign", "Mean", "Max", "Reshape", "Transpose", "Pad")
    },
    "TrueDivide": "divide", "Exp": "exponential", "ReLU": "activation_relu",
    "LeakyRelu": "leaky_relu", "Gelu": "gelu_keras", "HardSilu": "hard_silu",
    "HardSigmoid": "hard_sigmoid", "HardTanh": "hard_tanh", "LogSigmoid": "log_sigmoid",
    "Softmax": "softmax_keras", "Amax": "max", "Concatenate": "concat", "Split": "split_keras",
    "GetItem": "get_item",
}


@dataclass(frozen=True)
class Found:
    """A tensor among the arguments, by the index of its node."""

    index: int


@dataclass(frozen=True)
class FunctionKind:
    """One function: its parameters in their order, and how it is written in our operations.

    `lower(builder, **arguments)` returns the index of the result, or of several; tensors among the
    arguments are `Found` by then. `other_names` maps a parameter's name elsewhere to the one in
    `schema`.
    """

    schema: Schema
    lower: Callable[..., Results]
    other_names: Mapping[str, str] = field(default_factory=dict)


def _binary(kind: CombineKind, builder: Builder, x: object, y: object) -> int:
    tensors = [operand.index for operand in (x, y) if isinstance(operand, Found)]
    if not tensors:
        builder.refuse("input", expected="a tensor", shape="two constants",
                       instead="leave the constants out")
    widest = max(tensors, key=lambda index: len(builder.shape(index)))
    return builder.add(ops.Combine(kind), *(_ranked(builder, one, widest) for one in (x, y)))


def _ranked(builder: Builder, operand: object, other: int) -> int:
    """Return a constant as a result of as many axes as the other; a tensor has to have as many."""
    rank = len(builder.shape(other))
    if isinstance(operand, Found):
        shape: tuple[int, ...] = builder.shape(operand.index)
    else:
        array = np.asarray(operand)
        while array.ndim > rank and array.shape[0] == 1:
            array = array[0]
        shape = (1,) * (rank - array.ndim) + array.shape
    if len(shape) != rank:
        builder.refuse(
            "input", expected=f"operands of {rank} axes, as {builder.shape(other)}", shape=shape,
            instead="reshape one of them, so that both have the same number of axes",
        )
    return operand.index if isinstance(operand, Found) else builder.constant(array.reshape(shape))


def _activation(name: str, builder: Builder, x: Found, **_: object) -> int:
    return activate(builder, name, x.index)


def _unary(function: str, builder: Builder, x: Found, alpha: float | None = None) -> int:
    return builder.add(ops.Unary(function, () if alpha is None else (alpha,)), x.index)


def _gelu(builder: Builder, x: Found, approximate: bool) -> int:
    return builder.add(ops.Unary("gelu_tanh" if approximate else "gelu"), x.index)


def _softmax(builder: Builder, x: Found, axis: int) -> int:
    return softmax(builder, (axis,), x.index)


def _reduce(
    kind: Literal["mean", "max"], builder: Builder, x: Found, axis: tuple[int, ...] | None,
    keepdims: bool | None, **_: object,
) -> int:
    """Append the mean or the maximum; over a whole board, as the pooling that runtimes optimise."""
    shape = builder.shape(x.index)
    if axis is None:
        builder.misfit("axis", None, x.index, "give axis=(1, 2), so that positions are not mixed")
    axes = tuple(sorted({builder.axis(x.index, one) for one in axis}))
    if len(shape) == 3 and axes == (0, 1):
        return builder.add(ops.GlobalPool("average" if kind == "mean" else "max", bool(keepdims)),
                           x.index)
    result = builder.add(ops.Reduce(kind, axes), x.index)
    kept = tuple(size for axis_, size in enumerate(shape) if axis_ not in axes)
    return result if keepdims else builder.reshaped(result, kept)


def _get_item(builder: Builder, x: Found, index: list[Item]) -> int:
    """Append what slices, numbers, new axes and at most one ellipsis leave of a tensor."""
    shape = builder.shape(x.index)
    used = sum(item is not None and item is not ... for item in index)
    fill = [Slice(None, None, None)] * (len(shape) + 1 - used)
    at = index.index(...) if ... in index else len(index)
    full: list[Item] = [*index[:at], *fill, *index[at + 1 :]]
    if used > len(shape) + 1 or full[0] not in _ALL:
        builder.refuse("batch-cut")
    ranges: list[range] = []
    result: list[int] = []
    for item in full[1:]:
        if item is None:
            result.append(1)
            continue
        assert not isinstance(item, EllipsisType)  # `fill` stands for it
        kept = _kept(builder, item, shape[len(ranges)])
        ranges.append(kept)
        result.extend([len(kept)] if isinstance(item, Slice) else [])
    columns = zip(*((r.start, r.stop, r.step) for r in ranges), strict=True)
    return builder.reshaped(builder.add(ops.Cut(*columns), x.index), tuple(result))


def _kept(builder: Builder, item: Slice | int, size: int) -> range:
    if isinstance(item, Slice):
        if item.step is not None and item.step < 1:
            builder.refuse("step", step=item.step)
        return range(*slice(item.start, item.stop, item.step).indices(size))
    if not -size <= item < size:
        builder.refuse("index", index=item, size=size)
    return range(item % size, item % size + 1)


def _split(
    of_tf: bool, builder: Builder, x: Found, parts: int | tuple[int, ...], axis: int, **_: object
) -> tuple[int, ...]:
    """Split into a number of parts; or by the size of each (tf), or the places to cut (keras)."""
    shape, axis = builder.shape(x.index), builder.axis(x.index, axis)
    size = shape[axis]
    if isinstance(parts, int):
        ends = [size * (part + 1) // parts for part in range(min(parts, MAX_PARTS + 1))]
        fits = parts > 0 and size % parts == 0
    elif of_tf:
        rest = size - sum(n for n in parts if n != -1)
        ends = list(accumulate(rest if n == -1 else n for n in parts))
        fits = True
    else:
        ends, fits = [*parts, size], True
    ends = ends or [0]
    rising = all(before < end for before, end in pairwise([0, *ends]))
    if not fits or ends[-1] != size or len(ends) > MAX_PARTS or not rising:
        builder.refuse("split", size=size, parts=parts)
    cuts = []
    for start, stop in pairwise([0, *ends]):
        starts, stops = [0] * len(shape), list(shape)
        starts[axis], stops[axis] = start, stop
        cuts.append(builder.add(ops.Cut(tuple(starts), tuple(stops), (1,) * len(shape)), x.index))
    return tuple(cuts)


def _concat(builder: Builder, values: list[Found], axis: int) -> int:
    return concatenate(builder, axis, [found.index for found in values])


def _reshape(builder: Builder, x: Found, shape: tuple[int | None, ...]) -> int:
    target = filled(shape[1:], int(np.prod(builder.shape(x.index))))
    if shape[0] not in (-1, None) or target is None:
        builder.misfit(
            "shape", shape, x.index,
            "begin the shape with -1 and let the rest have as many numbers as a position",
        )
    return builder.reshaped(x.index, target)


def _transpose(builder: Builder, x: Found, perm: tuple[int, ...] | None, **_: object) -> int:
    axes = tuple(range(len(builder.shape(x.index)) + 1))
    if perm is None or tuple(sorted(perm)) != axes or perm[0] != 0:
        builder.misfit("perm", perm, x.index,
                       f"give the order of {len(axes)} axes with the batch first")
    if perm == axes:
        return x.index
    return builder.add(ops.Transpose(tuple(axis - 1 for axis in perm[1:])), x.index)


def _pad(builder: Builder, x: Found, paddings: tuple[tuple[int, int], ...], **_: object) -> int:
    if len(paddings) != 1 + len(builder.board(x.index)) or any(paddings[0]) or any(paddings[3]):
        builder.misfit("paddings", paddings, x.index, "use layers.ZeroPadding2D")
    return builder.add(ops.Pad((paddings[1], paddings[2])), x.index)


def _read_tensor(value: object) -> TensorRef:
    if not isinstance(value, TensorRef):
        raise OptionError("a tensor")
    return value


def _read_tensors(value: object) -> list[TensorRef]:
    if not isinstance(value, list) or not value:
        raise OptionError("a list of tensors")
    return [_read_tensor(item) for item in value]


def _read_operand(value: object) -> TensorRef | np.ndarray:
    if isinstance(value, TensorRef):
        return value
    try:
        return numbers().read(value)
    except OptionError:
        raise OptionError("a tensor or numbers") from None


def _read_index(value: object) -> list[object]:
    items = value if isinstance(value, list) else [value]
    plain = all(item is None or item is ... or type(item) in (int, Slice) for item in items)
    if not plain or len(items) > 8 or items.count(...) > 1:
        raise OptionError("slices and whole numbers")
    return items


def _read_parts(value: object) -> int | tuple[int, ...]:
    return value if type(value) is int else integers(-1, MAX_UNITS, MAX_PARTS).read(value)


_TENSOR, _TENSORS, _OPERAND = map(Option, (_read_tensor, _read_tensors, _read_operand))
_NOTHING = choice(None, default=None)
_SHORT = range(1, 9)  # of a list
_ONE_NAMES = {"features": "x", "input": "x", "logits": "x"}
_SLOPED_NAMES = {**_ONE_NAMES, "negative_slope": "alpha"}
_AXIS = integer(-8, 8, -1)
# None is the last axis for TensorFlow; for Keras 3 it is all of them, the batch too.
_AXIS_OF_TF = Option(lambda value: -1 if value is None else _AXIS.read(value), -1)


def _of_one(
    lower: Callable[..., Results], other_names: Mapping[str, str] = _ONE_NAMES, **options: Option
) -> FunctionKind:
    return FunctionKind({"x": _TENSOR, **options}, lower, other_names)


def _only(value: float) -> Option:
    return number(value, value, value)


_KINDS: dict[str, FunctionKind] = {
    **{
        kind: FunctionKind(
            {"x": _OPERAND, "y": _OPERAND}, partial(_binary, kind),
            {"x1": "x", "x2": "y", "a": "x", "b": "y"},
        )
        for kind in _COMBINED
    },
    **{name: _of_one(partial(_activation, name)) for name in _ACTIVATIONS},
    "negative": _of_one(partial(_unary, "negative")),
    "activation_relu": _of_one(  # keras.activations.relu with its own options
        partial(_activation, "relu"), {"negative_slope": "alpha"},
        alpha=_only(0.0), max_value=_NOTHING, threshold=_only(0.0),
    ),
    "swish": _of_one(partial(_activation, "silu"), beta=_only(1.0)),
    "leaky_relu": _of_one(
        partial(_unary, "leaky_relu"), _SLOPED_NAMES, alpha=number(-100.0, 100.0, 0.2)
    ),
    "elu": _of_one(partial(_unary, "elu"), alpha=number(-100.0, 100.0, 1.0)),
    "celu": _of_one(partial(_unary, "elu"), alpha=_only(1.0)),
    "gelu_tf": _of_one(_gelu, approximate=boolean(False)),
    "gelu_keras": _of_one(_gelu, approximate=boolean(True)),
    "softmax_tf": _of_one(_softmax, axis=_AXIS_OF_TF),
    "softmax_keras": _of_one(_softmax, axis=_AXIS),
    **{
        kind: _of_one(
            partial(_reduce, kind),
            {"input_tensor": "x", "keep_dims": "keepdims", "reduction_indices": "axis"},
            axis=optional(integers(-8, 8)), keepdims=optional(boolean()),
            dtype=choice(None, "float32", default=None), initial=_NOTHING, where=_NOTHING,
        )
        for kind in _REDUCED
    },
    "get_item": _of_one(
        _get_item, {"slice_spec": "index", "key": "index"}, index=Option(_read_index)
    ),
    "split_tf": _of_one(
        partial(_split, True),
        {"num_or_size_splits": "parts", "num_split": "parts", "value": "x"},
        parts=Option(_read_parts), axis=integer(-8, 8, 0), **unread("num"),
    ),
    "split_keras": _of_one(
        partial(_split, False), {"indices_or_sections": "parts"},
        parts=Option(_read_parts), axis=integer(-8, 8, 0),
    ),
    "concat": FunctionKind({"values": _TENSORS, "axis": integer(-8, 8)}, _concat, {"xs": "values"}),
    "reshape": _of_one(
        _reshape, {"tensor": "x", "newshape": "shape"},
        shape=row(optional(integer(-1, MAX_UNITS)), _SHORT, "a list of sizes, without tensors"),
    ),
    "transpose": _of_one(
        _transpose, {"a": "x", "axes": "perm"},
        perm=optional(integers(0, 8)), conjugate=choice(False, default=False),
    ),
    "pad": _of_one(
        _pad, {"tensor": "x", "pad_width": "paddings"},
        paddings=row(pair(0, 19), _SHORT, "[[0, 0], [top, bottom], [left, right], [0, 0]]"),
        mode=choice("CONSTANT", "constant", default="CONSTANT"),
        constant_values=choice(0, 0.0, None, default=0),
    ),
}
TF_FUNCTIONS: dict[str, FunctionKind] = {name: _KINDS[kind] for name, kind in _TF_NAMES.items()}
KERAS_OPERATIONS: dict[str, FunctionKind] = {
    name: _KINDS[kind] for name, kind in _KERAS_NAMES.items()
}
