"""Pooling over windows and over the whole board."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar, Literal

import numpy as np
from typing_extensions import override

from tournament.intake.graph import Emitter, Op, Shape
from tournament.intake.ops.base import ElementwiseCost, windows
from tournament.intake.ops.linear import Pads

PoolKind = Literal["average", "max"]


@dataclass(frozen=True, eq=False)
class Pool(Op):
    """The mean or the maximum of each window; padded points do not count."""

    kind: PoolKind
    size: tuple[int, int]
    strides: tuple[int, int]
    pads: Pads
    channels_first: ClassVar[bool] = True

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
class GlobalPool(ElementwiseCost):
    """The mean or the maximum over the board: (1, 1, C) with `keepdims`, else (C,)."""

    kind: PoolKind
    keepdims: bool
    channels_first: ClassVar[bool] = True

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
