"""Pieces that several families share; `layers.*` only, since Lambda layers and ops don't load."""

from math import prod
from typing import Literal

from keras import initializers, layers, regularizers

from models.contract import INPUT_NAME, INPUT_SHAPE

SqueezePosition = Literal["end", "expanded", "none"]

L2_PENALTY = 1e-4
BATCH_NORM_MOMENTUM = 0.9


def board_input(planes: int = INPUT_SHAPE[2], size: int = INPUT_SHAPE[0]):
    """Return the contract's input, or that of a published network with other planes or board."""
    return layers.Input((size, size, planes), name=INPUT_NAME)


def l2() -> regularizers.L2:
    """Return the weight penalty of the course's networks."""
    return regularizers.L2(L2_PENALTY)


def batch_norm(x):
    """Normalise each channel over the batch; shape unchanged.

    The running statistics adapt ten times faster than by Keras's default. Otherwise a short run
    would be validated, and handed in, with early statistics.
    """
    return layers.BatchNormalization(momentum=BATCH_NORM_MOMENTUM)(x)


def norm_activation(x, activation: str):
    """Normalise over the batch, then apply an activation by name; shape unchanged."""
    return layers.Activation(activation)(batch_norm(x))


def pointwise(x, filters: int, use_bias: bool = False):
    """Mix the channels of each point: `[B, size, size, C]` to `[B, size, size, filters]`."""
    return layers.Conv2D(filters, 1, use_bias=use_bias, kernel_regularizer=l2())(x)


def convolution(x, filters: int):
    """Convolve by 3x3, without bias: `[B, rows, columns, C]` to `[B, rows, columns, filters]`."""
    return layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)


def depthwise(x, kernel_size: int):
    """Convolve every channel by its own kernel, without bias; shape unchanged."""
    return layers.DepthwiseConv2D(
        kernel_size, padding="same", use_bias=False, depthwise_regularizer=l2()
    )(x)


def squeeze_excitation(x, ratio: int):
    """Weigh each channel of `x` `[B, 19, 19, C]` by a gate computed from the channel means.

    `ratio` is C over the width of the hidden layer, at least one unit. Source: Hu et al.,
    "Squeeze-and-Excitation Networks", 2017, equations 2 to 4; swish inside and no biases as in the
    report.
    """
    channels = x.shape[-1]
    gate = layers.GlobalAveragePooling2D(keepdims=True)(x)
    gate = layers.Dense(max(1, channels // ratio), activation="silu", use_bias=False)(gate)
    gate = layers.Dense(channels, activation="sigmoid", use_bias=False)(gate)
    return layers.Multiply()([x, gate])


def mean_and_max(x):
    """Pool each channel over the board in two ways: `[B, rows, columns, C]` to `[B, 1, 1, 2 C]`."""
    pools = (layers.GlobalAveragePooling2D, layers.GlobalMaxPooling2D)
    return layers.Concatenate()([pool(keepdims=True)(x) for pool in pools])


def channel_pool(x, pooling: Literal["average", "max"]):
    """Pool the channels of each point: `[B, rows, columns, C]` to `[B, rows, columns, 1]`."""
    rows, columns, channels = x.shape[1:]
    pool = {"average": layers.GlobalAveragePooling1D, "max": layers.GlobalMaxPooling1D}[pooling]
    x = layers.Permute((2, 1))(layers.Reshape((rows * columns, channels))(x))
    return layers.Reshape((rows, columns, 1))(pool()(x))


def take_channels(x, start: int, stop: int):
    """Return some channels: `[B, rows, columns, C]` to `[B, rows, columns, stop - start]`."""
    cut = ((start, x.shape[-1] - stop), (0, 0))
    x = layers.Cropping2D(cut)(layers.Permute((3, 1, 2))(x))
    return layers.Permute((2, 3, 1))(x)


def constant_one(board):
    """Make the number 1 of a board by a factor of 0: `[B, rows, columns, planes]` to `[B, 1]`."""
    x = layers.GlobalAveragePooling2D()(board)
    x = layers.Reshape((x.shape[-1], 1))(x)
    x = layers.GlobalAveragePooling1D()(x)
    return layers.Rescaling(scale=0.0, offset=1.0)(x)


def learned_array(one, shape: tuple[int, ...], deviation: float = 0.0):
    """Return an array that depends on no position, with one parameter a number: `[B, *shape]`.

    Keras has no layer that is a mere array. So it is the kernel of a dense layer whose one input is
    the number 1, from `constant_one`. It starts from a normal distribution of this deviation.
    """
    start = initializers.TruncatedNormal(stddev=deviation) if deviation else "zeros"
    flat = layers.Dense(prod(shape), use_bias=False, kernel_initializer=start)(one)
    return layers.Reshape(shape)(flat)
