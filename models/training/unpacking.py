"""Planes that reach the device as bits, a thirty-second of the bytes, and are unpacked there.

The network is not touched: it trains inside another model and is saved by itself, with its own
input of planes.
"""

import keras
import numpy as np
from keras import ops

from golois.shapes import NUM_PLANES, NUM_POINTS, PACKED_PLANES_SIZE, PLANES_SHAPE

BITS_OF_BYTES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)


class UnpackPlanes(keras.layers.Layer):
    """Bits, uint8 `[B, 1399]`, highest of a byte first, to planes, float32 `[B, 19, 19, 31]`.

    A look-up in a table of the 256 bytes: on a CPU less work than shifting and masking.
    """

    def call(self, bits):
        unpacked = ops.take(BITS_OF_BYTES, ops.cast(bits, "int32"), axis=0)
        flat = ops.reshape(unpacked, (-1, 8 * PACKED_PLANES_SIZE))
        return ops.reshape(flat[:, : NUM_POINTS * NUM_PLANES], (-1, *PLANES_SHAPE))


def fed_with_bits(network: keras.Model) -> keras.Model:
    """A model of packed planes that shares the network's weights and has its outputs, for training.

    It is not to be saved; save the network.
    """
    bits = keras.Input((PACKED_PLANES_SIZE,), dtype="uint8", name="bits")
    outputs = network(UnpackPlanes()(bits))
    return keras.Model(bits, dict(zip(network.output_names, outputs, strict=True)))
