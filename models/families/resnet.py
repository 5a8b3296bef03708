"""Residual network with a choice of four value heads.

| blocks x filters, value head     |   total | trainable | source |
|----------------------------------|--------:|----------:|--------|
| 5 x 28, global_average: budget   |  95,987 |    95,325 | this kit |
| 4 x 32, global_average: paper    | 102,495 |   101,881 | report, appendix A.1, `optimal_resnet` |
| 4 x 32, spatial_average          | 102,727 |   102,113 | the same, other head |
| 4 x 32, alphago                  | 123,913 |   123,397 | the same, other head |
| 3 x 40, global_average           | 121,975 |   121,393 | report, section 2 |
| 3 x 40, spatial_average          | 121,815 |   121,233 | report, section 2 |
| 3 x 40, alphago                  | 143,001 |   142,517 | report, section 2 |
| 3 x 40, naive                    | 841,825 |   841,343 | the same, the report's first head |

The report is P. Neveu, "Deep Learning: Implementing state-of-the-art networks for the game of Go",
January 2025. Its networks are over the budget of 100,000; ours is narrower and deeper.
"""

from typing import Literal

import keras
from keras import layers

from models.parts.blocks import board_input, convolution, norm_activation
from models.parts.diagram import NAMES, block, network
from models.parts.heads import VALUE_HEADS, ValueHead, ValuePerspective, policy_head, turning_planes
from models.spec import ModelSpec


def build_resnet(
    *,
    blocks: int = 5,
    filters: int = 28,
    value_head: ValueHead = "global_average",
    policy_activation: Literal["linear", "relu"] = "linear",
    perspective: ValuePerspective = "white",
    size: int = 19,
    planes: int = 31,
    moves: int = 0,
) -> keras.Model:
    """Build the residual network of the report.

    A block has two 3x3 convolutions. `value_head`, `policy_activation` and `perspective`: see
    `models.parts.heads`. `moves` are outputs of the policy, size² or, with a pass, size² + 1; 0 for
    size². Source: Cazenave, "Residual Networks for Computer Go", 2018; the report's appendix A.1.
    """
    board = board_input(planes, size)
    both = [layers.Conv2D(filters, window, padding="same")(board) for window in (1, 5)]
    x = layers.ReLU()(layers.Add()(both))
    for _ in range(blocks):
        x = residual_block(x)
    policy = policy_head(x, policy_activation, normalised=True, moves=moves)
    value = VALUE_HEADS[value_head](x, turning_planes(board, perspective))
    return keras.Model(board, [policy, value], name="resnet")


def residual_block(x):
    """Apply two 3x3 convolutions beside the identity, then normalise. Shape unchanged."""
    filters = x.shape[-1]
    y = norm_activation(convolution(x, filters), "relu")
    y = convolution(y, filters)
    return norm_activation(layers.Add()([y, x]), "relu")


PICTURE = (
    network(("conv: 1×1 → 28", "conv: 5×5 → 28"), "+", "norm: ReLU",
            "block: residual block × 5", ("conv: 1×1 → 1\nBatchNorm, softmax",
            "pool: mean, 50\nBatchNorm, sigmoid"), NAMES),
    block("residual block", "conv: 3×3 → 28", "norm: BatchNorm, ReLU", "conv: 3×3 → 28", "+",
          "norm: BatchNorm, ReLU"),
)  # fmt: skip

RESNET = ModelSpec(
    name="resnet",
    build=build_resnet,
    idea=(
        "residual blocks of 3×3 convolutions; four value heads: `value_head=naive`, `alphago`, "
        "`spatial_average`, `global_average`"
    ),
    source="Cazenave 2018, Residual Networks for Computer Go",
    budget=dict(blocks=5, filters=28, perspective="mover"),
    paper=dict(blocks=4, filters=32, policy_activation="relu"),
    scales="filters",
    small=dict(blocks=1, filters=4),
    learns=dict(blocks=2, filters=16),
    picture=PICTURE,
)
