"""Reads the calls of layers and functions strictly, and finds all that is wrong with them.

Keras 3 writes the class of an operation, Keras 2 the name of a function of tf.
"""

from collections.abc import Callable, Mapping
from typing import TypeGuard

from tournament.intake import remedies
from tournament.intake.faults import MAX_FAULTS, Fault, Refused, quoted
from tournament.intake.keras.builder import Builder, Stopwatch
from tournament.intake.keras.description import (
    FUNCTIONS_OF_TF,
    Call,
    LayerConfig,
    ModelConfig,
    TensorRef,
)
from tournament.intake.keras.functions import (
    KERAS_OPERATIONS,
    TF_FUNCTIONS,
    Found,
    FunctionKind,
    Results,
)
from tournament.intake.keras.layers import LAYERS
from tournament.intake.keras.layers.base import LayerKind
from tournament.intake.keras.options import COMMON, read_arguments, read_options
from tournament.intake.keras.weights import Path

MAX_REFUSALS = 1_000
_ARGUMENTS_OF_TRAINING = {
    "training": (None, False), "mask": (None,), "attention_mask": (None,), "query_mask": (None,),
    "value_mask": (None,), "key_mask": (None,), "return_attention_scores": (None, False),
    "use_causal_mask": (None, False),
}

_OPERATORS = {"__operators__.add": "x + y", "__operators__.getitem": "x[...]"}
Find = Callable[[TensorRef], int]
Step = Callable[[Builder, Find], Results]  # one call, ready to be written; it finds its inputs then
Steps = Mapping[tuple[Path, int], Step]  # by the path of a layer, and the place among its calls
Prepared = Callable[[Call], Step]


def prepare_model(model: ModelConfig, stopwatch: Stopwatch) -> Steps:
    """Read every call of a model and of those within; raises Refused with all that is wrong."""
    reader = _Reader(stopwatch)
    reader.read(model, ())
    faults = list(reader.faults)
    if len(faults) > MAX_FAULTS:
        more = "more" if reader.has_enough else f"{len(faults) - MAX_FAULTS} more"
        faults[MAX_FAULTS:] = [Fault(f"and {more} of this kind", "as above")]
    if faults:
        raise Refused(faults)
    return reader.steps


class _Reader:
    """Collects the steps of a model's calls, and what is wrong with them."""

    def __init__(self, stopwatch: Stopwatch) -> None:
        self.steps: dict[tuple[Path, int], Step] = {}
        self.faults: dict[Fault, None] = {}
        self._stopwatch = stopwatch
        self._num_refusals = 0

    @property
    def has_enough(self) -> bool:
        """Whether so many calls are wrong that the others need not be read."""
        return self._num_refusals >= MAX_REFUSALS

    def read(self, model: ModelConfig, path: Path) -> None:
        for layer in model.layers:
            if not layer.calls:  # an input; or an attribute, which Keras 2 writes among the layers
                continue
            if layer.model is not None:
                self.read(layer.model, (*path, layer.name))
            else:
                self._read_layer(layer, (*path, layer.name))

    def _read_layer(self, layer: LayerConfig, path: Path) -> None:
        try:
            prepared = prepare(layer)
        except Refused as refusal:
            self._note(refusal)
            return
        for place, call in enumerate(layer.calls):
            self._stopwatch.check()
            if self.has_enough:
                return
            try:
                self.steps[path, place] = prepared(call)
            except Refused as refusal:
                self._note(refusal)

    def _note(self, refusal: Refused) -> None:
        self.faults.update(dict.fromkeys(refusal.faults))
        self._num_refusals += 1


def prepare(layer: LayerConfig) -> Prepared:
    """Return what reads the calls of a layer, whose own options are read here, once.

    Both raise Refused with everything that is wrong.
    """
    if layer.class_name in FUNCTIONS_OF_TF:
        return prepare_tf(layer)
    known = layer.class_name in KERAS_OPERATIONS
    if layer.class_name not in LAYERS and (known or layer.is_operation):
        return prepare_operation(layer)
    if known and layer.is_operation:  # a class of layers has the same name
        return prepare_operation(layer)
    return _prepare_layer(layer)


def _prepare_layer(layer: LayerConfig) -> Prepared:
    kind = LAYERS.get(layer.class_name)
    if kind is None:
        remedy = remedies.for_class(layer.class_name)
        raise one_fault(layer, " is of a class that is not known here", remedy)
    options, wrong = read_options(kind.schema, layer.config)
    if wrong:
        raise Refused(
            Fault(f"{title(layer)}: {sentence}", remedies.for_option(layer.class_name, option))
            for option, sentence in wrong.items()
        )
    return lambda call: _prepare_call(layer, kind, options, call)


def _prepare_call(layer: LayerConfig, kind: LayerKind, options: dict, call: Call) -> Step:
    inputs = _inputs(layer, kind, call)

    def lower(builder: Builder, find: Find) -> Results:
        found = {
            name: [find(ref) for ref in value] if isinstance(value, list) else find(value)
            for name, value in inputs.items()
        }
        single = kind.arguments == ("inputs",)
        return kind.lower(builder, options, found["inputs"] if single else found)

    return lower


def _inputs(
    layer: LayerConfig, kind: LayerKind, call: Call
) -> dict[str, TensorRef | list[TensorRef]]:
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
        more = ", ".join(extra[:MAX_FAULTS]) or "a constant"
        raise one_fault(
            layer, f" is called with more than its tensors: {more}",
            "call the layer with its inputs only, without training=True, a mask or a constant",
        )
    if odd or given.get(kind.arguments[0]) is None:
        raise one_fault(layer, " is not called on one tensor", "call it on one tensor")
    return {
        name: [value] if kind.joins and isinstance(value, TensorRef) else value
        for name, value in given.items() if _is_input(value, kind.joins)
    }


def _is_input(value: object, joins: bool) -> TypeGuard[TensorRef | list[TensorRef]]:
    if joins and isinstance(value, list):
        return bool(value) and all(isinstance(item, TensorRef) for item in value)
    return isinstance(value, TensorRef)


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

        return lower

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
