"""Functions of tensors, one entry each: of tf (Keras 2) and of keras.ops (Keras 3).

To teach the intake a function, add a FunctionKind and its names, and a case to function_cases.py of
the tests. What is not here is refused; `remedies` says what to write instead.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from math import prod
from types import EllipsisType
from typing import Literal

import numpy as np

from tournament.intake.graph.ops import (
    Combine,
    Concat,
    Cut,
    GlobalPool,
    Pad,
    Reduce,
    Transpose,
    Unary,
)
from tournament.intake.graph.ops.shape import CombineKind
from tournament.intake.keras.builder import Builder
from tournament.intake.keras.description import Slice, TensorRef
from tournament.intake.keras.layers.activation import activate, softmax
from tournament.intake.keras.layers.base import reshaped
from tournament.intake.keras.options import (
    MAX_UNITS,
    Option,
    OptionError,
    Schema,
    boolean,
    choice,
    ignored,
    integer,
    integers,
    number,
    numbers,
    optional,
)

MAX_PARTS = 256
Results = int | tuple[int, ...]
Item = Slice | int | EllipsisType | None
_ALL = (Slice(None, None, None), Slice(None, None, 1))
_NUMBERS = numbers()
_NAME = {"name": ignored()}
_AXIS = integer(-8, 8, -1)
_ONE_NAMES = {"features": "x", "input": "x", "logits": "x"}
_NOTHING = choice(None, default=None)
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
class FunctionKind:
    """One function: its parameters in their order, and how it is written in our operations.

    `lower(builder, arguments)` returns the index of the result, or of several; tensors among the
    arguments are indices by then (see `Found`). `other_names` maps a parameter's name elsewhere to
    the one in `schema`.
    """

    schema: Schema
    lower: Callable[..., Results]
    other_names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """A tensor among the arguments, by the index of its node."""

    index: int


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
        return _NUMBERS.read(value)
    except OptionError:
        raise OptionError("a tensor or numbers") from None


def _axis_of(builder: Builder, axis: int, rank: int) -> int:
    """Return an axis that counts the batch, or from the end, as one from 0 without the batch."""
    found = axis - 1 if axis > 0 else axis + rank
    if axis == 0 or not 0 <= found < rank:
        builder.refuse(
            f"option 'axis' is {axis}: not one of the {rank} axes after the batch",
            "name an axis of one position, the batch stays as it is",
        )
    return found


def _ranked(builder: Builder, operand: Found | np.ndarray, rank: int) -> int:
    """Return a constant as a result of `rank` axes; a tensor has to have as many."""
    if isinstance(operand, Found):
        shape = builder.shape(operand.index)
        if len(shape) != rank:
            builder.refuse(
                f"an operand is {shape}, the other has {rank} axes",
                "reshape one of them, so that both have the same number of axes",
            )
        return operand.index
    array = operand
    while array.ndim > rank and array.shape[0] == 1:
        array = array[0]
    if array.ndim > rank:
        builder.refuse(f"a constant is {array.shape}", "use one that is the same for each position")
    return builder.constant(array.reshape((1,) * (rank - array.ndim) + array.shape))


def _binary(kind: CombineKind, builder: Builder, arguments: dict) -> int:
    operands = [arguments["x"], arguments["y"]]
    ranks = [len(builder.shape(x.index)) for x in operands if isinstance(x, Found)]
    if not ranks:
        builder.refuse("neither operand is a tensor", "leave the constant out")
    left, right = (_ranked(builder, operand, max(ranks)) for operand in operands)
    return builder.add(Combine(kind), left, right)


def _negative(builder: Builder, arguments: dict) -> int:
    return builder.add(Unary("negative"), arguments["x"].index)


def _activation(name: str, builder: Builder, arguments: dict) -> int:
    return activate(builder, name, arguments["x"].index)


def _sloped(function: str, builder: Builder, arguments: dict) -> int:
    return builder.add(Unary(function, (arguments["alpha"],)), arguments["x"].index)


def _gelu(builder: Builder, arguments: dict) -> int:
    function = "gelu_tanh" if arguments["approximate"] else "gelu"
    return builder.add(Unary(function), arguments["x"].index)


def _softmax(builder: Builder, arguments: dict) -> int:
    return softmax(builder, arguments["axis"], arguments["x"].index)


def _reduce(kind: Literal["mean", "max"], builder: Builder, arguments: dict) -> int:
    """Append the mean or the maximum; over a whole board, as the pooling that runtimes optimise."""
    x, keepdims = arguments["x"].index, bool(arguments["keepdims"])
    shape = builder.shape(x)
    if arguments["axis"] is None:
        builder.refuse("no axis is given, so all positions are mixed", "give axis=(1, 2)")
    axes = tuple(sorted({_axis_of(builder, axis, len(shape)) for axis in arguments["axis"]}))
    if len(shape) == 3 and axes == (0, 1):
        return builder.add(GlobalPool("average" if kind == "mean" else "max", keepdims), x)
    result = builder.add(Reduce(kind, axes), x)
    kept = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    return result if keepdims else reshaped(builder, result, kept)


def _cut(builder: Builder, x: int, axis: int, start: int, stop: int) -> int:
    """Append the part from `start` to before `stop` of one axis."""
    shape = builder.shape(x)
    starts = tuple(start if at == axis else 0 for at in range(len(shape)))
    stops = tuple(stop if at == axis else size for at, size in enumerate(shape))
    return builder.add(Cut(starts, stops, (1,) * len(shape)), x)


def _get_item(builder: Builder, arguments: dict) -> int:
    """Append what slices, numbers, new axes and at most one ellipsis leave of a tensor."""
    x, index = arguments["x"].index, arguments["index"]
    shape = builder.shape(x)
    used = sum(item is not None and item is not ... for item in index)
    fill = [Slice(None, None, None)] * (len(shape) + 1 - used)
    at = index.index(...) if ... in index else len(index)
    full: list[Item] = [*index[:at], *fill, *index[at + 1 :]]
    if used > len(shape) + 1 or full[0] not in _ALL:
        builder.refuse("the slice does not keep the whole batch", "slice axes of a position only")
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
    return reshaped(builder, builder.add(Cut(*columns), x), tuple(result))


def _kept(builder: Builder, item: Slice | int, size: int) -> range:
    if isinstance(item, Slice):
        if item.step is not None and item.step < 1:
            builder.refuse(f"the slice has the step {item.step}", "use a step of 1 or more")
        return range(*slice(item.start, item.stop, item.step).indices(size))
    if not -size <= item < size:
        builder.refuse(f"the index {item} is not one of {size}", "use one that is there")
    return range(item % size, item % size + 1)


def _read_index(value: object) -> list[object]:
    items = value if isinstance(value, list) else [value]
    plain = all(item is None or item is ... or type(item) in (int, Slice) for item in items)
    if not plain or len(items) > 8 or items.count(...) > 1:
        raise OptionError("slices and whole numbers")
    return items


def _parts(builder: Builder, x: int, axis: int, ends: list[int]) -> tuple[int, ...]:
    """Return the parts between 0 and the given ends, the last of which is the whole length."""
    size = builder.shape(x)[axis]
    if ends[-1] != size or len(ends) > MAX_PARTS or any(a >= b for a, b in pairwise([0, *ends])):
        builder.refuse(
            f"the parts end at {ends[:8]} of {size}", "split the axis into parts that fill it"
        )
    return tuple(_cut(builder, x, axis, *pair) for pair in pairwise([0, *ends]))


def _equal_ends(builder: Builder, number: int, size: int) -> list[int]:
    if number < 1 or size % number:
        builder.refuse(f"{size} numbers do not split into {number}", "choose a divisor")
    return [size // number * (part + 1) for part in range(number)]


def _split(of_tf: bool, builder: Builder, arguments: dict) -> tuple[int, ...]:
    """Split into a number of parts; or by the size of each (tf), or the places to cut (keras)."""
    x, parts = arguments["x"].index, arguments["parts"]
    axis = _axis_of(builder, arguments["axis"], len(builder.shape(x)))
    size = builder.shape(x)[axis]
    if isinstance(parts, int):
        return _parts(builder, x, axis, _equal_ends(builder, parts, size))
    if not of_tf:
        return _parts(builder, x, axis, [*parts, size])
    rest = size - sum(n for n in parts if n != -1)
    known = [rest if n == -1 else n for n in parts]
    return _parts(builder, x, axis, [sum(known[: at + 1]) for at in range(len(known))])


def _concat(builder: Builder, arguments: dict) -> int:
    inputs = [found.index for found in arguments["values"]]
    rank = len(builder.shape(inputs[0]))
    return builder.add(Concat(_axis_of(builder, arguments["axis"], rank) - rank), *inputs)


def _reshape(builder: Builder, arguments: dict) -> int:
    x, (batch, *target) = arguments["x"].index, arguments["shape"]
    size = prod(builder.shape(x))
    known = prod(n for n in target if n != -1)
    if target.count(-1) == 1 and known > 0 and size % known == 0:
        target = [size // known if n == -1 else n for n in target]
    if batch not in (-1, None) or prod(target) != size or min(target, default=1) < 1:
        builder.refuse(
            f"option 'shape' is {arguments['shape']}, a position has {builder.shape(x)}",
            "begin the shape with -1 and let the rest have as many numbers as a position",
        )
    return reshaped(builder, x, tuple(target))


def _transpose(builder: Builder, arguments: dict) -> int:
    x, order = arguments["x"].index, arguments["perm"]
    rank = len(builder.shape(x))
    if order is None or sorted(order) != list(range(rank + 1)) or order[0] != 0:
        builder.refuse(
            f"option 'perm' is {order}", f"give the order of {rank + 1} axes with the batch first"
        )
    if order == tuple(range(rank + 1)):
        return x
    return builder.add(Transpose(tuple(axis - 1 for axis in order[1:])), x)


def _pad(builder: Builder, arguments: dict) -> int:
    x, pads = arguments["x"].index, arguments["paddings"]
    if len(builder.shape(x)) != 3 or len(pads) != 4 or any(pads[0]) or any(pads[3]):
        builder.refuse(
            "only the rows and columns of a board may be padded", "use layers.ZeroPadding2D"
        )
    return builder.add(Pad((pads[1], pads[2])), x)


def _read_parts(value: object) -> int | list[int]:
    if type(value) is int:
        return value
    return list(integers(-1, MAX_UNITS, MAX_PARTS).read(value))


def _read_pads(value: object) -> list[tuple[int, ...]]:
    side = integers(0, 19, 2)
    if not isinstance(value, list) or not 0 < len(value) <= 8:
        raise OptionError("[[0, 0], [top, bottom], [left, right], [0, 0]]")
    return [side.read(item) for item in value]


def _read_shape(value: object) -> list[int | None]:
    size = integer(-1, MAX_UNITS)
    if not isinstance(value, list) or not 0 < len(value) <= 8:
        raise OptionError("a list of sizes, without tensors")
    return [None if item is None else size.read(item) for item in value]


_TENSOR, _TENSORS, _OPERAND = map(Option, (_read_tensor, _read_tensors, _read_operand))
# None is the last axis for TensorFlow; for Keras 3 it is all of them, the batch too.
_AXIS_OF_TF = Option(lambda value: -1 if value is None else _AXIS.read(value), -1)
_ONE = {"x": _TENSOR, **_NAME}
_REDUCTION = {
    "x": _TENSOR, "axis": optional(integers(-8, 8)), "keepdims": optional(boolean()),
    "dtype": choice(None, "float32", default=None), "initial": _NOTHING, "where": _NOTHING, **_NAME,
}
_SPLIT = {"x": _TENSOR, "parts": Option(_read_parts), "axis": integer(-8, 8, 0)}

_KINDS: dict[str, FunctionKind] = {
    **{
        kind: FunctionKind(
            {"x": _OPERAND, "y": _OPERAND, **_NAME}, partial(_binary, kind),
            {"x1": "x", "x2": "y", "a": "x", "b": "y"},
        )
        for kind in _COMBINED
    },
    "negative": FunctionKind(_ONE, _negative, _ONE_NAMES),
    **{name: FunctionKind(_ONE, partial(_activation, name), _ONE_NAMES) for name in _ACTIVATIONS},
    "activation_relu": FunctionKind(  # keras.activations.relu with its own options
        {"x": _TENSOR, "alpha": number(0.0, 0.0, 0.0), "max_value": _NOTHING,
         "threshold": number(0.0, 0.0, 0.0), **_NAME},
        partial(_activation, "relu"), {"negative_slope": "alpha"},
    ),
    "swish": FunctionKind(
        {"x": _TENSOR, "beta": number(1.0, 1.0, 1.0), **_NAME}, partial(_activation, "silu"),
        _ONE_NAMES,
    ),
    "leaky_relu": FunctionKind(
        {"x": _TENSOR, "alpha": number(-100.0, 100.0, 0.2), **_NAME},
        partial(_sloped, "leaky_relu"), {**_ONE_NAMES, "negative_slope": "alpha"},
    ),
    "elu": FunctionKind(
        {"x": _TENSOR, "alpha": number(-100.0, 100.0, 1.0), **_NAME}, partial(_sloped, "elu"),
        _ONE_NAMES,
    ),
    "celu": FunctionKind(
        {"x": _TENSOR, "alpha": number(1.0, 1.0, 1.0), **_NAME}, partial(_sloped, "elu")
    ),
    "gelu_tf": FunctionKind(
        {"x": _TENSOR, "approximate": boolean(False), **_NAME}, _gelu, _ONE_NAMES
    ),
    "gelu_keras": FunctionKind({"x": _TENSOR, "approximate": boolean(True), **_NAME}, _gelu),
    "softmax_tf": FunctionKind({"x": _TENSOR, "axis": _AXIS_OF_TF, **_NAME}, _softmax, _ONE_NAMES),
    "softmax_keras": FunctionKind({"x": _TENSOR, "axis": _AXIS, **_NAME}, _softmax),
    **{
        kind: FunctionKind(
            _REDUCTION, partial(_reduce, kind),
            {"input_tensor": "x", "keep_dims": "keepdims", "reduction_indices": "axis"},
        )
        for kind in _REDUCED
    },
    "get_item": FunctionKind(
        {"x": _TENSOR, "index": Option(_read_index)}, _get_item,
        {"slice_spec": "index", "key": "index"},
    ),
    "split_tf": FunctionKind(
        {**_SPLIT, "num": ignored(), **_NAME}, partial(_split, True),
        {"num_or_size_splits": "parts", "num_split": "parts", "value": "x"},
    ),
    "split_keras": FunctionKind(
        {**_SPLIT, **_NAME}, partial(_split, False), {"indices_or_sections": "parts"}
    ),
    "concat": FunctionKind(
        {"values": _TENSORS, "axis": integer(-8, 8), **_NAME}, _concat, {"xs": "values"}
    ),
    "reshape": FunctionKind(
        {"x": _TENSOR, "shape": Option(_read_shape), **_NAME}, _reshape,
        {"tensor": "x", "newshape": "shape"},
    ),
    "transpose": FunctionKind(
        {"x": _TENSOR, "perm": optional(integers(0, 8)), "conjugate": choice(False, default=False),
         **_NAME},
        _transpose, {"a": "x", "axes": "perm"},
    ),
    "pad": FunctionKind(
        {"x": _TENSOR, "paddings": Option(_read_pads),
         "mode": choice("CONSTANT", "constant", default="CONSTANT"),
         "constant_values": choice(0, 0.0, None, default=0), **_NAME},
        _pad, {"tensor": "x", "pad_width": "paddings"},
    ),
}

TF_FUNCTIONS: dict[str, FunctionKind] = {name: _KINDS[kind] for name, kind in _TF_NAMES.items()}
KERAS_OPERATIONS: dict[str, FunctionKind] = {
    name: _KINDS[kind] for name, kind in _KERAS_NAMES.items()
}
