"""The small set of operations that every layer is written in, and what each computes.

Shapes leave out the batch and are channels-last, as in Keras: a board is (size, size, channels).
`onnx.py` says how each operation is written.
"""
# ruff: noqa: D102
# Op says what each method does.

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from math import prod, sqrt
from typing import Any, ClassVar, Literal

import numpy as np

Shape = tuple[int, ...]
Pads = tuple[tuple[int, int], tuple[int, int]]
PoolKind = Literal["average", "max"]
ReduceKind = Literal["mean", "max"]
CombineKind = Literal["add", "subtract", "multiply", "divide", "average", "maximum", "minimum"]
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


class Op(ABC):
    """One operation; a frozen dataclass that holds its own options and weights.

    How many shapes and arrays the methods take depends on the operation.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]
    COST: ClassVar[int] = 1

    def infer(self, *shapes: Any) -> Shape:
        """Return the result's shape, given those of the inputs: that of the first by default.

        Raises:
            ValueError: the inputs do not fit.
        """
        return shapes[0]

    @abstractmethod
    def evaluate(self, *arrays: Any) -> np.ndarray:
        """Return the result for float64 arrays [B, *shape], channels last: the plain reference."""

    def flops(self, *shapes: Any) -> int:
        """Return the floating-point operations for one position (a multiply-add counts two).

        COST for each number that goes in by default.
        """
        return self.COST * sum(prod(shape) for shape in shapes)


class NoCost(Op):
    """Counts no floating-point operation: the numbers are only moved."""

    COST = 0


# Products, which hold nearly all parameters.


def _windows(
    shape: Shape, pads: Pads, kernel: Shape, strides: Shape, dilation: Shape = (1, 1)
) -> Shape:
    """Return how many places a kernel has along the rows and columns of a padded board."""
    found = []
    for size, pad, width, stride, step in zip(shape, pads, kernel, strides, dilation, strict=False):
        count = (size + sum(pad) - (width - 1) * step - 1) // stride + 1
        if count < 1:
            raise ValueError(f"a kernel of {width} does not fit in {size + sum(pad)} points")
        found.append(count)
    return tuple(found)


def _seen(op: "Conv | ConvTranspose", row: int, column: int, rows: int, columns: int) -> tuple:
    """Return the slices of a board that one place of a kernel meets."""
    return (slice(None), *(
        slice(start, start + (count - 1) * stride + 1, stride)
        for start, count, stride in zip(
            (row * op.dilation[0], column * op.dilation[1]), (rows, columns), op.strides,
            strict=True,
        )
    ))


def _plus(result: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    return result if bias is None else result + bias


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

    def infer(self, shape: Shape) -> Shape:
        expected = self.kernel.shape[2] * self.groups
        if shape[2] != expected:
            raise ValueError(f"expected {expected} channels: got {shape[2]}")
        kernel = self.kernel.shape[:2]
        sizes = _windows(shape[:2], self.pads, kernel, self.strides, self.dilation)
        return (*sizes, self.kernel.shape[3])

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        rows, columns, filters = self.infer(x.shape[1:])
        padded = np.pad(x, ((0, 0), *self.pads, (0, 0)))
        split = padded.reshape(*padded.shape[:3], self.groups, -1)
        kernel = self.kernel.astype(np.float64)
        kernel = kernel.reshape(*kernel.shape[:3], self.groups, filters // self.groups)
        result = np.zeros((len(x), rows, columns, self.groups, filters // self.groups))
        for row, column in np.ndindex(kernel.shape[:2]):
            seen = split[_seen(self, row, column, rows, columns)]
            result += _products(seen, kernel[row, column])
        return _plus(result.reshape(len(x), rows, columns, filters), self.bias)

    def flops(self, shape: Shape) -> int:
        return 2 * prod(self.infer(shape)[:2]) * self.kernel.size


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

    def infer(self, shape: Shape) -> Shape:
        if shape[-1] != self.kernel.shape[0]:
            raise ValueError(f"expected {self.kernel.shape[0]} channels: got {shape[-1]}")
        return (*shape[:-1], self.kernel.shape[1])

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return _plus(x @ self.kernel.astype(np.float64), self.bias)

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

    def _whole(self, shape: Shape) -> Shape:
        return tuple(
            (size - 1) * stride + (kernel - 1) * step + 1 + more
            for size, stride, kernel, step, more in zip(
                shape, self.strides, self.kernel.shape, self.dilation, self.extra, strict=False
            )
        )

    def infer(self, shape: Shape) -> Shape:
        sizes = [size - sum(pad) for size, pad in zip(self._whole(shape), self.pads, strict=True)]
        return (*sizes, self.kernel.shape[3])

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        result = np.zeros((len(x), *self._whole(x.shape[1:]), self.kernel.shape[3]))
        for row, column in np.ndindex(self.kernel.shape[:2]):
            met = _seen(self, row, column, *x.shape[1:3])
            result[met] += x @ self.kernel[row, column].astype(np.float64)
        (top, _), (left, _) = self.pads
        height, width, _ = self.infer(x.shape[1:])
        return _plus(result[:, top : top + height, left : left + width], self.bias)

    def flops(self, shape: Shape) -> int:
        return 2 * prod(shape[:2]) * self.kernel.size


@dataclass(frozen=True, eq=False)
class MatMul(Op):
    """The product of matrices in the last two axes, for each index of the axes before them."""

    def infer(self, left: Shape, right: Shape) -> Shape:
        fit = len(left) == len(right) >= 2 and left[-1] == right[-2] and left[:-2] == right[:-2]
        if not fit:
            raise ValueError(f"expected matrices that can be multiplied: got {left} and {right}")
        return (*left[:-1], right[-1])

    def evaluate(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return left @ right

    def flops(self, left: Shape, right: Shape) -> int:
        return 2 * prod(left) * right[-1]


# Functions of each number, and normalisations.


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def _softplus(x: np.ndarray) -> np.ndarray:
    return np.logaddexp(0.0, x)


def _elu(x: np.ndarray, alpha: float) -> np.ndarray:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0.0)))


def _erf(x: np.ndarray) -> np.ndarray:
    """Return the error function within 1.5e-7; source: Abramowitz & Stegun, formula 7.1.26."""
    t = 1.0 / (1.0 + 0.3275911 * np.abs(x))
    sum_ = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        sum_ = (sum_ + factor) * t
    return np.sign(x) * (1.0 - sum_ * np.exp(-x * x))


def _gelu_tanh(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1.0 + np.tanh(sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {  # of numbers and `parameters`
    "relu": lambda x: np.maximum(x, 0.0),
    "clip": np.clip,
    "leaky_relu": lambda x, slope: np.where(x > 0, x, slope * x),
    "relu_from": lambda x, slope, start: np.where(x > start, x, slope * (x - start)),
    "elu": _elu,
    "selu": lambda x: SELU_SCALE * _elu(x, SELU_ALPHA),
    "sigmoid": _sigmoid,
    "log_sigmoid": lambda x: -_softplus(-x),
    "hard_sigmoid": lambda x, slope: np.clip(slope * x + 0.5, 0.0, 1.0),
    "tanh": np.tanh,
    "softplus": _softplus,
    "softsign": lambda x: x / (1.0 + np.abs(x)),
    "exponential": np.exp,
    "silu": lambda x: x * _sigmoid(x),
    "hard_silu": lambda x: x * np.clip(x / 6.0 + 0.5, 0.0, 1.0),
    "gelu": lambda x: 0.5 * x * (1.0 + _erf(x / sqrt(2.0))),
    "gelu_tanh": _gelu_tanh,
    "mish": lambda x: x * np.tanh(_softplus(x)),
    "negative": np.negative,
}


@dataclass(frozen=True, eq=False)
class Unary(Op):
    """A function of FUNCTIONS on each number; `parameters` are its constants, such as a slope.

    Counted as ten operations a number, about what an exponential costs.
    """

    function: str
    parameters: tuple[float, ...] = ()
    COST = 10

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return FUNCTIONS[self.function](x, *self.parameters)


@dataclass(frozen=True, eq=False)
class Softmax(Op):
    """exp(x) / sum(exp(x)) along the last axis; of matrices where `channels_first` is false."""

    channels_first: bool = True
    COST = 10

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        powers = np.exp(x - x.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)


@dataclass(frozen=True, eq=False)
class PReLU(Op):
    """x where positive, else x * alpha; `alpha` has the input's rank, 1 where it is shared."""

    alpha: np.ndarray

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, x, x * self.alpha)


