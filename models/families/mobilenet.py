"""MobileNet of inverted bottlenecks: most work in depthwise 3x3 convolutions.

| blocks, filters, trunk, SE      |   total | trainable | source |
|---------------------------------|--------:|----------:|--------|
| 18, 64, 32, none: budget        |  98,501 |    92,677 | one block fewer than the report |
| 19, 64, 32, none: paper         | 103,813 |    97,669 | report, section 3.1 |
| 17, 64, 32, end                 |  95,365 |    89,861 | this kit |
| 18, 64, 32, end                 | 100,805 |    94,981 | report, section 3.2 |
| 19, 64, 32, end                 | 106,245 |   100,101 | report, section 3.2 |
| 16, 64, 32, expanded            |  96,069 |    90,885 | this kit |
| 18, 64, 32, expanded            | 107,717 |   101,893 | report, section 3.3.1 |

The report's 19 blocks fit a budget of trainable parameters only. Its global max pooling, which the
paper preset keeps, makes a poor value head: with 4 blocks the held-out value MSE was 0.101, and
0.074 with the average (one run each). On a CPU `models.training.bottlenecks` trains it faster.
"""

from typing import Literal

import keras
from keras import layers

from models.parts.blocks import (
    SqueezePosition,
    batch_norm,
    board_input,
    depthwise,
    norm_activation,
    pointwise,
    squeeze_excitation,
)
from models.parts.diagram import BOTTLENECK, CONV_HEADS, NAMES, block, network
from models.parts.heads import ValuePerspective, policy_head, pooled_value_head, turning_planes
from models.spec import ModelSpec


def build_mobilenet(
    *,
    blocks: int = 18,
    filters: int = 64,
    trunk: int = 32,
    se_position: SqueezePosition = "none",
    se_ratio: int = 16,
    value_pooling: Literal["average", "max"] = "average",
    value_units: int = 50,
    policy_activation: Literal["linear", "relu"] = "linear",
    perspective: ValuePerspective = "white",
) -> keras.Model:
    """Build the naive MobileNet of the report.

    `filters` are channels inside a block, `trunk` between the blocks. `se_position` is the end of a
    block, on `trunk` channels, or, as in MobileNet v3, before the projection, on `filters`
    channels. `se_ratio` is channels over the hidden units of squeeze-and-excitation.
    `value_pooling` is what the value head takes of each channel. `policy_activation` and
    `perspective`: see `models.parts.heads`. Source: Cazenave, "Mobile Networks for Computer Go",
    2020; the report's section 3.1.
    """
    board = board_input()
    x = norm_activation(pointwise(board, trunk, use_bias=True), "relu")
    for _ in range(blocks):
        x = bottleneck(x, filters, se_position, se_ratio)
    policy = policy_head(x, policy_activation)
    planes = turning_planes(board, perspective)
    value = pooled_value_head(x, value_pooling, value_units, "relu", planes=planes)
    return keras.Model(board, [policy, value], name="mobilenet")


def bottleneck(x, filters: int, se_position: SqueezePosition, se_ratio: int):
    """Widen to `filters` channels, convolve each by 3x3, project back beside the identity."""
    y = norm_activation(pointwise(x, filters), "relu")
    y = norm_activation(depthwise(y, 3), "relu")
    if se_position == "expanded":
        y = squeeze_excitation(y, se_ratio)
    y = batch_norm(pointwise(y, x.shape[-1]))
    if se_position == "end":
        y = squeeze_excitation(y, se_ratio)
    return layers.Add()([x, y])


PICTURE = (
    network("conv: 1×1 → 32", "norm: BatchNorm, ReLU", "block: bottleneck × 18", CONV_HEADS,
            NAMES),
    block("bottleneck", *BOTTLENECK, "+"),
    block("squeeze-and-excitation (option)", "pool: mean of each channel",
          "dense: dense → C / 16, swish", "dense: dense → C, sigmoid", "×", skips=((0, 3),)),
)  # fmt: skip

MOBILENET = ModelSpec(
    name="mobilenet",
    build=build_mobilenet,
    idea=(
        "inverted bottlenecks around a depthwise convolution; `se_position=end` or `expanded` "
        "adds squeeze-and-excitation"
    ),
    source="Cazenave 2020, Mobile Networks for Computer Go",
    budget=dict(blocks=18, filters=64, trunk=32, perspective="mover"),
    paper=dict(blocks=19, filters=64, trunk=32, value_pooling="max", policy_activation="relu"),
    scales="blocks",
    small=dict(blocks=1, filters=4, trunk=4),
    learns=dict(blocks=2, filters=32),
    picture=PICTURE,
)
