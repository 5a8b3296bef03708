"""A residual network of regular fields, each of which is T + S + D + C + 2 F in another basis.

| blocks x fields (channels)   |  total | trainable | MFLOPs | source |
|------------------------------|-------:|----------:|-------:|--------|
| 8 x 8 (64): budget           | 98,035 |    97,215 |    484 | this kit |
| 6 x 6 (48)                   | 49,821 |    49,181 |    222 | this kit |
| 4 x 4 (32), maps 16, 16, 32  | 16,663 |    16,331 |     76 | this kit, at the cost of `resnet` |

A layer has an eighth of the weights of a plain layer of as many channels, at the same cost. The
intake takes 5,000 operations for each parameter of the budget (docs/maintainer/intake.md), so that
8 x 8 is about the largest tower. Pooling costs nothing and has 10,000 parameters.
"""

import keras
from keras import layers

from models.parts.blocks import board_input, mean_and_max, norm_activation
from models.parts.diagram import NAMES, block, network
from models.parts.equivariant import EquivariantBatchNormalization, EquivariantConv2D
from models.parts.heads import (
    ValuePerspective,
    global_average_value_head,
    policy_head,
    turning_planes,
)
from models.spec import ModelSpec

STEM_WINDOW = 5


def build_isn_tower(
    *,
    blocks: int = 8,
    width: int = 8,
    global_maps: int = 32,
    policy_maps: int = 32,
    value_maps: int = 64,
    planes: int = 31,
    size: int = 19,
    perspective: ValuePerspective = "white",
) -> keras.Model:
    """Build a residual network whose policy turns with the board, and whose value stays.

    `width` is regular fields of eight channels. `global_maps`, `policy_maps` and `value_maps` are
    fields T: those that every second block pools over the board, and those that each head begins
    with. The weights fit any size. `perspective`: see `models.parts.heads`. Source: Blair,
    "Learning the game of Go with Internal Symmetry Networks", 2009, for the sharing of weights; Gao
    and Wu, "Efficiently Mastering the Game of NoGo with Deep Reinforcement Learning Supported by
    Domain Knowledge", 2021, for the pooling.
    """
    fields = [0, 0, 0, 0, 0, width]
    board = board_input(planes, size)
    x = layers.ReLU()(normalised_convolution(board, [planes], fields, STEM_WINDOW))
    for at in range(blocks):
        x = residual_block(x, fields, global_maps if at % 2 else 0)
    policy = EquivariantConv2D(fields, [policy_maps])(x)
    policy = policy_head(norm_activation(policy, "relu"), "linear")
    value = EquivariantConv2D(fields, [value_maps], window=1)(x)
    value = norm_activation(value, "relu")
    value = global_average_value_head(value, turning_planes(board, perspective))
    return keras.Model(board, [policy, value], name="isn_tower")


def residual_block(x, fields: list[int], global_maps: int = 0):
    """Apply two 3x3 convolutions beside the identity, with pooling between. Shape unchanged."""
    y = normalised_convolution(x, fields, fields)
    if global_maps:
        y = layers.Add()([y, global_bias(x, fields, global_maps)])
    y = normalised_convolution(layers.ReLU()(y), fields, fields)
    return layers.ReLU()(layers.Add()([y, x]))


def global_bias(x, fields: list[int], maps: int):
    """Compute one number for each field from the whole board: `[B, 1, 1, channels]`."""
    x = norm_activation(EquivariantConv2D(fields, [maps], window=1)(x), "relu")
    x = layers.Dense(maps, activation="relu")(mean_and_max(x))
    return EquivariantConv2D([maps], fields, window=1)(x)


def normalised_convolution(x, input_fields: list[int], fields: list[int], window: int = 3):
    """Convolve fields to fields without bias, then normalise; the intake makes one of the two."""
    x = EquivariantConv2D(input_fields, fields, window)(x)
    return EquivariantBatchNormalization(fields)(x)


PICTURE = (
    network("conv: 5×5 → R8", "norm: BatchNorm, ReLU", "block: plain and global\nblock × 4",
            ("conv: 3×3 → T32\nBatchNorm, ReLU", "conv: 1×1 → T64\nBatchNorm, ReLU"),
            ("conv: 1×1 → 1\nsoftmax", "pool: mean, 50\nBatchNorm, sigmoid"), NAMES),
    block("plain block", "conv: 3×3 → R8", "norm: BatchNorm, ReLU", "conv: 3×3 → R8",
          "norm: BatchNorm", "+", "norm: ReLU"),
    block("global block", ("conv: 3×3 → R8", "conv: 1×1 → T32"),
          ("norm: BatchNorm", "norm: BatchNorm, ReLU"), ("|", "pool: mean and max"),
          ("|", "dense: dense → 32, ReLU"), ("|", "conv: 1×1 → R8"), "+", "norm: ReLU",
          "conv: 3×3 → R8", "norm: BatchNorm", "+", "norm: ReLU", skips=((0, 9),)),
)  # fmt: skip

ISN_TOWER = ModelSpec(
    name="isn_tower",
    build=build_isn_tower,
    idea="residual blocks that share every weight over the eight symmetries of the board",
    source="Blair 2009, Internal Symmetry Networks; Cohen and Welling 2016",
    budget=dict(blocks=8, width=8, perspective="mover"),
    scales="width",
    small=dict(blocks=2, width=1, global_maps=2, policy_maps=2, value_maps=2),
    learns=dict(blocks=2, width=2),
    picture=PICTURE,
)
