"""Layers that join several tensors."""

from functools import partial
from math import prod

from tournament.intake.graph.nodes import Shape
from tournament.intake.graph.ops import Combine, Concat, MatMul, Transpose
from tournament.intake.graph.ops.shape import CombineKind
from tournament.intake.keras.builder import Builder
from tournament.intake.keras.layers.base import LayerKind, axes_of_position, reshaped
from tournament.intake.keras.options import choice, integer, integers


def _merge(kind: CombineKind, builder: Builder, options: dict, inputs: list[int]) -> int:
    """Combine the inputs; one of lower rank gets axes of length 1 in front, as in Keras."""
    rank = max(len(builder.shape(i)) for i in inputs)
    ranked = []
    for i in inputs:
        shape = builder.shape(i)
        missing = rank - len(shape)
        ranked.append(reshaped(builder, i, (1,) * missing + shape))
    return builder.add(Combine(kind), *ranked)


def _subtract(builder: Builder, options: dict, inputs: list[int]) -> int:
    if len(inputs) != 2:
        builder.refuse(
            f"expected two inputs: got {len(inputs)}", "use layers.Subtract()([x, y])"
        )
    return _merge("subtract", builder, options, inputs)


def _concatenate(builder: Builder, options: dict, inputs: list[int]) -> int:
    rank = len(builder.shape(inputs[0]))
    axis = options["axis"]
    axis = axis - rank - 1 if axis > 0 else axis
    if not -rank <= axis <= -1:
        builder.refuse(
            f"option 'axis' is {options['axis']}: not an axis of {builder.shape(inputs[0])}",
            "use layers.Concatenate(axis=-1)",
        )
    return builder.add(Concat(axis), *inputs)


def _dot(builder: Builder, options: dict, inputs: list[int]) -> int:
    """Append the products along an axis of each input, for every pair of their other indices."""
    axes = options["axes"] * (2 if len(options["axes"]) == 1 else 1)
    if len(inputs) != 2 or len(axes) != 2:
        builder.refuse(f"'axes' is {axes}", "use layers.Dot(axes=2)([x, y])")
    rows, left_rest = _with_axis_last(builder, inputs[0], axes[0])
    columns, right_rest = _with_axis_last(builder, inputs[1], axes[1])
    product = builder.add(MatMul(), rows, builder.add(Transpose((1, 0)), columns))
    return reshaped(builder, product, left_rest + right_rest or (1,))


def _with_axis_last(builder: Builder, x: int, axis: int) -> tuple[int, Shape]:
    """Return an input as (vectors, one of its axes), and the shape that the vectors had."""
    shape = builder.shape(x)
    (axis,) = axes_of_position(builder, (axis,), len(shape))
    others = [other for other in range(len(shape)) if other != axis]
    if axis != len(shape) - 1:
        x = builder.add(Transpose((*others, axis)), x)
    rest = tuple(shape[other] for other in others)
    return reshaped(builder, x, (prod(rest), shape[axis])), rest


def _kind(name: CombineKind) -> LayerKind:
    return LayerKind({}, partial(_merge, name), joins=True)


MERGE_LAYERS = {
    "Add": _kind("add"),
    "Multiply": _kind("multiply"),
    "Average": _kind("average"),
    "Maximum": _kind("maximum"),
    "Minimum": _kind("minimum"),
    "Subtract": LayerKind({}, _subtract, joins=True),
    "Dot": LayerKind(
        {"axes": integers(-8, 8, max_length=2), "normalize": choice(False, default=False)},
        _dot,
        joins=True,
    ),
    "Concatenate": LayerKind({"axis": integer(-8, 8, -1)}, _concatenate, joins=True),
}
