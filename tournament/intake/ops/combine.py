"""Operations on several results: sums, products, extremes and concatenation."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, Literal

import numpy as np
from typing_extensions import override

from tournament.intake.graph import Emitter, Shape
from tournament.intake.ops.base import ElementwiseCost, NoCost, first_axis

CombineKind = Literal["add", "subtract", "multiply", "divide", "average", "maximum", "minimum"]

_NUMPY: dict[CombineKind, np.ufunc] = {
    "add": np.add, "average": np.add, "subtract": np.subtract, "multiply": np.multiply,
    "maximum": np.maximum, "minimum": np.minimum, "divide": np.divide,
}
_ONNX = {"maximum": "Max", "minimum": "Min", "average": "Mean"}
_ONNX_PAIRWISE = {
    "add": "Add", "subtract": "Sub", "multiply": "Mul", "divide": "Div",
}


@dataclass(frozen=True, eq=False)
class Combine(ElementwiseCost):
    """Results of equal rank combined number by number; an axis of length 1 is repeated."""

    kind: CombineKind
    channels_first: ClassVar[bool] = True

    @override
    def infer(self, *shapes: Shape) -> Shape:
        if len({len(shape) for shape in shapes}) != 1:
            raise ValueError(f"expected inputs of one rank: got shapes {shapes}")
        return np.broadcast_shapes(*shapes)

    @override
    def evaluate(self, *arrays: np.ndarray) -> np.ndarray:
        result = reduce(_NUMPY[self.kind], arrays)
        return result / len(arrays) if self.kind == "average" else result

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        if self.kind in _ONNX:
            return emitter.node(_ONNX[self.kind], names)
        op_type = _ONNX_PAIRWISE[self.kind]
        return reduce(lambda left, right: emitter.node(op_type, [left, right]), names)


@dataclass(frozen=True, eq=False)
class Concat(NoCost):
    """Results joined along `axis`, which counts from the end: -1 is the channels."""

    axis: int
    channels_first: ClassVar[bool] = True

    @override
    def infer(self, *shapes: Shape) -> Shape:
        axis = len(shapes[0]) + self.axis
        if len({shape[:axis] + shape[axis + 1 :] for shape in shapes}) != 1:
            raise ValueError(f"expected shapes that differ on axis {self.axis} only: got {shapes}")
        joined = sum(shape[axis] for shape in shapes)
        return (*shapes[0][:axis], joined, *shapes[0][axis + 1 :])

    @override
    def evaluate(self, *arrays: np.ndarray) -> np.ndarray:
        return np.concatenate(arrays, axis=self.axis)

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        rank = len(shapes[0])
        return emitter.node("Concat", names, axis=first_axis(rank + self.axis, rank))
