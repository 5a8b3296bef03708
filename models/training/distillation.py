"""Distillation: a teacher network's answers, mixed with the labels of a batch.

Cross-entropies are linear in the target, so that mixed targets are mixed losses. Source: Hinton et
al., "Distilling the Knowledge in a Neural Network", 2015, at temperature 1.
"""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from models.training.transfer import load_network
from models.training.unpacking import PackedInput


class Teacher:
    """Policy and value of an .h5 with one input of planes; ModelOptionError: other outputs."""

    def __init__(self, path: str):
        self.network = load_network(path, "--distill")
        self._model = PackedInput(self.network)
        self._model.compile(jit_compile=keras.backend.backend() == "jax")

    def answers(self, bits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return policies `[B, 361]` and P(White wins) `[B]` for packed planes."""
        by_name = self._model.predict_on_batch(bits)
        policy, value = (by_name[name] for name in self.network.output_names)
        return policy, value[:, 0]

    def mixed_into(self, sample: Callable[[int], Any], weight: float) -> Callable[[int], Any]:
        """Return `sample` with answers in policy and value, of this `weight` from 0 to 1."""

        def mixed(step: int) -> Any:
            batch = sample(step)
            policy, value_white = self.answers(batch.planes)
            return batch._replace(
                policy=(1 - weight) * batch.policy + weight * policy,
                value_white=(1 - weight) * batch.value_white + weight * value_white,
            )

        return mixed
