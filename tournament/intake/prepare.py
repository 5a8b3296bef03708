"""Reads one call of one layer strictly: its options, its inputs, and everything wrong with them.

Decides which table a class belongs to: layers, functions of tf, or operations of Keras 3.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tournament.intake import remedies
from tournament.intake.arguments import Call, TensorRef
from tournament.intake.faults import MAX_FAULTS, Fault, Refused, quoted
from tournament.intake.functional import FUNCTIONS_OF_TF, LayerConfig, ModelConfig
from tournament.intake.layers import LAYERS
from tournament.intake.layers.base import Builder, LayerKind
from tournament.intake.operations import KERAS_OPERATIONS, TF_FUNCTIONS
from tournament.intake.operations.base import Found, FunctionKind, Results
from tournament.intake.options import COMMON, read_arguments, read_options

Find = Callable[[TensorRef], int]
_ARGUMENTS_OF_TRAINING = {
    "training": (None, False), "mask": (None,), "attention_mask": (None,), "query_mask": (None,),
    "value_mask": (None,), "key_mask": (None,), "return_attention_scores": (None, False),
    "use_causal_mask": (None, False),
}


@dataclass(frozen=True)
class Step:
    """One call, ready to be written: where its inputs are is asked for then."""

    lower: Callable[[Builder, Find], Results]


def check_model(model: ModelConfig) -> None:
    """Read every call of a model and of those within; raises Refused with all faults."""
    faults = list(_faults(model))
    more = len(faults) - MAX_FAULTS
    if more > 0:
        faults[MAX_FAULTS:] = [Fault(f"and {more} more of this kind", "as above")]
    if faults:
        raise Refused(faults)


def _faults(model: ModelConfig) -> list[Fault]:
    found: list[Fault] = []
    for layer in model.layers:
        if layer.model is not None:
            found.extend(_faults(layer.model))
        elif layer.class_name != "InputLayer":
            for call in layer.calls:
                try:
                    prepare(layer, call)
                except Refused as refusal:
                    found.extend(fault for fault in refusal.faults if fault not in found)
    return found


def prepare(layer: LayerConfig, call: Call) -> Step:
    """Return how a call is written; raises Refused with everything that is wrong with it."""
    if layer.class_name in FUNCTIONS_OF_TF:
        return _prepare_tf(layer, call)
    if layer.class_name in KERAS_OPERATIONS and (
        layer.is_operation or layer.class_name not in LAYERS
    ):
        kind = KERAS_OPERATIONS[layer.class_name]
        options = {key: value for key, value in layer.config.items() if key not in COMMON}
        if layer.class_name == "Cast":
            options["dtype"] = layer.config.get("dtype")
        remedy = remedies.for_operation(layer.class_name)
        return _prepare_function(layer, kind, call, options, remedy)
    if layer.is_operation and layer.class_name not in LAYERS:
        raise _one(layer, " is an operation on tensors that is not known here",
                   remedies.for_operation(layer.class_name))
    return _prepare_layer(layer, call)


def title(layer: LayerConfig) -> str:
    """Return a layer's name and class, fit to be shown."""
    return f"layer {quoted(layer.name)} ({quoted(layer.class_name)[1:-1]})"


def _one(layer: LayerConfig, text: str, remedy: str) -> Refused:
    return Refused([Fault(f"{title(layer)}{text}", remedy)])


def _prepare_tf(layer: LayerConfig, call: Call) -> Step:
    function = layer.config.get("function")
    kind = TF_FUNCTIONS.get(function) if isinstance(function, str) else None
    if kind is None:
        raise _one(layer, f": the function {quoted(function)} is not known here",
                   remedies.for_class(layer.class_name))
    remedy = f"change this argument of {function}, or replace the call by a layer"
    return _prepare_function(layer, kind, call, {}, remedy)


def _prepare_function(
    layer: LayerConfig, kind: FunctionKind, call: Call, options: dict[str, object], remedy: str
) -> Step:
    """Give positional arguments their names, join named ones and options, and read them all."""
    given = {kind.other_names.get(key, key): value
             for key, value in {**options, **call.kwargs}.items()}
    free = [name for name in kind.schema if name not in given]
    if len(call.args) > len(free):
        raise _one(layer, f": expected at most {len(free)} arguments", remedy)
    given.update(zip(free, call.args, strict=False))
    arguments, wrong = read_arguments(kind.schema, given)
    if wrong:
        raise Refused(Fault(f"{title(layer)}: {sentence}", remedy) for sentence in wrong)

    def lower(builder: Builder, find: Find) -> Results:
        placed = {name: _placed(value, find) for name, value in arguments.items()}
        return kind.lower(builder, placed)

    return Step(lower)


def _placed(value: object, find: Find) -> object:
    """Return an argument with its tensors found."""
    if isinstance(value, TensorRef):
        return Found(find(value))
    if isinstance(value, list) and value and isinstance(value[0], TensorRef):
        return [Found(find(item)) for item in value]
    return value


def _prepare_layer(layer: LayerConfig, call: Call) -> Step:
    kind = LAYERS.get(layer.class_name)
    if kind is None:
        raise _one(layer, " is of a class that is not taken", remedies.for_class(layer.class_name))
    options, wrong = read_options(kind.schema, layer.config)
    if wrong:
        remedy = "change this option of the layer"
        raise Refused(Fault(f"{title(layer)}: {sentence}", remedy) for sentence in wrong)
    inputs = _inputs(layer, kind, call)

    def lower(builder: Builder, find: Find) -> Results:
        found = {
            name: [find(ref) for ref in value] if isinstance(value, list) else find(value)
            for name, value in inputs.items()
        }
        single = kind.arguments == ("inputs",)
        return kind.lower(builder, options, found["inputs"] if single else found)

    return Step(lower)


def _inputs(layer: LayerConfig, kind: LayerKind, call: Call) -> dict[str, object]:
    """Return the tensors of a call by the names of `kind.arguments`."""
    given = dict(zip(kind.arguments, call.args, strict=False))
    extra = len(call.args) > len(kind.arguments)
    for key, value in call.kwargs.items():
        if key in kind.arguments and key not in given:
            given[key] = value
        elif not any(value is item for item in _ARGUMENTS_OF_TRAINING.get(key, (None,))):
            extra = True
    odd = any(not _is_input(value, kind.joins) for value in given.values() if value is not None)
    if extra or (odd and kind.joins):
        raise _one(
            layer, " is called with more than its tensors",
            "call the layer with its inputs only, without training=True, a mask or a constant",
        )
    if odd or given.get(kind.arguments[0]) is None:
        raise _one(layer, " is not called on one tensor", "call it on one tensor")
    return {
        name: [value] if kind.joins and isinstance(value, TensorRef) else value
        for name, value in given.items() if value is not None
    }


def _is_input(value: object, joins: bool) -> bool:
    if joins and isinstance(value, list):
        return bool(value) and all(isinstance(item, TensorRef) for item in value)
    return isinstance(value, TensorRef)
