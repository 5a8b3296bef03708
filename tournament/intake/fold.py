"""Folds batch normalisation into the convolution or dense product before it, where that is exact."""

from dataclasses import replace

import numpy as np

from tournament.intake.graph import Graph, Node
from tournament.intake.ops import BatchNorm, Conv, Dense


def fold_batch_norm(graph: Graph) -> Graph:
    """Return an equal graph with fewer normalisations.

    A BatchNorm is folded when it alone reads the product before it; one behind an addition or an
    activation stays, since a scale cannot be moved through those.
    """
    uses = graph.consumers()
    nodes = list(graph.nodes)
    for at, node in enumerate(graph.nodes):
        if not isinstance(node.op, BatchNorm):
            continue
        producer = nodes[node.inputs[0]]
        if isinstance(producer.op, Conv | Dense) and uses[node.inputs[0]] == 1:
            nodes[at] = Node(_folded(producer.op, node.op), producer.inputs, node.shape)
    return Graph(tuple(nodes), graph.policy, graph.value).pruned()


def _folded(product: Conv | Dense, norm: BatchNorm) -> Conv | Dense:
    """Return the product that already contains the normalisation; the last axis is the filters."""
    scale, shift = norm.scale_and_shift()
    bias = shift if product.bias is None else product.bias * scale + shift
    return replace(
        product,
        kernel=(product.kernel * scale).astype(np.float32),
        bias=bias.astype(np.float32),
    )
