"""Networks in .h5 and .keras that have a trusting Keras run code or read other files."""

import json
import marshal
import zipfile
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import h5py

MODULE = "module_of_a_stranger"
OF_THE_KIT = "golois>EquivariantConv2D"


def code_that_marks(mark: Path) -> str:
    """Bytecode of a Lambda that leaves a mark when it is called."""
    source = f"lambda x: (open({str(mark)!r}, 'w').close(), x)[1]"
    return b64encode(marshal.dumps(eval(source).__code__)).decode()


def leave_module(folder: Path, mark: Path) -> None:
    """A module that leaves a mark when it is imported, beside the network."""
    text = f"open({str(mark)!r}, 'w').close()\nclass Layer: pass\n"
    (folder / f"{MODULE}.py").write_text(text)


def descriptions(mark: Path) -> dict[str, Callable[[dict], None]]:
    """What makes the description of a network with a ReLU hostile, by name."""
    code = code_that_marks(mark)
    parts = {"code": code, "defaults": None, "closure": None}
    new = {"class_name": "__lambda__", "config": {**parts, "value": code}}
    get_file = {
        "class_name": "function", "module": "keras.utils", "registered_name": "get_file",
        "config": "get_file",
    }  # fmt: skip

    def layer(class_name: object, **config: object) -> Callable:
        module = config.pop("module", "keras.layers")
        registered = config.pop("registered_name", None)

        def change(model: dict) -> None:
            found = relu_of(model)
            found.update(class_name=class_name, module=module, registered_name=registered)
            found["config"] = {"name": found["config"]["name"], **config}

        return change

    def as_keras_2_writes(model: dict) -> None:
        layer("Lambda", function=[code, None, None], function_type="lambda")(model)
        for described in model["config"]["layers"]:
            for key in ("module", "registered_name", "build_config"):
                described.pop(key, None)

    def option(value: object, key: str = "kernel_initializer") -> Callable:
        def change(model: dict) -> None:
            convolution = next(
                layer for layer in model["config"]["layers"] if layer["class_name"] == "Conv2D"
            )
            convolution["config"][key] = value

        return change

    def wrapped(model: dict) -> None:
        inner = {"class_name": "Lambda", "module": "keras.layers", "registered_name": None}
        inner["config"] = {"name": "inner", "function": new}
        layer("TimeDistributed", layer=inner)(model)

    own = f"{MODULE}>Layer"
    return {
        "lambda": layer("Lambda", function=new),
        "lambda_of_keras_2": as_keras_2_writes,
        "lambda_within": wrapped,
        "lambda_as_activation": option(new, "activation"),
        "function_of_keras": option(get_file, "activation"),
        "function_as_initializer": option(get_file),
        "function_as_regularizer": option(get_file, "activity_regularizer"),
        "saved_model": layer("TFSMLayer", filepath="/etc", call_endpoint="serve"),
        "torch": layer("TorchModuleWrapper", module_="x"),
        "jax": layer("JaxLayer", call_fn=new),
        "vocabulary": layer("StringLookup", vocabulary="/etc/passwd"),
        "text": layer("TextVectorization", vocabulary="/etc/passwd"),
        "own_class": layer("Layer", module=MODULE, registered_name=own),
        "own_name": layer(own, module=MODULE),
        "own_module": layer("Dense", module=MODULE, units=3),
        "function_under_a_known_name": option(
            {**get_file, "registered_name": OF_THE_KIT}, "activation"
        ),
        "own_function": option(
            {"class_name": "function", "module": MODULE, "config": "run"}, "activation"
        ),
        "type_spec": option(
            {"class_name": "TypeSpec", "type_spec": "tf.TensorSpec", "serialized": [[1], "float32"]}
        ),
        "builtins": layer("__builtins__"),
        "no_text": layer(["Lambda"]),
    }


def call_it_known(model: dict) -> None:
    """Give the registered name of a class of the kit to a Lambda."""
    for layer in model["config"]["layers"]:
        if layer["class_name"] == "Lambda":
            layer["registered_name"] = OF_THE_KIT


def relu_of(model: dict) -> dict:
    return next(layer for layer in model["config"]["layers"] if layer["class_name"] == "ReLU")


def craft(source: Path, path: Path, change: Callable[[dict], None]) -> Path:
    """Write a copy of an .h5 or a .keras whose description is changed."""
    if path.suffix == ".h5":
        path.write_bytes(source.read_bytes())
        with h5py.File(path, "r+") as file:
            model = json.loads(file.attrs["model_config"])
            change(model)
            file.attrs["model_config"] = json.dumps(model)
        return path
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(path, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            if name == "config.json":
                model = json.loads(data)
                change(model)
                data = json.dumps(model).encode()
            after.writestr(name, data)
    return path


def link_elsewhere(path: Path, other: Path) -> None:
    """Have an .h5 take its weights from another file."""
    with h5py.File(path, "r+") as file:
        del file["model_weights"]
        file["model_weights"] = h5py.ExternalLink(str(other), "model_weights")


def read_elsewhere(path: Path, other: Path) -> None:
    """Have an .h5 take the bytes of a weight from another file."""
    with h5py.File(path, "r+") as file:
        place = [(str(other), 0, h5py.h5f.UNLIMITED)]
        file.create_dataset("model_weights/more", (16,), "u1", external=place)
