"""Rewrites a graph into an equal one that is cheaper to evaluate; nothing is approximated."""

from dataclasses import replace

import numpy as np

from tournament.intake.graph import Graph, Node
from tournament.intake.ops import (
    BatchNorm,
    Concat,
    Conv,
    ConvTranspose,
    Dense,
    GlobalPool,
    Reshape,
)


def simplify(graph: Graph) -> Graph:
    """Return an equal graph with batch normalisation folded and pooled boards kept as boards."""
    return _keep_pooled_boards(_fold_batch_norm(graph)).pruned()


def _fold_batch_norm(graph: Graph) -> Graph:
    """Fold each BatchNorm into the products before it, where it alone reads them.

    One behind an addition or an activation stays: a scale cannot be moved through those.
    """
    uses = graph.consumers()
    nodes = list(graph.nodes)
    for at, node in enumerate(graph.nodes):
        if isinstance(node.op, BatchNorm) and _can_fold(nodes, uses, node.inputs[0]):
            _fold(nodes, node.inputs[0], *node.op.scale_and_shift())
            nodes[at] = nodes[node.inputs[0]]
    return Graph(tuple(nodes), graph.policy, graph.value)


def _can_fold(nodes: list[Node], uses: list[int], at: int) -> bool:
    op = nodes[at].op
    if uses[at] != 1:
        return False
    if isinstance(op, Concat) and op.axis == -1:
        return all(_can_fold(nodes, uses, i) for i in nodes[at].inputs)
    return isinstance(op, Conv | ConvTranspose | Dense)


def _fold(nodes: list[Node], at: int, scale: np.ndarray, shift: np.ndarray) -> None:
    """Make the result `at` carry x * scale + shift, each float64 [channels]."""
    node = nodes[at]
    if isinstance(node.op, Concat):
        start = 0
        for i in node.inputs:
            end = start + nodes[i].shape[-1]
            _fold(nodes, i, scale[start:end], shift[start:end])
            start = end
        return
    bias = shift if node.op.bias is None else node.op.bias * scale + shift
    op = replace(
        node.op,
        kernel=(node.op.kernel * scale).astype(np.float32),
        bias=bias.astype(np.float32),
    )
    nodes[at] = replace(node, op=op)


def _keep_pooled_boards(graph: Graph) -> Graph:
    """Pool straight to (1, 1, C) where a Reshape to that follows, as in squeeze-and-excitation."""
    nodes = list(graph.nodes)
    for at, node in enumerate(graph.nodes):
        if not isinstance(node.op, Reshape) or len(node.shape) != 3:
            continue
        source = graph.nodes[node.inputs[0]]
        if isinstance(source.op, GlobalPool) and node.shape == (1, 1, source.shape[-1]):
            nodes[at] = Node(replace(source.op, keepdims=True), source.inputs, node.shape)
    return Graph(tuple(nodes), graph.policy, graph.value)
