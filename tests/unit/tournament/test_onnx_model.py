"""The bytes of a model, which the package onnx must read as they were meant and write the same."""

import numpy as np
import pytest

from tournament.intake.graph.onnx import IR_VERSION, OPSET, OnnxModel, encode_node
from tournament.networks.runtimes import compile_network, installed_runtimes

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
