"""Means and maxima along axes, and products of matrices."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, Literal

import numpy as np
from typing_extensions import override

from tournament.intake.graph import Emitter, Op, Shape
from tournament.intake.ops.base import ElementwiseCost, first_axis

ReduceKind = Literal["mean", "max"]
_NUMPY: dict[ReduceKind, Callable[..., Any]] = {"mean": np.mean, "max": np.max}
_ONNX = {"mean": "ReduceMean", "max": "ReduceMax"}


@dataclass(frozen=True, eq=False)
class Reduce(ElementwiseCost):
    """One number for all along `axes` (from 0, without the batch), which stay with length 1."""

    kind: ReduceKind
    axes: tuple[int, ...]
    channels_first: ClassVar[bool] = True

    @override
    def infer(self, shape: Shape) -> Shape:
        return tuple(1 if axis in self.axes else size for axis, size in enumerate(shape))

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return _NUMPY[self.kind](x, axis=tuple(axis + 1 for axis in self.axes), keepdims=True)

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        axes = sorted(first_axis(axis, len(shapes[0])) for axis in self.axes)
        return emitter.node(_ONNX[self.kind], [names[0]], axes=axes)


@dataclass(frozen=True, eq=False)
class MatMul(Op):
    """The product of matrices in the last two axes, for each index of the axes before them."""

    channels_first: ClassVar[bool] = False

    @override
    def infer(self, left: Shape, right: Shape) -> Shape:
        fit = len(left) == len(right) >= 2 and left[-1] == right[-2] and left[:-2] == right[:-2]
        if not fit:
            raise ValueError(f"expected matrices that can be multiplied: got {left} and {right}")
        return (*left[:-1], right[-1])

    @override
    def evaluate(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return left @ right

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return emitter.node("MatMul", names)

    @override
    def flops(self, left: Shape, right: Shape) -> int:
        return 2 * prod(left) * right[-1]
