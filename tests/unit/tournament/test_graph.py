"""The intake's graph: rewritten with the same answers, rounded to 12 bits, and as bytes of ONNX."""

from dataclasses import fields

import numpy as np
import pytest

from tests.data import ROOT
from tests.small_networks import Writer, convolution
from tournament.intake import container
from tournament.intake.child import Message
from tournament.intake.graph.graph import (
    BINADES,
    SIGNIFICANT_BITS,
    evaluate,
    round_numbers,
    rounded,
    simplify,
)
from tournament.intake.graph.onnx import IR_VERSION, OPSET, OnnxModel, encode_node
from tournament.intake.graph.ops import (
    BatchNorm,
    Combine,
    Concat,
    Constant,
    Conv,
    Dense,
    GlobalPool,
    LayerNorm,
    Op,
    Pad,
    PReLU,
    Reshape,
    Transpose,
    Unary,
)
from tournament.intake.keras.description import unpack_arrays
from tournament.intake.keras.network import read_network
from tournament.networks.runtimes import compile_network, installed_runtimes

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


NUMBERS = np.random.default_rng(0)


def spread(size: int, powers: int) -> np.ndarray:
    """Numbers of both signs below 1, over so many powers of two."""
    numbers = NUMBERS.uniform(0.5, 1, size) * 2.0 ** -NUMBERS.integers(0, powers, size)
    return (numbers * NUMBERS.choice([-1, 1], size)).astype(np.float32)


@pytest.mark.parametrize("powers", [1, 8, 30, 120])
def test_a_number_has_at_most_twelve_bits(powers):
    numbers = np.append(spread(1_000_000, powers), np.float32(0.999))
    assert len(np.unique(rounded(numbers))) <= 2**12 + 1


def test_rounding_is_to_the_nearest_and_small_numbers_become_multiples_of_a_step():
    numbers = spread(10_000, BINADES)
    once = rounded(numbers)
    assert np.abs(once / numbers - 1).max() <= 2.0**-SIGNIFICANT_BITS
    np.testing.assert_array_equal(rounded(once), once)
    np.testing.assert_array_equal(rounded(-numbers), -once)
    np.testing.assert_array_equal(rounded(numbers * np.float32(2**-20)), once * np.float32(2**-20))
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
    hidden = NUMBERS.uniform(-0.9, 0.9, num_numbers)
    coarse = NUMBERS.integers(256, 512, num_numbers) / 512
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
    gamma, beta, mean = NUMBERS.normal(1, 0.3, (3, 500)).astype(np.float32)
    variance = NUMBERS.uniform(0.5, 2, 500).astype(np.float32)
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


NODES = [
    ("Mul", ["planes", "scale"], "scaled", "", {}),
    ("LeakyRelu", ["scaled"], "bent", "n0", {"alpha": 0.1}),
    ("Transpose", ["bent"], "turned", "n1", {"perm": (0, 3, 1, 2)}),
    ("Slice", ["turned", "from", "to", "along"], "first", "n2", {}),
    ("Einsum", ["first", "first"], "products", "n3", {"equation": "bchw,bchw->bhw"}),
    ("Reshape", ["products", "flat"], "logits", "n4", {"allowzero": 0}),
    ("Softmax", ["logits"], "policy", "n5", {"axis": -1}),
    ("ReduceMax", ["policy"], "value", "n6", {"axes": [1], "keepdims": np.int64(1)}),
]
CONSTANTS = {
    "scale": np.array(0.5, np.float32),
    "from": np.array([0, -(2**40)]),
    "to": np.array([1, 2**62]),
    "along": np.array([1, 2]),
    "flat": np.array([-1, 361]),
}
PLANES = (19, 19, 31)
OUTPUTS = {"policy": (361,), "value": (1,)}


def model() -> OnnxModel:
    nodes = [encode_node(kind, inputs, result, name, **options)
             for kind, inputs, result, name, options in NODES]
    return OnnxModel("network", nodes, CONSTANTS, {"planes": PLANES}, OUTPUTS, "kit")


def as_onnx_writes_it() -> bytes:
    onnx = pytest.importorskip("onnx", reason="needs onnx, to compare with")
    helper, float32 = onnx.helper, onnx.TensorProto.FLOAT
    nodes = [helper.make_node(kind, inputs, [result], name or None, **options)
             for kind, inputs, result, name, options in NODES]
    described = {name: helper.make_tensor_value_info(name, float32, ["batch", *shape])
                 for name, shape in {"planes": PLANES, **OUTPUTS}.items()}
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in CONSTANTS.items()]
    graph = helper.make_graph(
        nodes, "network", [described.pop("planes")], list(described.values()), tensors
    )
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(
        graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="kit"
    )
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def test_the_bytes_are_those_of_the_package_onnx():
    assert model().encode() == as_onnx_writes_it()


@pytest.mark.parametrize("runtime", installed_runtimes())
def test_the_runtimes_read_what_was_meant(runtime):
    planes = np.random.default_rng(0).normal(0, 1, (2, *PLANES)).astype(np.float32)
    policy, value = compile_network(runtime, model().encode(), planes)()
    first = 0.5 * planes[..., 0]
    products = np.where(first > 0, first, 0.1 * first).reshape(2, 361) ** 2
    expected = np.exp(products) / np.exp(products).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(policy, expected, rtol=1e-5)
    np.testing.assert_allclose(value[:, 0], expected.max(axis=1), rtol=1e-5)


@pytest.mark.parametrize("kind", [np.float64, np.int32, np.uint8])
def test_an_array_of_another_type_is_a_fault_of_the_caller(kind):
    wrong = OnnxModel("network", [], {"a": np.zeros(2, kind)}, {}, {})
    with pytest.raises(KeyError):
        wrong.encode()
