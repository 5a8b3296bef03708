"""MobileNet with mixed 3x3 and 5x5 kernels, swish and squeeze-and-excitation.

| blocks, filters, trunk, SE, value units |   total | trainable | source |
|-----------------------------------------|--------:|----------:|--------|
| 31, 32, 16, end, 50: budget             |  97,717 |    90,741 | report, table 1 |
| 31, 32, 16, end, 64: paper              |  97,969 |    90,993 | report, appendix A.1, its final |
| 16, 64, 16, end, 50                     |  99,285 |    92,597 | report, its tournament entry |
| 16, 64, 16, end, 64                     |  99,537 |    92,849 | report, appendix A.1 |
| 8, 64, 48, end, 50                      | 105,397 |   101,461 | report, table 1 |
| 8, 64, 48, end, 64                      | 106,097 |   102,161 | report, appendix A.1 |
| 12, 64, 16, expanded, 50                |  99,029 |    94,005 | this kit |
| 16, 64, 16, expanded, 50                | 131,541 |   124,853 | report, section 3.3.1 |
| 27, 32, 16, expanded, 50                |  98,261 |    92,181 | this kit |
| 19, 64, 32, end, 64                     | 180,897 |   172,321 | report, section 3.2 |

The counts show that the tournament entry had 50 value units, not the 64 of the printed code.
Dropout adds no parameters. On a CPU `models.training.bottlenecks` trains the blocks faster, unless
squeeze-and-excitation is `expanded`.
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
from models.parts.diagram import CONV_HEADS, NAMES, block, network
from models.parts.heads import ValuePerspective, policy_head, pooled_value_head, turning_planes
from models.spec import ModelSpec


def build_mixnet(
    *,
    blocks: int = 31,
    filters: int = 32,
    trunk: int = 16,
    value_units: int = 50,
    se_position: SqueezePosition = "end",
    se_ratio: int = 16,
    dropout: float = 0.0,
    policy_activation: Literal["linear", "silu"] = "linear",
    perspective: ValuePerspective = "white",
) -> keras.Model:
    """Build the mixnet of the report.

    `filters` are channels inside a block, `trunk` between the blocks. `se_position` is the end of a
    block, on `trunk` channels, or, as in MobileNet v3, before the projection, on the expanded
    `2 * filters` channels. `se_ratio` is channels over the hidden units of squeeze-and-excitation.
    `dropout` is the chance of a number to be left out in training; the report found it worse.
    `policy_activation` and `perspective`: see `models.parts.heads`. Source: Cazenave, "Cosine
    Annealing, Mixnet and Swish Activation for Computer Go", 2021; the report's appendix A.1.
    """
    board = board_input()
    x = norm_activation(pointwise(board, trunk, use_bias=True), "silu")
    for _ in range(blocks):
        x = mixnet_block(x, filters, se_position, se_ratio)
    if dropout:
        x = layers.Dropout(dropout)(x)
    policy = policy_head(x, policy_activation)
    planes = turning_planes(board, perspective)
    value = pooled_value_head(x, "average", value_units, "silu", dropout, planes)
    return keras.Model(board, [policy, value], name="mixnet")


def mixnet_block(x, filters: int, se_position: SqueezePosition, se_ratio: int):
    """Widen to `filters`, convolve at both sizes, project back beside the identity."""
    y = norm_activation(pointwise(x, filters), "silu")
    y = norm_activation(mixed_depthwise(y), "silu")
    if se_position == "expanded":
        y = squeeze_excitation(y, se_ratio)
    y = batch_norm(pointwise(y, x.shape[-1]))
    if se_position == "end":
        y = squeeze_excitation(y, se_ratio)
    return layers.Add()([y, x])


def mixed_depthwise(x):
    """Convolve each channel by 3x3 and by 5x5: `[B, 19, 19, C]` to `[B, 19, 19, 2C]`."""
    return layers.Concatenate()([depthwise(x, kernel_size) for kernel_size in (3, 5)])


PICTURE = (
    network("conv: 1×1 → 16", "norm: BatchNorm, swish", "block: mixed bottleneck × 31",
            CONV_HEADS, NAMES),
    block("mixed bottleneck", "conv: 1×1 → 32", "norm: BatchNorm, swish",
          ("depthwise: depthwise\n3×3", "depthwise: depthwise\n5×5"), "side by side → 64",
          "norm: BatchNorm, swish", "conv: 1×1 → 16", "norm: BatchNorm",
          "block: squeeze-and-excitation", "+"),
    block("squeeze-and-excitation", "pool: mean of each channel", "dense: dense → 1, swish",
          "dense: dense → 16, sigmoid", "×", skips=((0, 3),)),
)  # fmt: skip

MIXNET = ModelSpec(
    name="mixnet",
    build=build_mixnet,
    idea="the same with 3×3 and 5×5 kernels side by side; `dropout` as in the report",
    source="Cazenave 2021, Cosine Annealing, Mixnet and Swish Activation",
    budget=dict(blocks=31, filters=32, trunk=16, perspective="mover"),
    paper=dict(blocks=31, filters=32, trunk=16, value_units=64, policy_activation="silu"),
    scales="blocks",
    small=dict(blocks=1, filters=4, trunk=4),
    learns=dict(blocks=2),
    picture=PICTURE,
)
