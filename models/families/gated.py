"""Bottlenecks with a gate that sees the whole board: ECA, CBAM or coordinate attention.

| gate, blocks, filters, trunk          |   total | trainable | source |
|---------------------------------------|--------:|----------:|--------|
| eca, 18, 64, 32: budget               |  98,523 |    92,699 | this kit |
| cbam, 17, 64, 32: budget              |  99,175 |    93,671 | this kit |
| coordinate, 16, 64, 32: budget        |  95,269 |    89,957 | this kit |
"""

from typing import Literal

import keras
from keras import layers

from models.parts.blocks import (
    batch_norm,
    board_input,
    channel_pool,
    depthwise,
    norm_activation,
    pointwise,
)
from models.parts.diagram import BOTTLENECK, CONV_HEADS, NAMES, block, network
from models.parts.heads import policy_head, pooled_value_head
from models.spec import ModelSpec

Gate = Literal["eca", "cbam", "coordinate"]


def build_gated(
    *,
    gate: Gate = "eca",
    blocks: int = 18,
    filters: int = 64,
    trunk: int = 32,
    value_units: int = 50,
) -> keras.Model:
    """Build a MobileNet with a gate, a function of this module, at the end of each block.

    `filters` are channels inside a block, `trunk` between the blocks. Source: Cazenave, "Mobile
    Networks for Computer Go", 2020, and those of the gates.
    """
    board = board_input()
    x = norm_activation(pointwise(board, trunk), "relu")
    for _ in range(blocks):
        y = norm_activation(pointwise(x, filters), "relu")
        y = norm_activation(depthwise(y, 3), "relu")
        y = GATES[gate](batch_norm(pointwise(y, trunk)))
        x = layers.Add()([x, y])
    policy = policy_head(x, "linear")
    value = pooled_value_head(x, "average", value_units, "relu", planes=board)
    return keras.Model(board, [policy, value], name=gate)


def eca(x):
    """Weigh each channel by its own mean and its two neighbours' means. Shape unchanged.

    Source: Wang et al., "ECA-Net: Efficient Channel Attention", 2020.
    """
    channels = x.shape[-1]
    means = layers.Reshape((channels, 1, 1))(layers.GlobalAveragePooling2D()(x))
    gate = layers.Conv2D(1, (3, 1), padding="same", use_bias=False, activation="sigmoid")(means)
    return layers.Multiply()([x, layers.Reshape((1, 1, channels))(gate)])


def cbam(x):
    """Weigh each channel by its mean and maximum, then each point by its own. Shape unchanged.

    Source: Woo et al., "CBAM: Convolutional Block Attention Module", 2018.
    """
    channels = x.shape[-1]
    hidden = layers.Dense(max(1, channels // 8), activation="relu", use_bias=False)
    output = layers.Dense(channels, use_bias=False)
    pools = (layers.GlobalAveragePooling2D, layers.GlobalMaxPooling2D)
    gates = [output(hidden(pool(keepdims=True)(x))) for pool in pools]
    x = layers.Multiply()([x, layers.Activation("sigmoid")(layers.Add()(gates))])
    points = layers.Concatenate()([channel_pool(x, "average"), channel_pool(x, "max")])
    gate = layers.Conv2D(1, 7, padding="same", use_bias=False, activation="sigmoid")(points)
    return layers.Multiply()([x, gate])


def coordinate(x):
    """Weigh each point of a channel by its row's and its column's mean. Shape unchanged.

    Source: Hou et al., "Coordinate Attention for Efficient Mobile Network Design", 2021.
    """
    rows, columns, channels = x.shape[1:]
    by_row = layers.AveragePooling2D((1, columns))(x)
    by_column = layers.Permute((2, 1, 3))(layers.AveragePooling2D((rows, 1))(x))
    joined = layers.Concatenate(axis=1)([by_row, by_column])
    joined = norm_activation(pointwise(joined, max(4, channels // 8)), "silu")
    by_row = layers.Cropping2D(((0, columns), (0, 0)))(joined)
    by_column = layers.Permute((2, 1, 3))(layers.Cropping2D(((rows, 0), (0, 0)))(joined))
    gates = [layers.Conv2D(channels, 1, activation="sigmoid")(by) for by in (by_row, by_column)]
    return layers.Multiply()([x, *gates])


GATES = {"eca": eca, "cbam": cbam, "coordinate": coordinate}


PICTURE = (
    network("conv: 1×1 → 32", "norm: BatchNorm, ReLU", "block: bottleneck × 16 … 18",
            CONV_HEADS, NAMES),
    block("bottleneck", *BOTTLENECK, "block: gate", "+"),
    block("eca", "pool: mean of each channel",
          "conv: convolution over 3\nneighbouring channels", "norm: sigmoid", "×",
          skips=((0, 3),)),
    block("cbam", ("pool: mean", "pool: maximum"),
          "dense: dense → 4 → 32, both\nadded, sigmoid", "×",
          "pool: mean and maximum\nof each point", "conv: 7×7 → 1, sigmoid", "×",
          skips=((0, 2), (3, 5))),
    block("coordinate", ("pool: mean of\neach row", "pool: mean of\neach column"),
          "conv: 1×1 → 4\nBatchNorm, swish",
          ("conv: 1×1 → 32\nsigmoid", "conv: 1×1 → 32\nsigmoid"), "×", skips=((0, 3),)),
)  # fmt: skip

ECA = ModelSpec(
    name="eca",
    build=build_gated,
    idea="the mobilenet's bottleneck with a gate on channels",
    source="Wang et al. 2020, ECA-Net",
    budget=dict(gate="eca", blocks=18),
    scales="blocks",
    small=dict(blocks=1, filters=4, trunk=4),
    learns=dict(blocks=2, filters=32),
    picture=PICTURE,
)

CBAM = ModelSpec(
    name="cbam",
    build=build_gated,
    idea="the mobilenet's bottleneck with a gate on channels and points",
    source="Woo et al. 2018, CBAM",
    budget=dict(gate="cbam", blocks=17),
    scales="blocks",
    small=dict(blocks=1, filters=4, trunk=4),
    learns=dict(blocks=2, filters=32),
    picture=PICTURE,
)

COORDINATE = ModelSpec(
    name="coordinate",
    build=build_gated,
    idea="the mobilenet's bottleneck with a gate on rows and columns",
    source="Hou et al. 2021, Coordinate Attention",
    budget=dict(gate="coordinate", blocks=16),
    scales="blocks",
    small=dict(blocks=1, filters=4, trunk=4),
    learns=dict(blocks=2, filters=32),
    picture=PICTURE,
)