@dataclass(frozen=True, eq=False)
class BatchNorm(Op):
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta, each [channels], on the last axis."""

    gamma: np.ndarray
    beta: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    epsilon: float

    @classmethod
    def of(cls, scale: np.ndarray, shift: np.ndarray) -> "BatchNorm":
        """Return the one that comes to x * scale + shift, each [channels]."""
        return cls(scale, shift, np.zeros_like(scale), np.ones_like(scale), 0.0)

    def scale_and_shift(self) -> tuple[np.ndarray, np.ndarray]:
        """Return float64 (scale, shift) [channels] such that the result is x * scale + shift."""
        scale = self.gamma.astype(np.float64) / self._deviation()
        return scale, self.beta - self.mean * scale

    def _deviation(self) -> np.ndarray:
        return np.sqrt(self.variance.astype(np.float64) + self.epsilon)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return (x - self.mean) / self._deviation() * self.gamma + self.beta


@dataclass(frozen=True, eq=False)
class LayerNorm(Op):
    """Normalisation over the last `gamma.ndim` axes of each position on its own."""

    gamma: np.ndarray
    beta: np.ndarray
    epsilon: float

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        axes = tuple(range(-self.gamma.ndim, 0))
        mean, variance = x.mean(axis=axes, keepdims=True), x.var(axis=axes, keepdims=True)
        return (x - mean) / np.sqrt(variance + self.epsilon) * self.gamma + self.beta


# Pools, and means and maxima along axes.


@dataclass(frozen=True, eq=False)
class Pool(Op):
    """The mean or the maximum of each window; padded points do not count."""

    kind: PoolKind
    size: tuple[int, int]
    strides: tuple[int, int]
    pads: Pads

    def infer(self, shape: Shape) -> Shape:
        return (*_windows(shape[:2], self.pads, self.size, self.strides), shape[2])

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        padded = np.pad(x, ((0, 0), *self.pads, (0, 0)), constant_values=np.nan)
        views = np.lib.stride_tricks.sliding_window_view(padded, self.size, axis=(1, 2))
        views = views[:, :: self.strides[0], :: self.strides[1]]
        return (np.nanmean if self.kind == "average" else np.nanmax)(views, axis=(-2, -1))

    def flops(self, shape: Shape) -> int:
        return prod(self.infer(shape)) * prod(self.size)


@dataclass(frozen=True, eq=False)
class GlobalPool(Op):
    """The mean or the maximum over the board: (1, 1, C) with `keepdims`, else (C,)."""

    kind: PoolKind
    keepdims: bool

    def infer(self, shape: Shape) -> Shape:
        return (1, 1, shape[2]) if self.keepdims else (shape[2],)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        reduce_ = np.mean if self.kind == "average" else np.max
        return reduce_(x, axis=(1, 2), keepdims=self.keepdims)


@dataclass(frozen=True, eq=False)
class Reduce(Op):
    """One number for all along `axes` (from 0, without the batch), which stay with length 1."""

    kind: ReduceKind
    axes: tuple[int, ...]

    def infer(self, shape: Shape) -> Shape:
        return tuple(1 if axis in self.axes else size for axis, size in enumerate(shape))

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        reduce_ = np.mean if self.kind == "mean" else np.max
        return reduce_(x, axis=tuple(axis + 1 for axis in self.axes), keepdims=True)


@dataclass(frozen=True, eq=False)
class Resize(Op):
    """Each board `factors` times larger, by repeating points or by linear interpolation."""

    factors: tuple[int, int]
    interpolation: Literal["nearest", "bilinear"]

    def infer(self, shape: Shape) -> Shape:
        return (shape[0] * self.factors[0], shape[1] * self.factors[1], shape[2])

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        rows, columns = map(self._weights, x.shape[1:3], self.factors)
        return np.einsum("rh,bhwc,sw->brsc", rows, x, columns, optimize=True)

    def _weights(self, size: int, factor: int) -> np.ndarray:
        """Return [size * factor, size]: what each new point takes of each old one."""
        if self.interpolation == "nearest":
            return np.repeat(np.eye(size), factor, axis=0)
        places = (np.arange(size * factor) + 0.5) / factor - 0.5
        distances = np.abs(np.clip(places, 0, size - 1)[:, np.newaxis] - np.arange(size))
        return np.clip(1.0 - distances, 0.0, None)

    def flops(self, shape: Shape) -> int:
        return 8 * prod(self.infer(shape))


# The input, constants, what moves numbers, and what joins results.


@dataclass(frozen=True, eq=False)
class Input(NoCost):
    """The planes (size, size, planes): node 0 of every graph."""

    shape: Shape

    def infer(self) -> Shape:
        return self.shape

    def evaluate(self) -> np.ndarray:
        raise ValueError("the planes are given, and not evaluated")


@dataclass(frozen=True, eq=False)
class Constant(NoCost):
    """Numbers of the file that are the same for every position."""

    array: np.ndarray

    def infer(self) -> Shape:
        return self.array.shape

    def evaluate(self) -> np.ndarray:
        return self.array.astype(np.float64)[np.newaxis]


@dataclass(frozen=True, eq=False)
class Cut(NoCost):
    """Every `steps`-th number from `starts` to before `stops`, for each axis."""

    starts: tuple[int, ...]
    stops: tuple[int, ...]
    steps: tuple[int, ...]

    def infer(self, shape: Shape) -> Shape:
        columns = zip(self.starts, self.stops, self.steps, strict=True)
        kept = tuple(len(range(*ends)) for ends in columns)
        if len(kept) != len(shape) or 0 in kept or any(
            stop > size for stop, size in zip(self.stops, shape, strict=True)
        ):
            raise ValueError(f"nothing is left, or too much is asked for, of {shape}")
        return kept

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return x[(slice(None), *map(slice, self.starts, self.stops, self.steps))]


@dataclass(frozen=True, eq=False)
class Pad(NoCost):
    """Zeros around the board."""

    pads: Pads

    def infer(self, shape: Shape) -> Shape:
        rows, columns, channels = shape
        return (rows + sum(self.pads[0]), columns + sum(self.pads[1]), channels)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.pad(x, ((0, 0), *self.pads, (0, 0)))


@dataclass(frozen=True, eq=False)
class Reshape(NoCost):
    """The same numbers, in channels-last order, under another shape; Flatten is one of these."""

    target: Shape

    def infer(self, shape: Shape) -> Shape:
        if prod(shape) != prod(self.target):
            raise ValueError(f"expected {prod(self.target)} numbers: got {prod(shape)}")
        return self.target

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return x.reshape(len(x), *self.target)


@dataclass(frozen=True, eq=False)
class Transpose(NoCost):
    """The axes in another order; `order` counts from 0 without the batch."""

    order: tuple[int, ...]

    def infer(self, shape: Shape) -> Shape:
        if sorted(self.order) != list(range(len(shape))):
            raise ValueError(f"expected an order of {len(shape)} axes: got {self.order}")
        return tuple(shape[axis] for axis in self.order)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return x.transpose(0, *(axis + 1 for axis in self.order))


_COMBINE: dict[CombineKind, np.ufunc] = {
    "add": np.add, "average": np.add, "subtract": np.subtract, "multiply": np.multiply,
    "maximum": np.maximum, "minimum": np.minimum, "divide": np.divide,
}


@dataclass(frozen=True, eq=False)
class Combine(Op):
    """Results of equal rank combined number by number; an axis of length 1 is repeated."""

    kind: CombineKind

    def infer(self, *shapes: Shape) -> Shape:
        if len({len(shape) for shape in shapes}) != 1:
            raise ValueError(f"expected inputs of one rank: got shapes {shapes}")
        return np.broadcast_shapes(*shapes)

    def evaluate(self, *arrays: np.ndarray) -> np.ndarray:
        result = reduce(_COMBINE[self.kind], arrays)
        return result / len(arrays) if self.kind == "average" else result


@dataclass(frozen=True, eq=False)
class Concat(NoCost):
    """Results joined along `axis`, which counts from the end: -1 is the channels."""

    axis: int

    def infer(self, *shapes: Shape) -> Shape:
        axis = len(shapes[0]) + self.axis
        if len({shape[:axis] + shape[axis + 1 :] for shape in shapes}) != 1:
            raise ValueError(f"expected shapes that differ on axis {self.axis} only: got {shapes}")
        joined = sum(shape[axis] for shape in shapes)
        return (*shapes[0][:axis], joined, *shapes[0][axis + 1 :])

    def evaluate(self, *arrays: np.ndarray) -> np.ndarray:
        return np.concatenate(arrays, axis=self.axis)
