"""Our own graph of a network: a flat list of operations, each on the results of earlier ones.

Shapes leave out the batch and are channels-last, as in Keras: a board tensor is (size, size, C).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
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

    channels_first: bool = True  # whether `emit` takes and gives boards as (B, C, H, W)

    def infer(self, *shapes: Any) -> Shape:
        """Return the result's shape, given those of the inputs: that of the first by default.

        Raises:
            ValueError: the inputs do not fit.
        """
        return shapes[0]

    @abstractmethod
    def evaluate(self, *arrays: Any) -> np.ndarray:
        """Return the result for float64 arrays [B, *shape], channels last: the plain reference."""

    @abstractmethod
    def emit(self, emitter: Emitter, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        """Write the operation as ONNX nodes and return the name of the result."""

    def flops(self, *shapes: Any) -> int:
        """Return the floating-point operations for one position (a multiply-add counts two).

        One for each number that goes in by default.
        """
        return sum(prod(shape) for shape in shapes)


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


def evaluate(graph: Graph, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the policy [B, moves] and value [B, 1] of a graph for its planes.

    Slow on purpose: nothing is folded, fused or reordered. One position after the other, so that
    a wide network needs little memory.
    """
    pairs = [_evaluate(graph, position[np.newaxis]) for position in planes]
    policies, values = zip(*pairs, strict=True)
    return np.concatenate(policies), np.concatenate(values)


def _evaluate(graph: Graph, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    last_use = {i: at for at, node in enumerate(graph.nodes) for i in node.inputs}
    for output in (graph.policy, graph.value):
        last_use[output] = len(graph.nodes)
    results: dict[int, np.ndarray] = {0: planes.astype(np.float64)}
    for at, node in enumerate(graph.nodes):
        if at > 0:
            results[at] = node.op.evaluate(*(results[i] for i in node.inputs))
        for i in {*node.inputs, at}:
            if last_use.get(i, at) <= at:
                results.pop(i, None)
    return results[graph.policy], results[graph.value]
