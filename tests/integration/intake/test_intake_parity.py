"""What the intake makes of a file answers as Keras does."""

import json
import shutil

import h5py
import numpy as np
import pytest
from function_cases import FUNCTION_CASES, OPERATION_CASES
from hypothesis import HealthCheck, given, settings
from keras_files import HAS_KERAS_2, HIDDEN, LEFT_OUT, NETWORKS, NETWORKS_2, RANDOM
from layer_cases import LAYER_CASES, MERGE_CASES
from random_networks import SEED, build, steps
from small_networks import answers as keras_answers
from small_networks import randomise

from tests.integration.intake.parity import answers, bake, open_file, read
from tournament.intake.child import Message
from tournament.intake.graph.graph import evaluate, simplify
from tournament.intake.graph.ops import BatchNorm
from tournament.intake.keras.functions import KERAS_OPERATIONS, TF_FUNCTIONS
from tournament.intake.keras.layers import LAYERS
from tournament.networks.runtimes import DEFAULT_RUNTIME, installed_runtimes

_LAYERS = (*LAYER_CASES, *MERGE_CASES)
_KERAS_3 = [*NETWORKS, *(f"ops_{name}" for name in OPERATION_CASES)]
_KERAS_2 = [*NETWORKS_2, *(f"tf_{name}" for name in FUNCTION_CASES)]
_MORE_OF_KERAS_3 = [*RANDOM, *(f"layer3_{name}" for name in _LAYERS)]
_MORE_OF_KERAS_2 = [f"layer2_{name}" for name in _LAYERS]
needs_keras_2 = pytest.mark.skipif(
    not HAS_KERAS_2, reason="needs tf_keras, which writes files of Keras 2"
)


@needs_keras_2
@pytest.mark.parametrize("name", _KERAS_2)
def test_answers_as_keras_2_does(keras_files, name):
    _compare(keras_files, name)


@pytest.mark.parametrize("name", _KERAS_3)
def test_answers_as_keras_does(keras_files, name):
    _compare(keras_files, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*_MORE_OF_KERAS_3, *(_MORE_OF_KERAS_2 if HAS_KERAS_2 else ())])
def test_more_files_answer_as_keras_does(more_keras_files, name):
    _compare(more_keras_files, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*_KERAS_3, *(_KERAS_2 if HAS_KERAS_2 else ())])
def test_every_runtime_answers_as_keras_does(keras_files, name):
    _compare(keras_files, name, installed_runtimes())


@needs_keras_2
def test_every_entry_of_the_tables_is_in_a_file_that_is_compared(keras_files):
    classes, functions = set(), set()
    for name in (*_KERAS_3, *_KERAS_2):
        for layer in _layers(keras_files / f"{name}.h5"):
            classes.add(layer["class_name"])
            functions.add(layer["config"].get("function"))
    assert (LAYERS.keys() | KERAS_OPERATIONS) - classes == set()
    assert TF_FUNCTIONS.keys() - functions == set()


def _layers(path) -> list[dict]:
    """Return the layers of a file's model and of those within."""
    return _layers_of(json.loads(open_file(path).header["config"]))


def _layers_of(model: dict) -> list[dict]:
    found = []
    for layer in model["config"]["layers"]:
        found.extend(_layers_of(layer) if "layers" in layer["config"] else [layer])
    return found


def _compare(keras_files, name, runtimes=None) -> None:
    """Compare a file; whole networks on every runtime, and all on those that are named."""
    if runtimes is None:
        whole = name in (*NETWORKS, *NETWORKS_2)
        runtimes = installed_runtimes() if whole else [DEFAULT_RUNTIME]
    network = read(open_file(keras_files / f"{name}.h5"))
    keras = np.load(keras_files / f"{name}.npz")
    counted = keras["parameters"] + HIDDEN.get(name, 0) - LEFT_OUT.get(name, 0)
    assert network.parameters_total == counted

    policy, value = evaluate(network.graph, keras["planes"])
    np.testing.assert_allclose(policy, keras["policy"], rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(value, keras["value"], rtol=1e-3, atol=1e-6)

    for policy, value in answers(bake(network), keras["planes"], runtimes):
        np.testing.assert_allclose(policy, keras["policy"], rtol=1e-3, atol=1e-6)
        np.testing.assert_allclose(value, keras["value"][:, 0], rtol=1e-3, atol=1e-6)


def test_the_same_file_gives_the_same_bytes_also_by_a_development_build(keras_files):
    opened = open_file(keras_files / "mobilenet.h5")
    assert bake(read(opened)) == bake(read(opened))
    # The version decides: a hard sigmoid of Keras 2 is steeper.
    opened = open_file(keras_files / "ops_activations.h5")
    release, build = (
        read(Message({**opened.header, "keras_version": version}, opened.payload))
        for version in ("3.15.1", "3.16.0.dev2026102704")
    )
    assert build.keras_version == "3.16.0.dev2026102704" and bake(build) == bake(release)


def test_only_normalisations_behind_an_addition_stay(keras_files):
    graph = read(open_file(keras_files / "resnet.h5")).graph
    count = [
        sum(isinstance(node.op, BatchNorm) for node in g.nodes)
        for g in (graph, simplify(graph))
    ]
    assert count == [5, 2]


@pytest.mark.parametrize("name", ["resnet", "mobilenet", "shared_layer", "unnamed_outputs"])
def test_a_file_in_the_form_of_keras_2_gives_the_same_network(keras_files, name):
    opened = open_file(keras_files / f"{name}.h5")
    config = json.dumps(_as_keras_2(json.loads(opened.header["config"])))
    old = Message({**opened.header, "config": config, "keras_version": "2.11.0"}, opened.payload)
    assert bake(read(old)) == bake(read(opened))


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
    assert bake(read(open_file(path))) == bake(read(open_file(keras_files / "mobilenet.h5")))


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


MAX_DIFFERENCE = 1e-4


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=steps(16), seed=SEED)
def test_many_random_networks_answer_as_keras_does(tmp_path_factory, steps, seed):
    path = tmp_path_factory.getbasetemp() / "random.h5"
    model, rng = build(steps, seed), np.random.default_rng(seed)
    randomise(model, rng)
    model.save(path)
    planes = (rng.random((2, 19, 19, 31)) < 0.4).astype(np.float32)
    expected_policy, expected_value = keras_answers(model, planes)
    network = read(open_file(path))
    assert network.parameters_total == model.count_params()
    for policy, value in answers(bake(network), planes):
        assert np.abs(policy - expected_policy).max() <= MAX_DIFFERENCE
        assert np.abs(value - expected_value[:, 0]).max() <= MAX_DIFFERENCE
