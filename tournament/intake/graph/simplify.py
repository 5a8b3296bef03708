"""Rewrites a graph into an equal one that is cheaper to evaluate; nothing is approximated.

Runtimes fuse an activation or an addition into the convolution right before it, and keep boards in
a layout of their own from one convolution to the next; so nothing should stand between them.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from tournament.intake.graph.nodes import Graph, Node, Op
from tournament.intake.graph.ops import (
    BatchNorm,
    Combine,
    Concat,
    Constant,
    Conv,
    ConvTranspose,
    Dense,
    GlobalPool,
    Pad,
    Reshape,
    Transpose,
    Unary,
)

MAX_PARTS = 64


def simplify(graph: Graph) -> Graph:
    """Return an equal graph: `fold_batch_norm`, and what else benchmarks/evaluators.py favours."""
    for rewrite in (
        _fold_constants,
        partial(_join, rule=_merge_batch_norms, alone=True),
        fold_batch_norm,
        partial(_join, rule=_fold_zeros),
        partial(_join, rule=_keep_pooled_boards),
        _activate_before_concat,
        _split_after_concat,
        partial(_join, rule=_merge_transposes),
    ):
        graph = rewrite(graph).pruned()  # what nobody needs any more would count as a reader
    return graph


def _fold_constants(graph: Graph) -> Graph:
    """Work out what depends on no position: a scale of 0 makes a constant, and so on.

    A learned array that is no layer's own is written so with stock layers. Only where it is added
    to something, or the like, does a runtime repeat it for each position of the batch.
    """
    arrays = _constant_results(graph)
    nodes = list(graph.nodes)
    kept = {graph.policy, graph.value}
    for at in range(len(nodes) - 1, -1, -1):
        if at in arrays and at not in kept:
            array = arrays[at].astype(np.float32)
            nodes[at] = Node(Constant(array), (), graph.nodes[at].shape)
        elif at in arrays or not isinstance(nodes[at].op, Combine):
            kept.update(nodes[at].inputs)
    return Graph(tuple(nodes), graph.policy, graph.value)


def _constant_results(graph: Graph) -> dict[int, np.ndarray]:
    """Return the results that are the same for every position."""
    arrays: dict[int, np.ndarray] = {}
    for at, node in enumerate(graph.nodes):
        if isinstance(node.op, BatchNorm) and not node.op.scale_and_shift()[0].any():
            arrays[at] = np.broadcast_to(node.op.scale_and_shift()[1], node.shape)
        elif node.inputs and all(i in arrays for i in node.inputs):
            arrays[at] = node.op.evaluate(*(arrays[i][np.newaxis] for i in node.inputs))[0]
    return arrays


def _join(
    graph: Graph, rule: Callable[[Node, Node], Op | None], *, alone: bool = False
) -> Graph:
    """Let one operation stand for a node and the one it reads, where `rule` returns it.

    `alone` asks no rule where others read that one too.
    """
    uses, nodes = graph.consumers(), list(graph.nodes)
    for at, node in enumerate(nodes):
        if node.inputs and (uses[node.inputs[0]] == 1 or not alone):
            source = nodes[node.inputs[0]]
            joined = rule(node, source)
            if joined is not None:
                nodes[at] = Node(joined, source.inputs, node.shape)
    return Graph(tuple(nodes), graph.policy, graph.value)


def _merge_batch_norms(node: Node, source: Node) -> Op | None:
    """Make one BatchNorm of several in a row, so that what they are folded into is written once."""
    if not (isinstance(node.op, BatchNorm) and isinstance(source.op, BatchNorm)):
        return None
    (scale, shift), (factor, term) = node.op.scale_and_shift(), source.op.scale_and_shift()
    one, zero = np.ones_like(scale), np.zeros_like(scale)
    return BatchNorm(scale * factor, shift + scale * term, zero, one, 0.0)


def fold_batch_norm(graph: Graph) -> Graph:
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
    op = node.op
    assert isinstance(op, Conv | ConvTranspose | Dense)  # as _can_fold found
    bias = shift if op.bias is None else op.bias * scale + shift
    kernel = (op.kernel * scale).astype(np.float32)
    nodes[at] = replace(node, op=replace(op, kernel=kernel, bias=bias.astype(np.float32)))


def _fold_zeros(node: Node, source: Node) -> Op | None:
    """Let a convolution add the zeros that a Pad puts around its board."""
    if not (isinstance(node.op, Conv) and isinstance(source.op, Pad)):
        return None
    rows, columns = (
        (before + more_before, after + more_after)
        for (before, after), (more_before, more_after) in zip(
            node.op.pads, source.op.pads, strict=True
        )
    )
    return replace(node.op, pads=(rows, columns))


def _keep_pooled_boards(node: Node, source: Node) -> Op | None:
    """Pool straight to (1, 1, C) where a Reshape to that follows, as in squeeze-and-excitation."""
    if not (isinstance(node.op, Reshape) and isinstance(source.op, GlobalPool)):
        return None
    is_board = node.shape == (1, 1, source.shape[-1])
    return replace(source.op, keepdims=True) if is_board else None


class _Copy:
    """A graph that is written anew: the nodes so far, and where each old one is among them."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.places: list[int] = []

    def add(self, op: Op, inputs: Sequence[int]) -> int:
        """Append an operation on results of the copy, and return its place."""
        shape = op.infer(*(self.nodes[i].shape for i in inputs))
        self.nodes.append(Node(op, tuple(inputs), shape))
        return len(self.nodes) - 1


