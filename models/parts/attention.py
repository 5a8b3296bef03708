"""Transformer blocks over the points of a board, from stock layers.

A board `[B, rows, columns, C]` has one token a point in row-major order. Attention is written head
by head, in `layers.Dot`, since MultiHeadAttention takes no bias.
"""

from math import sqrt
from typing import Literal

from keras import initializers, layers

from models.parts.blocks import batch_norm, depthwise
from models.parts.relative_positions import DEVIATION, ShawVectors, relative_bias

Relative = Literal["bias", "shaw", "none"]
Projection = Literal["linear", "convolution"]

EPSILON = 1e-5


def dense(x, units: int, activation: str | None = None):
    """Mix the last axis, with bias, starting as the papers' transformers do."""
    start = initializers.TruncatedNormal(stddev=DEVIATION)
    return layers.Dense(units, activation=activation, kernel_initializer=start)(x)


def layer_norm(x):
    """Normalise each token over its channels; shape unchanged."""
    return layers.LayerNormalization(epsilon=EPSILON)(x)


def mlp(x, hidden: int):
    """Mix each token's channels through one hidden layer with GELU; shape unchanged."""
    return dense(dense(x, hidden, "gelu"), x.shape[-1])


def transformer_block(x, heads: int, hidden: int, one, **attention):
    """Apply attention and an MLP of `hidden` units, each after LayerNorm and beside the identity.

    The shape is unchanged; the rest is as for `board_attention`. Source: Vaswani et al., "Attention
    Is All You Need", 2017, with the norms in front.
    """
    x = layers.Add()([x, board_attention(layer_norm(x), heads, one, **attention)])
    return layers.Add()([x, mlp(layer_norm(x), hidden)])


def board_attention(
    x, heads: int, one, relative: Relative = "bias", projection: Projection = "linear"
):
    """Let every point look at all points. Shape unchanged; `heads` divides the channels.

    `one` is what `constant_one` returned. `relative` is a bias for each displacement and head; or
    Shaw's vectors for keys and for values, which the heads share; or nothing. `projection` is of
    the point alone, or behind a depthwise 3x3 convolution with BatchNorm.
    Source: Wu et al., "CvT: Introducing Convolutions to Vision Transformers", 2021, section 3.2,
    for the convolutions, here without stride.
    """
    rows, columns, channels = x.shape[1:]
    if not heads or channels % heads:
        raise ValueError(f"heads must divide the {channels} channels: {heads} does not")
    depth = channels // heads
    sources = [tokens_of(x)] * 3
    if projection == "convolution":
        sources = [tokens_of(batch_norm(depthwise(x, 3))) for _ in range(3)]
    if relative == "shaw":
        keys, values = (ShawVectors.learned(one, rows, columns, depth) for _ in range(2))
    mixed = []
    for _ in range(heads):
        query, key, value = (dense(source, depth) for source in sources)
        query = layers.Rescaling(1 / sqrt(depth))(query)
        logits = layers.Dot(axes=2)([query, key])
        if relative == "shaw":
            logits = layers.Add()([logits, keys.products(query, rows, columns)])
        elif relative == "bias":
            logits = layers.Add()([logits, relative_bias(one, rows, columns)])
        weights = layers.Softmax()(logits)
        mixed.append(layers.Dot(axes=(2, 1))([weights, value]))
        if relative == "shaw":
            mixed[-1] = layers.Add()([mixed[-1], values.means(weights, rows, columns)])
    joined = mixed[0] if heads == 1 else layers.Concatenate()(mixed)
    return board_of(dense(joined, channels), rows, columns)


def tokens_of(board):
    """Return one token a point, row by row: `[B, rows, columns, C]` to `[B, points, C]`."""
    rows, columns, channels = board.shape[1:]
    return layers.Reshape((rows * columns, channels))(board)


def board_of(tokens, rows: int, columns: int):
    """Lay the tokens out again: `[B, points, C]` to `[B, rows, columns, C]`."""
    return layers.Reshape((rows, columns, tokens.shape[-1]))(tokens)
