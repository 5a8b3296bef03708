"""Activations, softmax, PReLU, and normalisations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod, sqrt

import numpy as np
from typing_extensions import override

from tournament.intake.graph.nodes import Emitter, Op, Shape

SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805


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


def _gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1.0 + _erf(x / sqrt(2.0)))


def _emit_clip(emitter: Emitter, x: str, low: float, high: float) -> str:
    bounds = [emitter.constant(np.float32(low)), emitter.constant(np.float32(high))]
    return emitter.node("Clip", [x, *bounds])


def _emit_silu(emitter: Emitter, x: str) -> str:
    return emitter.node("Mul", [x, emitter.node("Sigmoid", [x])])


def _emit_gelu(emitter: Emitter, x: str) -> str:
    scaled = emitter.node("Div", [x, emitter.constant(np.float32(sqrt(2.0)))])
    shifted = emitter.node("Add", [emitter.node("Erf", [scaled]), emitter.constant(np.float32(1))])
    half = emitter.node("Mul", [x, emitter.constant(np.float32(0.5))])
    return emitter.node("Mul", [half, shifted])


def _emit_gelu_tanh(emitter: Emitter, x: str) -> str:
    def constant(number: float) -> str:
        return emitter.constant(np.float32(number))

    cube = emitter.node("Mul", [emitter.node("Mul", [x, x]), x])
    inner = emitter.node("Add", [x, emitter.node("Mul", [cube, constant(0.044715)])])
    tanh = emitter.node("Tanh", [emitter.node("Mul", [inner, constant(sqrt(2.0 / np.pi))])])
    shifted = emitter.node("Add", [tanh, constant(1.0)])
    return emitter.node("Mul", [emitter.node("Mul", [x, shifted]), constant(0.5)])


def _emit_mish(emitter: Emitter, x: str) -> str:
    return emitter.node("Mul", [x, emitter.node("Tanh", [emitter.node("Softplus", [x])])])


def _emit_relu_from(emitter: Emitter, x: str, slope: float, start: float) -> str:
    threshold = emitter.constant(np.float32(start))
    above = emitter.node("Greater", [x, threshold])
    below = emitter.node("Sub", [x, threshold])
    below = emitter.node("Mul", [below, emitter.constant(np.float32(slope))])
    return emitter.node("Where", [above, x, below])


def _emit_log_sigmoid(emitter: Emitter, x: str) -> str:
    return emitter.node("Neg", [emitter.node("Softplus", [emitter.node("Neg", [x])])])


@dataclass(frozen=True)
class _Function:
    """One activation: its plain evaluation and its ONNX nodes, both given `parameters` too."""

    evaluate: Callable[..., np.ndarray]
    emit: Callable[..., str]


def _simple(op_type: str, evaluate: Callable[..., np.ndarray], **attributes: float) -> _Function:
    return _Function(evaluate, lambda emitter, x: emitter.node(op_type, [x], **attributes))


FUNCTIONS: dict[str, _Function] = {
    "relu": _simple("Relu", lambda x: np.maximum(x, 0.0)),
    "clip": _Function(lambda x, low, high: np.clip(x, low, high), _emit_clip),
    "leaky_relu": _Function(
        lambda x, slope: np.where(x > 0, x, slope * x),
        lambda emitter, x, slope: emitter.node("LeakyRelu", [x], alpha=slope),
    ),
    "elu": _Function(_elu, lambda emitter, x, alpha: emitter.node("Elu", [x], alpha=alpha)),
    "selu": _simple(
        "Selu", lambda x: SELU_SCALE * _elu(x, SELU_ALPHA), alpha=SELU_ALPHA, gamma=SELU_SCALE
    ),
    "sigmoid": _simple("Sigmoid", _sigmoid),
    "tanh": _simple("Tanh", np.tanh),
    "softplus": _simple("Softplus", _softplus),
    "softsign": _simple("Softsign", lambda x: x / (1.0 + np.abs(x))),
    "exponential": _simple("Exp", np.exp),
    "silu": _Function(lambda x: x * _sigmoid(x), _emit_silu),
    "gelu": _Function(_gelu, _emit_gelu),
    "gelu_tanh": _Function(
        lambda x: 0.5 * x * (1.0 + np.tanh(sqrt(2.0 / np.pi) * (x + 0.044715 * x**3))),
        _emit_gelu_tanh,
    ),
    "mish": _Function(lambda x: x * np.tanh(_softplus(x)), _emit_mish),
    "hard_sigmoid": _Function(
        lambda x, slope: np.clip(slope * x + 0.5, 0.0, 1.0),
        lambda emitter, x, slope: emitter.node("HardSigmoid", [x], alpha=slope, beta=0.5),
    ),
    "hard_silu": _simple("HardSwish", lambda x: x * np.clip(x / 6.0 + 0.5, 0.0, 1.0)),
    "relu_from": _Function(
        lambda x, slope, start: np.where(x > start, x, slope * (x - start)), _emit_relu_from
    ),
    "log_sigmoid": _Function(lambda x: -_softplus(-x), _emit_log_sigmoid),
    "negative": _simple("Neg", np.negative),
}


@dataclass(frozen=True, eq=False)
class Unary(Op):
    """A function of FUNCTIONS on each number; `parameters` are its constants, such as a slope.

    Counted as ten operations a number, about what an exponential costs.
    """

    function: str
    parameters: tuple[float, ...] = ()

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return FUNCTIONS[self.function].evaluate(x, *self.parameters)

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return FUNCTIONS[self.function].emit(emitter, names[0], *self.parameters)

    @override
    def flops(self, shape: Shape) -> int:
        return 10 * prod(shape)


@dataclass(frozen=True, eq=False)
class Softmax(Op):
    """exp(x) / sum(exp(x)) along the last axis."""

    channels_first: bool = True

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        powers = np.exp(x - x.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        board = len(shapes[0]) == 3 and self.channels_first
        return emitter.node("Softmax", [names[0]], axis=1 if board else -1)

    @override
    def flops(self, shape: Shape) -> int:
        return 10 * prod(shape)


@dataclass(frozen=True, eq=False)
class PReLU(Op):
    """x where positive, else x * alpha; `alpha` has the input's rank, 1 where it is shared."""

    alpha: np.ndarray

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, x, x * self.alpha)

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        alpha = self.alpha.transpose(2, 0, 1) if self.alpha.ndim == 3 else self.alpha
        return emitter.node("PRelu", [names[0], emitter.constant(alpha)])


