"""Planes that reach the device as bits, a thirty-second of the bytes, and are unpacked there."""

import keras
import numpy as np
from keras import ops

from golois.shapes import BOARD_SIZE, NUM_PLANES, NUM_POINTS, packed_size

BITS_OF_BYTES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)


def unpack_planes(bits, num_planes: int = NUM_PLANES):
    """Planes, float32 `[B, 19, 19, 31]`, of bits, uint8 `[B, 1399]`, the highest of a byte first.

    A look-up in a table of the 256 bytes: on a CPU less work than shifting and masking.
    """
    unpacked = ops.take(BITS_OF_BYTES, ops.cast(bits, "int32"), axis=0)
    flat = ops.reshape(unpacked, (-1, 8 * packed_size(num_planes)))
    flat = flat[:, : NUM_POINTS * num_planes]
    return ops.reshape(flat, (-1, BOARD_SIZE, BOARD_SIZE, num_planes))


class PackedInput(keras.Model):
    """Trains a network on packed planes.

    It shares the network's weights and has its outputs, by name. It is not to be saved: that is
    for `network`, which keeps its own input of planes and knows nothing of this.
    """

    def __init__(self, network: keras.Model):
        super().__init__()
        self.network = network

    def call(self, bits, training=None):
        planes = unpack_planes(bits, self.network.input_shape[-1])
        outputs = self.network(planes, training=training)
        return dict(zip(self.network.output_names, outputs, strict=True))
