"""A network as a graph: a flat list of operations, each on the results of earlier ones.

It is evaluated plainly, rounded and simplified before it is written, and warned of.

Rounding: a float32 has room for several weights, and a function such as sin(2π·512·v) could read
the later digits of v apart. After rounding they are gone, whatever functions follow: a number has
one of about 4,096 values, which is 12 bits.

Simplifying gives an equal graph that is cheaper to evaluate. Runtimes fuse an activation or an
addition into the convolution right before it, and keep boards in a layout of their own from one
convolution to the next; so nothing should stand between them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial, reduce
from math import inf, isfinite

import numpy as np

from tournament.intake.faults import END_WITH_SIGMOID
from tournament.intake.graph import ops
from tournament.intake.graph.ops import Op, Shape


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


# Rounding.

SIGNIFICANT_BITS = 8
# So many powers of two, from an array's largest number down, have steps of their own.
BINADES = 15
_LARGEST = float(np.finfo(np.float32).max)
_LOWEST = -1000  # below each power of two in float32


def round_numbers(graph: Graph) -> Graph:
    """Return a graph whose operations have rounded numbers.

    A BatchNorm keeps a rounded factor and a rounded term for each channel, since its four numbers
    come to these two.
    """
    nodes = (Node(_rounded_op(node.op), node.inputs, node.shape) for node in graph.nodes)
    return replace(graph, nodes=tuple(nodes))


def rounded(array: np.ndarray) -> np.ndarray:
    """Return an array in float32, each number rounded to SIGNIFICANT_BITS.

    Numbers far below the array's largest are rounded to multiples of one step (BINADES).
    """
    numbers = array.astype(np.float64)
    _, top = np.frexp(_to_steps(np.abs(numbers).max(initial=0.0)))
    result = _to_steps(numbers, top - BINADES + 1)
    return np.clip(result, -_LARGEST, _LARGEST).astype(np.float32)


def _to_steps(numbers: np.ndarray, lowest: int = _LOWEST) -> np.ndarray:
    """Round to steps by each number's power of two, or by the `lowest` power for smaller ones."""
    _, powers = np.frexp(numbers)
    steps = np.ldexp(1.0, np.maximum(powers, lowest) - SIGNIFICANT_BITS)
    return np.rint(numbers / steps) * steps


def _rounded_op(op: Op) -> Op:
    if isinstance(op, ops.BatchNorm):
        return ops.BatchNorm.of(*map(rounded, op.scale_and_shift()))
    values = {field.name: getattr(op, field.name) for field in fields(op)}
    changed = {name: _rounded_value(value) for name, value in values.items()}
    return replace(op, **changed)


def _rounded_value(value: object) -> object:
    """Return an option of an operation with its floating-point numbers rounded."""
    if isinstance(value, tuple):
        return tuple(_rounded_value(item) for item in value)
    if isinstance(value, float):
        return float(rounded(np.array(value)))
    if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
        return rounded(value)
    return value


# Simplifying.

MAX_PARTS = 64


