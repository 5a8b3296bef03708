"""Planes that reach the device as bits, a thirty-second of the bytes, and are unpacked there."""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import keras
import numpy as np
from keras import ops

from golois.constants import PLANES_SHAPE
from models.contract import OUTPUTS, POLICY_NAME
from models.training.auxiliary import with_auxiliary_heads
from models.training.bottlenecks import has_bottlenecks, with_bottlenecks
from models.training.faster_layers import with_faster_layers, with_one_row
from models.training.precision import Precision, with_precision
from models.training.targets import PLAYED_NAME

BITS_OF_BYTES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)


def unpack_planes(bits, planes_shape: tuple[int, ...] = PLANES_SHAPE):
    """Unpack bits, uint8 `[B, bytes]`, highest first, to planes, float32 `[B, *planes_shape]`."""
    unpacked = ops.take(BITS_OF_BYTES, ops.cast(bits, "int32"), axis=0)
    num_bits = prod(planes_shape)
    flat = ops.reshape(unpacked, (-1, 8 * ((num_bits + 7) // 8)))
    return ops.reshape(flat[:, :num_bits], (-1, *planes_shape))


class PackedInput(keras.Model):
    """Trains a network on packed planes; it shares the weights. Save `network`, not this.

    Some layers train as faster twins (`models.training.bottlenecks` and `faster_layers`).
    `auxiliary` are heads to train with it, and the weights of their losses. In another precision
    than float32 `network` is a copy. `shows_played` shows the policy once more, for `PLAYED_NAME`.
    XLA can't compile (`jit`) a step with a native operation.

    With `hardest`, which `compile_for_training` sets, a step learns from those rows of its batch.
    All rows pass through the network first, so BatchNorm normalises by all rows of the batch.
    """

    hardest: Callable[..., Any] | None = None

    def __init__(
        self,
        network: keras.Model,
        auxiliary: Mapping[str, float] | None = None,
        precision: Precision = "float32",
        shows_played: bool = False,
        jit: bool = False,
    ):
        super().__init__(dtype=precision)  # by which Keras scales the loss of mixed_float16
        # Few layers are outside of a chain, and on a CPU they are faster in float32.
        half_chain = precision == "mixed_bfloat16" and not jit and has_bottlenecks(network)
        self.network = with_precision(network, "float32" if half_chain else precision)
        self.auxiliary = dict(auxiliary or {})
        self.shows_played = shows_played
        self.trained = self.network
        if auxiliary or len(network.outputs) > len(OUTPUTS):
            self.trained = with_auxiliary_heads(self.network, self.auxiliary)
        self.faster = (
            with_faster_layers(self.trained) if jit else with_bottlenecks(self.trained, half_chain)
        )
        self.measured = with_one_row(self.trained)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        """Compute the loss, in training of the hardest rows alone."""
        if training and self.hardest:
            rows = self.hardest(y, y_pred)
            y, y_pred, sample_weight = (
                part and {name: ops.take(array, rows, axis=0) for name, array in part.items()}
                for part in (y, y_pred, sample_weight)
            )
        return super().compute_loss(x, y, y_pred, sample_weight, training)

    def call(self, bits, training=None):
        """Answer by output's name to packed planes, uint8 `[B, bytes of a row]`."""
        planes = unpack_planes(bits, self.network.input_shape[1:])
        network = self.faster if training else self.measured
        outputs = keras.tree.flatten(network(planes, training=training))  # of a dict, too
        named = dict(zip(self.trained.output_names, outputs, strict=True))
        return named | ({PLAYED_NAME: named[POLICY_NAME]} if self.shows_played else {})
