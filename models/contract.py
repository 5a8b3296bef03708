"""What a network must look like to be handed in; reading it needs neither Keras nor TensorFlow.

The input is `planes` `[B, 19, 19, 31]`. The outputs are, in this order, `policy` `[B, 361]`, a
softmax over the points (there is no pass), and `value` `[B, 1]`, a sigmoid: P(White wins). The
course prints `model.count_params()` beside a name, so BatchNorm statistics count.
"""

from collections.abc import Mapping
from math import prod
from typing import Any, Literal

from golois.constants import NUM_POINTS, PARAM_BUDGET, PLANES_SHAPE

INPUT_NAME = "board"
INPUT_SHAPE = PLANES_SHAPE
POLICY_NAME = "policy"
VALUE_NAME = "value"
OUTPUTS = {POLICY_NAME: ((NUM_POINTS,), "softmax"), VALUE_NAME: ((1,), "sigmoid")}

Count = Literal["total", "trainable"]


def count_parameters(model: Any, count: Count = "total") -> int:
    """Count a Keras model's parameters: "total" as `count_params()`, or "trainable"."""
    if count == "total":
        return int(model.count_params())
    if count == "trainable":
        return sum(prod(weight.shape) for weight in model.trainable_weights)
    raise ValueError(f'count must be "total" or "trainable", not {count!r}')


def output_names(model: Any) -> list[str]:
    """The names of a network's outputs; Sequential has none for its only one."""
    return list(getattr(model, "output_names", ["its only one"]))


def check_submittable(model: Any, count: Count = "total") -> list[str]:
    """List what keeps a built Keras model from being handed in, a sentence with its remedy each."""
    return [*_input_faults(model), *_output_faults(model), *_budget_faults(model, count)]


def check_trainable(model: Any) -> list[str]:
    """List, in words, what keeps a Keras model of any size from being trained on games of 19x19."""
    faults = []
    boards, board = [tuple(tensor.shape[1:3]) for tensor in model.inputs], INPUT_SHAPE[:2]
    if boards != [board]:
        faults.append(f"expected one input of a board {board}: got {_listed(boards)}")
    found = {
        name: tuple(tensor.shape[1:])
        for name, tensor in zip(output_names(model), model.outputs, strict=True)
    }
    wanted = {name: shape for name, (shape, _) in OUTPUTS.items()}
    if {name: found.get(name) for name in wanted} != wanted:
        faults.append(f"expected the outputs {_shapes(wanted)}: got {_shapes(found)}")
    return faults


def _input_faults(model: Any) -> list[str]:
    shapes = [tuple(tensor.shape[1:]) for tensor in model.inputs]
    if shapes == [INPUT_SHAPE]:
        return []
    return [
        f"expected one input of shape {INPUT_SHAPE}: got {_listed(shapes)}; "
        f'begin with keras.Input({INPUT_SHAPE}, name="{INPUT_NAME}")'
    ]


def _output_faults(model: Any) -> list[str]:
    if list(model.output_names) != list(OUTPUTS):
        return [
            f"the outputs must be {_listed(OUTPUTS)}, in this order, not "
            f"{_listed(model.output_names)}; name the last layer of each head so"
        ]
    faults = []
    for tensor, (name, (shape, activation)) in zip(model.outputs, OUTPUTS.items(), strict=True):
        if tuple(tensor.shape[1:]) != shape:
            faults.append(
                f"expected output {name} of shape {shape}: got {tuple(tensor.shape[1:])}; "
                "flatten the head or change its last layer"
            )
        found = _activation(model.get_layer(name))
        if found != activation:
            faults.append(
                f"the output {name} must end in {activation}, not {found}; "
                f'give its last layer activation="{activation}"'
            )
    return faults


def _budget_faults(model: Any, count: Count) -> list[str]:
    parameters = count_parameters(model, count)
    if parameters <= PARAM_BUDGET:
        return []
    trainable = count_parameters(model, "trainable")
    if trainable <= PARAM_BUDGET:
        return [
            f"{parameters:,} parameters are over the budget of {PARAM_BUDGET:,}; {trainable:,} of "
            "them are trainable, which is allowed where a tournament counts only these "
            "(submit.py --count trainable)"
        ]
    return [
        f"at most {PARAM_BUDGET:,} parameters ({count}) are allowed, not {parameters:,}; "
        "take fewer blocks or filters"
    ]


def _activation(layer: Any) -> str:
    """Return what a layer ends in; a mean of answers that end alike ends as they do."""
    if type(layer).__name__ == "Average":
        ends = {_activation(tensor._keras_history.operation) for tensor in layer.input}
        return ends.pop() if len(ends) == 1 else "average"
    config = layer.get_config()
    return str(config.get("activation", type(layer).__name__.lower()))


def _shapes(outputs: Mapping[str, tuple[int, ...]]) -> str:
    return _listed(f"{name} {shape}" for name, shape in outputs.items())


def _listed(items: Any) -> str:
    return ", ".join(str(item) for item in items) or "none"
