"""Transformer blocks over the points of a board, from stock layers.

A board `[B, rows, columns, C]` has one token a point in row-major order: a Reshape, and back.
Attention is written head by head, in `layers.Dot`, since MultiHeadAttention takes no bias.
"""

from math import sqrt

from keras import initializers, layers

from models.learned import learned_array

EPSILON = 1e-5
DEVIATION = 0.02


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


def transformer_block(x, heads: int, hidden: int, one=None):
    """Attention, then an MLP, each behind LayerNorm and beside the identity. Shape unchanged.

    Args:
        x: the board, of C channels, which `heads` divides.
        heads: of the attention.
        hidden: units of the MLP.
        one: what `constant_one` returned, for a learned bias of each displacement; None for none.

    Source: Vaswani et al., "Attention Is All You Need", 2017, with the norms in front.
    """
    x = layers.Add()([x, board_attention(layer_norm(x), heads, one)])
    return layers.Add()([x, mlp(layer_norm(x), hidden)])


def board_attention(x, heads: int, one=None):
    """Let every point look at all points; see `transformer_block`. Shape unchanged."""
    rows, columns, channels = x.shape[1:]
    if channels % heads:
        raise ValueError(f"expected heads that divide {channels} channels: got {heads}")
    tokens = layers.Reshape((rows * columns, channels))(x)
    depth = channels // heads
    mixed = []
    for _ in range(heads):
        query, key, value = (dense(tokens, depth) for _ in range(3))
        query = layers.Rescaling(1 / sqrt(depth))(query)
        logits = layers.Dot(axes=2)([query, key])
        if one is not None:
            logits = layers.Add()([logits, relative_bias(one, rows, columns)])
        weights = layers.Softmax()(logits)
        mixed.append(layers.Dot(axes=(2, 1))([weights, value]))
    joined = mixed[0] if heads == 1 else layers.Concatenate()(mixed)
    return layers.Reshape((rows, columns, channels))(dense(joined, channels))


def relative_bias(one, rows: int, columns: int):
    """Return one learned number for each displacement: `[B, points, points]`, query then key.

    The table is `[2 rows - 1, 2 columns - 1]`, the number of (0, 0) in its middle.

    Source: the released code of ResTNet; its paper cites Shaw et al. 2018, whose bias depends on
        the token as well and does not give the paper's parameter counts.
    """
    table = learned_array(one, (2 * rows - 1, 2 * columns - 1))
    by_row = _windows(table, rows)
    by_row = layers.Reshape((rows * rows, 2 * columns - 1))(by_row)
    by_column = _windows(layers.Permute((2, 1))(by_row), columns)
    points = layers.Reshape((columns, columns, rows, rows))(by_column)
    points = layers.Permute((3, 1, 4, 2))(points)
    return layers.Reshape((rows * columns, rows * columns))(points)


def _windows(x, size: int):
    """Show a sequence to each of `size` queries: `[B, 2 size - 1, C]` to `[B, size, size, C]`.

    Query i sees the numbers from size - 1 - i on. Rows of 2 size - 2 numbers, cut from the
    sequence repeated, begin one number earlier each.
    """
    length, width = x.shape[1:]
    x = layers.Reshape((length, 1, width))(x)
    first = layers.Cropping2D(((size - 1, 0), (0, 0)))(x)
    last = layers.Cropping2D(((0, 1), (0, 0)))(x)
    repeated = layers.Concatenate(axis=1)([first, *[x] * (size - 2), last])
    rows = layers.Reshape((size, length - 1, width))(repeated)
    return layers.Cropping2D(((0, 0), (0, length - 1 - size)))(rows)
