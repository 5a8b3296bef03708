"""EfficientFormer's order of blocks: first cheap ones that pool, then a few that attend.

| pooling, attention blocks, filters, heads |   total | trainable | source |
|-------------------------------------------|--------:|----------:|--------|
| 4, 2, 40, 2: budget                       |  92,857 |    91,497 | this kit |
"""

import keras
from keras import layers

from models.parts.attention import transformer_block
from models.parts.blocks import (
    batch_norm,
    board_input,
    constant_one,
    convolution,
    norm_activation,
    pointwise,
)
from models.parts.diagram import CONV_HEADS, NAMES, block, network, transformer
from models.parts.heads import policy_head, pooled_value_head
from models.spec import ModelSpec


def build_efficientformer(
    *,
    pooling_blocks: int = 4,
    attention_blocks: int = 2,
    filters: int = 40,
    heads: int = 2,
    expansion: int = 3,
    value_units: int = 50,
) -> keras.Model:
    """Build a network after EfficientFormer, at one resolution.

    The points of `pooling_blocks` meet in a 3x3 average. The attention has a bias for each
    displacement; `heads` divide `filters`. `expansion` is the hidden units of a point over
    `filters`. Source: Li et al., "EfficientFormer: Vision Transformers at MobileNet Speed", 2022.
    """
    board = board_input()
    one = constant_one(board)
    x = norm_activation(convolution(board, filters), "gelu")
    for _ in range(pooling_blocks):
        x = pooling_block(x, expansion * filters)
    for _ in range(attention_blocks):
        x = transformer_block(x, heads, expansion * filters, one)
    policy = policy_head(x, "linear")
    value = pooled_value_head(x, "average", value_units, "gelu", planes=board)
    return keras.Model(board, [policy, value], name="efficientformer")


def pooling_block(x, hidden: int):
    """Add to each point how its 3x3 average differs from it, then an MLP. Shape unchanged."""
    average = layers.AveragePooling2D(3, strides=1, padding="same")(x)
    x = layers.Add()([x, layers.Subtract()([average, x])])
    y = norm_activation(pointwise(x, hidden), "gelu")
    return layers.Add()([x, batch_norm(pointwise(y, x.shape[-1]))])


PICTURE = (
    network("conv: 3×3 → 40", "norm: BatchNorm, GELU", "block: pooling block × 4",
            "block: T × 2", CONV_HEADS, NAMES),
    block("pooling block", "pool: mean of 3×3 − the point", "+", "conv: 1×1 → 120",
          "norm: BatchNorm, GELU", "conv: 1×1 → 40", "norm: BatchNorm", "+",
          skips=((0, 1), (2, 6))),
    transformer(3),
)  # fmt: skip

EFFICIENTFORMER = ModelSpec(
    name="efficientformer",
    build=build_efficientformer,
    idea="pooling blocks, then two attention blocks",
    source="Li et al. 2022, EfficientFormer",
    budget=dict(pooling_blocks=4, attention_blocks=2, filters=40, heads=2),
    scales="filters",
    small=dict(pooling_blocks=1, attention_blocks=1, filters=4),
    learns=dict(pooling_blocks=1, attention_blocks=1, filters=16),
    picture=PICTURE,
)
