"""The rewritings of the intake's graph: another graph, the same answers."""

import numpy as np
import pytest

from tests.small_networks import Writer, convolution
from tournament.intake.graph.graph import evaluate, simplify
from tournament.intake.graph.ops import (
    BatchNorm,
    Combine,
    Concat,
    Conv,
    Dense,
    GlobalPool,
    Pad,
    Reshape,
    Transpose,
    Unary,
)

RNG = np.random.default_rng(5)
MEAN = GlobalPool("average", keepdims=False)


def conv(size: int, channels: int, filters: int) -> Conv:
    """A convolution with random weights."""
    return convolution(RNG.normal(0, 1, (size, size, channels, filters)), RNG.normal(0, 1, filters))


def branches(writer: Writer) -> int:
    """Two convolutions of different width, joined."""
    return writer.add(Concat(-1), writer.add(conv(3, 3, 4), 0), writer.add(conv(1, 3, 2), 0))


def mixed_kernels(writer: Writer) -> None:
    activated = writer.add(Unary("silu"), writer.add(Unary("negative"), branches(writer)))
    writer.add(conv(1, 6, 5), activated)


def dense_of_branches(writer: Writer) -> None:
    writer.add(Dense(RNG.normal(0, 1, (6, 2)).astype(np.float32), None), branches(writer))


def wide_kernel(writer: Writer) -> None:
    writer.add(conv(3, 6, 5), branches(writer))


def read_twice(writer: Writer) -> None:
    joined = branches(writer)
    writer.add(Combine("add"), joined, writer.add(Unary("relu"), joined))


def turned_twice(writer: Writer) -> None:
    writer.add(Transpose((1, 2, 0)), writer.add(Transpose((2, 0, 1)), 0))


def turned_then_flat(writer: Writer) -> None:
    flat = writer.add(Transpose((0, 2, 1)), writer.add(Transpose((2, 0, 1)), 0))
    writer.add(Reshape((75,)), flat)


def zeros_around(writer: Writer) -> None:
    writer.add(conv(3, 3, 2), writer.add(Pad(((1, 0), (2, 3))), 0))


def learned_array(writer: Writer) -> int:
    """Numbers of a board, a scale of 0, a dense layer: (5, 5, 3) that depend on nothing."""
    zeros, ones = np.zeros(3, np.float32), np.ones(3, np.float32)
    one = writer.add(BatchNorm(zeros, ones, zeros, ones, 0.0), writer.add(MEAN, 0))
    kernel = RNG.normal(0, 1, (3, 75)).astype(np.float32)
    return writer.add(Reshape((5, 5, 3)), writer.add(Dense(kernel, None), one))


def learned_and_added(writer: Writer) -> None:
    writer.add(Combine("add"), learned_array(writer), 0)


def learned_and_joined(writer: Writer) -> None:
    writer.add(Concat(-1), learned_array(writer), 0)


def normal(channels: int) -> BatchNorm:
    """A BatchNorm with random numbers."""
    gamma, beta, mean = RNG.normal(1, 0.3, (3, channels)).astype(np.float32)
    return BatchNorm(gamma, beta, mean, np.full(channels, 2, np.float32), 0.1)


def normalised_in_a_row(writer: Writer) -> None:
    x = writer.add(Unary("relu"), 0)
    for _ in range(3):
        x = writer.add(normal(3), x)


def normalised_and_read_between(writer: Writer) -> None:
    first = writer.add(normal(3), writer.add(Unary("relu"), 0))
    writer.add(Combine("add"), first, writer.add(normal(3), first))


def normalised_kernels(writer: Writer) -> None:
    """A block of the mixnet, whose BatchNorms are folded first."""
    joined = writer.add(Unary("silu"), writer.add(normal(6), branches(writer)))
    writer.add(normal(5), writer.add(conv(1, 6, 5), joined))


@pytest.mark.parametrize(
    ("write", "kinds"),
    [
        (learned_and_added, "Constant Combine"),
        (learned_and_joined, "GlobalPool BatchNorm Dense Reshape Concat"),
        (mixed_kernels, "Conv Unary Unary Conv Conv Unary Unary Conv Combine"),
        (normalised_kernels, "Conv Unary Conv Conv Unary Conv Combine"),
        (dense_of_branches, "Conv Dense Conv Dense Combine"),
        (wide_kernel, "Conv Conv Concat Conv"),
        (read_twice, "Conv Conv Concat Unary Combine"),
        (turned_twice, "Transpose"),
        (turned_then_flat, "Transpose Reshape"),
        (zeros_around, "Conv"),
        (normalised_in_a_row, "Unary BatchNorm"),
        (normalised_and_read_between, "Unary BatchNorm BatchNorm Combine"),
    ],
)
def test_a_simplified_graph_answers_the_same(write, kinds):
    writer = Writer((5, 5, 3))
    write(writer)
    simple = simplify(writer.graph())
    assert sorted(type(node.op).__name__ for node in simple.nodes[1:]) == sorted(kinds.split())
    planes = RNG.normal(0, 1, (2, 5, 5, 3)).astype(np.float32)
    expected, _ = evaluate(writer.graph(), planes)
    answer, _ = evaluate(simple, planes)
    np.testing.assert_allclose(answer, expected, rtol=1e-5, atol=1e-6)


def test_activations_behind_many_parts_do_not_multiply_the_graph():
    """Each of 40 activations in front of each of 30 parts would be 1,200 nodes."""
    writer = Writer((5, 5, 3))
    x = writer.add(Concat(-1), *(writer.add(conv(1, 3, 1), 0) for _ in range(30)))
    for _ in range(40):
        x = writer.add(Unary("negative"), x)
    graph = writer.graph()
    assert len(simplify(graph).nodes) <= 3 * len(graph.nodes)
