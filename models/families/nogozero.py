"""NoGoZero+: residual blocks in turn with blocks that see the whole board.

| blocks x filters                  |     total | trainable | source |
|-----------------------------------|----------:|----------:|--------|
| 5 x 28: budget                    |    89,926 |    89,254 | this kit |
| 5 x 24                            |    67,398 |    66,822 | this kit |
| 6 x 24                            |    81,198 |    80,502 | this kit |
| 5 x 28, two outcomes              |    89,977 |    89,305 | this kit |
| 5 x 24, two outcomes              |    67,449 |    66,873 | this kit |
| 6 x 24, two outcomes              |    81,249 |    80,553 | this kit |
| 20 x 128: paper                   | 6,866,534 | 6,854,758 | the paper's, on 19x19 with 31 planes |
| 5 x 32, NoGo                      |   112,857 |   112,089 | paper, its first network |
| 10 x 64, NoGo                     |   871,769 |   868,761 | paper, its second |
| 20 x 128, NoGo                    | 6,855,065 | 6,843,289 | paper, its third |
| 5 x 32, NoGo, multitask           |   150,497 |   149,409 | paper, its first with all heads |
| 10 x 64, NoGo, multitask          |   980,865 |   977,217 | paper, its second |
| 20 x 128, NoGo, multitask         | 7,248,385 | 7,235,329 | paper, its third |

NoGo is 9x9 with 21 planes and two outcomes in the value head, which makes the counts those of the
paper. Its heads for dominion and score (`multitask`) have targets in games of NoGo alone, where
selfplay.py trains them; train.py does not, and the intake leaves such outputs out.
"""

from typing import Literal

import keras
from keras import layers

from models.contract import VALUE_NAME
from models.parts.blocks import (
    board_input,
    convolution,
    l2,
    mean_and_max,
    norm_activation,
    pointwise,
)
from models.parts.diagram import CONV_HEADS, NAMES, block, network
from models.parts.heads import ValuePerspective, policy_head, pooled_value_head, turning_planes
from models.spec import ModelSpec

MAX_SCORE = 5.0


def build_nogozero(
    *,
    blocks: int = 5,
    filters: int = 28,
    value_units: int = 50,
    perspective: ValuePerspective = "white",
    outcomes: Literal["one", "two"] = "one",
    multitask: bool = False,
    global_blocks: bool = True,
    size: int = 19,
    planes: int = 31,
    moves: int = 0,
) -> keras.Model:
    """Build the trunk of NoGoZero+ with the contract's heads.

    Every second block is a global attention residual block, unless `global_blocks` is off, as in
    the paper's ablation. `outcomes` is one probability, as the contract wants it, or the paper's
    softmax over two. `multitask` adds the paper's outputs `dominion` `[B, points]`, a probability
    for each point, and `score` `[B, 1]` from -5 to 5. `moves` are outputs of the policy, size² or,
    with a pass, size² + 1; 0 for size². `perspective`: see `models.parts.heads`.

    Source: Gao and Wu, "Efficiently Mastering the Game of NoGo with Deep Reinforcement Learning
    Supported by Domain Knowledge", 2021. It leaves the width of a block's global part open; half of
    `filters` is this kit's choice.
    """
    board = board_input(planes, size)
    x = convolution(board, filters)
    for at in range(blocks):
        is_global = global_blocks and at % 2 == 1
        x = global_residual_block(x) if is_global else residual_block(x)
    x = norm_activation(x, "relu")
    policy = policy_head(x, "linear", use_bias=True, moves=moves)
    if outcomes == "one":
        turned_by = turning_planes(board, perspective)
        value = pooled_value_head(x, "average", value_units, "relu", planes=turned_by)
    else:
        value = layers.GlobalAveragePooling2D()(x)
        value = layers.Dense(value_units, activation="relu", kernel_regularizer=l2())(value)
        value = layers.Dense(2, activation="softmax", name=VALUE_NAME)(value)
    outputs = [policy, value]
    if multitask:
        outputs += [dominion_head(x), score_head(x)]
    return keras.Model(board, outputs, name="nogozero")


def residual_block(x):
    """Apply two 3x3 convolutions after norm and ReLU, beside the identity. Shape unchanged."""
    y = convolution(norm_activation(x, "relu"), x.shape[-1])
    y = convolution(norm_activation(y, "relu"), x.shape[-1])
    return layers.Add()([x, y])


def global_residual_block(x):
    """Apply a residual block whose second convolution sees the whole board (GARB)."""
    filters = x.shape[-1]
    y = norm_activation(x, "relu")
    y = global_pooling(convolution(y, filters), convolution(y, filters // 2))
    y = convolution(norm_activation(y, "relu"), filters)
    return layers.Add()([x, y])


def global_pooling(x, g):
    """Add to each channel of `x` a number computed from the means and maxima of `g` (GPS).

    `x` is `[B, rows, columns, 2 C]`, and `g` is `[B, rows, columns, C]`.
    """
    if x.shape[-1] != 2 * g.shape[-1]:
        raise ValueError(f"filters must be even, not {x.shape[-1]}")
    g = norm_activation(g, "relu")
    return layers.Add()([x, layers.Dense(x.shape[-1])(mean_and_max(g))])


def dominion_head(x):
    """Predict how likely the side to move will own each point at the end: `[B, points]`."""
    num_points = x.shape[1] * x.shape[2]
    maps = layers.Flatten()(globally_pooled(x, 2))
    return layers.Dense(num_points, activation="sigmoid", name="dominion")(maps)


def score_head(x):
    """Predict by how many points the side to move wins, five at most: `[B, 1]`."""
    score = layers.Dense(1, activation="tanh")(layers.Flatten()(globally_pooled(x, 1)))
    return layers.Rescaling(MAX_SCORE, name="score")(score)


def globally_pooled(x, filters: int):
    """Convolve, add what is seen of the whole board, and leave `filters` maps."""
    channels = x.shape[-1]
    x = convolution(norm_activation(x, "relu"), channels)
    x = global_pooling(pointwise(x, channels), pointwise(x, channels // 2))
    return layers.Conv2D(filters, 1)(norm_activation(x, "relu"))


PREACTIVATED = ("norm: BatchNorm, ReLU", "conv: 3×3 → 28")
PICTURE = (
    network("conv: 3×3 → 28", "block: plain, global, plain,\nglobal, plain block",
            "norm: BatchNorm, ReLU", CONV_HEADS, NAMES),
    block("plain block", *PREACTIVATED, *PREACTIVATED, "+"),
    block("global block (GARB)", "norm: BatchNorm, ReLU", ("conv: 3×3 → 28", "conv: 3×3 → 14"),
          "block: global pooling", *PREACTIVATED, "+"),
    block("global pooling (GPS)", ("28 channels", "14 channels"),
          ("|", "norm: BatchNorm, ReLU"), ("|", "pool: mean and max"),
          ("|", "dense: dense → 28"), "+", skips=()),
)  # fmt: skip

NOGOZERO = ModelSpec(
    name="nogozero",
    build=build_nogozero,
    idea="every second block adds features of the whole board to its channels",
    source="Gao and Wu 2021, NoGoZero+",
    budget=dict(blocks=5, filters=28, perspective="mover"),
    paper=dict(blocks=20, filters=128),
    scales="filters",
    small=dict(blocks=2, filters=4),
    learns=dict(blocks=2, filters=16),
    picture=PICTURE,
)
