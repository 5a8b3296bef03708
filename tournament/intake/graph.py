"""Our own graph of a network: a flat list of operations, each on the results of earlier ones.

Shapes leave out the batch and are channels-last, as in Keras: a board tensor is (size, size, C).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

Shape = tuple[int, ...]


class Emitter(Protocol):
    """What an operation may ask of the ONNX writer."""

    def node(self, op_type: str, inputs: Sequence[str], **attributes: object) -> str: ...

    def constant(self, array: np.ndarray) -> str: ...


class Op(Protocol):
    """One operation; a frozen dataclass that holds its own options and weights.

    `channels_first` tells how `emit` takes and gives board tensors: (B, C, H, W) or (B, H, W, C).
    """

    channels_first: bool

    def infer(self, *shapes: Shape) -> Shape:
        """Return the result's shape; raises ValueError when the inputs do not fit."""
        ...

    def evaluate(self, *arrays: np.ndarray) -> np.ndarray:
        """Return the result for float64 arrays [B, *shape], channels last: the plain reference."""
        ...

    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        """Write the operation as ONNX nodes and return the name of the result."""
        ...

    def flops(self, *shapes: Shape) -> int:
        """Return the floating-point operations for one position (a multiply-add counts two)."""
        ...


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
