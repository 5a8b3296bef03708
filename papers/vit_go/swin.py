"""A small Swin for 19×19: attention within windows of 7×7 points, and between them by shifts.

    python train.py --model papers/vit_go/swin.py:build

Source: Liu et al., "Swin Transformer: Hierarchical Vision Transformer using Shifted Windows", 2021.
Its stages of fewer points are left out, since the policy needs each point.
"""

import keras
from keras import layers

from models.parts.attention import layer_norm, mlp
from models.parts.blocks import board_input, constant_one, learned_array
from models.parts.heads import global_average_value_head, policy_head
from models.parts.relative_positions import DEVIATION

WINDOW = 7
SHIFT = WINDOW // 2


def build(
    *, blocks: int = 4, width: int = 44, heads: int = 4, hidden: int = 88, stem: int = 16
) -> keras.Model:
    """Build it: two 3×3 convolutions of `stem` filters, then tokens of `width` channels a point.

    Every second block shifts the windows by 3 points. The shift pads the board where Swin rolls and
    masks it. A token gets a learned position in its window in place of Swin's relative bias, which
    Keras's attention does not have. `width` is a multiple of `heads`.
    """
    board = board_input()
    one = constant_one(board)
    x = layers.Conv2D(stem, 3, padding="same", activation="relu")(board)
    x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
    x = layers.ZeroPadding2D(1)(x)
    for number in range(blocks):
        x = swin_block(x, one, heads, hidden, shift=SHIFT if number % 2 else 0)
    x = layer_norm(layers.Cropping2D(1)(x))
    value = global_average_value_head(x, planes=board)
    return keras.Model(board, [policy_head(x, "linear"), value], name="swin")


def swin_block(x, one, heads: int, hidden: int, shift: int):
    """Apply attention within windows and an MLP, each after LayerNorm and beside the identity."""
    y = layer_norm(x)
    if shift:
        y = layers.ZeroPadding2D(((WINDOW - shift, shift), (WINDOW - shift, shift)))(y)
    num_windows = y.shape[1] // WINDOW
    y = windows(y, num_windows)
    y = layers.Add()([y, learned_array(one, (1, *y.shape[2:]), DEVIATION)])
    y = layers.MultiHeadAttention(heads, x.shape[-1] // heads, attention_axes=(2,))(y, y)
    y = joined(y, num_windows)
    if shift:
        y = layers.Cropping2D(((WINDOW - shift, shift), (WINDOW - shift, shift)))(y)
    x = layers.Add()([x, y])
    return layers.Add()([x, mlp(layer_norm(x), hidden)])


def windows(x, number: int):
    """Cut a board into windows: `[B, 7n, 7n, C]` to `[B, n², 49, C]`."""
    channels = x.shape[-1]
    x = layers.Reshape((number, WINDOW, number, WINDOW, channels))(x)
    x = layers.Permute((1, 3, 2, 4, 5))(x)
    return layers.Reshape((number**2, WINDOW**2, channels))(x)


def joined(x, number: int):
    """Put windows together again: `[B, n², 49, C]` to `[B, 7n, 7n, C]`."""
    channels = x.shape[-1]
    x = layers.Reshape((number, number, WINDOW, WINDOW, channels))(x)
    x = layers.Permute((1, 3, 2, 4, 5))(x)
    return layers.Reshape((number * WINDOW, number * WINDOW, channels))(x)
