"""Files made to attack: each is refused with its reason, and nothing else happens."""

import json
import shutil

import h5py
import numpy as np
import pytest

from tournament.intake import judge


@pytest.fixture
def victim(keras_files, tmp_path):
    """A good file of its own for each test, to be spoiled."""
    path = tmp_path / "net.h5"
    shutil.copy(keras_files / "resnet.h5", path)
    return path


def _refusal(path, tmp_path) -> str:
    """Judge what should be refused, and return the faults: one line of plain text each."""
    verdict = judge(path, work_dir=tmp_path / "work")
    assert not verdict.accepted and not (tmp_path / "work").exists()
    for fault in verdict.faults:
        assert (fault.text + fault.remedy).isascii() and (fault.text + fault.remedy).isprintable()
    return "; ".join(fault.text for fault in verdict.faults)


# ---- the container ---------------------------------------------------------------------------


def _external_storage(file):
    file.create_dataset(
        "model_weights/more", (100,), "u1", external=[("/etc/passwd", 0, h5py.h5f.UNLIMITED)]
    )


def _virtual(file):
    layout = h5py.VirtualLayout((4,), "f4")
    layout[:] = h5py.VirtualSource("/etc/passwd", "x", (4,))
    file.create_virtual_dataset("model_weights/more", layout)


def _shape_bomb(file):
    space = h5py.h5s.create_simple((1 << 30,))
    h5py.h5d.create(file["model_weights"].id, b"more", h5py.h5t.NATIVE_FLOAT, space)


def _cycle(file):
    file["model_weights/conv2d/back"] = file["model_weights"]


def _deep(file):
    file.create_group("model_weights" + "/down" * 20)


def _many_attributes(file):
    for number in range(100):
        file["model_weights"].attrs[f"a{number}"] = number


def _long_attribute(file):
    file["model_weights"].attrs["more"] = np.zeros(5000, "u1")


def _compound(file):
    file["model_weights"].attrs["more"] = np.zeros(2, [("a", "f4"), ("b", "i4")])


def _not_finite(file):
    file["model_weights/conv2d/conv2d/kernel"][0, 0, 0, 0] = np.nan


def _missing_weight(file):
    del file["model_weights/conv2d/conv2d/kernel"]


def _other_shape(file):
    del file["model_weights/conv2d/conv2d/kernel"]
    file["model_weights/conv2d/conv2d/kernel"] = np.zeros((3, 3, 31, 9), "f4")


def _weights_only(file):
    del file.attrs["model_config"]


