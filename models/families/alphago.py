"""AlphaGo's policy network: plain convolutions, and a bias for each point at the end.

| layers, filters                    |     total | trainable | source |
|------------------------------------|----------:|----------:|--------|
| 13, 27: budget                     |    95,409 |    95,309 | this kit |
| 13, 192: paper                     | 3,811,044 | 3,810,944 | the published size on 31 planes |
| 13, 192, 10 planes, no value       | 3,700,393 | 3,700,393 | ViT-Go's baseline |
| 13, 28, no value                   |   100,041 |   100,041 | this kit, over the budget |
| 13, 30, 10 planes, no value        |    97,351 |    97,351 | this kit |
"""

import keras
from keras import layers

from models.contract import POLICY_NAME
from models.parts.blocks import board_input, constant_one, learned_array
from models.parts.diagram import network
from models.parts.heads import ValuePerspective, global_average_value_head, turning_planes
from models.spec import ModelSpec


def build_alphago(
    *,
    num_layers: int = 13,
    filters: int = 27,
    value_units: int = 50,
    planes: int = 31,
    perspective: ValuePerspective = "white",
) -> keras.Model:
    """Build AlphaGo's policy network, with the contract's value beside it.

    `num_layers` counts convolutions, the first by 5x5 and the last by 1x1. `value_units` is the
    width of the value head's hidden layer, which is normalised, since nothing in the trunk is; 0
    leaves out that head. `perspective`: see `models.parts.heads`. Source: Silver et al., "Mastering
    the game of Go with deep neural networks and tree search", 2016, Methods.
    """
    board = board_input(planes)
    x = layers.ZeroPadding2D(2)(board)
    x = layers.Conv2D(filters, 5, activation="relu")(x)
    for _ in range(num_layers - 2):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    logits = layers.Flatten()(layers.Conv2D(1, 1, use_bias=False)(x))
    by_point = learned_array(constant_one(board), logits.shape[1:])
    logits = layers.Add()([logits, by_point])
    outputs = [layers.Activation("softmax", name=POLICY_NAME)(logits)]
    if value_units:
        turned_by = turning_planes(board, perspective)
        outputs.append(global_average_value_head(x, turned_by, value_units))
    return keras.Model(board, outputs, name="alphago")


PICTURE = (
    network("conv: 5×5 → 27, ReLU", "conv: 3×3 → 27, ReLU   × 11",
            ("conv: 1×1 → 1", "pool: mean, 50\nBatchNorm, sigmoid"),
            ("dense: + bias of each\npoint, softmax", "value 1"), ("policy 361", "")),
)  # fmt: skip

ALPHAGO = ModelSpec(
    name="alphago",
    build=build_alphago,
    idea="plain convolutions and one bias for each point",
    source="Silver et al. 2016, Mastering the game of Go with deep neural networks",
    budget=dict(filters=27, perspective="mover"),
    paper=dict(filters=192),
    scales="filters",
    small=dict(num_layers=3, filters=4),
    learns=dict(num_layers=4, filters=16),
    picture=PICTURE,
)
