"""Reads the calls of layers strictly: options, inputs, and everything that is wrong with them.

Decides which table a class belongs to: layers or functions.
"""

from collections.abc import Mapping
from typing import TypeGuard

from tournament.intake import remedies
from tournament.intake.arguments import Call, TensorRef
from tournament.intake.faults import MAX_FAULTS, Fault, Refused, quoted
from tournament.intake.functional import FUNCTIONS_OF_TF, LayerConfig, ModelConfig
from tournament.intake.functions import KERAS_OPERATIONS, Results
from tournament.intake.layers import LAYERS
from tournament.intake.layers.base import Builder, LayerKind
from tournament.intake.prepare_function import (
    Find,
    Prepared,
    Step,
    one_fault,
    prepare_operation,
    prepare_tf,
    title,
)
from tournament.intake.schema import read_options
from tournament.intake.stopwatch import Stopwatch
from tournament.intake.stored import Path

MAX_REFUSALS = 1_000
_ARGUMENTS_OF_TRAINING = {
    "training": (None, False), "mask": (None,), "attention_mask": (None,), "query_mask": (None,),
    "value_mask": (None,), "key_mask": (None,), "return_attention_scores": (None, False),
    "use_causal_mask": (None, False),
}


Steps = Mapping[tuple[Path, int], Step]


def prepare_model(model: ModelConfig, stopwatch: Stopwatch) -> Steps:
    """Read every call of a model and of those within.

    Returns:
        how each is written, by the path of its layer and its place among the layer's calls.

    Raises:
        Refused: with all faults, or as many as are read.
    """
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

    return Step(lower)


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
