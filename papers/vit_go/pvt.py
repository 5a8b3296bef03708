"""A small pyramid vision transformer for 19×19: all points ask, and patches answer.

    python train.py --model papers/vit_go/pvt.py:build

Source: Wang et al., "Pyramid Vision Transformer: A Versatile Backbone for Dense Prediction without
Convolutions", 2021. Two of its four stages fit a board; the second one's result is spread out again
over the points of the first, for the policy.
"""

import keras
from keras import layers

from models.parts.attention import layer_norm, mlp
from models.parts.blocks import board_input, pointwise
from models.parts.heads import global_average_value_head, policy_head

REDUCTION = 3


def build(
    *, blocks: int = 2, width: int = 32, heads: int = 4, hidden: int = 64, stem: int = 16
) -> keras.Model:
    """Build it: `blocks` on 21×21 points, of `width` channels, then as many on 7×7 patches.

    The stem is two 3×3 convolutions of `stem` and `width` filters, which also tell a token where it
    is, by the border. `width` is a multiple of `heads`.
    """
    board = board_input()
    x = layers.Conv2D(stem, 3, padding="same", activation="relu")(board)
    x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
    x = layers.ZeroPadding2D(1)(x)
    for _ in range(blocks):
        x = pyramid_block(x, heads, hidden, REDUCTION)
    patches = layers.Conv2D(width, REDUCTION, strides=REDUCTION)(x)
    for _ in range(blocks):
        patches = pyramid_block(patches, heads, hidden)
    spread = layers.UpSampling2D(REDUCTION)(patches)
    x = layers.Add()([x, pointwise(layer_norm(spread), width)])
    x = layers.Cropping2D(1)(layer_norm(x))
    value = global_average_value_head(layer_norm(patches), planes=board)
    return keras.Model(board, [policy_head(x, "linear"), value], name="pvt")


def pyramid_block(x, heads: int, hidden: int, reduction: int = 1):
    """Apply attention and an MLP, each after LayerNorm and beside the identity. Shape unchanged.

    Keys and values are `reduction`² times fewer, by a convolution of this stride.
    """
    rows, columns, channels = x.shape[1:]
    asked = layer_norm(x)
    known = asked
    if reduction > 1:
        known = layer_norm(layers.Conv2D(channels, reduction, strides=reduction)(asked))
    tokens, others = (
        layers.Reshape((y.shape[1] * y.shape[2], channels))(y) for y in (asked, known)
    )
    y = layers.MultiHeadAttention(heads, channels // heads)(tokens, others)
    x = layers.Add()([x, layers.Reshape((rows, columns, channels))(y)])
    return layers.Add()([x, mlp(layer_norm(x), hidden)])
