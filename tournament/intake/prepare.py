"""Reads one call of one layer strictly: its options, its inputs, and everything wrong with them.

Decides which table a class belongs to: layers, or one of the forms of functions.
"""

from tournament.intake import remedies
from tournament.intake.arguments import Call, TensorRef
from tournament.intake.faults import MAX_FAULTS, Fault, Refused, quoted
from tournament.intake.functional import FUNCTIONS_OF_TF, NODE_OF_TF, LayerConfig, ModelConfig
from tournament.intake.functions import KERAS_OPERATIONS
from tournament.intake.functions.base import Results
from tournament.intake.layers import LAYERS
from tournament.intake.layers.base import Builder, LayerKind
from tournament.intake.prepare_function import (
    Find,
    Step,
    one_fault,
    prepare_node,
    prepare_operation,
    prepare_tf,
    title,
)
from tournament.intake.schema import read_options

_ARGUMENTS_OF_TRAINING = {
    "training": (None, False), "mask": (None,), "attention_mask": (None,), "query_mask": (None,),
    "value_mask": (None,), "key_mask": (None,), "return_attention_scores": (None, False),
    "use_causal_mask": (None, False),
}


def check_model(model: ModelConfig) -> None:
    """Read every call of a model and of those within; raises Refused with all faults."""
    faults = list(_faults(model))
    more = len(faults) - MAX_FAULTS
    if more > 0:
        faults[MAX_FAULTS:] = [Fault(f"and {more} more of this kind", "as above")]
    if faults:
        raise Refused(faults)


def _faults(model: ModelConfig) -> list[Fault]:
    found: dict[Fault, None] = {}
    for layer in model.layers:
        if layer.model is not None:
            found.update(dict.fromkeys(_faults(layer.model)))
        elif layer.class_name != "InputLayer":
            for call in layer.calls:
                try:
                    prepare(layer, call)
                except Refused as refusal:
                    found.update(dict.fromkeys(refusal.faults))
    return list(found)


def prepare(layer: LayerConfig, call: Call) -> Step:
    """Return how a call is written; raises Refused with everything that is wrong with it."""
    if layer.class_name in FUNCTIONS_OF_TF:
        return prepare_tf(layer, call)
    if layer.class_name == NODE_OF_TF:
        return prepare_node(layer, call)
    known = layer.class_name in KERAS_OPERATIONS
    if layer.class_name not in LAYERS and (known or layer.is_operation):
        return prepare_operation(layer, call)
    if known and layer.is_operation:  # a class of layers has the same name
        return prepare_operation(layer, call)
    return _prepare_layer(layer, call)


def _prepare_layer(layer: LayerConfig, call: Call) -> Step:
    kind = LAYERS.get(layer.class_name)
    if kind is None:
        remedy = remedies.for_class(layer.class_name)
        raise one_fault(layer, " is of a class that is not taken", remedy)
    options, wrong = read_options(kind.schema, layer.config)
    if wrong:
        raise Refused(
            Fault(f"{title(layer)}: {sentence}", remedies.for_option(layer.class_name, option))
            for option, sentence in wrong.items()
        )
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
    extra = ["one more"] if len(call.args) > len(kind.arguments) else []
    for key, value in call.kwargs.items():
        if key in kind.arguments and key not in given:
            given[key] = value
        elif not any(value is item for item in _ARGUMENTS_OF_TRAINING.get(key, (None,))):
            extra.append(quoted(key))
    odd = any(not _is_input(value, kind.joins) for value in given.values() if value is not None)
    if extra or (odd and kind.joins):
        more = ", ".join(extra) or "a constant"
        raise one_fault(
            layer, f" is called with more than its tensors: {more}",
            "call the layer with its inputs only, without training=True, a mask or a constant",
        )
    if odd or given.get(kind.arguments[0]) is None:
        raise one_fault(layer, " is not called on one tensor", "call it on one tensor")
    return {
        name: [value] if kind.joins and isinstance(value, TensorRef) else value
        for name, value in given.items() if value is not None
    }


def _is_input(value: object, joins: bool) -> bool:
    if joins and isinstance(value, list):
        return bool(value) and all(isinstance(item, TensorRef) for item in value)
    return isinstance(value, TensorRef)
