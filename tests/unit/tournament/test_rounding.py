"""What is left of a number of a file: about 12 bits, whatever function reads it."""

from dataclasses import fields

import numpy as np
import pytest

from tests.data import ROOT
from tests.small_networks import Writer
from tournament.intake import container
from tournament.intake.child import Message
from tournament.intake.graph.graph import (
    BINADES,
    SIGNIFICANT_BITS,
    evaluate,
    round_numbers,
    rounded,
)
from tournament.intake.graph.ops import BatchNorm, Combine, Constant, LayerNorm, Op, PReLU, Unary
from tournament.intake.keras.description import unpack_arrays
from tournament.intake.keras.network import read_network

RNG = np.random.default_rng(0)


def spread(size: int, powers: int) -> np.ndarray:
    """Numbers of both signs below 1, over so many powers of two."""
    numbers = RNG.uniform(0.5, 1, size) * 2.0 ** -RNG.integers(0, powers, size)
    return (numbers * RNG.choice([-1, 1], size)).astype(np.float32)


@pytest.mark.parametrize("powers", [1, 8, 30, 120])
def test_a_number_has_at_most_twelve_bits(powers):
    numbers = np.append(spread(1_000_000, powers), np.float32(0.999))
    assert len(np.unique(rounded(numbers))) <= 2**12 + 1


def test_rounding_is_to_the_nearest_and_keeps_what_is_rounded():
    numbers = spread(10_000, BINADES)
    once = rounded(numbers)
    assert np.abs(once / numbers - 1).max() <= 2.0**-SIGNIFICANT_BITS
    np.testing.assert_array_equal(rounded(once), once)
    np.testing.assert_array_equal(rounded(-numbers), -once)
    np.testing.assert_array_equal(rounded(numbers * np.float32(2**-20)), once * np.float32(2**-20))


def test_small_numbers_become_multiples_of_one_step():
    step = 2.0 ** (1 - BINADES - SIGNIFICANT_BITS)
    numbers = np.append(spread(10_000, 60) * np.float32(2.0**-BINADES), np.float32(0.75))
    multiples = rounded(numbers)[:-1] / step
    np.testing.assert_array_equal(multiples, np.rint(multiples))
    assert np.abs(numbers[:-1] - rounded(numbers)[:-1]).max() <= step / 2


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([], []), ([0.0], [0.0]), ([1.0, 0.5, -0.25, 6.0], [1.0, 0.5, -0.25, 6.0]),
        ([0.999, 1e-9], [1.0, 0.0]), ([0.01], [0.010009765625]),
        ([3.4e38], [float(np.finfo(np.float32).max)]),
    ],
)
def test_odd_arrays(numbers, expected):
    result = rounded(np.array(numbers, np.float32))
    assert result.dtype == np.float32 and result.tolist() == expected


def packed(num_numbers: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, and what is hidden in their later digits: one number from -1 to 1 in each."""
    hidden = RNG.uniform(-0.9, 0.9, num_numbers)
    coarse = RNG.integers(256, 512, num_numbers) / 512
    return (coarse + np.arcsin(hidden) / (2 * np.pi * 512)).astype(np.float32), hidden


def read_by_saturation(writer: Writer, x: int) -> int:
    """Take away one binary digit after the other, by a step that is steep enough."""
    def constant(number: float) -> int:
        return writer.add(Constant(np.full((1, 1), number, np.float32)))

    for digit in range(1, 10):
        size = 2.0**-digit
        middle = constant(size - 1 / 2048)
        steep = writer.add(
            Combine("multiply"), writer.add(Combine("subtract"), x, middle), constant(1e6)
        )
        found = writer.add(Combine("multiply"), writer.add(Unary("sigmoid"), steep), constant(size))
        x = writer.add(Combine("subtract"), x, found)
    return x


def test_a_second_weight_in_a_parameter_cannot_be_read():
    numbers, hidden = packed(2_000)
    writer = Writer()
    read_by_saturation(writer, writer.add(Constant(numbers[np.newaxis])))
    planes = np.zeros((1, 19, 19, 31), np.float32)
    graph = writer.graph()
    told, _ = evaluate(graph, planes)
    assert np.corrcoef(told.ravel(), hidden)[0, 1] > 0.98, "it can be read in float32"
    left, _ = evaluate(round_numbers(graph), planes)
    assert np.ptp(left) < 1e-3 or abs(np.corrcoef(left.ravel(), hidden)[0, 1]) < 0.1


def test_a_normalisation_holds_a_factor_and_a_term():
    """Of its four numbers two may be free (--count trainable), so these are not rounded alone."""
    gamma, beta, mean = RNG.normal(1, 0.3, (3, 500)).astype(np.float32)
    variance = RNG.uniform(0.5, 2, 500).astype(np.float32)
    writer = Writer((19, 19, 500))
    writer.add(BatchNorm(gamma, beta, mean, variance, 1e-3), 0)
    op = round_numbers(writer.graph()).nodes[1].op
    for part, exact in zip(op.scale_and_shift(), BatchNorm.scale_and_shift(
        writer.nodes[1].op
    ), strict=True):
        np.testing.assert_array_equal(rounded(part), part)
        np.testing.assert_allclose(part, exact, rtol=2.0**-SIGNIFICANT_BITS, atol=1e-6)


def numbers_of(op: Op) -> list[np.ndarray]:
    """All floating-point numbers of an operation."""
    values = [getattr(op, field.name) for field in fields(op)]
    listed = [item for value in values for item in (value if type(value) is tuple else (value,))]
    return [
        np.asarray(item) for item in listed
        if isinstance(item, float)
        or (isinstance(item, np.ndarray) and np.issubdtype(item.dtype, np.floating))
    ]


def test_single_numbers_and_arrays_of_all_operations_are_rounded():
    writer = Writer((19, 19, 3))
    odd = np.array([0.123456, 0.7654321, 1.1111111], np.float32)
    x = writer.add(Unary("clip", (-0.1234567, 0.7654321)), 0)
    x = writer.add(LayerNorm(odd, odd, 0.0012345), x)
    x = writer.add(PReLU(odd.reshape(1, 1, 3)), x)
    graph = round_numbers(writer.graph())
    found = [number for node in graph.nodes[1:] for number in numbers_of(node.op)]
    assert len(found) == 6
    for number in found:
        np.testing.assert_array_equal(rounded(number), number)


@pytest.mark.parametrize("name", ["mobilenet", "isn_tower"])
def test_nothing_of_a_network_is_left_unrounded(name):
    path = ROOT / "data" / "networks" / name / "best.h5"
    opened = container.read(Message({}, path.read_bytes()))
    arrays = unpack_arrays(opened.header["weights"], opened.payload)
    graph = read_network(
        opened.header["config"], arrays, opened.header["keras_version"], 10**12
    ).graph
    kept = round_numbers(graph)
    assert len(kept.nodes) == len(graph.nodes)
    for node in kept.nodes:
        for number in numbers_of(node.op):
            np.testing.assert_array_equal(rounded(number), number)
