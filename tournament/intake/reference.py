"""The plain evaluation of a graph, an operation at a time in float64: what artefacts must equal."""

import numpy as np

from tournament.intake.graph import Graph


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
