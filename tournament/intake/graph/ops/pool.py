"""Pools, means and maxima along axes, and products of matrices."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

import numpy as np
from typing_extensions import override

from tournament.intake.graph.nodes import Emitter, Op, Shape
from tournament.intake.graph.ops.base import first_axis, windows
from tournament.intake.graph.ops.linear import Pads

PoolKind = Literal["average", "max"]
ReduceKind = Literal["mean", "max"]
_NUMPY: dict[ReduceKind, Callable[..., Any]] = {"mean": np.mean, "max": np.max}
_ONNX = {"mean": "ReduceMean", "max": "ReduceMax"}


@dataclass(frozen=True, eq=False)
class Pool(Op):
    """The mean or the maximum of each window; padded points do not count."""

    kind: PoolKind
    size: tuple[int, int]
    strides: tuple[int, int]
    pads: Pads

    @override
    def infer(self, shape: Shape) -> Shape:
        sizes = (
            windows(size + sum(pad), window, stride)
            for size, pad, window, stride in zip(
                shape[:2], self.pads, self.size, self.strides, strict=True
            )
        )
        return (*sizes, shape[2])

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        padded = np.pad(x, ((0, 0), *self.pads, (0, 0)), constant_values=np.nan)
        views = np.lib.stride_tricks.sliding_window_view(padded, self.size, axis=(1, 2))
        views = views[:, :: self.strides[0], :: self.strides[1]]
        reduce = np.nanmean if self.kind == "average" else np.nanmax
        return reduce(views, axis=(-2, -1))

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        (top, bottom), (left, right) = self.pads
        op_type = "AveragePool" if self.kind == "average" else "MaxPool"
        return emitter.node(
            op_type, [names[0]], kernel_shape=self.size, strides=self.strides,
            pads=(top, left, bottom, right),
        )

    @override
    def flops(self, shape: Shape) -> int:
        return prod(self.infer(shape)) * prod(self.size)


@dataclass(frozen=True, eq=False)
class GlobalPool(Op):
    """The mean or the maximum over the board: (1, 1, C) with `keepdims`, else (C,)."""

    kind: PoolKind
    keepdims: bool

    @override
    def infer(self, shape: Shape) -> Shape:
        return (1, 1, shape[2]) if self.keepdims else (shape[2],)

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        reduce = np.mean if self.kind == "average" else np.max
        return reduce(x, axis=(1, 2), keepdims=self.keepdims)

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        op_type = "GlobalAveragePool" if self.kind == "average" else "GlobalMaxPool"
        pooled = emitter.node(op_type, [names[0]])
        return pooled if self.keepdims else emitter.node("Flatten", [pooled])


@dataclass(frozen=True, eq=False)
class Reduce(Op):
    """One number for all along `axes` (from 0, without the batch), which stay with length 1."""

    kind: ReduceKind
    axes: tuple[int, ...]

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

    channels_first = False

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
