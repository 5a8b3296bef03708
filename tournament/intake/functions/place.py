"""Functions that move whole rows, columns and channels: mirrors, turns, repeats, selections."""

from collections.abc import Callable
from functools import partial

import numpy as np

from tournament.intake.functions.base import TENSOR, FunctionKind, axis_of, reshaped, transposed
from tournament.intake.layers.base import Builder, need_board
from tournament.intake.ops import Take
from tournament.intake.schema import Option, OptionError, choice, ignored, integer, integers

MAX_PLACES = 4096
MAX_LENGTH = 100_000


def _axis(builder: Builder, arguments: dict, name: str = "axis") -> int:
    return axis_of(builder, arguments[name], len(builder.shape(arguments["x"].index)))


def take(builder: Builder, x: int, axis: int, places: np.ndarray) -> int:
    """Append the parts of an axis (from 0, without the batch) at these places."""
    return builder.add(Take(axis, places), x)


def _up_to(builder: Builder, length: int) -> np.ndarray:
    """Return the numbers from 0 to before `length`."""
    if length > MAX_LENGTH:
        builder.refuse(f"an axis gets {length} parts", f"use at most {MAX_LENGTH}")
    return np.arange(length)


def _reversed(builder: Builder, x: int, axis: int) -> int:
    size = builder.shape(x)[axis]
    return take(builder, x, axis, _up_to(builder, size)[::-1])


def _reverse(builder: Builder, arguments: dict) -> int:
    x = arguments["x"].index
    for axis in arguments["axis"]:
        x = _reversed(builder, x, axis_of(builder, axis, len(builder.shape(x))))
    return x


def _mirror(axis: int, builder: Builder, arguments: dict) -> int:
    """Mirror the rows (axis 0) or the columns (axis 1), as tf.image does."""
    x = arguments["x"].index
    need_board(builder, x)
    return _reversed(builder, x, axis)


def _rot90(builder: Builder, arguments: dict) -> int:
    """Append quarter turns counter-clockwise: mirror the columns, then swap them with the rows."""
    x = arguments["x"].index
    need_board(builder, x)
    for _ in range(arguments["k"] % 4):
        x = transposed(builder, _reversed(builder, x, 1), (1, 0, 2))
    return x


def _roll(builder: Builder, arguments: dict) -> int:
    axis = _axis(builder, arguments)
    size = builder.shape(arguments["x"].index)[axis]
    places = (_up_to(builder, size) - arguments["shift"]) % size
    return take(builder, arguments["x"].index, axis, places)


def _gather(builder: Builder, arguments: dict) -> int:
    x, axis, places = arguments["x"].index, _axis(builder, arguments), arguments["indices"]
    if isinstance(places, int):
        shape = builder.shape(x)
        part = take(builder, x, axis, np.array([places]))
        return reshaped(builder, part, shape[:axis] + shape[axis + 1 :])
    builder.count(np.array(places))
    return take(builder, x, axis, np.array(places, np.int64))


def _tile(builder: Builder, arguments: dict) -> int:
    x, times = arguments["x"].index, arguments["multiples"]
    rank = len(builder.shape(x))
    if len(times) != rank + 1 or times[0] != 1:
        builder.refuse(
            f"option 'multiples' is {times}", f"give {rank + 1} numbers, the first of them 1"
        )
    for axis, number in enumerate(times[1:]):
        size = builder.shape(x)[axis]
        if number > 1:
            x = take(builder, x, axis, _up_to(builder, size * number) % size)
    return x