CONTAINERS = {
    "external_link": (
        lambda f: f["model_weights"].__setitem__("x", h5py.ExternalLink("/etc/passwd", "/")),
        "link to another file",
    ),
    "soft_link": (
        lambda f: f["model_weights"].__setitem__("x", h5py.SoftLink("/model_weights")), "soft link"
    ),
    "external_storage": (_external_storage, "in another file"),
    "virtual": (_virtual, "virtual array"),
    "filter": (
        lambda f: f.create_dataset("x", data=np.zeros(9), compression="gzip"), "compressed"
    ),
    "chunks": (lambda f: f.create_dataset("x", data=np.zeros(9), chunks=(3,)), "chunks"),
    "shape_bomb": (_shape_bomb, "0 bytes are stored"),
    "cycle": (_cycle, "two links lead to the object"),
    "deep": (_deep, "12 levels"),
    "many_attributes": (_many_attributes, "attributes"),
    "long_attribute": (_long_attribute, "attribute Keras does not write"),
    "compound_attribute": (_compound, "attribute Keras does not write"),
    "complex": (lambda f: f.create_dataset("x", data=np.zeros(9, "c8")), "plain numbers"),
    "text": (lambda f: f.create_dataset("x", data="text"), "plain numbers"),
    "named_type": (lambda f: f.__setitem__("x", np.dtype("f4")), "neither a group nor an array"),
    "not_finite": (_not_finite, "NaN or infinity"),
    "missing_weight": (_missing_weight, "listed and not there"),
    "other_shape": (_other_shape, "expected kernel (3, 3, 31, 8)"),
    "weights_only": (_weights_only, "weights only"),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_hostile_container_is_refused(victim, tmp_path, name):
    spoil, reason = CONTAINERS[name]
    with h5py.File(victim, "r+") as file:
        spoil(file)
    assert reason in _refusal(victim, tmp_path)


# ---- the description -------------------------------------------------------------------------


def _layer(model, class_name):
    return next(item for item in model["config"]["layers"] if item["class_name"] == class_name)


def _set(class_name, key, value):
    """Return what sets one option of the first layer of a class."""
    return lambda model: _layer(model, class_name)["config"].__setitem__(key, value)


def _replace(found, **changes):
    """Return what changes the first layer of a class."""
    return lambda model: _layer(model, found).update(changes)


def _lambda_in_dense(model):
    code = {"class_name": "__lambda__", "config": {"value": ["4wEAAAA=", None, None]}}
    _layer(model, "Dense")["config"]["activation"] = code


def _layer_cycle(model):
    first, second = (x for x in model["config"]["layers"][1:3])
    first["inbound_nodes"], second["inbound_nodes"] = (
        [_call(second["name"])], [_call(first["name"])]
    )


def _call(name):
    tensor = {"class_name": "__keras_tensor__", "config": {"keras_history": [name, 0, 0]}}
    return {"args": [tensor], "kwargs": {}}


def _many_layers(model):
    layers = model["config"]["layers"]
    layers.extend({"class_name": "ReLU", "config": {}, "name": f"r{n}"} for n in range(10_000))


def _deep_json(model):
    value = []
    for _ in range(100):
        value = [value]
    _layer(model, "Conv2D")["config"]["kernel_initializer"] = value


def _training(model):
    _layer(model, "BatchNormalization")["inbound_nodes"][0]["kwargs"]["training"] = True


DESCRIPTIONS = {
    "lambda_code": (_lambda_in_dense, "expected the name of an activation"),
    "lambda_layer": (_replace("ReLU", class_name="Lambda"), "class that is not taken"),
    "saved_model": (_replace("ReLU", class_name="TFSMLayer"), "class that is not taken"),
    "torch": (_replace("ReLU", class_name="TorchModuleWrapper"), "class that is not taken"),
    "builtins": (_replace("ReLU", class_name="__builtins__"), "class that is not taken"),
    "other_module": (_replace("ReLU", module="os"), "own class, 'os'"),
    "registered": (_replace("ReLU", registered_name="evil>ReLU"), "own class, 'evil>ReLU'"),
    "gadget": (
        _set("Conv2D", "kernel_initializer",
             {"module": "os", "class_name": "system", "config": {}}), "an object of Keras itself",
    ),
    "activation_path": (_set("Conv2D", "activation", "keras.utils.get_file"), "an activation"),
    "units_bomb": (_set("Dense", "units", 200_000_000), "whole number from 1 to 1000000"),
    "filters_bomb": (_set("Conv2D", "filters", 900_000), "expected kernel"),
    "kernel_bomb": (_set("Conv2D", "kernel_size", [10_000, 10_000]), "from 1 to 19"),
    "negative": (_set("Conv2D", "strides", [-1, -1]), "from 1 to 19"),
    "boolean": (_set("Conv2D", "use_bias", 1), "true or false"),
    "infinite": (_set("BatchNormalization", "epsilon", float("inf")), "a number from"),
    "unknown_option": (_set("Conv2D", "run", "rm -rf"), "option 'run' is not known"),
    "other_axis": (_set("BatchNormalization", "axis", 1), "not the channels"),
    "channels_first": (_set("Conv2D", "data_format", "channels_first"), "'channels_last'"),
    "training_call": (_training, "called with more than its tensors"),
    "layer_cycle": (_layer_cycle, "form a cycle"),
    "many_layers": (_many_layers, "at most 2000 layers"),
    "deep_json": (_deep_json, "nested too deeply"),
    "no_layers": (lambda model: model["config"].clear(), "no list of layers"),
    "control_name": (
        _replace("ReLU", class_name="Lambda", name="\x1b[2J\u202e../../x"),
        r"\x1b[2J\u202e../../x",
    ),
}


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_a_hostile_description_is_refused(victim, tmp_path, name):
    spoil, reason = DESCRIPTIONS[name]
    with h5py.File(victim, "r+") as file:
        model = json.loads(file.attrs["model_config"])
        spoil(model)
        file.attrs["model_config"] = json.dumps(model)
    assert reason in _refusal(victim, tmp_path)


@pytest.mark.parametrize("text", ["", "[" * 100_000, "null", "{", '{"class_name": "os.system"}'])
def test_a_description_that_is_none_is_refused(victim, tmp_path, text):
    with h5py.File(victim, "r+") as file:
        file.attrs["model_config"] = text
    assert _refusal(victim, tmp_path)
