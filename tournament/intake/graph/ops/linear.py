"""Convolutions and dense products, which hold nearly all parameters, and larger boards."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
from typing_extensions import override

from tournament.intake.graph.nodes import Emitter, Op, Shape
from tournament.intake.graph.ops.base import windows

Pads = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Conv(Op):
    """A convolution with explicit zero padding; depthwise is `groups` = channels.

    `kernel` is [rows, columns, channels / groups, filters], `pads` ((top, bottom), (left, right)).
    """

    kernel: np.ndarray
    bias: np.ndarray | None
    strides: tuple[int, int]
    pads: Pads
    dilation: tuple[int, int]
    groups: int

    @override
    def infer(self, shape: Shape) -> Shape:
        rows, columns, channels = shape
        if channels != self.kernel.shape[2] * self.groups:
            expected = self.kernel.shape[2] * self.groups
            raise ValueError(f"expected {expected} channels: got {channels}")
        sizes = (
            windows(size + sum(pad), kernel, stride, dilation)
            for size, pad, kernel, stride, dilation in zip(
                (rows, columns), self.pads, self.kernel.shape[:2], self.strides, self.dilation,
                strict=True,
            )
        )
        return (*sizes, self.kernel.shape[3])

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        rows, columns, filters = self.infer(x.shape[1:])
        padded = np.pad(x, ((0, 0), *self.pads, (0, 0)))
        split = padded.reshape(*padded.shape[:3], self.groups, -1)
        kernel = self.kernel.astype(np.float64)
        kernel = kernel.reshape(*kernel.shape[:3], self.groups, filters // self.groups)
        result = np.zeros((len(x), rows, columns, self.groups, filters // self.groups))
        for row in range(kernel.shape[0]):
            for column in range(kernel.shape[1]):
                top, left = row * self.dilation[0], column * self.dilation[1]
                seen = split[
                    :,
                    top : top + (rows - 1) * self.strides[0] + 1 : self.strides[0],
                    left : left + (columns - 1) * self.strides[1] + 1 : self.strides[1],
                ]
                result += _products(seen, kernel[row, column])
        whole = result.reshape(len(x), rows, columns, filters)
        return whole if self.bias is None else whole + self.bias

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        inputs = [names[0], emitter.constant(self.kernel.transpose(3, 2, 0, 1))]
        if self.bias is not None:
            inputs.append(emitter.constant(self.bias))
        (top, bottom), (left, right) = self.pads
        return emitter.node(
            "Conv", inputs, kernel_shape=self.kernel.shape[:2], strides=self.strides,
            pads=(top, left, bottom, right), dilations=self.dilation, group=self.groups,
        )

    @override
    def flops(self, shape: Shape) -> int:
        rows, columns, _ = self.infer(shape)
        return 2 * rows * columns * self.kernel.size


def _products(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Multiply `x` [B, rows, columns, groups, c] by `weights` [c, groups, f], summed over c."""
    channels, groups, _ = weights.shape
    if channels == 1:
        return x * weights[0]
    if groups == 1:
        return x @ weights[:, 0]
    return np.einsum("bhwgc,cgf->bhwgf", x, weights, optimize=True)


@dataclass(frozen=True, eq=False)
class Dense(Op):
    """A product with `kernel` [channels, units] along the last axis, and a bias."""

    kernel: np.ndarray
    bias: np.ndarray | None

    @override
    def infer(self, shape: Shape) -> Shape:
        if shape[-1] != self.kernel.shape[0]:
            raise ValueError(f"expected {self.kernel.shape[0]} channels: got {shape[-1]}")
        return (*shape[:-1], self.kernel.shape[1])

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        result = x @ self.kernel.astype(np.float64)
        return result if self.bias is None else result + self.bias

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        rank = len(shapes[0])
        if rank == 3:
            pointwise = self.kernel[np.newaxis, np.newaxis]
            conv = Conv(pointwise, self.bias, (1, 1), ((0, 0), (0, 0)), (1, 1), 1)
            return conv.emit(emitter, names, shapes)
        kernel = emitter.constant(self.kernel)
        if rank == 1 and self.bias is not None:
            return emitter.node("Gemm", [names[0], kernel, emitter.constant(self.bias)])
        product = emitter.node("MatMul", [names[0], kernel])
        if self.bias is None:
            return product
        return emitter.node("Add", [product, emitter.constant(self.bias)])

    @override
    def flops(self, shape: Shape) -> int:
        return 2 * prod(shape[:-1]) * self.kernel.size


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
class Resize(Op):
    """Each board `factors` times larger, by repeating points or by linear interpolation."""

    factors: tuple[int, int]
    interpolation: Literal["nearest", "bilinear"]

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
