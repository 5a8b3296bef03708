"""Whether a value head can answer with probabilities only, by the operations that end it."""

from functools import reduce
from math import inf, isfinite

from tournament.intake.graph.nodes import Graph, Op
from tournament.intake.graph.ops import (
    BatchNorm,
    Combine,
    Constant,
    Cut,
    GlobalPool,
    Reduce,
    Reshape,
    Softmax,
    Transpose,
    Unary,
)
from tournament.intake.remedies import END_WITH_SIGMOID

TOLERANCE = 1e-6
Range = tuple[float, float]
_ANY: Range = (-inf, inf)
_OF_FUNCTIONS: dict[str, Range] = {
    "sigmoid": (0.0, 1.0), "hard_sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0),
    "softsign": (-1.0, 1.0),
}
_KEEP = (Cut, Reshape, Transpose, GlobalPool, Reduce)


def warning_of(graph: Graph) -> str:
    """Return what to warn of, with its remedy; empty where the value stays from 0 to 1."""
    ranges: list[Range] = []
    for node in graph.nodes:
        ranges.append(_range(node.op, [ranges[index] for index in node.inputs]))
    low, high = ranges[graph.value]
    if low >= -TOLERANCE and high <= 1 + TOLERANCE:
        return ""
    return (
        "the value was from 0 to 1 wherever it was tried, but nothing keeps it there; a game in "
        f"which it is not is forfeited: {END_WITH_SIGMOID}"
    )


def _range(op: Op, inputs: list[Range]) -> Range:
    """Return the smallest and the largest number that a result may have, given the inputs'."""
    if isinstance(op, Softmax):
        return 0.0, 1.0
    if isinstance(op, Unary):
        return _of_function(op, *inputs)
    if isinstance(op, Constant):
        return float(op.array.min()), float(op.array.max())
    if isinstance(op, _KEEP):
        return inputs[0]
    if isinstance(op, BatchNorm) and inputs[0] != _ANY:
        scale, shift = op.scale_and_shift()
        ends = [end * scale + shift for end in inputs[0]]
        return min(float(end.min()) for end in ends), max(float(end.max()) for end in ends)
    return _combined(op.kind, inputs) if isinstance(op, Combine) else _ANY


def _of_function(op: Unary, given: Range) -> Range:
    if op.function == "clip":
        low, high = op.parameters
        return low, high
    if op.function == "negative":
        return -given[1], -given[0]
    if op.function == "relu":
        return max(0.0, given[0]), max(0.0, given[1])
    return _OF_FUNCTIONS.get(op.function, _ANY)


def _combined(kind: str, inputs: list[Range]) -> Range:
    lows, highs = zip(*inputs, strict=True)
    if kind == "add":
        return sum(lows), sum(highs)
    if kind == "subtract":
        return lows[0] - highs[1], highs[0] - lows[1]
    if kind == "maximum":
        return max(lows), max(highs)
    if kind == "minimum":
        return min(lows), min(highs)
    if kind == "average":
        return min(lows), max(highs)
    if kind == "multiply" and all(map(isfinite, lows + highs)):
        return reduce(_product, inputs)
    return _ANY


def _product(one: Range, other: Range) -> Range:
    ends = [mine * theirs for mine in one for theirs in other]
    return min(ends), max(ends)