@dataclass(frozen=True, eq=False)
class BatchNorm(Op):
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta, each [channels], on the last axis."""

    gamma: np.ndarray
    beta: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    epsilon: float

    def scale_and_shift(self) -> tuple[np.ndarray, np.ndarray]:
        """Return float64 (scale, shift) [channels] such that the result is x * scale + shift."""
        scale = self.gamma.astype(np.float64) / np.sqrt(
            self.variance.astype(np.float64) + self.epsilon
        )
        return scale, self.beta - self.mean * scale

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return (x - self.mean) / np.sqrt(
            self.variance.astype(np.float64) + self.epsilon
        ) * self.gamma + self.beta

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        if len(shapes[0]) == 3:  # the runtime keeps its own layout through this node
            arrays = (self.gamma, self.beta, self.mean, self.variance)
            constants = [emitter.constant(array) for array in arrays]
            return emitter.node(
                "BatchNormalization", [names[0], *constants], epsilon=self.epsilon
            )
        scale, shift = self.scale_and_shift()
        scaled = emitter.node("Mul", [names[0], emitter.constant(scale)])
        return emitter.node("Add", [scaled, emitter.constant(shift)])


@dataclass(frozen=True, eq=False)
class LayerNorm(Op):
    """Normalisation over the last `gamma.ndim` axes of each position on its own."""

    gamma: np.ndarray
    beta: np.ndarray
    epsilon: float
    channels_first = False

    @override
    def evaluate(self, x: np.ndarray) -> np.ndarray:
        axes = tuple(range(-self.gamma.ndim, 0))
        mean = x.mean(axis=axes, keepdims=True)
        variance = x.var(axis=axes, keepdims=True)
        return (x - mean) / np.sqrt(variance + self.epsilon) * self.gamma + self.beta

    @override
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        inputs = [names[0], emitter.constant(self.gamma), emitter.constant(self.beta)]
        return emitter.node(
            "LayerNormalization", inputs, axis=-self.gamma.ndim, epsilon=self.epsilon
        )
