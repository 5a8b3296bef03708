"""The input, constants, operations that only move numbers, and those on several results."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Literal

import numpy as np
from typing_extensions import override

from tournament.intake.graph.nodes import Emitter, Op, Shape
from tournament.intake.graph.ops.base import NoCost, first_axis, with_batch
from tournament.intake.graph.ops.linear import Pads

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
class Input(NoCost):
    """The planes (size, size, planes): node 0 of every graph."""

    shape: Shape
    channels_first = False

    @override
    def infer(self) -> Shape:
        return self.shape

    @override
    def evaluate(self) -> np.ndarray:
        raise ValueError("the planes are given, and not evaluated")

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        raise ValueError("the planes are given, and not written")


@dataclass(frozen=True, eq=False)
class Constant(NoCost):
    """Numbers of the file that are the same for every position."""

    array: np.ndarray
    channels_first = False

    @override
    def infer(self) -> Shape:
        return self.array.shape

    @override
    def evaluate(self) -> np.ndarray:
        return self.array.astype(np.float64)[np.newaxis]

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return emitter.constant(self.array[np.newaxis].astype(np.float32))


@dataclass(frozen=True, eq=False)
class Cut(NoCost):
    """Every `steps`-th number from `starts` to before `stops`, for each axis."""

    starts: tuple[int, ...]
    stops: tuple[int, ...]
    steps: tuple[int, ...]

    @override
    def infer(self, shape: Shape) -> Shape:
        kept = tuple(map(len, self._ranges()))
        if len(kept) != len(shape) or 0 in kept or any(
            stop > size for stop, size in zip(self.stops, shape, strict=True)
        ):
            raise ValueError(f"nothing is left, or too much is asked for, of {shape}")
        return kept

    def _ranges(self) -> list[range]:
        return [range(*ends) for ends in zip(self.starts, self.stops, self.steps, strict=True)]

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return x[(slice(None), *(slice(r.start, r.stop, r.step) for r in self._ranges()))]

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        rank = len(shapes[0])
        axes = [first_axis(axis, rank) for axis in range(rank)]
        columns = (self.starts, self.stops, axes, self.steps)
        inputs = [emitter.constant(np.array(column, np.int64)) for column in columns]
        return emitter.node("Slice", [names[0], *inputs])


@dataclass(frozen=True, eq=False)
class Pad(NoCost):
    """Zeros around the board."""

    pads: Pads

    @override
    def infer(self, shape: Shape) -> Shape:
        rows, columns, channels = shape
        return (rows + sum(self.pads[0]), columns + sum(self.pads[1]), channels)

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.pad(x, ((0, 0), *self.pads, (0, 0)))

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        (top, bottom), (left, right) = self.pads
        amounts = np.array([0, 0, top, left, 0, 0, bottom, right], np.int64)
        return emitter.node("Pad", [names[0], emitter.constant(amounts)])


@dataclass(frozen=True, eq=False)
class Reshape(NoCost):
    """The same numbers, in channels-last order, under another shape; Flatten is one of these."""

    target: Shape
    channels_first = False

    @override
    def infer(self, shape: Shape) -> Shape:
        if prod(shape) != prod(self.target):
            raise ValueError(f"expected {prod(self.target)} numbers: got {prod(shape)}")
        return self.target

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return x.reshape(len(x), *self.target)

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        target = np.array(with_batch(self.target), np.int64)
        return emitter.node("Reshape", [names[0], emitter.constant(target)])


@dataclass(frozen=True, eq=False)
class Transpose(NoCost):
    """The axes in another order; `order` counts from 0 without the batch."""

    order: tuple[int, ...]
    channels_first = False

    @override
    def infer(self, shape: Shape) -> Shape:
        if sorted(self.order) != list(range(len(shape))):
            raise ValueError(f"expected an order of {len(shape)} axes: got {self.order}")
        return tuple(shape[axis] for axis in self.order)

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return x.transpose(0, *(axis + 1 for axis in self.order))

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return emitter.node("Transpose", [names[0]], perm=(0, *(axis + 1 for axis in self.order)))


@dataclass(frozen=True, eq=False)
class Combine(Op):
    """Results of equal rank combined number by number; an axis of length 1 is repeated."""

    kind: CombineKind

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
