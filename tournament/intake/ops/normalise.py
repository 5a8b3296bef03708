"""Batch and layer normalisation, as they are at inference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from typing_extensions import override

from tournament.intake.graph import Emitter, Shape
from tournament.intake.ops.base import ElementwiseCost


@dataclass(frozen=True, eq=False)
class BatchNorm(ElementwiseCost):
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta, each [channels], on the last axis."""

    gamma: np.ndarray
    beta: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    epsilon: float
    channels_first: ClassVar[bool] = True

    def scale_and_shift(self) -> tuple[np.ndarray, np.ndarray]:
        """Return float64 (scale, shift) [channels] such that the result is x * scale + shift."""
        scale = self.gamma.astype(np.float64) / np.sqrt(
            self.variance.astype(np.float64) + self.epsilon
        )
        return scale, self.beta - self.mean * scale

    @override
    def infer(self, shape: Shape) -> Shape:
        return shape

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
class LayerNorm(ElementwiseCost):
    """Normalisation over the last `gamma.ndim` axes of each position on its own."""

    gamma: np.ndarray
    beta: np.ndarray
    epsilon: float
    channels_first: ClassVar[bool] = False

    @override
    def infer(self, shape: Shape) -> Shape:
        return shape

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
