"""Writes layers into the graph: shapes, parameters and limits are checked on the way."""

from graphlib import CycleError, TopologicalSorter
from math import prod
from typing import NoReturn

import numpy as np

from tournament.intake.faults import quoted, refuse
from tournament.intake.functional import LayerConfig, TensorRef
from tournament.intake.graph import Node, Op, Shape
from tournament.intake.layers import LAYERS
from tournament.intake.ops import Input

MAX_TENSOR = 4_000_000
MAX_NODES = 10_000
MAX_FLOPS = 2_000_000_000
_SAVE_AGAIN = "save the model again with model.save('net.h5')"


class NetworkBuilder:
    """The graph of one network under construction; a layer sees it as `layers.base.Builder`."""

    def __init__(
        self, input_shape: Shape, weights: dict[str, list[np.ndarray]], keras_major: int
    ) -> None:
        self.nodes = [Node(Input(input_shape), (), input_shape)]
        self.keras_major = keras_major
        self.parameters_total = 0
        self.parameters_trainable = 0
        self._weights = weights
        self._placed: dict[TensorRef, int] = {}
        self._counted: set[str] = set()
        self._layer: LayerConfig | None = None
        self._next_weight = 0
        self._flops = 0

    def build(self, layers: list[LayerConfig], options: dict[str, dict]) -> None:
        """Write every call of every layer, each after those it depends on."""
        calls = {
            TensorRef(layer.name, number): (layer, call)
            for layer in layers
            for number, call in enumerate(layer.calls)
        }
        order = TopologicalSorter({ref: call.inputs for ref, (_, call) in calls.items()})
        try:
            refs = list(order.static_order())
        except CycleError as error:
            raise refuse("the layers form a cycle", _SAVE_AGAIN) from error
        for ref in refs:
            if ref in calls:
                layer, call = calls[ref]
                inputs = [self.find(source) for source in call.inputs]
                self.place(ref, self._write(layer, options[layer.name], inputs))

    def place(self, ref: TensorRef, index: int) -> None:
        """Remember where the result of a call is."""
        self._placed[ref] = index

    def find(self, ref: TensorRef) -> int:
        """Return where the result of a call is."""
        if ref not in self._placed:
            raise refuse(
                f"the model uses a result of layer {quoted(ref.layer)} that is not there",
                _SAVE_AGAIN,
            )
        return self._placed[ref]

    def _write(self, layer: LayerConfig, options: dict, inputs: list[int]) -> int:
        kind = LAYERS[layer.class_name]
        self._layer, self._next_weight = layer, 0
        if not inputs:
            self.refuse("the layer has no input", _SAVE_AGAIN)
        result = kind.lower(self, options, inputs if kind.joins else inputs[0])
        stored = len(self._weights.get(layer.name, []))
        if self._next_weight != stored:
            self.refuse(
                f"expected {self._next_weight} arrays in the file: got {stored}", _SAVE_AGAIN
            )
        self._counted.add(layer.name)
        return result

    # What follows is what a layer sees (layers.base.Builder).

    def add(self, op: Op, *inputs: int) -> int:
        shapes = [self.shape(i) for i in inputs]
        try:
            shape = op.infer(*shapes)
        except ValueError as error:
            self.refuse(str(error), "change the layer or the shape of its input")
        self._flops += op.flops(*shapes)
        if prod(shape) > MAX_TENSOR or len(self.nodes) >= MAX_NODES or self._flops > MAX_FLOPS:
            self.refuse(
                f"the network is too costly here: a tensor of {prod(shape)} numbers, "
                f"{len(self.nodes)} operations, {self._flops} floating-point operations",
                "make the tensors or the network smaller",
            )
        self.nodes.append(Node(op, inputs, shape))
        return len(self.nodes) - 1

    def shape(self, index: int) -> Shape:
        return self.nodes[index].shape

    def weight(self, name: str, shape: Shape, trainable: bool = True) -> np.ndarray:
        stored = self._weights.get(self._layer.name, [])
        if self._next_weight >= len(stored):
            self.refuse(f"the file does not hold its {name} {shape}", _SAVE_AGAIN)
        array = stored[self._next_weight]
        if array.shape != tuple(shape):
            self.refuse(f"expected {name} {shape} in the file: got {array.shape}", _SAVE_AGAIN)
        self._next_weight += 1
        if self._layer.name not in self._counted:
            self.parameters_total += array.size
            self.parameters_trainable += array.size if trainable else 0
        return array

    def refuse(self, text: str, remedy: str) -> NoReturn:
        name, class_name = self._layer.name, self._layer.class_name
        raise refuse(f"layer {quoted(name)} ({class_name}): {text}", remedy) from None
