"""Writes a model call by call, each after those it depends on; nested models are written in place.

Layers that no wanted output needs are not written, and their weights are not read or counted.
What is needed, and in which order, is worked out once for each model, however often it is used.
"""

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from tournament.intake import remedies
from tournament.intake.arguments import Call, TensorRef
from tournament.intake.builder import NetworkBuilder
from tournament.intake.faults import quoted, refuse
from tournament.intake.functional import LayerConfig, ModelConfig
from tournament.intake.prepare import Steps
from tournament.intake.prepare_function import Step
from tournament.intake.stored import Path

Outputs = tuple[tuple[str, TensorRef], ...]


@dataclass(frozen=True)
class _PlannedCall:
    """One call: of a layer by its `step`, or of a model by its `plan`.

    `number` is what references to its results call it.
    """

    layer: LayerConfig
    path: Path
    number: int
    call: Call
    step: Step | None
    plan: "Plan | None"


@dataclass(frozen=True)
class Plan:
    """The calls that outputs of a model need, in an order in which they can be written."""

    inputs: tuple[tuple[str, TensorRef], ...]
    outputs: Outputs
    calls: tuple[_PlannedCall, ...]


def plan_model(model: ModelConfig, outputs: Outputs, steps: Steps, path: Path = ()) -> Plan:
    """Return what outputs of a model need.

    Args:
        model: as the file describes it.
        outputs: those of the model, or some of them.
        steps: how each call of a layer is written.
        path: the names of the models around it.
    """
    first = _first_calls(model)
    needed = _needed_calls(model, outputs)
    names = {name for name, _ in needed}
    layers = {layer.name: layer for layer in model.layers if layer.name in names}
    plans = {
        name: plan_model(layer.model, layer.model.outputs, steps, (*path, name))
        for name, layer in layers.items() if layer.model is not None
    }
    calls = []
    for name, number in _order(needed):
        inner = (*path, name)
        step = steps.get((inner, number - first[name]))
        calls.append(_PlannedCall(
            layers[name], inner, number, needed[name, number], step, plans.get(name)
        ))
    return Plan(model.inputs, outputs, tuple(calls))


def write_model(builder: NetworkBuilder, plan: Plan, inputs: list[int]) -> list[tuple[str, int]]:
    """Write the calls of a plan, and return the names of its outputs and where they are.

    Args:
        builder: the graph, to which the operations are appended.
        plan: the calls of the model.
        inputs: where the results are that the model is called on.
    """
    if len(inputs) != len(plan.inputs):
        raise refuse(
            f"a model with {len(plan.inputs)} inputs is called on {len(inputs)}",
            remedies.SAVE_AGAIN,
        )
    scope = _Scope(dict(zip((ref for _, ref in plan.inputs), inputs, strict=True)))
    for planned in plan.calls:
        for output, index in enumerate(_write_call(builder, planned, scope)):
            scope.placed[TensorRef(planned.layer.name, planned.number, output)] = index
    return [(name, scope.find(ref)) for name, ref in plan.outputs]


def needed_layers(model: ModelConfig, outputs: Outputs) -> set[str]:
    """Return the names of the layers that outputs of a model are computed by, its input aside."""
    return {name for name, _ in _needed_calls(model, outputs)}


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


class _Scope:
    """Where the results of a model's calls are."""

    def __init__(self, placed: dict[TensorRef, int]) -> None:
        self.placed = placed

    def find(self, ref: TensorRef) -> int:
        if ref not in self.placed:
            raise refuse(
                f"the model uses a result of layer {quoted(ref.layer)} that it does not have",
                remedies.SAVE_AGAIN,
            )
        return self.placed[ref]


def _write_call(builder: NetworkBuilder, planned: _PlannedCall, scope: _Scope) -> tuple[int, ...]:
    builder.begin(planned.layer, planned.path)
    if planned.plan is not None:
        names = [name for name, _ in planned.plan.inputs]
        inputs = [scope.find(ref) for ref in _inputs_of_model(builder, planned.call, names)]
        return tuple(index for _, index in write_model(builder, planned.plan, inputs))
    assert planned.step is not None  # a call has a plan or a step
    results = planned.step.lower(builder, scope.find)
    builder.finish()
    return results if isinstance(results, tuple) else (results,)


def _inputs_of_model(builder: NetworkBuilder, call: Call, names: list[str]) -> list[TensorRef]:
    """Return what a model is called on, in the order of its inputs, which have these names."""
    if len(call.args) != 1 or not all(map(_says_nothing, call.kwargs.values())):
        builder.refuse("the model is called with more than its tensors", "call it on tensors only")
    given = call.args[0]
    if isinstance(given, dict) and given.keys() == set(names):
        given = [given[name] for name in names]
    listed = given if isinstance(given, list) else [given]
    refs = [ref for ref in listed if isinstance(ref, TensorRef)]
    if len(refs) != len(listed):
        builder.refuse(
            "the model is called on something else than a tensor, a list of tensors, or a dict of "
            "them by the names of its inputs", "call it on a list of tensors",
        )
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
        raise refuse("the layers form a cycle", remedies.SAVE_AGAIN) from error
