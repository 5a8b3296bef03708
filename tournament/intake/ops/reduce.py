"""Sums, means and extremes along axes, and products of matrices."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from string import ascii_uppercase
from typing import Any, ClassVar, Literal

import numpy as np
from typing_extensions import override

from tournament.intake.graph import Emitter, Op, Shape
from tournament.intake.ops.base import ElementwiseCost, first_axis

ReduceKind = Literal["mean", "sum", "max", "min", "prod"]
_NUMPY: dict[ReduceKind, Callable[..., Any]] = {
    "mean": np.mean, "sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod,
}
_ONNX = {"mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin", "prod": "ReduceProd"}


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
        if self.kind == "sum":  # the one reduction whose axes are an input in this opset
            constant = emitter.constant(np.array(axes, np.int64))
            return emitter.node("ReduceSum", [names[0], constant])
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


@dataclass(frozen=True, eq=False)
class Einsum(Op):
    """A sum of products by Einstein's convention; the letters leave out the batch.

    `inputs` has a text of letters for each operand, `output` that of the result.
    """

    inputs: tuple[str, ...]
    output: str
    channels_first: ClassVar[bool] = False

    def _sizes(self, shapes: Sequence[Shape]) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for letters, shape in zip(self.inputs, shapes, strict=True):
            if len(letters) != len(shape) or len(set(letters)) != len(letters):
                raise ValueError(f"expected {letters!r} to name each axis of {shape} once")
            for letter, size in zip(letters, shape, strict=True):
                if sizes.setdefault(letter, size) != size:
                    raise ValueError(f"expected one length of axis {letter!r}: got {shapes}")
        return sizes

    @override
    def infer(self, *shapes: Shape) -> Shape:
        sizes = self._sizes(shapes)
        if not set(self.output) <= set(sizes) or len(set(self.output)) != len(self.output):
            raise ValueError(f"expected {self.output!r} to be letters of the operands, each once")
        return tuple(sizes[letter] for letter in self.output)

    @property
    def _equation(self) -> str:
        used = "".join(self.inputs)  # 14 letters at most
        batch = next(letter for letter in reversed(ascii_uppercase) if letter not in used)
        inputs = ",".join(f"{batch}{letters}" for letters in self.inputs)
        return f"{inputs}->{batch}{self.output}"

    @override
    def evaluate(self, *arrays: np.ndarray) -> np.ndarray:
        return np.einsum(self._equation, *arrays, optimize=True)

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return emitter.node("Einsum", names, equation=self._equation)

    @override
    def flops(self, *shapes: Shape) -> int:
        return 2 * prod(self._sizes(shapes).values())
