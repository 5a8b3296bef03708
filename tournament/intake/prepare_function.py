"""Reads one call of one function of tensors strictly, in the three forms in which Keras writes it.

Keras 3 writes the class of an operation, Keras 2 the name of a function of tf, and Keras 2 of
TF 2.0 to 2.3 the operations of TensorFlow's graph that the function came to.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tournament.intake import remedies
from tournament.intake.arguments import Call, TensorRef, damaged
from tournament.intake.faults import Fault, Refused, quoted
from tournament.intake.functional import LayerConfig
from tournament.intake.functions import KERAS_OPERATIONS, NODE_FUNCTIONS, TF_FUNCTIONS
from tournament.intake.functions.base import Found, FunctionKind, Results
from tournament.intake.functions.nodes import NODES
from tournament.intake.layers.base import Builder
from tournament.intake.node_def import read_node
from tournament.intake.schema import COMMON, read_arguments

Find = Callable[[TensorRef], int]
_OPERATORS = {"__operators__.add": "x + y", "__operators__.getitem": "x[...]"}


@dataclass(frozen=True)
class Step:
    """One call, ready to be written; its inputs are looked up at that time."""

    lower: Callable[[Builder, Find], Results]


def title(layer: LayerConfig) -> str:
    """Return a layer's name and class, fit to be shown."""
    return f"layer {quoted(layer.name)} ({quoted(layer.class_name)[1:-1]})"


def one_fault(layer: LayerConfig, text: str, remedy: str) -> Refused:
    """Return the refusal of a layer for one reason."""
    return Refused([Fault(f"{title(layer)}{text}", remedy)])


def prepare_operation(layer: LayerConfig, call: Call) -> Step:
    """Return how an operation of Keras 3 is written; raises Refused."""
    remedy = remedies.for_operation(layer.class_name)
    kind = KERAS_OPERATIONS.get(layer.class_name)
    if kind is None:
        raise one_fault(layer, " is an operation on tensors that is not known here", remedy)
    options = {key: value for key, value in layer.config.items() if key not in COMMON}
    if "dtype" in kind.schema:
        options["dtype"] = layer.config.get("dtype")
    return _prepare(layer, kind, call, options, remedy)


def prepare_tf(layer: LayerConfig, call: Call) -> Step:
    """Return how a function of tf is written; raises Refused."""
    function = layer.config.get("function")
    kind = TF_FUNCTIONS.get(function) if isinstance(function, str) else None
    if kind is None:
        raise one_fault(layer, f": the function {quoted(function)} is not known here",
                        remedies.for_function(function))
    remedy = f"change this argument of {_OPERATORS.get(function, function)}, or use a layer instead"
    return _prepare(layer, kind, call, {}, remedy)


def prepare_node(layer: LayerConfig, call: Call) -> Step:
    """Return how an operation of TensorFlow's graph is written; raises Refused."""
    try:
        op, attributes = read_node(layer.config.get("node_def"))
    except (ValueError, TypeError) as error:
        raise damaged(f"the operation of layer {quoted(layer.name)}") from error
    kind = NODES.get(op)
    if kind is None:
        raise one_fault(layer, f": the operation {quoted(op)} is not known here",
                        remedies.for_class(layer.class_name))
    remedy = f"replace the call that makes {op} by a layer"
    odd = [name for name in attributes if not kind.takes(name, attributes[name])]
    if odd:
        raise one_fault(layer, f": option {quoted(odd[0])} is {quoted(attributes[odd[0]])}", remedy)
    inputs = _inputs_of_node(layer, call)
    try:
        named = kind.arguments(inputs)
    except ValueError as error:
        raise damaged(f"the inputs of layer {quoted(layer.name)}") from error
    used = {name: attributes[name] for name in kind.attributes if name in attributes}
    return _prepare(layer, NODE_FUNCTIONS[op], Call((), {**named, **used}), {}, remedy)


def _inputs_of_node(layer: LayerConfig, call: Call) -> list[object]:
    """Return all inputs of an operation: its tensors, and between them what the file holds."""
    given = call.args[0] if len(call.args) == 1 else None
    tensors = given if isinstance(given, list) else [given]
    constants = layer.config.get("constants") or {}
    number = len(tensors) + len(constants)
    if call.kwargs or not isinstance(constants, dict) or not set(constants) <= {
        str(place) for place in range(number)
    }:
        raise damaged(f"a call of layer {quoted(layer.name)}")
    rest = iter(tensors)
    return [
        constants[str(place)] if str(place) in constants else next(rest)
        for place in range(number)
    ]


def _prepare(
    layer: LayerConfig, kind: FunctionKind, call: Call, options: dict[str, object], remedy: str
) -> Step:
    """Give positional arguments their names, join named ones and options, and read them all."""
    given = {kind.other_names.get(key, key): value for key, value in options.items()}
    free = [name for name in kind.schema if name not in given]
    if len(call.args) > len(free):
        raise one_fault(layer, f": expected at most {len(free)} arguments", remedy)
    given.update(zip(free, call.args, strict=False))
    for key, value in call.kwargs.items():
        name = kind.other_names.get(key, key)
        if value is not None and given.get(name) is not None:
            raise one_fault(layer, f": option {quoted(name)} is given twice", remedy)
        given[name] = given.get(name) if value is None else value
    arguments, wrong = read_arguments(kind.schema, given)
    if wrong:
        raise Refused(Fault(f"{title(layer)}: {sentence}", remedy) for sentence in wrong.values())

    def lower(builder: Builder, find: Find) -> Results:
        placed = {name: _placed(value, find) for name, value in arguments.items()}
        return kind.lower(builder, placed)

    return Step(lower)


def _placed(value: object, find: Find) -> object:
    """Return an argument with its tensors found."""
    if isinstance(value, TensorRef):
        return Found(find(value))
    return [_placed(item, find) for item in value] if isinstance(value, list) else value
