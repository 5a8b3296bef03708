"""From the description of a model and its arrays to our own graph, or the reasons why not.

Written call by call, each after those it depends on; nested models are written in place. Layers
that no wanted output needs are not written, and their weights are not read or counted. What is
needed, and in which order, is worked out once for each model, however often it is used.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from graphlib import CycleError, TopologicalSorter
from math import isqrt

import numpy as np

from golois.constants import NUM_POINTS, PLANES_SHAPE
from tournament.intake.faults import Fault, Refused, fault, quoted, refusal
from tournament.intake.graph.graph import Graph
from tournament.intake.graph.ops import Shape
from tournament.intake.keras.builder import Builder, PlannedWeights, Stopwatch, StoredWeights
from tournament.intake.keras.calls import Find, Step, Steps, prepare_model
from tournament.intake.keras.description import (
    Call,
    LayerConfig,
    ModelConfig,
    Path,
    TensorRef,
    distribute,
    find_by_class,
    load_json,
    read_model,
)

Outputs = tuple[tuple[str, TensorRef], ...]
MAX_FLOPS = 500_000_000
MAX_LISTED = 8
MAX_SECONDS = 2.0
UNKNOWN_VERSION = "2"  # the first releases did not write one
_VERSION = re.compile(r"\d{1,3}(\.[0-9A-Za-z]{1,16}){0,3}")
_HEADS = ("policy", "value")
_PASS_LOGIT = "a layers.Dense(1) of the pooled board behind it, "


@dataclass(frozen=True, eq=False)
class CheckedNetwork:
    """A submission that has passed gate B.

    `parameters_trainable` leaves out moving statistics only: a frozen layer still counts.
    `parameters_hidden`, those in options and constants, are part of both. `left_out` says in words
    what the file has besides policy and value.
    """

    graph: Graph
    keras_version: str
    parameters_total: int
    parameters_trainable: int
    parameters_hidden: int
    layers: dict[str, int]
    left_out: str

    def parameters(self, count: str) -> int:
        """Return the number that the budget is about, by `count` "total" or "trainable"."""
        return self.parameters_total if count == "total" else self.parameters_trainable


def read_network(
    text: str,
    weights: dict[str, list[np.ndarray]],
    keras_version: str,
    max_flops: int = MAX_FLOPS,
    by_class: bool = False,
    planes_shape: Shape = PLANES_SHAPE,
    policy_size: int = NUM_POINTS,
) -> CheckedNetwork:
    """Return the network that a file describes.

    Args:
        text: the file's `model_config`, JSON.
        weights: the stored float32 arrays of each layer, in Keras' order.
        keras_version: of the Keras that wrote the file; not trusted.
        max_flops: of one evaluation.
        by_class: `weights` has the groups of a .keras instead, which are named by class.
        planes_shape: of the only input, (size, size, planes).
        policy_size: numbers of the policy: size², and one more where the game has a pass.

    Raises:
        Refused: with everything that its author has to change.
    """
    stopwatch = Stopwatch(MAX_SECONDS)
    whole = read_model(load_json(text))
    wanted = _wanted_outputs(whole)
    model = _used_part(whole, wanted)
    steps = _read_used_part(model, planes_shape, stopwatch)
    version = keras_version if _VERSION.fullmatch(keras_version) else UNKNOWN_VERSION
    of_layers: dict[Path, list[np.ndarray]] = {(name,): row for name, row in weights.items()}
    stored = find_by_class(whole, weights) if by_class else of_layers
    _check_names(whole, stored)
    major = int(version.partition(".")[0])
    dealt = stored
    plan = plan_model(whole, wanted, steps)
    if not by_class and any(layer.model is not None for layer in model.layers):
        planned = PlannedWeights(sum(array.size for row in weights.values() for array in row))
        write_model(Builder(planes_shape, planned, major, max_flops, stopwatch), plan, [0])
        dealt = distribute(model, weights, planned.wanted)
    builder = Builder(planes_shape, StoredWeights(dealt), major, max_flops, stopwatch)
    outputs = write_model(builder, plan, [0])
    policy, value = _find_outputs(builder, outputs, policy_size)
    return CheckedNetwork(
        Graph(tuple(builder.nodes), policy, value).pruned(),
        version,
        builder.parameters_total,
        builder.parameters_trainable,
        builder.parameters_hidden,
        dict(sorted(Counter(_class_names(model)).items())),
        _left_out(whole, model, wanted, stored),
    )


@dataclass(frozen=True)
class Plan:
    """The calls that outputs of a model need, in an order in which they can be written.

    Each has its layer, the path of that, the number by which its results are known, and its step.
    """

    inputs: Outputs
    outputs: Outputs
    calls: tuple[tuple[LayerConfig, Path, int, Step], ...]


def plan_model(model: ModelConfig, outputs: Outputs, steps: Steps, path: Path = ()) -> Plan:
    """Return what outputs of a model need; `path` has the names of the models around it."""
    first, needed = _first_calls(model), _needed_calls(model, outputs)
    names = {name for name, _ in needed}
    layers = {layer.name: layer for layer in model.layers if layer.name in names}
    plans = {
        name: plan_model(layer.model, layer.model.outputs, steps, (*path, name))
        for name, layer in layers.items() if layer.model is not None
    }
    calls = []
    for name, number in _order(needed):
        inner = (*path, name)
        step = (
            partial(_write_inner, plans[name], needed[name, number]) if name in plans
            else steps[inner, number - first[name]]
        )
        calls.append((layers[name], inner, number, step))
    return Plan(model.inputs, outputs, tuple(calls))


def write_model(builder: Builder, plan: Plan, inputs: list[int]) -> list[tuple[str, int]]:
    """Write the calls of a plan on `inputs`, and return the names and places of its outputs."""
    if len(inputs) != len(plan.inputs):
        raise refusal("number-of-inputs", number=len(plan.inputs), given=len(inputs))
    placed = dict(zip((ref for _, ref in plan.inputs), inputs, strict=True))

    def find(ref: TensorRef) -> int:
        if ref not in placed:
            raise refusal("no-result", name=ref.layer)
        return placed[ref]

    for layer, path, number, step in plan.calls:
        builder.begin(layer, path)
        results = step(builder, find)
        if layer.model is None:
            builder.finish()
        listed = results if isinstance(results, tuple) else (results,)
        placed.update((TensorRef(layer.name, number, at), i) for at, i in enumerate(listed))
    return [(name, find(ref)) for name, ref in plan.outputs]


def _write_inner(plan: Plan, call: Call, builder: Builder, find: Find) -> tuple[int, ...]:
    """Write a call of a model that is used as a layer, and return its results."""
    names = [name for name, _ in plan.inputs]
    inputs = [find(ref) for ref in _inputs_of_model(builder, call, names)]
    return tuple(index for _, index in write_model(builder, plan, inputs))


def _needed_calls(model: ModelConfig, outputs: Outputs) -> dict[tuple[str, int], Call]:
    """Return the calls that outputs depend on, each by its layer and number."""
    first = _first_calls(model)
    calls = {
        (layer.name, number + first[layer.name]): call
        for layer in model.layers
        if layer.class_name != "InputLayer"
        for number, call in enumerate(layer.calls)
    }
    needed: dict[tuple[str, int], Call] = {}
    pending = [ref for _, ref in outputs]
    while pending:
        ref = pending.pop()
        key = ref.layer, ref.call
        if key in calls and key not in needed:
            needed[key] = calls[key]
            pending.extend(calls[key].tensors())
    return {key: call for key, call in calls.items() if key in needed}


def _inputs_of_model(builder: Builder, call: Call, names: list[str]) -> list[TensorRef]:
    """Return what a model is called on, in the order of its inputs, which have these names."""
    if len(call.args) != 1 or not all(map(_says_nothing, call.kwargs.values())):
        builder.refuse("model-call")
    given = call.args[0]
    if isinstance(given, dict) and given.keys() == set(names):
        given = [given[name] for name in names]
    listed = given if isinstance(given, list) else [given]
    refs = [ref for ref in listed if isinstance(ref, TensorRef)]
    if len(refs) != len(listed):
        builder.refuse("model-inputs")
    return refs


def _says_nothing(argument: object) -> bool:
    """Return whether it is None or False, or a mask of several inputs that have none."""
    if isinstance(argument, dict):
        argument = list(argument.values())
    if isinstance(argument, list):
        return all(item is None for item in argument)
    return argument in (None, False)


def _first_calls(model: ModelConfig) -> dict[str, int]:
    """Return from which number on each layer's calls count.

    Most begin with 0. A model that is used as a layer may begin with 1, since Keras counts how it
    was built as a call that it doesn't write down; then the highest number in use shows it.
    """
    highest: dict[str, int] = {}
    used = [ref for layer in model.layers for call in layer.calls for ref in call.tensors()]
    for ref in [*used, *(ref for _, ref in model.outputs)]:
        highest[ref.layer] = max(highest.get(ref.layer, 0), ref.call)
    return {
        layer.name: int(layer.model is not None and highest.get(layer.name) == len(layer.calls))
        for layer in model.layers
    }


def _order(calls: dict[tuple[str, int], Call]) -> list[tuple[str, int]]:
    sorter = TopologicalSorter({
        key: {(ref.layer, ref.call) for ref in call.tensors()} for key, call in calls.items()
    })
    try:
        return [key for key in sorter.static_order() if key in calls]
    except CycleError as error:
        raise refusal("cycle") from error


def _read_used_part(model: ModelConfig, planes_shape: Shape, stopwatch: Stopwatch) -> Steps:
    """Return how each call is written; faults of the input and of the calls come together."""
    faults = _faults_of_input(model, planes_shape)
    try:
        steps = prepare_model(model, stopwatch)
    except Refused as refused:
        raise Refused([*faults, *refused.faults]) from refused
    if faults:
        raise Refused(faults)
    return steps


def has_further_outputs(text: str) -> bool:
    """Return whether a described model has outputs besides policy and value."""
    try:
        model = read_model(load_json(text))
    except Refused:
        return False
    return len(_wanted_outputs(model)) < len(model.outputs)


def _wanted_outputs(model: ModelConfig) -> Outputs:
    """Return policy and value where each is named so, else all outputs."""
    named = tuple(output for output in model.outputs if output[0] in _HEADS)
    return named if sorted(name for name, _ in named) == sorted(_HEADS) else model.outputs


def _used_part(model: ModelConfig, outputs: Outputs) -> ModelConfig:
    """Return a model with the layers only that some outputs need."""
    if len(outputs) == len(model.outputs):
        return model
    needed = {name for name, _ in _needed_calls(model, outputs)}
    kept = (layer for layer in model.layers
            if layer.name in needed or layer.class_name == "InputLayer")
    return replace(model, layers=tuple(kept), outputs=outputs)


def _left_out(
    whole: ModelConfig, used: ModelConfig, outputs: Outputs, stored: dict[Path, list[np.ndarray]]
) -> str:
    """Return in words what of a model is not used; nothing where all is."""
    used_outputs = set(outputs)
    extra = [name for name, ref in whole.outputs if (name, ref) not in used_outputs]
    if not extra:
        return ""
    kept = {layer.name for layer in used.layers}
    layers = {layer.name for layer in whole.layers if layer.name not in kept}
    parameters = sum(
        array.size for path, arrays in stored.items() if path[0] in layers for array in arrays
    )
    named = ", ".join(map(quoted, extra[:MAX_LISTED])) + ", ..." * (len(extra) > MAX_LISTED)
    return (
        f"the outputs {named}, with {len(layers)} layers and {parameters:,} parameters "
        "that only they need"
    )


def _class_names(model: ModelConfig) -> Iterator[str]:
    """Yield the class of each layer; those that are never called have not been checked."""
    for layer in model.layers:
        if not layer.calls and layer.class_name != "InputLayer":
            continue
        if layer.model is not None:
            yield from _class_names(layer.model)
        else:
            yield layer.class_name


def _check_names(model: ModelConfig, stored: dict[Path, list[np.ndarray]]) -> None:
    for name in {path[0] for path in stored} - {layer.name for layer in model.layers}:
        raise refusal("weights-of-none", name=name)


def _faults_of_input(model: ModelConfig, planes_shape: Shape) -> list[Fault]:
    """Return what is wrong with a model's inputs: it has one, of the shape of the planes."""
    starts = [layer for layer in model.layers if layer.class_name == "InputLayer"]
    if len(starts) != 1 or [ref.layer for _, ref in model.inputs] != [starts[0].name]:
        return [fault("inputs", number=len(starts), shape=planes_shape)]
    config = starts[0].config
    if config.get("sparse") or config.get("ragged"):
        return [fault("sparse", shape=planes_shape)]
    full = config.get("batch_shape", config.get("batch_input_shape"))
    shape = tuple(full[1:]) if isinstance(full, list) else None
    if shape != planes_shape:
        planes = shape[-1] if shape and len(shape) == 3 and shape[:2] == planes_shape[:2] else None
        if type(planes) is int:
            return [fault("planes", planes=planes, given=planes_shape[2], shape=planes_shape)]
        return [fault("input-shape", found=shape, shape=planes_shape)]
    return []


