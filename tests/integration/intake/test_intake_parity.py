"""What the intake makes of a file answers as Keras does."""

import json
import shutil

import h5py
import numpy as np
import onnx
import pytest
from keras_files import LAYER_CASES, MERGE_CASES, NETWORKS

from tournament.evaluator import open_session, run_session
from tournament.intake import container, weights
from tournament.intake.child import Message
from tournament.intake.config import Network, read_network
from tournament.intake.simplify import simplify
from tournament.intake.onnx_graph import to_onnx
from tournament.intake.ops import BatchNorm
from tournament.intake.reference import evaluate


def _open(path) -> Message:
    return container.read(Message({}, path.read_bytes()))


def _network(opened: Message) -> Network:
    arrays = weights.unpack(opened.header["weights"], opened.payload)
    return read_network(opened.header["config"], arrays, opened.header["keras_version"])


def _bake(network: Network) -> bytes:
    model = to_onnx(simplify(network.graph))
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


@pytest.mark.parametrize("name", [*LAYER_CASES, *MERGE_CASES, *NETWORKS])
def test_answers_as_keras_does(keras_files, name):
    network = _network(_open(keras_files / f"{name}.h5"))
    keras = np.load(keras_files / f"{name}.npz")
    assert network.parameters_total == keras["parameters"]

    policy, value = evaluate(network.graph, keras["planes"])
    np.testing.assert_allclose(policy, keras["policy"], rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(value, keras["value"], rtol=1e-3, atol=1e-6)

    policy, value = run_session(open_session(_bake(network)), keras["planes"])
    np.testing.assert_allclose(policy, keras["policy"], rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(value, keras["value"][:, 0], rtol=1e-3, atol=1e-6)


def test_the_same_file_gives_the_same_bytes(keras_files):
    opened = _open(keras_files / "mobilenet.h5")
    assert _bake(_network(opened)) == _bake(_network(opened))


def test_only_normalisations_behind_an_addition_stay(keras_files):
    graph = _network(_open(keras_files / "resnet.h5")).graph
    count = [
        sum(isinstance(node.op, BatchNorm) for node in g.nodes)
        for g in (graph, simplify(graph))
    ]
    assert count == [5, 2]


@pytest.mark.parametrize("name", ["resnet", "mobilenet", "shared_layer", "unnamed_outputs"])
def test_a_file_in_the_form_of_keras_2_gives_the_same_network(keras_files, name):
    opened = _open(keras_files / f"{name}.h5")
    config = json.dumps(_as_keras_2(json.loads(opened.header["config"])))
    old = Message({**opened.header, "config": config, "keras_version": "2.11.0"}, opened.payload)
    assert _bake(_network(old)) == _bake(_network(opened))


def test_names_may_be_bytes_and_in_pieces(keras_files, tmp_path):
    path = tmp_path / "net.h5"
    shutil.copy(keras_files / "mobilenet.h5", path)
    with h5py.File(path, "r+") as file:
        weights_group = file["model_weights"]
        names = weights_group.attrs.pop("layer_names").tolist()
        for piece in range(2):
            weights_group.attrs[f"layer_names{piece}"] = np.array(
                names[:5] if piece == 0 else names[5:], "S"
            )
        for name in names:
            attributes = weights_group[name].attrs
            attributes["weight_names"] = np.array(attributes["weight_names"].tolist(), "S")
    assert _bake(_network(_open(path))) == _bake(_network(_open(keras_files / "mobilenet.h5")))


def _as_keras_2(document: dict) -> dict:
    """Rewrite a Keras 3 functional model as Keras 2.11 writes it."""
    for layer in document["config"]["layers"]:
        config = layer["config"]
        config["dtype"] = "float32"
        if layer["class_name"] == "InputLayer":
            config["batch_input_shape"] = config.pop("batch_shape")
            del config["optional"]
        if layer["class_name"] == "DepthwiseConv2D":
            config["groups"] = 1
        if layer["class_name"] == "BatchNormalization":
            tensor = layer["inbound_nodes"][0]["args"][0]
            config["axis"] = [len(tensor["config"]["shape"]) - 1]
            for key in ("synchronized", "renorm", "renorm_clipping", "renorm_momentum"):
                config.pop(key, None)
        if layer["class_name"] == "Conv2D":
            config["kernel_initializer"] = {
                "class_name": "GlorotUniform", "config": {"seed": None, "dtype": "float32"}
            }
        layer["inbound_nodes"] = [_call_as_keras_2(node) for node in layer["inbound_nodes"]]
    document["config"]["input_layers"] = [document["config"]["input_layers"]]
    return document


def _call_as_keras_2(node: dict) -> list:
    args = node["args"][0] if isinstance(node["args"][0], list) else node["args"]
    kwargs = {key: value for key, value in node["kwargs"].items() if value is not None}
    return [[*arg["config"]["keras_history"], kwargs] for arg in args]
