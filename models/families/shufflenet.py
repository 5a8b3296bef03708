"""ShuffleNet V2 at one resolution: half of the channels pass, the other half is convolved.

| blocks, filters     |   total | trainable | source |
|---------------------|--------:|----------:|--------|
| 16, 96: budget      |  98,213 |    93,413 | this kit |
"""

import keras
from keras import layers

from models.parts.blocks import (
    batch_norm,
    board_input,
    depthwise,
    norm_activation,
    pointwise,
    take_channels,
)
from models.parts.diagram import CONV_HEADS, NAMES, block, network
from models.parts.heads import policy_head, pooled_value_head
from models.spec import ModelSpec


def build_shufflenet(*, blocks: int = 16, filters: int = 96, value_units: int = 50) -> keras.Model:
    """Build a ShuffleNet V2 without its pooling between stages.

    Each block convolves half of the `filters`, an even number. Source: Ma et al., "ShuffleNet V2:
    Practical Guidelines for Efficient CNN Architecture Design", 2018.
    """
    if filters % 2:
        raise ValueError(f"filters must be even, not {filters}")
    board = board_input()
    x = norm_activation(pointwise(board, filters), "relu")
    for _ in range(blocks):
        x = shuffle_block(x)
    policy = policy_head(x, "linear")
    value = pooled_value_head(x, "average", value_units, "relu", planes=board)
    return keras.Model(board, [policy, value], name="shufflenet")


def shuffle_block(x):
    """Convolve the second half of the channels, then shuffle the halves. Shape unchanged."""
    half = x.shape[-1] // 2
    y = norm_activation(pointwise(take_channels(x, half, 2 * half), half), "relu")
    y = norm_activation(pointwise(batch_norm(depthwise(y, 3)), half), "relu")
    return shuffle(layers.Concatenate()([take_channels(x, 0, half), y]))


def shuffle(x):
    """Put the channels of the two halves in turn. Shape unchanged."""
    rows, columns, channels = x.shape[1:]
    x = layers.Reshape((rows * columns, 2, channels // 2))(x)
    return layers.Reshape((rows, columns, channels))(layers.Permute((1, 3, 2))(x))


PICTURE = (
    network("conv: 1×1 → 96", "norm: BatchNorm, ReLU", "block: shuffle block × 16",
            CONV_HEADS, NAMES),
    block("shuffle block", ("48 channels", "48 channels"),
          ("|", "conv: 1×1 → 48\nBatchNorm, ReLU"),
          ("|", "depthwise: depthwise 3×3\nBatchNorm"),
          ("|", "conv: 1×1 → 48\nBatchNorm, ReLU"), "side by side → 96",
          "norm: halves shuffled", skips=()),
)  # fmt: skip

SHUFFLENET = ModelSpec(
    name="shufflenet",
    build=build_shufflenet,
    idea="convolves half of the channels, then shuffles the halves",
    source="Ma et al. 2018, ShuffleNet V2",
    budget=dict(blocks=16, filters=96),
    scales="blocks",
    small=dict(blocks=1, filters=4),
    learns=dict(blocks=2, filters=32),
    picture=PICTURE,
)
