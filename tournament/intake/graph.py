"""Our own graph of a network: a flat list of operations, each on the results of earlier ones.

Shapes leave out the batch and are channels-last, as in Keras: a board tensor is (size, size, C).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

Shape = tuple[int, ...]


class Emitter(Protocol):
    """What an operation may ask of the ONNX writer."""

    def node(self, op_type: str, inputs: Sequence[str], **attributes: Any) -> str:
        """Append a node and return the name of its one result."""
        ...

    def constant(self, array: np.ndarray | np.floating) -> str:
        """Append an array and return its name: int64 stays, all else becomes float32."""
        ...


class Op(ABC):
    """One operation; a frozen dataclass that holds its own options and weights.

    How many shapes and arrays the methods take depends on the operation.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    @abstractmethod
    def channels_first(self) -> bool:
        """Whether `emit` takes and gives boards as (B, C, H, W), and not as (B, H, W, C)."""

    @abstractmethod
    def infer(self, *shapes: Any) -> Shape:
        """Return the result's shape, given those of the inputs.

        Raises:
            ValueError: the inputs do not fit.
        """

    @abstractmethod
    def evaluate(self, *arrays: Any) -> np.ndarray:
        """Return the result for float64 arrays [B, *shape], channels last: the plain reference."""

    @abstractmethod
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        """Write the operation as ONNX nodes and return the name of the result."""

    @abstractmethod
    def flops(self, *shapes: Any) -> int:
        """Return the floating-point operations for one position (a multiply-add counts two)."""


@dataclass(frozen=True, eq=False)
class Node:
    """An operation, where its inputs come from, and the shape of its result."""

    op: Op
    inputs: tuple[int, ...]
    shape: Shape


@dataclass(frozen=True, eq=False)
class Graph:
    """A network with one input (node 0) and two outputs."""

    nodes: tuple[Node, ...]
    policy: int
    value: int

    def input_shapes(self, node: Node) -> list[Shape]:
        """Return the shapes that `node` receives."""
        return [self.nodes[i].shape for i in node.inputs]

    def consumers(self) -> list[int]:
        """Return how often each node's result is used, the two outputs included."""
        uses = [0] * len(self.nodes)
        for node in self.nodes:
            for i in node.inputs:
                uses[i] += 1
        uses[self.policy] += 1
        uses[self.value] += 1
        return uses

    def flops(self) -> int:
        """Return the floating-point operations of one evaluation."""
        return sum(node.op.flops(*self.input_shapes(node)) for node in self.nodes)

    def pruned(self) -> "Graph":
        """Return the graph without the nodes that no output needs."""
        needed = {0, self.policy, self.value}
        for i in range(len(self.nodes) - 1, -1, -1):
            if i in needed:
                needed.update(self.nodes[i].inputs)
        order = sorted(needed)
        position = {old: new for new, old in enumerate(order)}
        nodes = tuple(
            Node(self.nodes[i].op, tuple(position[j] for j in self.nodes[i].inputs),
                 self.nodes[i].shape)
            for i in order
        )
        return Graph(nodes, position[self.policy], position[self.value])
