"""Writes layers into the graph: shapes, parameters and limits are checked on the way."""

from math import prod
from typing import NoReturn, Protocol

import numpy as np

from tournament.intake.faults import quoted, refuse
from tournament.intake.functional import LayerConfig
from tournament.intake.graph import Node, Op, Shape
from tournament.intake.ops import Constant, Input
from tournament.intake.stored import Path

MAX_NODES = 10_000
MAX_CALLS = 20_000
MAX_RESULTS = 40_000_000  # attention of 24 heads with a learned bias of each displacement
_SAVE_AGAIN = "save the model again with model.save('net.h5')"


class Weights(Protocol):
    """Where the arrays of the layers come from (see stored.py)."""

    total: int
    trainable: int

    def begin(self, path: Path) -> None: ...

    def take(self, name: str, shape: Shape, trainable: bool) -> np.ndarray: ...

    def finish(self) -> None: ...


class NetworkBuilder:
    """The graph of one network under construction; a layer sees it as `layers.base.Builder`."""

    def __init__(
        self, input_shape: Shape, weights: Weights, keras_major: int, max_flops: int
    ) -> None:
        self.nodes = [Node(Input(input_shape), (), input_shape)]
        self.keras_major = keras_major
        self._weights = weights
        self._max_flops = max_flops
        self._layer: LayerConfig | None = None
        self._num_calls = 0
        self._num_results = 0
        self._flops = 0
        self._num_hidden = 0

    @property
    def parameters_hidden(self) -> int:
        """Those numbers in options and constants, which `model.count_params()` leaves out."""
        return self._num_hidden

    @property
    def parameters_total(self) -> int:
        """All numbers that the file brings along, those hidden in options included."""
        return self._weights.total + self._num_hidden

    @property
    def parameters_trainable(self) -> int:
        """The same without moving statistics."""
        return self._weights.trainable + self._num_hidden

    def begin(self, layer: LayerConfig, path: Path) -> None:
        """Start one call of a layer, which faults name and whose arrays come next."""
        self._layer = layer
        self._num_calls += 1
        if self._num_calls > MAX_CALLS:
            self.refuse(f"the layers are called more than {MAX_CALLS} times", "use fewer layers")
        self._weights.begin(path)

    def finish(self) -> None:
        """End the call: the layer has taken all of its arrays."""
        try:
            self._weights.finish()
        except ValueError as error:
            self.refuse(str(error), _SAVE_AGAIN)

    # What follows is what a layer sees (layers.base.Builder).

    def add(self, op: Op, *inputs: int) -> int:
        shapes = [self.shape(i) for i in inputs]
        try:
            shape = op.infer(*shapes)
        except ValueError as error:
            self.refuse(str(error), "change the layer or the shape of its input")
        self._flops += op.flops(*shapes)
        self._num_results += prod(shape)
        costly = self._num_results > MAX_RESULTS or self._flops > self._max_flops
        if costly or len(self.nodes) >= MAX_NODES:
            self.refuse(
                f"up to here the network has {self._num_results:,} numbers in its tensors (at most "
                f"{MAX_RESULTS:,} are taken), {len(self.nodes):,} operations ({MAX_NODES:,}) and "
                f"{self._flops:,} floating-point operations ({self._max_flops:,})",
                "make the tensors or the network smaller",
            )
        self.nodes.append(Node(op, inputs, shape))
        return len(self.nodes) - 1

    def shape(self, index: int) -> Shape:
        return self.nodes[index].shape

    def weight(self, name: str, shape: Shape, trainable: bool = True) -> np.ndarray:
        try:
            return self._weights.take(name, shape, trainable)
        except ValueError as error:
            self.refuse(str(error), _SAVE_AGAIN)

    def constant(self, array: np.ndarray) -> int:
        self.count(array)
        return self.add(Constant(array))

    def count(self, array: np.ndarray) -> None:
        self._num_hidden += array.size if array.size > 1 else 0

    def refuse(self, text: str, remedy: str) -> NoReturn:
        name, class_name = self._layer.name, self._layer.class_name
        title = f"layer {quoted(name)} ({quoted(class_name)[1:-1]})"
        raise refuse(f"{title}: {text}", remedy) from None
