"""Functions that only move numbers: equal parts, joins, and other shapes."""

from itertools import pairwise
from math import prod

from tournament.intake.functions.base import (
    TENSOR,
    TENSORS,
    FunctionKind,
    axis_of,
    reshaped,
    transposed,
)
from tournament.intake.functions.index import cut
from tournament.intake.graph import Shape
from tournament.intake.layers.base import Builder
from tournament.intake.ops import Concat, Pad
from tournament.intake.schema import (
    MAX_UNITS,
    Option,
    OptionError,
    choice,
    ignored,
    integer,
    integers,
    optional,
)

MAX_PARTS = 256


def _parts(builder: Builder, x: int, axis: int, ends: list[int]) -> tuple[int, ...]:
    """Return the parts between 0 and the given ends, the last of which is the whole length."""
    size = builder.shape(x)[axis]
    if ends[-1] != size or len(ends) > MAX_PARTS or any(a >= b for a, b in pairwise([0, *ends])):
        builder.refuse(
            f"the parts end at {ends[:8]} of {size}", "split the axis into parts that fill it"
        )
    return tuple(cut(builder, x, axis, *pair) for pair in pairwise([0, *ends]))


def _equal_ends(builder: Builder, number: int, size: int) -> list[int]:
    if number < 1 or size % number:
        builder.refuse(f"{size} numbers do not split into {number}", "choose a divisor")
    return [size // number * (part + 1) for part in range(number)]


def _split_tf(builder: Builder, arguments: dict) -> tuple[int, ...]:
    """Split as tf.split does: by a number of parts, or the size of each."""
    x, sizes = arguments["x"].index, arguments["parts"]
    axis = axis_of(builder, arguments["axis"], len(builder.shape(x)))
    size = builder.shape(x)[axis]
    if isinstance(sizes, int):
        return _parts(builder, x, axis, _equal_ends(builder, sizes, size))
    rest = size - sum(n for n in sizes if n != -1)
    known = [rest if n == -1 else n for n in sizes]
    return _parts(builder, x, axis, [sum(known[: at + 1]) for at in range(len(known))])


def _split_keras(builder: Builder, arguments: dict) -> tuple[int, ...]:
    """Split as keras.ops.split does: by a number of parts, or the places to cut at."""
    x, where = arguments["x"].index, arguments["parts"]
    axis = axis_of(builder, arguments["axis"], len(builder.shape(x)))
    size = builder.shape(x)[axis]
    ends = _equal_ends(builder, where, size) if isinstance(where, int) else [*where, size]
    return _parts(builder, x, axis, ends)


def _unstack(builder: Builder, arguments: dict) -> tuple[int, ...]:
    x = arguments["x"].index
    shape = builder.shape(x)
    axis = axis_of(builder, arguments["axis"], len(shape))
    parts = _parts(builder, x, axis, list(range(1, shape[axis] + 1)))
    return tuple(reshaped(builder, part, shape[:axis] + shape[axis + 1 :]) for part in parts)


def _concat(builder: Builder, arguments: dict) -> int:
    inputs = [found.index for found in arguments["values"]]
    rank = len(builder.shape(inputs[0]))
    return builder.add(Concat(axis_of(builder, arguments["axis"], rank) - rank), *inputs)


def _stack(builder: Builder, arguments: dict) -> int:
    inputs = [found.index for found in arguments["values"]]
    shape = builder.shape(inputs[0])
    axis = axis_of(builder, arguments["axis"], len(shape) + 1)
    wider = [reshaped(builder, x, _with_axis(builder.shape(x), axis)) for x in inputs]
    return builder.add(Concat(axis - len(shape) - 1), *wider)


def _with_axis(shape: Shape, axis: int) -> Shape:
    return (*shape[:axis], 1, *shape[axis:])


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
    x = arguments["x"].index
    rank = len(builder.shape(x))
    order = arguments["perm"]
    if order is None or sorted(order) != list(range(rank + 1)) or order[0] != 0:
        builder.refuse(
            f"option 'perm' is {order}", f"give the order of {rank + 1} axes with the batch first"
        )
    return transposed(builder, x, tuple(axis - 1 for axis in order[1:]))


def _expand_dims(builder: Builder, arguments: dict) -> int:
    x = arguments["x"].index
    shape = builder.shape(x)
    for axis in arguments["axis"]:
        shape = _with_axis(shape, axis_of(builder, axis, len(shape) + 1))
    return reshaped(builder, x, shape)


def _squeeze(builder: Builder, arguments: dict) -> int:
    x = arguments["x"].index
    shape = builder.shape(x)
    given = arguments["axis"]
    if not given:
        builder.refuse("no axis is given, and a batch of one may lose its own", "give the axis")
    axes = {axis_of(builder, axis, len(shape)) for axis in given}
    if any(shape[axis] != 1 for axis in axes):
        builder.refuse(f"option 'axis' is {given} of {shape}", "squeeze axes of length 1 only")
    return reshaped(builder, x, tuple(n for axis, n in enumerate(shape) if axis not in axes))


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


_NAME = {"name": ignored()}
_AXIS = integer(-8, 8)

SHAPES: dict[str, FunctionKind] = {
    "split_tf": FunctionKind(
        {"x": TENSOR, "parts": Option(_read_parts), "axis": integer(-8, 8, 0),
         "num": ignored(), **_NAME},
        _split_tf,
        {"num_or_size_splits": "parts", "num_split": "parts", "value": "x"},
    ),
    "split_keras": FunctionKind(
        {"x": TENSOR, "parts": Option(_read_parts), "axis": integer(-8, 8, 0), **_NAME},
        _split_keras, {"indices_or_sections": "parts"},
    ),
    "unstack": FunctionKind(
        {"x": TENSOR, "num": ignored(), "axis": integer(-8, 8, 0), **_NAME}, _unstack
    ),
    "concat": FunctionKind({"values": TENSORS, "axis": _AXIS, **_NAME}, _concat, {"xs": "values"}),
    "stack": FunctionKind(
        {"values": TENSORS, "axis": integer(-8, 8, 0), **_NAME}, _stack, {"x": "values"}
    ),
    "reshape": FunctionKind(
        {"x": TENSOR, "shape": Option(_read_shape), **_NAME}, _reshape,
        {"tensor": "x", "newshape": "shape"},
    ),
    "transpose": FunctionKind(
        {"x": TENSOR, "perm": optional(integers(0, 8)), "conjugate": choice(False, default=False),
         **_NAME},
        _transpose, {"a": "x", "axes": "perm"},
    ),
    "expand_dims": FunctionKind(
        {"x": TENSOR, "axis": integers(-8, 8), **_NAME}, _expand_dims, {"input": "x"}
    ),
    "squeeze": FunctionKind(
        {"x": TENSOR, "axis": optional(integers(-8, 8)), **_NAME}, _squeeze,
        {"input": "x", "squeeze_dims": "axis"},
    ),
    "pad": FunctionKind(
        {"x": TENSOR, "paddings": Option(_read_pads),
         "mode": choice("CONSTANT", "constant", default="CONSTANT"),
         "constant_values": choice(0, 0.0, None, default=0), **_NAME},
        _pad, {"tensor": "x", "pad_width": "paddings"},
    ),
}