def _repeat(builder: Builder, arguments: dict) -> int:
    x, axis, times = arguments["x"].index, _axis(builder, arguments), arguments["repeats"]
    length = builder.shape(x)[axis] * times
    return take(builder, x, axis, _up_to(builder, length) // times)


def _exchanged(builder: Builder, x: int, first: int, second: int) -> int:
    order = [*range(len(builder.shape(x)))]
    order[first], order[second] = order[second], order[first]
    return transposed(builder, x, tuple(order))


def _swapaxes(builder: Builder, arguments: dict) -> int:
    axes = (_axis(builder, arguments, "axis1"), _axis(builder, arguments, "axis2"))
    return _exchanged(builder, arguments["x"].index, *axes)


def _matrix_transpose(builder: Builder, arguments: dict) -> int:
    rank = len(builder.shape(arguments["x"].index))
    if rank < 2:
        builder.refuse("a position is not a matrix", "use layers.Permute")
    return _exchanged(builder, arguments["x"].index, rank - 2, rank - 1)


def _moveaxis(builder: Builder, arguments: dict) -> int:
    source, target = (_axis(builder, arguments, name) for name in ("source", "destination"))
    order = [*range(len(builder.shape(arguments["x"].index)))]
    order.insert(target, order.pop(source))
    return transposed(builder, arguments["x"].index, tuple(order))


def _depth_to_space(builder: Builder, arguments: dict) -> int:
    x, block = arguments["x"].index, arguments["block_size"]
    rows, columns, channels = need_board(builder, x)
    if channels % block**2:
        builder.refuse(f"{channels} channels do not split into {block**2}", "choose a divisor")
    split = reshaped(builder, x, (rows, columns, block, block, channels // block**2))
    mixed = transposed(builder, split, (0, 2, 1, 3, 4))
    return reshaped(builder, mixed, (rows * block, columns * block, channels // block**2))


def _space_to_depth(builder: Builder, arguments: dict) -> int:
    x, block = arguments["x"].index, arguments["block_size"]
    rows, columns, channels = need_board(builder, x)
    if rows % block or columns % block:
        builder.refuse(f"{rows} by {columns} points do not split by {block}", "choose a divisor")
    split = reshaped(builder, x, (rows // block, block, columns // block, block, channels))
    mixed = transposed(builder, split, (0, 2, 1, 3, 4))
    return reshaped(builder, mixed, (rows // block, columns // block, block**2 * channels))


def _read_indices(value: object) -> int | list[int]:
    if type(value) is int and 0 <= value < MAX_PLACES:
        return value
    if not isinstance(value, list):
        raise OptionError("whole numbers from 0")
    return list(integers(0, MAX_PLACES, MAX_PLACES).read(value))


_NAME = {"name": ignored()}
_AXIS = integer(-8, 8)
_IMAGE = {"image": "x", "images": "x"}
_BLOCK = {
    "x": TENSOR, "block_size": integer(2, 19),
    "data_format": choice("NHWC", "channels_last", default="NHWC"), **_NAME,
}


def _of_board(lower: Callable[..., int], **options: Option) -> FunctionKind:
    return FunctionKind({"x": TENSOR, **options, **_NAME}, lower, _IMAGE)


PLACES: dict[str, FunctionKind] = {
    "reverse": FunctionKind(
        {"x": TENSOR, "axis": integers(-8, 8), **_NAME}, _reverse, {"tensor": "x"}
    ),
    "flip_up_down": _of_board(partial(_mirror, 0)),
    "flip_left_right": _of_board(partial(_mirror, 1)),
    "rot90_tf": _of_board(_rot90, k=integer(-64, 64, 1)),
    "rot90_keras": FunctionKind(
        {"x": TENSOR, "k": integer(-64, 64, 1), "axes": choice([1, 2]), **_NAME}, _rot90,
        {"array": "x"},
    ),
    "roll": FunctionKind(
        {"x": TENSOR, "shift": integer(-1000, 1000), "axis": _AXIS, **_NAME}, _roll, {"input": "x"}
    ),
    "gather": FunctionKind(
        {"x": TENSOR, "indices": Option(_read_indices), "axis": _AXIS,
         "validate_indices": ignored(), "batch_dims": choice(0, default=0), **_NAME},
        _gather, {"params": "x"},
    ),
    "tile": FunctionKind(
        {"x": TENSOR, "multiples": integers(1, 361), **_NAME}, _tile,
        {"input": "x", "repeats": "multiples"},
    ),
    "repeat": FunctionKind(
        {"x": TENSOR, "repeats": integer(1, 361), "axis": _AXIS, **_NAME}, _repeat, {"input": "x"}
    ),
    "swapaxes": FunctionKind({"x": TENSOR, "axis1": _AXIS, "axis2": _AXIS, **_NAME}, _swapaxes),
    "moveaxis": FunctionKind(
        {"x": TENSOR, "source": _AXIS, "destination": _AXIS, **_NAME}, _moveaxis
    ),
    "matrix_transpose": FunctionKind(
        {"x": TENSOR, "conjugate": choice(False, default=False), **_NAME}, _matrix_transpose,
        {"a": "x"},
    ),
    "depth_to_space": FunctionKind(_BLOCK, _depth_to_space, {"input": "x"}),
    "space_to_depth": FunctionKind(_BLOCK, _space_to_depth, {"input": "x"}),
}
