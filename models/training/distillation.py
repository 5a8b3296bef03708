"""A network that teaches another one: its answers, mixed with the labels of a batch.

Both cross-entropies are linear in the target, so that mixed targets are mixed losses; the squared
error of the value differs by what the student cannot change. The teacher answers by inference,
learns nothing, and is asked only for policy and value.

Source: Hinton et al., "Distilling the Knowledge in a Neural Network", 2015, at temperature 1.
"""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from golois.shapes import NUM_POINTS, PLANES_SHAPE
from models.contract import POLICY_NAME, VALUE_NAME
from models.errors import ModelOptionError
from models.training.transfer import load_network
from models.training.unpacking import PackedInput


class Teacher:
    """The policy and the value of a saved network.

    Args:
        path: an .h5 with one input of planes; its outputs may be more than two and in any order.

    Raises:
        ModelOptionError: no network, or none that answers with policy and value.
    """

    def __init__(self, path: str):
        self.network = _with_two_outputs(load_network(path, "--distill"), path)
        self._model = PackedInput(self.network)
        self._model.compile(jit_compile=keras.backend.backend() == "jax")

    def answers(self, bits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return policies `[B, 361]` and P(White wins) `[B]` for packed planes."""
        by_name = self._model.predict_on_batch(bits)
        policy, value = (by_name[name] for name in self.network.output_names)
        return policy, value[:, 0]

    def mixed_into(self, sample: Callable[[int], Any], weight: float) -> Callable[[int], Any]:
        """Return `sample` with the answers, by a weight from 0 to 1, in policy and value.

        Args:
            sample: draws a batch of packed planes by its number.
            weight: of the answers; the labels have the rest.
        """

        def mixed(step: int) -> Any:
            batch = sample(step)
            policy, value_white = self.answers(batch.planes)
            return batch._replace(
                policy=(1 - weight) * batch.policy + weight * policy,
                value_white=(1 - weight) * batch.value_white + weight * value_white,
            )

        return mixed


def _with_two_outputs(network: keras.Model, path: str) -> keras.Model:
    """Return the part of a network that gives policy and value, in this order."""
    shapes = [tuple(tensor.shape[1:]) for tensor in network.inputs]
    if shapes != [PLANES_SHAPE]:
        raise ModelOptionError(
            f"expected one input {PLANES_SHAPE} of the teacher {path}: got {shapes}"
        )
    outputs = dict(zip(network.output_names, network.outputs, strict=True))
    sizes = {POLICY_NAME: NUM_POINTS, VALUE_NAME: 1}
    heads = [_output(outputs, name, size, path) for name, size in sizes.items()]
    return keras.Model(network.inputs, heads)


def _output(outputs: dict[str, Any], name: str, size: int, path: str) -> Any:
    """Return an output by its name, or else the only one of its size."""
    alike = {other: x for other, x in outputs.items() if tuple(x.shape[1:]) == (size,)}
    found = alike.get(name, next(iter(alike.values())) if len(alike) == 1 else None)
    if found is None:
        raise ModelOptionError(
            f"expected an output {name} of {size} numbers of the teacher {path}: got "
            + ", ".join(f"{other} {tuple(tensor.shape[1:])}" for other, tensor in outputs.items())
        )
    return found
