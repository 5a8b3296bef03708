"""Boards made larger: transposed convolution and interpolation."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar, Literal

import numpy as np
from typing_extensions import override

from tournament.intake.graph import Emitter, Op, Shape
from tournament.intake.ops.base import ElementwiseCost
from tournament.intake.ops.linear import Pads


@dataclass(frozen=True, eq=False)
class ConvTranspose(Op):
    """The transpose of a convolution; `kernel` is [rows, columns, channels, filters].

    `pads` ((top, bottom), (left, right)) are cut off and `extra` points that see no input are
    appended at the bottom and on the right.
    """

    kernel: np.ndarray
    bias: np.ndarray | None
    strides: tuple[int, int]
    pads: Pads
    dilation: tuple[int, int]
    extra: tuple[int, int]
    channels_first: ClassVar[bool] = True

    def _whole(self, shape: Shape) -> tuple[int, ...]:
        return tuple(
            (size - 1) * stride + (kernel - 1) * step + 1 + more
            for size, stride, kernel, step, more in zip(
                shape[:2], self.strides, self.kernel.shape[:2], self.dilation, self.extra,
                strict=True,
            )
        )

    @override
    def infer(self, shape: Shape) -> Shape:
        sizes = [size - sum(pad) for size, pad in zip(self._whole(shape), self.pads, strict=True)]
        return (*sizes, self.kernel.shape[3])

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        rows, columns = x.shape[1:3]
        result = np.zeros((len(x), *self._whole(x.shape[1:]), self.kernel.shape[3]))
        for row in range(self.kernel.shape[0]):
            for column in range(self.kernel.shape[1]):
                top, left = row * self.dilation[0], column * self.dilation[1]
                result[
                    :,
                    top : top + (rows - 1) * self.strides[0] + 1 : self.strides[0],
                    left : left + (columns - 1) * self.strides[1] + 1 : self.strides[1],
                ] += x @ self.kernel[row, column].astype(np.float64)
        (top, _), (left, _) = self.pads
        height, width, _ = self.infer(x.shape[1:])
        result = result[:, top : top + height, left : left + width]
        return result if self.bias is None else result + self.bias

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        inputs = [names[0], emitter.constant(self.kernel.transpose(2, 3, 0, 1))]
        if self.bias is not None:
            inputs.append(emitter.constant(self.bias))
        (top, bottom), (left, right) = self.pads
        return emitter.node(
            "ConvTranspose", inputs, kernel_shape=self.kernel.shape[:2], strides=self.strides,
            pads=(top, left, bottom, right), dilations=self.dilation, output_padding=self.extra,
        )

    @override
    def flops(self, shape: Shape) -> int:
        return 2 * prod(shape[:2]) * self.kernel.size


@dataclass(frozen=True, eq=False)
class Resize(ElementwiseCost):
    """Each board `factors` times larger, by repeating points or by linear interpolation."""

    factors: tuple[int, int]
    interpolation: Literal["nearest", "bilinear"]
    channels_first: ClassVar[bool] = True

    @override
    def infer(self, shape: Shape) -> Shape:
        return (shape[0] * self.factors[0], shape[1] * self.factors[1], shape[2])

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        rows, columns = (
            self._weights(size, factor)
            for size, factor in zip(x.shape[1:3], self.factors, strict=True)
        )
        return np.einsum("rh,bhwc,sw->brsc", rows, x, columns, optimize=True)

    def _weights(self, size: int, factor: int) -> np.ndarray:
        """Return [size * factor, size]: what each new point takes of each old one."""
        if self.interpolation == "nearest":
            return np.repeat(np.eye(size), factor, axis=0)
        places = (np.arange(size * factor) + 0.5) / factor - 0.5
        distances = np.abs(np.clip(places, 0, size - 1)[:, np.newaxis] - np.arange(size))
        return np.clip(1.0 - distances, 0.0, None)

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        scales = emitter.constant(np.array([1, 1, *self.factors], np.float32))
        options = (
            {"mode": "nearest", "nearest_mode": "floor",
             "coordinate_transformation_mode": "asymmetric"}
            if self.interpolation == "nearest"
            else {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
        )
        return emitter.node("Resize", [names[0], "", scales], **options)

    @override
    def flops(self, shape: Shape) -> int:
        return 8 * prod(self.infer(shape))