def _rewrite_behind_concat(graph: Graph, rewrite: Callable[[_Copy, Op, Node], int | None]) -> Graph:
    """Copy a graph, with other nodes for each that reads a Concat of channels alone.

    A Concat of very many parts stays as it is, since each of them would become a node, and so does
    one behind so many others that the graph has doubled.

    `rewrite` is given the copy, the operation and the Concat in the copy; it returns the place of
    what stands for the operation's result, or None to copy it as it is.
    """
    copy, uses = _Copy(), graph.consumers()
    for node in graph.nodes:
        inputs = [copy.places[i] for i in node.inputs]
        place = None
        if len(inputs) == 1 and uses[node.inputs[0]] == 1:
            source = copy.nodes[inputs[0]]
            of_channels = isinstance(source.op, Concat) and source.op.axis == -1
            is_small = len(copy.nodes) <= 2 * len(graph.nodes)
            few = is_small and len(source.inputs) <= MAX_PARTS
            if of_channels and len(source.shape) == 3 and few:
                place = rewrite(copy, node.op, source)
        copy.places.append(copy.add(node.op, inputs) if place is None else place)
    return Graph(tuple(copy.nodes), copy.places[graph.policy], copy.places[graph.value])


def _activate_before_concat(graph: Graph) -> Graph:
    """Move an activation in front of the Concat it reads."""

    def rewrite(copy: _Copy, op: Op, concat: Node) -> int | None:
        if not isinstance(op, Unary):
            return None
        return copy.add(concat.op, [copy.add(op, [part]) for part in concat.inputs])

    return _rewrite_behind_concat(graph, rewrite)


def _split_after_concat(graph: Graph) -> Graph:
    """Write a pointwise convolution of a Concat as the sum of one for each part."""

    def rewrite(copy: _Copy, op: Op, concat: Node) -> int | None:
        if not (isinstance(op, Dense) or (isinstance(op, Conv) and _is_pointwise(op))):
            return None
        start, bias, products = 0, op.bias, []
        for part in concat.inputs:
            end = start + copy.nodes[part].shape[-1]
            kernel = op.kernel[..., start:end, :]
            products.append(copy.add(replace(op, kernel=kernel, bias=bias), [part]))
            start, bias = end, None
        return copy.add(Combine("add"), products)

    return _rewrite_behind_concat(graph, rewrite)


def _is_pointwise(op: Conv) -> bool:
    return op.kernel.shape[:2] == (1, 1) and op.groups == 1


def _merge_transposes(node: Node, source: Node) -> Op | None:
    """Make one Transpose of two in a row."""
    if not (isinstance(node.op, Transpose) and isinstance(source.op, Transpose)):
        return None
    return Transpose(tuple(source.op.order[axis] for axis in node.op.order))
