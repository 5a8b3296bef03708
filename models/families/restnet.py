"""ResTNet: residual and transformer blocks in any order, which a block string says.

| blocks, filters, heads                    |      total |  trainable | source |
|-------------------------------------------|-----------:|-----------:|--------|
| RRTRRT, 28, 2: budget                     |     85,433 |     84,929 | this kit |
| RRTRRT, 28, 4                             |     90,909 |     90,405 | this kit |
| RRTRRT, 32, 2                             |    108,105 |    107,529 | this kit |
| 6R, 28                                    |     95,469 |     94,741 | this kit |
| 6T, 32, 4                                 |     94,909 |     94,845 | this kit |
| RRTRRT, 28, 2, shaw                       |     84,101 |     83,597 | this kit |
| RRTRRT, 28, 2, convolution                |     87,617 |     86,777 | this kit |
| RRTRRT, 28, 2, embedding=1x1              |     78,489 |     77,985 | this kit |
| 6T, 32, 4, convolution, token             |     71,074 |     69,858 | CvT's idea, see below |
| R3(RRT), 256, 4: paper                    | 10,205,100 | 10,197,418 | its 19x19 network |

Table 1 of the paper, on 9x9 with 18 planes and 82 moves, `policy_head=dense`:

| blocks, 256, 4                            |      total |  trainable | source |
|-------------------------------------------|-----------:|-----------:|--------|
| 5R1T                                      |  6,625,221 |  6,619,585 | paper: 6.619 M |
| 4R2T, TRRRRT, RTRRRT, RRTRRT, RRRTRT      |  5,971,785 |  5,967,173 | paper: 5.967 M |
| 3R3T                                      |  5,318,349 |  5,314,761 | paper: 5.314 M |
| 2R4T                                      |  4,664,913 |  4,662,349 | paper: 4.662 M |
| 1R5T                                      |  4,011,477 |  4,009,937 | paper: 4.001 M, a slip |
| 6T                                        |  3,358,041 |  3,357,525 | paper: 3.358 M |
| 6R, value_head=alphazero                  |  7,168,070 |  7,161,408 | paper: 7.146 M, not met |
| 6R                                        |  7,278,657 |  7,271,997 | the others' value head |

On 19x19 with 18 planes and 362 moves, and for Hex with 4 planes and 361:

| blocks, 256, 4                            |      total |  trainable | source |
|-------------------------------------------|-----------:|-----------:|--------|
| 10R                                       | 12,253,801 | 12,243,045 | value head as in Table 1 |
| R3(RRT), 362 moves                        | 10,306,453 | 10,298,769 | the paper's for 19x19 |
| RRTRRT, Hex                               |  6,065,224 |  6,060,614 | the paper's for Hex |

R alone is AlphaZero's network, T alone close to ViT, R before T close to CoAtNet; T with
`projection=convolution` and `relative=none` is close to CvT. The released code calls its first
convolution an embedding.
"""

import re
from math import ceil
from typing import Literal

import keras
from keras import layers

from models.contract import POLICY_NAME
from models.parts.attention import Projection, Relative, transformer_block
from models.parts.blocks import (
    batch_norm,
    board_input,
    constant_one,
    convolution,
    learned_array,
    norm_activation,
)
from models.parts.diagram import CONV_HEADS, NAMES, block, network, transformer
from models.parts.heads import ValuePerspective, pooled_value_head, probability_head, turning_planes
from models.parts.heads import policy_head as convolutional_policy
from models.spec import ModelSpec

MAX_BLOCKS = 100
_GROUP = re.compile(r"([1-9]\d?)?\(([RT]+)\)")
_RUN = re.compile(r"([1-9]\d?)([RT])")


