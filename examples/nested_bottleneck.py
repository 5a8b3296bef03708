"""A tower of nested bottlenecks, as in KataGo's newer networks, in the size of the budget.

    python train.py --model examples/nested_bottleneck.py:build

Source: KataGo's notes on its methods, "Nested Bottleneck Residual Nets": residual blocks run on
half of the trunk's channels, between two 1×1 convolutions.
"""

import keras
from keras import layers

from models.parts.blocks import batch_norm, board_input, l2, norm_activation, pointwise
from models.parts.heads import global_average_value_head, policy_head


def build(*, blocks: int = 3, inner: int = 2, filters: int = 26, trunk: int = 48) -> keras.Model:
    """Build `blocks` bottlenecks with `inner` residual blocks in each.

    `filters` are the channels within a bottleneck, `trunk` the channels between them.
    """
    board = board_input()
    x = norm_activation(convolution(board, trunk), "relu")
    for _ in range(blocks):
        x = nested_bottleneck(x, inner, filters)
    value = global_average_value_head(x, planes=board)
    return keras.Model(board, [policy_head(x, "linear"), value], name="nested_bottleneck")


def nested_bottleneck(x, inner: int, filters: int):
    """Narrow to `filters`, apply `inner` residual blocks, widen again beside the identity."""
    y = norm_activation(pointwise(x, filters), "relu")
    for _ in range(inner):
        z = norm_activation(convolution(y, filters), "relu")
        z = batch_norm(convolution(z, filters))
        y = layers.Activation("relu")(layers.Add()([y, z]))
    y = batch_norm(pointwise(y, x.shape[-1]))
    return layers.Activation("relu")(layers.Add()([x, y]))


def convolution(x, filters: int):
    """Convolve by 3×3, without bias: `[B, 19, 19, C]` to `[B, 19, 19, filters]`."""
    return layers.Conv2D(filters, 3, padding="same", use_bias=False, kernel_regularizer=l2())(x)
