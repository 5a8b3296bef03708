"""ConvNeXt at one resolution: 7x7 depthwise convolutions, LayerNorm and GELU.

| blocks, filters     |   total | trainable | source |
|---------------------|--------:|----------:|--------|
| 8, 32: budget       |  90,949 |    90,949 | this kit |
"""

import keras
from keras import layers

from models.parts.attention import layer_norm, mlp
from models.parts.blocks import board_input
from models.parts.diagram import CONV_HEADS, NAMES, block, network
from models.parts.heads import policy_head, pooled_value_head
from models.spec import ModelSpec


def build_convnext(
    *,
    blocks: int = 8,
    filters: int = 32,
    expansion: int = 4,
    kernel_size: int = 7,
    value_units: int = 50,
) -> keras.Model:
    """Build a ConvNeXt without its pooling between stages.

    `expansion` is the hidden units of an MLP over `filters`. Source: Liu et al., "A ConvNet for the
    2020s", 2022, without its scale of each layer.
    """
    board = board_input()
    x = layer_norm(layers.Conv2D(filters, 3, padding="same")(board))
    for _ in range(blocks):
        y = layers.DepthwiseConv2D(kernel_size, padding="same")(x)
        x = layers.Add()([x, mlp(layer_norm(y), expansion * filters)])
    x = layer_norm(x)
    policy = policy_head(x, "linear")
    value = pooled_value_head(x, "average", value_units, "gelu", planes=board)
    return keras.Model(board, [policy, value], name="convnext")


PICTURE = (
    network("conv: 3×3 → 32", "norm: LayerNorm", "block: ConvNeXt block × 8",
            "norm: LayerNorm", CONV_HEADS, NAMES),
    block("ConvNeXt block", "depthwise: depthwise 7×7", "norm: LayerNorm",
          "dense: dense → 128, GELU", "dense: dense → 32", "+"),
)  # fmt: skip

CONVNEXT = ModelSpec(
    name="convnext",
    build=build_convnext,
    idea="7×7 depthwise convolutions, LayerNorm, GELU",
    source="Liu et al. 2022, A ConvNet for the 2020s",
    budget=dict(blocks=8, filters=32),
    scales="blocks",
    small=dict(blocks=1, filters=4),
    learns=dict(blocks=2, filters=16),
    picture=PICTURE,
)
