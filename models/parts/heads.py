"""Policy and value heads: from the trunk `[B, size, size, C]` to the two outputs of the contract.

A ReLU or a swish before the policy's softmax clips the logits from below. So `linear` is the
default of every builder; the paper presets keep the published activation.
"""

from typing import Literal

from keras import layers

from models.contract import POLICY_NAME, VALUE_NAME
from models.parts.blocks import batch_norm, l2, norm_activation, pointwise

PolicyActivation = Literal["linear", "relu", "silu"]
ValueHead = Literal["naive", "alphago", "spatial_average", "global_average"]
ValuePerspective = Literal["white", "mover"]
"""Whose win the value head computes from the trunk; its output is P(White wins) in both cases.

"white", as published, must learn for which colour the planes speak, which are the mover's own and
the opponent's: an exclusive or of the trunk and one plane, before which a training may stand for
100,000 positions and more. "mover" has the plane turn the answer; convnext, shufflenet,
efficientformer and the gated families have no other.
"""

MOVES_NAME, TEACHER_NAME = "moves", "teacher"
"""Names of policies for training: one learns the moves played, the other one a teacher's moves."""

COLOUR_PLANE = {4: 2, 18: 16, 21: 16}
"""Which plane is 1 where Black is to move, by how many planes there are: those of Hex, of `zero`
and of NoGo (docs/student/selfplay.md). In the course's planes it is the first."""


def turning_planes(board, perspective: ValuePerspective):
    """Return what a value head takes as `planes`: the network's input, or None for "white"."""
    return board if perspective == "mover" else None


def policy_head(
    x,
    activation: PolicyActivation,
    normalised: bool = False,
    use_bias: bool = False,
    name: str = POLICY_NAME,
    moves: int = 0,
):
    """Give each point one logit by a 1x1 convolution, then a softmax over the points.

    `normalised` puts BatchNorm between the convolution and the activation of the logits. `moves` is
    points + 1 where the game has a pass, whose logit is computed from the means of the channels; 0
    for points alone. Raises ValueError: another number of moves.
    """
    num_points = x.shape[1] * x.shape[2]
    has_pass = moves == num_points + 1
    if moves not in (0, num_points) and not has_pass:
        wanted = f"{num_points}, or {num_points + 1} with a pass"
        raise ValueError(f"moves must be {wanted}, not {moves}")
    trunk, x = x, pointwise(x, 1, use_bias)
    if normalised:
        x = batch_norm(x)
    if activation != "linear":
        x = layers.Activation(activation)(x)
    x = layers.Flatten()(x)
    if has_pass:
        pooled = layers.GlobalAveragePooling2D()(trunk)
        x = layers.Concatenate()([x, layers.Dense(1, kernel_regularizer=l2())(pooled)])
    return layers.Activation("softmax", name=name)(x)


def pooled_value_head(
    x,
    pooling: Literal["average", "max"],
    units: int,
    activation: str,
    dropout: float = 0.0,
    planes=None,
):
    """Pool each channel over the board, then one hidden layer of `units` with bias.

    `dropout` is the chance of a hidden unit to be left out in training; `planes` is the network's
    input, for the perspective "mover". Source: Cazenave, "Improving Model and Search for Computer
    Go", 2021 (average).
    """
    pool = {"average": layers.GlobalAveragePooling2D, "max": layers.GlobalMaxPooling2D}[pooling]
    x = pool()(x)
    x = layers.Dense(units, activation=activation, kernel_regularizer=l2())(x)
    if dropout:
        x = layers.Dropout(dropout)(x)
    return probability_head(x, planes, l2())


def naive_value_head(x, planes=None):
    """Flatten the whole trunk into one hidden layer of 50, since the report gives no width."""
    x = layers.Dense(50, activation="relu", kernel_regularizer=l2())(layers.Flatten()(x))
    return probability_head(x, planes, l2())


def alphago_value_head(x, planes=None):
    """Apply one 1x1 convolution to a single map, then a hidden layer over the points.

    Source: Silver et al., "Mastering the game of Go with deep neural networks and tree search",
    2016; sizes of the report's appendix A.1.
    """
    x = layers.Conv2D(1, 1, use_bias=False)(x)
    x = norm_activation(x, "relu")
    x = layers.Flatten()(x)
    x = layers.Dense(64, activation="relu")(x)
    return probability_head(x, planes, l2())


def spatial_average_value_head(x, planes=None):
    """Average over 2x2 twice, 19x19 to 10x10, padded to 12x12, to 6x6; then a hidden layer.

    Source: Cazenave, "Spatial Average Pooling for Computer Go", 2018; the report's appendix A.1.
    """
    x = layers.AveragePooling2D(2, padding="same")(x)
    x = layers.ZeroPadding2D(1)(x)
    x = layers.AveragePooling2D(2, padding="same")(x)
    x = layers.Conv2D(1, 1, use_bias=False)(x)
    x = layers.Flatten()(x)
    return _hidden_probability(x, planes)


def global_average_value_head(x, planes=None, units: int = 50):
    """Average each channel over the board, then a normalised hidden layer, after KataGo."""
    return _hidden_probability(layers.GlobalAveragePooling2D()(x), planes, units)


def _hidden_probability(x, planes, units: int = 50):
    x = layers.Dense(units, use_bias=False, kernel_regularizer=l2())(x)
    return probability_head(norm_activation(x, "relu"), planes, l2())


def probability_head(x, planes=None, penalty=None):
    """Compute P(White wins), `[B, 1]`, from the last hidden layer `[B, units]`.

    With `planes`, the network's input, x tells the mover's chance; the plane that is 1 where Black
    is to move turns the value. `penalty` is the regularizer of the weights.
    """
    if planes is None:
        return layers.Dense(1, activation="sigmoid", name=VALUE_NAME, kernel_regularizer=penalty)(x)
    of_mover = layers.Dense(1, kernel_regularizer=penalty)(x)
    sign = layers.Rescaling(-2.0, offset=1.0)(_black_to_move(planes))
    return layers.Activation("sigmoid", name=VALUE_NAME)(layers.Multiply()([of_mover, sign]))


def _black_to_move(planes):
    """Return 1 where Black is to move, `[B, 1]`, by layers: Keras loads no slices from .h5."""
    rows, columns, channels = planes.shape[1:]
    at = COLOUR_PLANE.get(channels, 0)
    x = layers.Reshape((rows * columns, channels, 1))(planes)
    x = layers.Cropping2D(((0, rows * columns - 1), (at, channels - 1 - at)))(x)
    return layers.Flatten()(x)


VALUE_HEADS = {
    "naive": naive_value_head,
    "alphago": alphago_value_head,
    "spatial_average": spatial_average_value_head,
    "global_average": global_average_value_head,
}
