"""Arrays that are learned and depend on no position, from stock layers: `[B, *shape]`.

Keras has no layer that is a mere array. Here it is the kernel of a dense layer whose one input is
the number 1, made of the board by a factor of 0; a custom layer would not load everywhere.
"""

from math import prod

from keras import initializers, layers


def constant_one(board):
    """Return the number 1 for each position: `[B, rows, columns, planes]` to `[B, 1]`."""
    x = layers.GlobalAveragePooling2D()(board)
    x = layers.Reshape((x.shape[-1], 1))(x)
    x = layers.GlobalAveragePooling1D()(x)
    return layers.Rescaling(scale=0.0, offset=1.0)(x)


def learned_array(one, shape: tuple[int, ...], deviation: float = 0.0):
    """Return an array, `shape` without the batch, of as many parameters as it has numbers.

    It starts from a normal distribution of this deviation; 0 for zeros. `one` is `constant_one`'s.
    """
    start = initializers.TruncatedNormal(stddev=deviation) if deviation else "zeros"
    flat = layers.Dense(prod(shape), use_bias=False, kernel_initializer=start)(one)
    return layers.Reshape(shape)(flat)