def _find_outputs(
    builder: Builder, outputs: list[tuple[str, int]], policy_size: int
) -> tuple[int, int]:
    """Return the results that are the policy and the value: each by its name, else by shape."""
    found = dict(outputs) if len(dict(outputs)) == len(outputs) else {
        str(at): index for at, (_, index) in enumerate(outputs)
    }
    shapes = {index: builder.shape(index) for index in found.values()}
    heads = []
    for name, size in zip(_HEADS, (policy_size, 1), strict=True):
        index = found[name] if name in found else _only(shapes, size, name)
        if shapes[index] != (size,):
            raise refusal("output-shape", name=name, found=shapes[index], shape=(size,),
                          instead=_how_to_end(name, size))
        heads.append(index)
    return heads[0], heads[1]


def _how_to_end(name: str, size: int) -> str:
    """Return how to end the policy or the value, of so many numbers."""
    if name == "value":
        return (
            "end with one probability that White wins: "
            "layers.Dense(1, activation='sigmoid', name='value')"
        )
    has_pass = isqrt(size) ** 2 != size
    return (
        f"end with {size} probabilities, {'the last' if has_pass else 'none'} for a pass: a 1x1 "
        f"Conv2D with one filter, layers.Flatten(), {_PASS_LOGIT * has_pass}and "
        "layers.Activation('softmax', name='policy')"
    )


def _only(shapes: dict[int, Shape], size: int, name: str) -> int:
    """Return the one output of a shape."""
    candidates = [index for index, shape in shapes.items() if shape == (size,)]
    if len(candidates) != 1:
        wrong = "no" if not candidates else "more than one"
        listed = ", ".join(str(shape) for shape in list(shapes.values())[:8])
        raise refusal("outputs", number=wrong, name=name, shape=(size,), listed=listed,
                      instead=_how_to_end(name, size))
    return candidates[0]