# The paper's 6R can't have had the value head of the others, whose counts are met exactly. So its
# first row compares two heads as well. The intake bounds the numbers in all tensors: on 19x19 it
# takes 24 heads with a bias in all T blocks together, 0.5 MB of the artefact each.
def build_restnet(
    *,
    blocks: str = "RRTRRT",
    filters: int = 28,
    heads: int = 2,
    mlp_ratio: int = 2,
    relative: Relative = "bias",
    projection: Projection = "linear",
    embedding: Literal["3x3", "1x1"] = "3x3",
    policy_head: Literal["convolution", "dense", "token"] = "convolution",
    value_head: Literal["average", "alphazero", "wide_average"] = "average",
    value_units: int = 50,
    size: int = 19,
    planes: int = 31,
    moves: int = 0,
    perspective: ValuePerspective = "white",
) -> keras.Model:
    """Build ResTNet.

    `blocks` is a block string (`parse_blocks`). `heads` divide `filters`; `mlp_ratio` is hidden
    units of a transformer block over `filters`. `relative` is a bias for each displacement and
    head, Shaw's vectors for keys and values, or nothing. `projection` is of the point alone, or of
    CvT's 3x3 neighbourhood. `embedding` is the points that the first convolution sees at once.
    `policy_head` is one 1x1 convolution, with a logit of the pooled board for a pass; AlphaZero's
    dense layer; or the paper's hidden layer for each token, with a learned logit for a pass.
    `value_head` is the course's, AlphaZero's, or the paper's for networks with T; "average" and
    "alphazero" have `value_units`. `moves` are outputs of the policy, size² or size² + 1; 0 for
    size². `perspective`: see `models.parts.heads`.

    Source: "ResTNet: Defense against Adversarial Policies via Transformer in Computer Go", and
    "Bridging Local and Global Knowledge via Transformer in Board Games", arXiv 2410.05347, with its
    released code.
    """
    board = board_input(planes, size)
    one = constant_one(board)
    kernel = 3 if embedding == "3x3" else 1
    x = layers.Conv2D(filters, kernel, padding="same", use_bias=False)(board)
    x = norm_activation(x, "relu")
    for kind in parse_blocks(blocks):
        if kind == "R":
            x = alphazero_block(x)
        else:
            x = transformer_block(
                x, heads, mlp_ratio * filters, one, relative=relative, projection=projection
            )
    policy = _policy(x, policy_head, moves, one)
    value = _value(x, value_head, value_units, turning_planes(board, perspective))
    return keras.Model(board, [policy, value], name="restnet")


def parse_blocks(text: str) -> str:
    """Write a block string out, a letter a block: `2R1T2R1T` is `RRTRRT`, `2(RT)` is `RTRT`.

    `R3(RRT)` is `RRRTRRTRRT`. Raises ValueError: not a block string, or more than 100 blocks.
    """
    blocks = _RUN.sub(lambda run: int(run[1]) * run[2], text)
    while len(blocks) <= MAX_BLOCKS and _GROUP.search(blocks):
        blocks = _GROUP.sub(lambda group: int(group[1] or 1) * group[2], blocks, count=1)
        blocks = _RUN.sub(lambda run: int(run[1]) * run[2], blocks)
    if not re.fullmatch("[RT]+", blocks) or len(blocks) > MAX_BLOCKS:
        raise ValueError(
            f"{text!r} must be blocks such as RRTRRT, 2R1T2R1T or R3(RRT), at most {MAX_BLOCKS}"
        )
    return blocks


def alphazero_block(x):
    """Apply two normalised 3x3 convolutions beside the identity. Shape unchanged."""
    y = norm_activation(convolution(x, x.shape[-1]), "relu")
    y = batch_norm(convolution(y, x.shape[-1]))
    return layers.ReLU()(layers.Add()([y, x]))


def _policy(x, kind: str, moves: int, one):
    if kind == "convolution":
        return convolutional_policy(x, "linear", moves=moves)
    num_points = x.shape[1] * x.shape[2]
    moves = moves or num_points
    if kind == "token":
        x = layers.Conv2D(x.shape[-1], 1, activation="tanh")(x)
        x = layers.Flatten()(layers.Conv2D(1, 1)(x))
        if moves > num_points:
            x = layers.Concatenate()([x, learned_array(one, (moves - num_points,))])
        return layers.Activation("softmax", name=POLICY_NAME)(x)
    x = norm_activation(layers.Conv2D(ceil(moves / num_points), 1)(x), "relu")
    return layers.Dense(moves, activation="softmax", name=POLICY_NAME)(layers.Flatten()(x))


def _value(x, kind: str, units: int, planes):
    if kind == "average":
        return pooled_value_head(x, "average", units, "relu", planes=planes)
    if kind == "wide_average":
        return pooled_value_head(x, "average", 2 * x.shape[-1], "silu", planes=planes)
    x = norm_activation(layers.Conv2D(1, 1)(x), "relu")
    x = layers.Dense(units, activation="relu")(layers.Flatten()(x))
    return probability_head(x, planes)


PICTURE = (
    network("conv: 3×3 → 28", "norm: BatchNorm, ReLU", "block: R  R  T  R  R  T", CONV_HEADS,
            NAMES),
    block("R: residual block", "conv: 3×3 → 28", "norm: BatchNorm, ReLU", "conv: 3×3 → 28",
          "norm: BatchNorm", "+", "norm: ReLU"),
    transformer(2),
)  # fmt: skip

RESTNET = ModelSpec(
    name="restnet",
    build=build_restnet,
    idea=(
        "residual (R) and transformer (T) blocks in the order of `blocks`: `RRTRRT`, "
        "`2R1T2R1T` or `R3(RRT)`"
    ),
    source="Bridging Local and Global Knowledge via Transformer in Board Games, 2025",
    budget=dict(blocks="RRTRRT", filters=28, heads=2, perspective="mover"),
    paper=dict(
        blocks="R3(RRT)", filters=256, heads=4, policy_head="dense", value_head="wide_average"
    ),
    scales="filters",
    small=dict(blocks="RT", filters=4, heads=2),
    learns=dict(blocks="RT", filters=16),
    picture=PICTURE,
)
