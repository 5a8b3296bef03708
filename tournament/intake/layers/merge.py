"""Layers that join several tensors."""

from functools import partial

from tournament.intake.layers.base import Builder, LayerKind
from tournament.intake.ops import Combine, Concat, Reshape
from tournament.intake.options import integer


def _merge(kind: str, builder: Builder, options: dict, inputs: list[int]) -> int:
    """Combine the inputs; one of lower rank gets axes of length 1 in front, as in Keras."""
    rank = max(len(builder.shape(i)) for i in inputs)
    ranked = []
    for i in inputs:
        shape = builder.shape(i)
        missing = rank - len(shape)
        ranked.append(builder.add(Reshape((1,) * missing + shape), i) if missing else i)
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


def _kind(name: str) -> LayerKind:
    return LayerKind({}, partial(_merge, name), joins=True)


MERGE_LAYERS = {
    "Add": _kind("add"),
    "Multiply": _kind("multiply"),
    "Average": _kind("average"),
    "Maximum": _kind("maximum"),
    "Minimum": _kind("minimum"),
    "Subtract": LayerKind({}, _subtract, joins=True),
    "Concatenate": LayerKind({"axis": integer(-8, 8, -1)}, _concatenate, joins=True),
}
