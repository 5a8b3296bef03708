"""Changes to the description of a network, for files that should be refused."""

import json
import shutil
from pathlib import Path

import h5py
import numpy as np

STEPS = 256  # between the digits of a weight and those of a hidden one
_OWN_STONES, _OPPONENTS, _OPPONENTS_BEFORE = 11, 12, 14  # planes


def layer_of(model, class_name):
    return next(item for item in model["config"]["layers"] if item["class_name"] == class_name)


def set_option(class_name, key, value):
    """Return what sets one option of the first layer of a class."""
    return lambda model: layer_of(model, class_name)["config"].__setitem__(key, value)


def replace(found, **changes):
    """Return what changes the first layer of a class."""
    return lambda model: layer_of(model, found).update(changes)


def call(name):
    tensor = {"class_name": "__keras_tensor__", "config": {"keras_history": [name, 0, 0]}}
    return {"args": [tensor], "kwargs": {}}


def nested(*inner):
    """Return what puts a model with these layers in the place of the first ReLU."""
    shape = [None, 19, 19, 8]
    start = {"class_name": "InputLayer", "config": {"name": "i", "batch_shape": shape}}
    return replace(
        "ReLU", class_name="Sequential", config={"name": "re_lu", "layers": [start, *inner]}
    )


def operation(class_name, **config):
    return replace("ReLU", class_name=class_name, config={"name": "re_lu", **config})


def function(name, **arguments):
    """Return what puts a TFOpLambda in the place of the first ReLU."""
    return replace(
        "ReLU", class_name="TFOpLambda", config={"name": "re_lu", "function": name},
        inbound_nodes=[["conv2d", 0, 0, arguments]],
    )


def layer(name, class_name, nodes, **config):
    config = {"name": name, "trainable": True, **config}
    return {"class_name": class_name, "name": name, "config": config, "inbound_nodes": nodes}


def old_call(*refs):
    """A call as Keras 2 writes it, which is shorter."""
    return [[list(ref) for ref in refs]]


def add_to_value(config, layers, mean_of):
    """Return a description with the mean of a row of numbers added to what the value is made of.

    The layers may begin at "pooled", the mean of each plane.
    """
    model = json.loads(config)
    value = next(item for item in model["config"]["layers"] if item["name"] == "value")
    before = value["inbound_nodes"][0]["args"][0]["config"]["keras_history"][0]
    model["config"]["layers"] += [
        layer("pooled", "GlobalAveragePooling2D", [call("board")]),
        *layers,
        layer("row", "Reshape", [call(mean_of)], target_shape=[-1, 1]),
        layer("mean", "GlobalAveragePooling1D", [call("row")]),
        layer("sum", "Add", old_call((before, 0, 0), ("mean", 0, 0))),
    ]
    value["inbound_nodes"] = [call("sum")]
    return json.dumps(model)


def hide_numbers(victim, coarse: np.ndarray, hidden: np.ndarray) -> None:
    """Make the value depend on numbers that are hidden in the later digits of others."""
    numbers = coarse + hidden / (4 * STEPS)
    layers = [
        layer("numbers", "Rescaling", [call("pooled")], scale=0.0, offset=numbers.tolist()),
        layer("coarse", "Rescaling", [call("pooled")], scale=0.0, offset=coarse.tolist()),
        layer("rest", "Subtract", old_call(("numbers", 0, 0), ("coarse", 0, 0))),
        layer("read", "Rescaling", [call("rest")], scale=24.0 * 4 * STEPS, offset=0.0),
    ]
    with h5py.File(victim, "r+") as file:
        file.attrs["model_config"] = add_to_value(file.attrs["model_config"], layers, "read")


def late_bomb(files: Path, folder: Path) -> Path:
    """Write a network whose value leaves its range once there are more than thirty stones.

    Not in the eight fixed positions of the intake: no stone has just been played in them.
    """
    path = folder / "late_bomb.h5"
    shutil.copy(files / "late_bomb.h5", path)
    with h5py.File(path, "r+") as file:
        weights = file["model_weights"]
        seen = weights["seen/seen/kernel"]
        seen[...] = 0
        seen[0, 0, [_OWN_STONES, _OPPONENTS], 0] = 1
        seen[0, 0, _OPPONENTS, 1], seen[0, 0, _OPPONENTS_BEFORE, 1] = 1, -1
        for name, kernel, bias in (("many", (1, 0), -30 / 361), ("moved", (0, 1), 0)):
            weights[f"{name}/{name}/kernel"][:, 0] = kernel
            weights[f"{name}/{name}/bias"][...] = bias
    return path
