"""Planes that reach the device as bits, a thirty-second of the bytes, and are unpacked there."""

from collections.abc import Mapping

import keras
import numpy as np
from keras import ops

from golois.shapes import BOARD_SIZE, NUM_PLANES, packed_size
from models.contract import OUTPUTS, POLICY_NAME
from models.training.auxiliary import with_auxiliary_heads
from models.training.cpu_layers import with_cpu_layers
from models.training.precision import Precision, with_precision
from models.training.targets import PLAYED_NAME

BITS_OF_BYTES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)


def unpack_planes(bits, num_planes: int = NUM_PLANES, size: int = BOARD_SIZE):
    """Unpack bits, uint8 `[B, 1399]`, highest first, to planes, float32 `[B, 19, 19, 31]`.

    A look-up in a table of the 256 bytes: on a CPU less work than shifting and masking.
    """
    unpacked = ops.take(BITS_OF_BYTES, ops.cast(bits, "int32"), axis=0)
    flat = ops.reshape(unpacked, (-1, 8 * packed_size(num_planes, size)))
    flat = flat[:, : size * size * num_planes]
    return ops.reshape(flat, (-1, size, size, num_planes))


class PackedInput(keras.Model):
    """Trains a network on packed planes.

    It shares the network's weights and has its policy and value, by name, and auxiliary heads.
    Don't save it: save `network`, which keeps its own input of planes and doesn't depend on this.
    On a CPU some layers train as faster twins, see `models.training.cpu_layers`.

    Args:
        network: keeps the contract.
        auxiliary: the auxiliary heads to train with it, and the weights of their losses.
        precision: of the layers' arithmetic; where it is not float32, `network` is a copy.
        shows_played: whether the policy is an output once more, for `PLAYED_NAME`.
    """

    def __init__(
        self,
        network: keras.Model,
        auxiliary: Mapping[str, float] | None = None,
        precision: Precision = "float32",
        shows_played: bool = False,
    ):
        super().__init__(dtype=precision)  # by which Keras scales the loss of mixed_float16
        self.network = with_precision(network, precision)
        self.auxiliary = dict(auxiliary or {})
        self.shows_played = shows_played
        self.trained = self.network
        if auxiliary or len(network.outputs) > len(OUTPUTS):
            self.trained = with_auxiliary_heads(self.network, self.auxiliary)
        self.faster = with_cpu_layers(self.trained)

    def call(self, bits, training=None):
        """Answer by output's name to packed planes, uint8 `[B, bytes of a row]`."""
        _, size, _, num_planes = self.network.input_shape
        planes = unpack_planes(bits, num_planes, size)
        network = self.faster if training else self.trained
        outputs = network(planes, training=training)
        named = dict(zip(self.trained.output_names, outputs, strict=True))
        return named | ({PLAYED_NAME: named[POLICY_NAME]} if self.shows_played else {})
