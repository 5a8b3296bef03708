"""Writes layers into the graph: shapes, parameters and limits are checked on the way."""

import time
from dataclasses import fields
from math import prod
from typing import NoReturn

import numpy as np

from tournament.intake import remedies
from tournament.intake.faults import quoted, refuse
from tournament.intake.graph.nodes import Node, Op, Shape
from tournament.intake.graph.ops import Constant, Input
from tournament.intake.keras.description import LayerConfig
from tournament.intake.keras.weights import Path, PlannedWeights, StoredWeights

MAX_NODES = 10_000
MAX_CALLS = 20_000
MAX_RESULTS = 40_000_000  # attention of 24 heads with a learned bias of each displacement
# What a description may say without its being counted: single numbers in options, and each input of
# an operation after its first. The networks in data/networks say up to 190.
FREE_NUMBERS = 1_000


class Stopwatch:
    """Limits the processor time of what looks at it, counted from its making."""

    def __init__(self, seconds: float) -> None:
        self._end = time.process_time() + seconds

    def check(self) -> None:
        """Raise Refused once the time is over."""
        if time.process_time() > self._end:
            raise refuse(
                "the file takes more processor time than a submission may use",
                "use fewer layers, and save the model again with model.save('net.h5')",
            )


class Builder:
    """The graph of one network under construction; a layer may call `add` and what follows it."""

    def __init__(
        self,
        input_shape: Shape,
        weights: StoredWeights | PlannedWeights,
        keras_major: int,
        max_flops: int,
        stopwatch: Stopwatch,
    ) -> None:
        self.nodes = [Node(Input(input_shape), (), input_shape)]
        self.keras_major = keras_major
        self._weights = weights
        self._max_flops = max_flops
        self._stopwatch = stopwatch
        self._layer: LayerConfig | None = None
        self._num_calls = 0
        self._num_results = 0
        self._flops = 0
        self._num_in_arrays = 0
        self._num_said = 0

    @property
    def parameters_hidden(self) -> int:
        """What the description brings besides its weights; `model.count_params()` leaves it out.

        These are the arrays in options and constants, and what else it says beyond FREE_NUMBERS:
        numbers can also be chosen one at a time, or as inputs out of many.
        """
        return self._num_in_arrays + max(0, self._num_said - FREE_NUMBERS)

    @property
    def parameters_total(self) -> int:
        """All numbers that the file brings along, the hidden ones included."""
        return self._weights.total + self.parameters_hidden

    @property
    def parameters_trainable(self) -> int:
        """The same without moving statistics that stand beside a trainable number."""
        return self._weights.trainable + self.parameters_hidden

    def begin(self, layer: LayerConfig, path: Path) -> None:
        """Start one call of a layer, which faults name and whose arrays come next."""
        self._stopwatch.check()
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
            self.refuse(str(error), remedies.SAVE_AGAIN)

    def add(self, op: Op, *inputs: int) -> int:
        """Append an operation on earlier results and return the index of its own."""
        self._stopwatch.check()
        shapes = [self.shape(i) for i in inputs]
        try:
            shape = op.infer(*shapes)
        except ValueError as error:
            self.refuse(str(error), "change the layer or the shape of its input")
        self._flops += op.flops(*shapes)
        self._num_results += prod(shape)
        self._num_said += max(0, len(inputs) - 1) + _count_numbers(op)
        costly = self._num_results > MAX_RESULTS or self._flops > self._max_flops
        if costly or len(self.nodes) >= MAX_NODES:
            self.refuse(
                f"up to here the network has {self._num_results:,} numbers in its tensors (at most "
                f"{MAX_RESULTS:,} are allowed), {len(self.nodes):,} operations ({MAX_NODES:,}) and "
                f"{self._flops:,} floating-point operations ({self._max_flops:,})",
                "make the tensors or the network smaller",
            )
        self.nodes.append(Node(op, inputs, shape))
        return len(self.nodes) - 1

    def shape(self, index: int) -> Shape:
        """Return the shape of a result, without the batch."""
        return self.nodes[index].shape

    def weight(
        self, name: str, shape: Shape, trainable: bool = True, counts: bool | None = None
    ) -> np.ndarray:
        """Return the layer's next stored array and count it; refuses one of another shape.

        Args:
            name: of the array, for the refusal.
            shape: that it must have.
            trainable: whether Keras lists it among the trainable ones.
            counts: whether it counts as one of them; as `trainable` says when None.
        """
        counts = trainable if counts is None else counts
        try:
            return self._weights.take(name, shape, trainable, counts)
        except ValueError as error:
            self.refuse(str(error), remedies.SAVE_AGAIN)

    def constant(self, array: np.ndarray) -> int:
        """Append numbers of the layer's options, count them, and return their index."""
        self.count(array)
        return self.add(Constant(array))

    def count(self, array: np.ndarray) -> None:
        """Count numbers of the layer's options as parameters; single ones are free at first."""
        if array.size > 1:
            self._num_in_arrays += array.size
        else:
            self._num_said += 1

    def refuse(self, text: str, remedy: str) -> NoReturn:
        """Refuse the submission, naming this layer."""
        assert self._layer is not None  # between `begin` and `finish`
        title = f"layer {quoted(self._layer.name)} ({quoted(self._layer.class_name)[1:-1]})"
        raise refuse(f"{title}: {text}", remedy) from None


def _count_numbers(op: Op) -> int:
    """Return how many single numbers, such as a slope, an operation has as its options."""
    values = [getattr(op, field.name) for field in fields(op)]
    listed = [item for value in values if isinstance(value, tuple) for item in value]
    return sum(isinstance(value, float) for value in (*values, *listed))
