"""What an entry of the layer table is, and what it may ask for while it is lowered."""

from collections.abc import Callable
from dataclasses import dataclass

from tournament.intake.graph.nodes import Shape
from tournament.intake.graph.ops import Reshape, Transpose
from tournament.intake.graph.ops.linear import Pads
from tournament.intake.keras.builder import Builder
from tournament.intake.keras.options import Schema


@dataclass(frozen=True)
class LayerKind:
    """One Keras layer class: the options it may have, and how it is written in our operations.

    `lower(builder, options, x)` returns the index of the result; `x` is the index of the input,
    or for a layer that `joins` a list of them, or for one of several `arguments` a dict by name.
    """

    schema: Schema
    lower: Callable[..., int]
    joins: bool = False
    arguments: tuple[str, ...] = ("inputs",)


def same_or_valid(
    padding: str, sizes: Shape, kernel: Shape, strides: Shape, dilation: Shape = (1, 1)
) -> Pads:
    """Return the zeros before and after each axis, for padding "same" or "valid" of TensorFlow."""
    if padding == "valid":
        return ((0, 0), (0, 0))
    pads = []
    for size, width, stride, step in zip(sizes, kernel, strides, dilation, strict=False):
        total = max((-(-size // stride) - 1) * stride + (width - 1) * step + 1 - size, 0)
        pads.append((total // 2, total - total // 2))
    return (pads[0], pads[1])


def axes_of_position(builder: Builder, axes: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """Return axes that count the batch, or from the end, as those of a position, in order."""
    found = sorted({axis - 1 if axis > 0 else axis + rank for axis in axes})
    if 0 in axes or not axes or found[0] < 0 or found[-1] >= rank:
        builder.refuse(
            f"option 'axis' is {axes}: a position has {rank} axes", "use axis=-1, the channels"
        )
    return tuple(found)


def with_axes_last(
    builder: Builder, x: int, axes: tuple[int, ...], work: Callable[[int], int]
) -> int:
    """Append what works on the last axes for these axes of a position, which end where they were.

    `work` gets the index of a result and returns that of one of the same shape.
    """
    rank = len(builder.shape(x))
    order = (*(axis for axis in range(rank) if axis not in axes), *axes)
    if order == tuple(range(rank)):
        return work(x)
    turned = work(builder.add(Transpose(order), x))
    return builder.add(Transpose(tuple(order.index(axis) for axis in range(rank))), turned)


def reshaped(builder: Builder, x: int, shape: Shape) -> int:
    """Append a reshape, unless the result has that shape already."""
    return x if builder.shape(x) == shape else builder.add(Reshape(shape), x)


def need_board(builder: Builder, x: int) -> Shape:
    """Return (rows, columns, channels) of a result, or refuse one that is not a board."""
    shape = builder.shape(x)
    if len(shape) != 3:
        builder.refuse(
            f"expected an input of (rows, columns, channels): got {shape}",
            "put the layer where the tensor still has its rows and columns",
        )
    return shape