def simplify(graph: Graph) -> Graph:
    """Return an equal graph: `fold_batch_norm`, and what else benchmarks/evaluators.py favours."""
    for rewrite in (
        _fold_constants,
        partial(_join, rule=_merged_norms, alone=True),
        fold_batch_norm,
        partial(_join, rule=_joined),
        _rewrite_behind_concat,
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
            nodes[at] = Node(ops.Constant(array), (), graph.nodes[at].shape)
        elif at in arrays or not isinstance(nodes[at].op, ops.Combine):
            kept.update(nodes[at].inputs)
    return replace(graph, nodes=tuple(nodes))


def _constant_results(graph: Graph) -> dict[int, np.ndarray]:
    """Return the results that are the same for every position."""
    arrays: dict[int, np.ndarray] = {}
    for at, node in enumerate(graph.nodes):
        if isinstance(node.op, ops.BatchNorm) and not node.op.scale_and_shift()[0].any():
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
    return replace(graph, nodes=tuple(nodes))


def _merged_norms(node: Node, source: Node) -> Op | None:
    """Return one BatchNorm for two, so that what they are folded into is written once."""
    if not (isinstance(node.op, ops.BatchNorm) and isinstance(source.op, ops.BatchNorm)):
        return None
    (scale, shift), (factor, term) = node.op.scale_and_shift(), source.op.scale_and_shift()
    return ops.BatchNorm.of(scale * factor, shift + scale * term)


def _joined(node: Node, source: Node) -> Op | None:
    match node.op, source.op:
        case ops.Conv() as conv, ops.Pad() as pad:  # a convolution can add the zeros itself
            rows, columns = (
                (before + more, after + beyond)
                for (before, after), (more, beyond) in zip(conv.pads, pad.pads, strict=True)
            )
            return replace(conv, pads=(rows, columns))
        case ops.Reshape(), ops.GlobalPool() as pool if node.shape == (1, 1, source.shape[-1]):
            return replace(pool, keepdims=True)  # as in squeeze-and-excitation
        case ops.Transpose() as second, ops.Transpose() as first:
            return ops.Transpose(tuple(first.order[axis] for axis in second.order))
    return None


def fold_batch_norm(graph: Graph) -> Graph:
    """Fold each BatchNorm into the products before it, where it alone reads them.

    One behind an addition or an activation stays: a scale cannot be moved through those.
    """
    uses = graph.consumers()
    nodes = list(graph.nodes)
    for at, node in enumerate(graph.nodes):
        if isinstance(node.op, ops.BatchNorm) and _can_fold(nodes, uses, node.inputs[0]):
            _fold(nodes, node.inputs[0], *node.op.scale_and_shift())
            nodes[at] = nodes[node.inputs[0]]
    return replace(graph, nodes=tuple(nodes))


def _can_fold(nodes: list[Node], uses: list[int], at: int) -> bool:
    op = nodes[at].op
    if uses[at] != 1:
        return False
    if isinstance(op, ops.Concat) and op.axis == -1:
        return all(_can_fold(nodes, uses, i) for i in nodes[at].inputs)
    return isinstance(op, ops.Conv | ops.ConvTranspose | ops.Dense)


def _fold(nodes: list[Node], at: int, scale: np.ndarray, shift: np.ndarray) -> None:
    """Make the result `at` carry x * scale + shift, each float64 [channels]."""
    node = nodes[at]
    if isinstance(node.op, ops.Concat):
        start = 0
        for i in node.inputs:
            end = start + nodes[i].shape[-1]
            _fold(nodes, i, scale[start:end], shift[start:end])
            start = end
        return
    op = node.op
    assert isinstance(op, ops.Conv | ops.ConvTranspose | ops.Dense)  # as _can_fold found
    bias = shift if op.bias is None else op.bias * scale + shift
    kernel = (op.kernel * scale).astype(np.float32)
    nodes[at] = replace(node, op=replace(op, kernel=kernel, bias=bias.astype(np.float32)))


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


def _rewrite_behind_concat(graph: Graph) -> Graph:
    """Copy a graph, with other nodes for what reads a Concat of channels alone.

    A Concat of very many parts stays as it is, since each of them would become a node, and so does
    one behind so many others that the graph has doubled.
    """
    copy, uses = _Copy(), graph.consumers()
    for node in graph.nodes:
        inputs = [copy.places[i] for i in node.inputs]
        place = None
        if len(inputs) == 1 and uses[node.inputs[0]] == 1:
            source = copy.nodes[inputs[0]]
            of_channels = isinstance(source.op, ops.Concat) and source.op.axis == -1
            is_small = len(copy.nodes) <= 2 * len(graph.nodes)
            few = is_small and len(source.inputs) <= MAX_PARTS
            if of_channels and len(source.shape) == 3 and few:
                place = _write_by_part(copy, node.op, source)
        copy.places.append(copy.add(node.op, inputs) if place is None else place)
    return Graph(tuple(copy.nodes), copy.places[graph.policy], copy.places[graph.value])


def _write_by_part(copy: _Copy, op: Op, concat: Node) -> int | None:
    """Return the place of what an operation on a Concat comes to by parts; None if it stays."""
    if isinstance(op, ops.Unary):
        return copy.add(concat.op, [copy.add(op, [part]) for part in concat.inputs])
    if not (isinstance(op, ops.Dense) or (isinstance(op, ops.Conv) and _is_pointwise(op))):
        return None
    start, bias, products = 0, op.bias, []
    for part in concat.inputs:
        end = start + copy.nodes[part].shape[-1]
        kernel = op.kernel[..., start:end, :]
        products.append(copy.add(replace(op, kernel=kernel, bias=bias), [part]))
        start, bias = end, None
    return copy.add(ops.Combine("add"), products)


def _is_pointwise(op: ops.Conv) -> bool:
    return op.kernel.shape[:2] == (1, 1) and op.groups == 1


# Whether a value head can answer with probabilities only, by the operations that end it.

TOLERANCE = 1e-6
Range = tuple[float, float]
_ANY: Range = (-inf, inf)
_OF_FUNCTIONS: dict[str, Range] = {
    "sigmoid": (0.0, 1.0), "hard_sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0),
    "softsign": (-1.0, 1.0),
}


def warning_of(graph: Graph) -> str:
    """Return what to warn of, with its remedy; empty where the value stays from 0 to 1."""
    ranges: list[Range] = []
    for node in graph.nodes:
        ranges.append(_range(node.op, [ranges[index] for index in node.inputs]))
    low, high = ranges[graph.value]
    if low >= -TOLERANCE and high <= 1 + TOLERANCE:
        return ""
    return (
        "the value was from 0 to 1 in all trials, but the network does not guarantee this, and a "
        f"value outside forfeits the game: {END_WITH_SIGMOID}"
    )


def _range(op: Op, inputs: list[Range]) -> Range:
    """Return the smallest and the largest number that a result may have, given the inputs'."""
    low, high = inputs[0] if inputs else _ANY
    match op:
        case ops.Softmax():
            return 0.0, 1.0
        case ops.Constant(array):
            return float(array.min()), float(array.max())
        case ops.Unary("clip", bounds):
            return bounds[0], bounds[1]
        case ops.Unary("negative"):
            return -high, -low
        case ops.Unary("relu"):
            return max(0.0, low), max(0.0, high)
        case ops.Unary(function):
            return _OF_FUNCTIONS.get(function, _ANY)
        case ops.Cut() | ops.Reshape() | ops.Transpose() | ops.GlobalPool() | ops.Reduce():
            return low, high
        case ops.BatchNorm() if isfinite(low) and isfinite(high):
            scale, shift = op.scale_and_shift()
            ends = [end * scale + shift for end in (low, high)]
            return min(float(end.min()) for end in ends), max(float(end.max()) for end in ends)
        case ops.Combine(kind):
            return _combined(kind, inputs)
    return _ANY


def _combined(kind: str, inputs: list[Range]) -> Range:
    lows, highs = zip(*inputs, strict=True)
    match kind:
        case "add":
            return sum(lows), sum(highs)
        case "subtract":
            return lows[0] - highs[1], highs[0] - lows[1]
        case "maximum":
            return max(lows), max(highs)
        case "minimum":
            return min(lows), min(highs)
        case "average":
            return min(lows), max(highs)
        case "multiply" if all(map(isfinite, lows + highs)):
            return reduce(_product, inputs)
        case "divide" if all(map(isfinite, lows + highs)) and lows[1] * highs[1] > 0:
            return _product(inputs[0], (1 / highs[1], 1 / lows[1]))
    return _ANY


def _product(one: Range, other: Range) -> Range:
    ends = [mine * theirs for mine in one for theirs in other]
    return min(ends), max(ends)
