"""Twelve plain convolutions with a policy for each colour, of which the side to move has one.

| filters                      |   total | trainable | source |
|------------------------------|--------:|----------:|--------|
| 28: budget                   |  93,577 |    93,477 | this kit |
| 32, 10 planes: paper         | 101,629 |   101,529 | ViT-Go's, with a value |
| 28, no value                 |  91,926 |    91,926 | this kit |
| 32, 10 planes, no value      |  99,778 |    99,778 | ViT-Go's, 9 planes and the turn |
"""

import keras
from keras import layers

from models.contract import POLICY_NAME
from models.parts.blocks import board_input, take_channels
from models.parts.diagram import network
from models.parts.heads import ValuePerspective, global_average_value_head, turning_planes
from models.spec import ModelSpec


def build_two_headed(
    *,
    num_layers: int = 12,
    filters: int = 28,
    value_units: int = 50,
    planes: int = 31,
    perspective: ValuePerspective = "white",
) -> keras.Model:
    """Build the network whose moves of one colour never train the other colour's output.

    `num_layers` counts convolutions, the first by 5x5 and the last by 1x1. The value head's hidden
    layer is normalised, since nothing in the trunk is; 0 `value_units` leave out that head. The
    first of the `planes` is 1 where Black is to move; the trunk sees the others. `perspective`: see
    `models.parts.heads`. Source: Clark and Storkey, "Teaching Deep Convolutional Neural Networks to
    Play Go", 2014, as ViT-Go has it. Its two softmaxes are one here, over the map of the side to
    move.
    """
    board = board_input(planes)
    is_black = take_channels(board, 0, 1)
    x = take_channels(board, 1, planes)
    x = layers.Conv2D(filters, 5, padding="same", activation="relu")(x)
    for _ in range(num_layers - 2):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    maps = layers.Conv2D(2, 1)(x)
    is_white = layers.Rescaling(scale=-1.0, offset=1.0)(is_black)
    turn = layers.Concatenate()([is_black, is_white])
    chosen = layers.Multiply()([maps, turn])
    logits = layers.Add()([take_channels(chosen, 0, 1), take_channels(chosen, 1, 2)])
    outputs = [layers.Activation("softmax", name=POLICY_NAME)(layers.Flatten()(logits))]
    if value_units:
        turned_by = turning_planes(board, perspective)
        outputs.append(global_average_value_head(x, turned_by, value_units))
    return keras.Model(board, outputs, name="two_headed")


PICTURE = (
    network("30 of them, not the turn", "conv: 5×5 → 28, ReLU", "conv: 3×3 → 28, ReLU   × 10",
            ("conv: 1×1 → 2:\none of each colour", "pool: mean, 50\nBatchNorm, sigmoid"),
            ("that of the side\nto move, softmax", "value 1"), ("policy 361", "")),
)  # fmt: skip

TWO_HEADED = ModelSpec(
    name="two_headed",
    build=build_two_headed,
    idea="one policy for each colour; a move of one colour never trains the other's output",
    source="Clark and Storkey 2014, Teaching Deep CNNs to Play Go",
    budget=dict(filters=28, perspective="mover"),
    paper=dict(filters=32, planes=10),
    paper_features="two_headed",
    scales="filters",
    small=dict(num_layers=3, filters=4),
    learns=dict(num_layers=4, filters=16),
    picture=PICTURE,
)
