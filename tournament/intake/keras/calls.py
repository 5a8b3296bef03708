"""Reads the calls of layers and functions strictly, and finds all that is wrong with them.

Keras 3 writes the class of an operation, Keras 2 the name of a function of tf.
"""

from collections.abc import Callable, Container, Mapping
from typing import TypeGuard

from tournament.intake import faults
from tournament.intake.faults import MAX_FAULTS, Fault, Refused, quoted, refusal
from tournament.intake.keras.builder import (
    COMMON,
    Builder,
    LayerKind,
    Stopwatch,
    read_options,
    unread,
)
from tournament.intake.keras.description import (
    FUNCTIONS_OF_TF,
    Call,
    LayerConfig,
    ModelConfig,
    Path,
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

MAX_REFUSALS = 1_000
_ARGUMENTS_OF_TRAINING = {
    **dict.fromkeys(("mask", "attention_mask", "query_mask", "value_mask", "key_mask"), (None,)),
    **dict.fromkeys(("training", "return_attention_scores", "use_causal_mask"), (None, False)),
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
    wrong = list(reader.faults)
    if len(wrong) > MAX_FAULTS:
        more = "more" if reader.has_enough else f"{len(wrong) - MAX_FAULTS} more"
        wrong[MAX_FAULTS:] = [faults.fault("more", number=more)]
    if wrong:
        raise Refused(wrong)
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
        except Refused as refused:
            self._note(refused)
            return
        for place, call in enumerate(layer.calls):
            self._stopwatch.check()
            if self.has_enough:
                return
            try:
                self.steps[path, place] = prepared(call)
            except Refused as refused:
                self._note(refused)

    def _note(self, refused: Refused) -> None:
        self.faults.update(dict.fromkeys(refused.faults))
        self._num_refusals += 1


def prepare(layer: LayerConfig) -> Prepared:
    """Return what reads the calls of a layer, whose own options are read here, once.

    Both raise Refused with everything that is wrong.
    """
    if layer.class_name in FUNCTIONS_OF_TF:
        return _prepare_tf(layer)
    if layer.is_operation and layer.class_name in KERAS_OPERATIONS:
        return _prepare_operation(layer)  # although a class of layers may have the same name
    if layer.class_name not in LAYERS and (
        layer.is_operation or layer.class_name in KERAS_OPERATIONS
    ):
        return _prepare_operation(layer)
    return _prepare_layer(layer)


def _prepare_layer(layer: LayerConfig) -> Prepared:
    kind = LAYERS.get(layer.class_name)
    if kind is None:
        raise _unknown(layer, "of a class", faults.instead_of_class(layer.class_name))
    options, wrong = read_options(
        layer, {**COMMON, **kind.schema}, layer.config,
        lambda option: faults.instead_of_option(layer.class_name, option),
    )
    if wrong:
        raise Refused(wrong.values())
    return lambda call: _prepare_call(layer, kind, options, call)


def _unknown(layer: LayerConfig, what: str, instead: str) -> Refused:
    return refusal("unknown", layer=layer, what=what, instead=instead)


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
        raise refusal("call", layer=layer, more=more)
    if odd or given.get(kind.arguments[0]) is None:
        raise refusal("no-tensor", layer=layer)
    return {
        name: [value] if kind.joins and isinstance(value, TensorRef) else value
        for name, value in given.items() if _is_input(value, kind.joins)
    }


def _is_input(value: object, joins: bool) -> TypeGuard[TensorRef | list[TensorRef]]:
    if joins and isinstance(value, list):
        return bool(value) and all(isinstance(item, TensorRef) for item in value)
    return isinstance(value, TensorRef)


def _prepare_operation(layer: LayerConfig) -> Prepared:
    instead = faults.instead_of_operation(layer.class_name)
    kind = KERAS_OPERATIONS.get(layer.class_name)
    if kind is None:
        raise _unknown(layer, "an operation on tensors", instead)
    options = {key: value for key, value in layer.config.items() if key not in COMMON}
    if "dtype" in kind.schema:
        options["dtype"] = layer.config.get("dtype")
    return _Function(layer, kind, options, instead)


def _prepare_tf(layer: LayerConfig) -> Prepared:
    function = layer.config.get("function")
    kind = TF_FUNCTIONS.get(function) if isinstance(function, str) else None
    if not isinstance(function, str) or kind is None:
        raise refusal("unknown-function", layer=layer, function=function,
                      instead=faults.instead_of_function(function))
    said = _OPERATORS.get(function, function)
    return _Function(layer, kind, {}, f"change this argument of {said}, or use a layer instead")


class _Function:
    """Reads calls of a function; the options that its layer has for all of them are read once.

    Positional arguments get their names, and named ones join them.
    """

    def __init__(
        self, layer: LayerConfig, kind: FunctionKind, options: dict[str, object], instead: str
    ) -> None:
        self._layer, self._kind, self._instead = layer, kind, instead
        self._schema = {**kind.schema, **unread("name")}
        self._given = {kind.other_names.get(key, key): value for key, value in options.items()}
        self._options, self._wrong = self._read(self._given, self._given)
        self._free = [name for name in self._schema if name not in self._given]

    def __call__(self, call: Call) -> Step:
        own = self._own_arguments(call)
        read, wrong = self._read({*own, *self._free}, own)
        if wrong or self._wrong:
            raise Refused({**self._wrong, **wrong}.values())
        arguments = {**self._options, **read}
        arguments.pop("name")

        def lower(builder: Builder, find: Find) -> Results:
            placed = {name: _placed(value, find) for name, value in arguments.items()}
            return self._kind.lower(builder, **placed)

        return lower

    def _read(
        self, names: Container[str], given: dict[str, object]
    ) -> tuple[dict, dict[str, Fault]]:
        schema = {name: option for name, option in self._schema.items() if name in names}
        return read_options(self._layer, schema, given, lambda _: self._instead)

    def _own_arguments(self, call: Call) -> dict[str, object]:
        """Return what the call itself gives, by its name."""
        if len(call.args) > len(self._free):
            raise self._refusal("arguments", most=len(self._free))
        own = dict(zip(self._free, call.args, strict=False))
        for key, value in call.kwargs.items():
            name = self._kind.other_names.get(key, key)
            known = own.get(name) if name in own else self._given.get(name)
            if value is not None and known is not None:
                raise self._refusal("option-twice", option=name)
            if value is not None or (name not in own and name not in self._given):
                own[name] = value
        return own

    def _refusal(self, code: str, **values: object) -> Refused:
        return refusal(code, layer=self._layer, instead=self._instead, **values)


def _placed(value: object, find: Find) -> object:
    """Return an argument with its tensors found."""
    if isinstance(value, TensorRef):
        return Found(find(value))
    return [_placed(item, find) for item in value] if isinstance(value, list) else value
