"""The Internal Symmetry Network: a hidden layer of fields, and a shortcut around it.

| hidden T,S,D,C,F, window                   |  total | trainable | source |
|--------------------------------------------|-------:|----------:|--------|
| 32,16,16,8,16, 5x5: budget                 | 16,845 |    16,745 | this kit |
| 4,2,2,0,2, 3x3: paper                      |  2,030 |     1,930 | with the heads of the contract |
| 4,2,2,0,2, 3x3, 14 planes, no heads        |    714 |       714 | paper, evaluation |
| 4,2,2,0,2, 3x3, 14 planes, 1 map, no heads |    342 |       342 | paper, move selection |
| 4,2,2,0,2, 5x5, 14 planes, no heads        |  1,596 |     1,596 | the window of its future work |
| 4,2,2,0,2, 3x3, 14 planes, no heads, steps |    902 |       902 | its recurrence, ours in detail |
| 8,4,4,4,8, 3x3, 14 planes, no heads        |  1,302 |     1,302 | of 36 channels |
| 8,4,4,4,8, 3x3, 14 planes, no heads, steps |  2,790 |     2,790 | the same, recurrent |

The paper's counts leave biases out. Its 2,310 connections a point don't follow from its weights:
2,478 of 3,150 numbers aren't zero. It only mentions the recurrent form of `steps`. Its fourteenth
plane marks what is off the board, which the planes of komi tell here.
"""

from typing import Literal

import keras
from keras import layers

from models.parts.blocks import board_input
from models.parts.diagram import NAMES, network
from models.parts.equivariant import EquivariantConv2D
from models.parts.heads import (
    ValuePerspective,
    global_average_value_head,
    policy_head,
    turning_planes,
)
from models.spec import ModelSpec


def build_isn(
    *,
    hidden: str = "4,2,2,0,2",
    window: int = 3,
    maps: int = 7,
    use_bias: bool = True,
    steps: int = 0,
    heads: Literal["contract", "none"] = "contract",
    planes: int = 31,
    size: int = 19,
    perspective: ValuePerspective = "white",
) -> keras.Model:
    """Build the paper's network: planes to fields with tanh, both to maps with a sigmoid.

    `hidden` counts fields T, S, D, C and F, as in "4,2,2,0,2". `window` is the side of every
    kernel: 1, 3, 5 or 7. Each point has `maps` T: 7 in the paper's evaluation, 1 in its move
    selection. `steps` is how often the hidden units are computed anew from the planes and from one
    another; 0 is the paper's network. The contract's heads read the maps; without `heads` the maps
    are the output. The paper has 14 planes and a size of 9 to 19. `perspective`: see
    `models.parts.heads`. Source: Blair, "Learning the game of Go with Internal Symmetry Networks",
    2009.
    """
    fields = _parse_fields(hidden)
    board = board_input(planes, size)
    seen = EquivariantConv2D([planes], fields, window, use_bias)(board)
    x = layers.Activation("tanh")(seen)
    if steps:
        among_units = EquivariantConv2D(fields, fields, window)
        for _ in range(steps):
            x = layers.Activation("tanh")(layers.Add()([seen, among_units(x)]))
    x = EquivariantConv2D(fields, [maps], window, use_bias)(x)
    shortcut = EquivariantConv2D([planes], [maps], window)(board)
    x = layers.Activation("sigmoid")(layers.Add()([x, shortcut]))
    if heads == "none":
        return keras.Model(board, x, name="isn")
    value = global_average_value_head(x, turning_planes(board, perspective))
    return keras.Model(board, [policy_head(x, "linear"), value], name="isn")


def _parse_fields(text: str) -> list[int]:
    numbers = text.split(",")
    if len(numbers) != 5 or not all(number.strip().isdecimal() for number in numbers):
        raise ValueError(f"hidden must be five whole numbers such as 4,2,2,0,2, not {text!r}")
    return [int(number) for number in numbers]


PICTURE = (
    network(("conv: 5×5 → T32 S16\nD16 C8 F16, tanh", "|"),
            ("conv: 5×5 → T7", "conv: 5×5 → T7"), "+", "norm: sigmoid",
            ("conv: 1×1 → 1\nsoftmax", "pool: mean, 50\nBatchNorm, sigmoid"), NAMES),
)  # fmt: skip

ISN = ModelSpec(
    name="isn",
    build=build_isn,
    idea=(
        "the paper's Internal Symmetry Network: one hidden layer of `hidden=T,S,D,C,F` fields "
        "and a shortcut around it"
    ),
    source="Blair 2009, Learning the game of Go with Internal Symmetry Networks",
    budget=dict(hidden="32,16,16,8,16", window=5, perspective="mover"),
    paper=dict(hidden="4,2,2,0,2", window=3),
    scales="maps",
    small=dict(hidden="1,1,1,1,1", window=3, maps=2),
    learns=dict(),
    picture=PICTURE,
)
