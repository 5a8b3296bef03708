"""Reads the calls of functions of tensors strictly, in the two forms in which Keras writes them.

Keras 3 writes the class of an operation, Keras 2 the name of a function of tf.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tournament.intake import remedies
from tournament.intake.arguments import Call, TensorRef
from tournament.intake.faults import Fault, Refused, quoted
from tournament.intake.functional import LayerConfig
from tournament.intake.functions import KERAS_OPERATIONS, TF_FUNCTIONS, Found, FunctionKind, Results
from tournament.intake.layers.base import Builder
from tournament.intake.schema import COMMON, read_arguments

Find = Callable[[TensorRef], int]
Prepared = Callable[[Call], "Step"]
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


def prepare_operation(layer: LayerConfig) -> Prepared:
    """Return what reads calls of an operation of Keras 3; raises Refused."""
    remedy = remedies.for_operation(layer.class_name)
    kind = KERAS_OPERATIONS.get(layer.class_name)
    if kind is None:
        raise one_fault(layer, " is an operation on tensors that is not known here", remedy)
    options = {key: value for key, value in layer.config.items() if key not in COMMON}
    if "dtype" in kind.schema:
        options["dtype"] = layer.config.get("dtype")
    return _Function(layer, kind, options, remedy)


def prepare_tf(layer: LayerConfig) -> Prepared:
    """Return what reads calls of a function of tf; raises Refused."""
    function = layer.config.get("function")
    kind = TF_FUNCTIONS.get(function) if isinstance(function, str) else None
    if not isinstance(function, str) or kind is None:
        raise one_fault(layer, f": the function {quoted(function)} is not known here",
                        remedies.for_function(function))
    remedy = f"change this argument of {_OPERATORS.get(function, function)}, or use a layer instead"
    return _Function(layer, kind, {}, remedy)


class _Function:
    """Reads calls of a function; the options that its layer has for all of them are read once.

    Positional arguments get their names, and named ones join them.
    """

    def __init__(
        self, layer: LayerConfig, kind: FunctionKind, options: dict[str, object], remedy: str
    ) -> None:
        self._layer, self._kind, self._remedy = layer, kind, remedy
        self._given = {kind.other_names.get(key, key): value for key, value in options.items()}
        schema = {key: option for key, option in kind.schema.items() if key in self._given}
        self._options, self._wrong = read_arguments(schema, self._given)
        self._free = [name for name in kind.schema if name not in self._given]

    def __call__(self, call: Call) -> Step:
        own = self._own_arguments(call)
        schema = {
            key: option for key, option in self._kind.schema.items()
            if key in own or key not in self._given
        }
        read, wrong = read_arguments(schema, own)
        if wrong or self._wrong:
            raise Refused(
                Fault(f"{title(self._layer)}: {sentence}", self._remedy)
                for sentence in {**self._wrong, **wrong}.values()
            )
        arguments = {**self._options, **read}

        def lower(builder: Builder, find: Find) -> Results:
            placed = {name: _placed(value, find) for name, value in arguments.items()}
            return self._kind.lower(builder, placed)

        return Step(lower)

    def _own_arguments(self, call: Call) -> dict[str, object]:
        """Return what the call itself gives, by its name."""
        free = self._free
        if len(call.args) > len(free):
            raise one_fault(
                self._layer, f": expected at most {len(free)} arguments", self._remedy
            )
        own = dict(zip(free, call.args, strict=False))
        for key, value in call.kwargs.items():
            name = self._kind.other_names.get(key, key)
            known = own.get(name) if name in own else self._given.get(name)
            if value is not None and known is not None:
                raise one_fault(
                    self._layer, f": option {quoted(name)} is given twice", self._remedy
                )
            if value is not None or (name not in own and name not in self._given):
                own[name] = value
        return own


def _placed(value: object, find: Find) -> object:
    """Return an argument with its tensors found."""
    if isinstance(value, TensorRef):
        return Found(find(value))
    return [_placed(item, find) for item in value] if isinstance(value, list) else value
