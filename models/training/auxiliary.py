"""Heads for training alone: more to learn from each game than a move and a result.

They stand on the trunk, the last result that policy and value share, unless the network has a layer
of this name. What is saved has no such head.
"""

from collections.abc import Collection
from functools import partial

import keras
from keras import layers

from models.contract import POLICY_NAME, VALUE_NAME
from models.errors import ModelOptionError
from models.families.nogozero import score_head
from models.parts.blocks import norm_activation, pointwise
from models.parts.heads import MOVES_NAME, TEACHER_NAME, policy_head

FILTERS = 32
MOVE_HEADS = ("reply", MOVES_NAME, TEACHER_NAME, "soft_policy", "optimistic_policy")


def with_auxiliary_heads(network: keras.Model, names: Collection[str]) -> keras.Model:
    """Return a model with the named outputs of AUXILIARY_HEADS behind `policy` and `value`."""
    outputs = dict(zip(network.output_names, network.outputs, strict=True))
    heads = [outputs[POLICY_NAME], outputs[VALUE_NAME]]
    if names:
        trunk = _as_map(trunk_of(network), *network.input_shape[1:3])
        own = {layer.name: layer for layer in network.layers}
        heads += [
            own[name].output if name in own else AUXILIARY_HEADS[name](trunk) for name in names
        ]
    return keras.Model(network.inputs, heads)


def with_policy_of(network: keras.Model, name: str) -> keras.Model:
    """Return a network whose policy is one of its heads in MOVE_HEADS, with the same value.

    ModelOptionError: it has no such head.
    """
    heads = [head for head in network.output_names if head in MOVE_HEADS]
    if name not in heads:
        raise ModelOptionError(
            f"expected a head {name}: the network has {', '.join(heads) or 'no head of moves'}"
        )
    outputs = dict(zip(network.output_names, network.outputs, strict=True))
    layer = network.get_layer(name)  # a softmax, with or without weights of its own
    copy = type(layer).from_config({**layer.get_config(), "name": POLICY_NAME})
    policy = copy(layer.input)
    copy.set_weights(layer.get_weights())
    return keras.Model(network.inputs, [policy, outputs[VALUE_NAME]])


def trunk_of(network: keras.Model):
    """Return the last result that both policy and value are computed from."""
    of_policy, of_value = (calls_before(network, name) for name in (POLICY_NAME, VALUE_NAME))
    shared = [call for call in of_policy if call in of_value]
    return shared[-1].outputs[0]


def layers_of_blocks(network: keras.Model) -> list:
    """Return the layers with weights that both heads read, except those that read the planes.

    A layer reads the planes if no layer with weights comes before it.
    """
    of_value = {call.operation for call in calls_before(network, VALUE_NAME)}
    blocks: list = []
    results: set[int] = set()
    for call in calls_before(network, POLICY_NAME):
        layer, is_later = call.operation, any(id(one) in results for one in call.input_tensors)
        has_weights = bool(getattr(layer, "weights", ()))  # an operation has none
        if is_later or has_weights:
            results.update(map(id, call.outputs))
        if is_later and has_weights and layer in of_value:
            blocks.append(layer)
    return blocks


def calls_before(network: keras.Model, name: str) -> list:
    """Return the calls of layers that an output is computed by, in order."""
    output = network.get_layer(name).output
    by_depth = keras.Model(network.inputs, output)._nodes_by_depth
    return [call for depth in sorted(by_depth, reverse=True) for call in by_depth[depth]]


def ownership_head(x):
    """Predict each point's owner: `[B, points]`, from -1, the opponent, to 1, the side to move.

    Source: the board-evaluation head of ResTNet's code; its sigmoid in -1 to 1 is this tanh.
    """
    x = norm_activation(layers.Conv2D(FILTERS, 3, padding="same")(x), "relu")
    x = layers.Flatten()(layers.Conv2D(1, 3, padding="same")(x))
    return layers.Activation("tanh", name="ownership")(x)


def final_score_head(x):
    """Predict the side to move's lead without komi, in tens of points: `[B, 1]`, -5 to 5.

    Source: NoGoZero+ (`models.families.nogozero`), whose unit is a point of NoGo.
    """
    return score_head(pointwise(x, FILTERS))


def short_term_values_head(x):
    """Predict P(side to move wins) as the next 6, 16 and 50 plies will see it: `[B, 3]`.

    Source: KataGo's page of methods ("short-term value and score targets").
    """
    x = layers.GlobalAveragePooling2D()(norm_activation(pointwise(x, FILTERS), "relu"))
    return layers.Dense(3, activation="sigmoid", name="short_term_values")(x)


def move_head(name: str):
    """Return a head of moves: `[B, points]`, probabilities.

    "reply", the opponent's answer, is of Wu, "Accelerating Self-Play Learning in Go", 2019, section
    3.4; "soft_policy" and "optimistic_policy" of KataGo's page of methods ("auxiliary soft policy
    target", "optimistic policy"); "moves" and "teacher", the two targets of a labelled position, of
    Touvron et al., "Training data-efficient image transformers & distillation through attention",
    2021.
    """
    return partial(policy_head, activation="linear", name=name)


AUXILIARY_HEADS = {
    "ownership": ownership_head,
    "score": final_score_head,
    "short_term_values": short_term_values_head,
    **{name: move_head(name) for name in MOVE_HEADS},
}


def _as_map(x, rows: int, columns: int):
    """Turn a trunk that is not a map of the points, such as a transformer's token, into one."""
    if tuple(x.shape[1:3]) == (rows, columns) and len(x.shape) == 4:
        return x
    x = layers.Dense(4 * rows * columns)(layers.Flatten()(x))
    return layers.Reshape((rows, columns, 4))(x)
