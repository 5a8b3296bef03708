"""Files whose description attacks: each is refused with its reason, and nothing else happens."""

import json

import h5py
import pytest
from spoil import call, function, layer_of, nested, operation, replace, set_option

from tests.integration.intake.hostile import refused_by_the_gates, said, sandboxed


def _lambda_in_dense(model):
    code = {"class_name": "__lambda__", "config": {"value": ["4wEAAAA=", None, None]}}
    layer_of(model, "Dense")["config"]["activation"] = code


def _layer_cycle(model):
    first, second = (x for x in model["config"]["layers"][1:3])
    first["inbound_nodes"], second["inbound_nodes"] = (
        [call(second["name"])], [call(first["name"])]
    )


def _many_layers(model):
    layers = model["config"]["layers"]
    layers.extend({"class_name": "ReLU", "config": {}, "name": f"r{n}"} for n in range(10_000))


def _deep_json(model):
    value = []
    for _ in range(100):
        value = [value]
    layer_of(model, "Conv2D")["config"]["kernel_initializer"] = value


def _nested_many(model):
    """Models in models, each called twice by the one around it: 2^8 calls of the innermost."""
    config = {"name": "m", "layers": [{"class_name": "Identity", "config": {"name": "x"}}] * 1}
    for level in range(12):
        config = {"name": f"m{level}", "layers": [
            {"class_name": "Sequential", "config": {**config, "name": "m"}},
        ]}
    layer_of(model, "ReLU").update(class_name="Sequential", config={**config, "name": "re_lu"})


def _doubling(model):
    """Three levels of 200 calls: no operation at all, and eight million calls."""
    config = [{"class_name": "Identity", "config": {"name": "x"}}]
    for _ in range(3):
        inner = {"class_name": "Sequential", "name": "s", "config": {"layers": config}}
        start = {"class_name": "InputLayer", "name": "i", "config": {"batch_shape": [1]}}
        calls = [[["i" if n == 0 else "s", max(0, n - 1), 0, {}]] for n in range(200)]
        inner["inbound_nodes"] = calls
        config = [{
            "class_name": "Functional", "name": "f", "config": {
                "layers": [start, inner], "input_layers": [["i", 0, 0]],
                "output_layers": [["s", 199, 0]],
            },
        }]
    layer_of(model, "ReLU").update(class_name="Sequential", config={"layers": config})


def _slow(model):
    """Boards 64 times as large in both directions: minutes of evaluation."""
    for _ in range(2):
        relu = layer_of(model, "ReLU")
        relu.update(class_name="UpSampling2D", config={"name": relu["name"], "size": [8, 8]})


def _wide(model):
    first = layer_of(model, "ReLU")
    first.update(class_name="TFOpLambda", config={"name": "re_lu", "function": "concat"})
    first["inbound_nodes"] = [[["conv2d", 0, 0, {"axis": -1}]] * 40_000]


_BYTES = {"class_name": "__lambda__", "config": {"code": "4wEAAAA="}}
_CODE = {
    "class_name": "Lambda", "config": {"name": "code", "trainable": True, "function": _BYTES},
}
DESCRIPTIONS = {
    "surrogate": (replace("ReLU", class_name="Lambda", name="\ud800"), r"layer '\ud800'"),
    "nested_lambda": (nested(_CODE), "layer 'code' (Lambda) is of a class that is not known here"),
    "time_distributed": (
        replace("ReLU", class_name="TimeDistributed", config={"layer": _CODE, "trainable": True}),
        "class that is not known here",
    ),
    "bidirectional": (
        replace("ReLU", class_name="Bidirectional", config={"layer": _CODE, "trainable": True}),
        "class that is not known here",
    ),
    "lambda_of_keras": (
        replace("ReLU", class_name="Lambda", config={
            "trainable": True, "function": "keras.utils.get_file"}),
        "class that is not known here",
    ),
    "string_lookup": (
        replace("ReLU", class_name="StringLookup", config={
            "trainable": True, "vocabulary": "/etc/passwd"}),
        "class that is not known here",
    ),
    "module_key": (replace("Conv2D", module="keras_evil.layers"), "of Keras: 'keras_evil.layers'"),
    "custom_object": (replace("ReLU", registered_name="Custom>Get"), "of Keras: 'Custom>Get'"),
    "function_of_tf": (function("io.read_file"), "'io.read_file' is not known"),
    "python_function": (function("py_function", func="os.system"), "is not known"),
    "reshape_bomb": (function("reshape", shape=[-1, 10**9, 10**9]), "from -1 to 1000000"),
    "constant_bomb": (
        function("__operators__.add", y=[1.0] * 110_000), "a tensor or numbers in option 'y'"
    ),
    "node_of_code": (
        replace("ReLU", class_name="TensorFlowOpLayer", config={
            "name": "re_lu", "trainable": True, "node_def": {"op": "EagerPyFunc", "attr": {}}}),
        "is of a class that is not known here",
    ),
    "nested_deep": (_nested_many, "nested"),
    "nested_doubling": (_doubling, "called more than 20000 times"),
    "slow": (_slow, "up to here the network has"),
    "wide": (_wide, "up to here the network has"),
    "unsafe": (
        operation("enable_unsafe_deserialization", module="keras.config"),
        "is an operation on tensors that is not known here",
    ),
    "unicode": (
        replace("ReLU", class_name="Lambda", name="\u202e\u0000\U000e0041\x07"),
        r"\u202e\x00\U000e0041\x07",
    ),
    "lambda_code": (_lambda_in_dense, "expected the name of an activation"),
    "lambda_layer": (replace("ReLU", class_name="Lambda"), "class that is not known here"),
    "saved_model": (replace("ReLU", class_name="TFSMLayer"), "class that is not known here"),
    "torch": (replace("ReLU", class_name="TorchModuleWrapper"), "class that is not known here"),
    "builtins": (replace("ReLU", class_name="__builtins__"), "class that is not known here"),
    "activation_path": (
        set_option("Conv2D", "activation", "keras.utils.get_file"), "an activation"
    ),
    "units_bomb": (set_option("Dense", "units", 200_000_000), "whole number from 1 to 1000000"),
    "kernel_bomb": (set_option("Conv2D", "kernel_size", [10_000, 10_000]), "from 1 to 19"),
    "inner_lambda": (
        set_option("Conv2D", "activation", {"class_name": "Lambda", "config": {}}),
        "one of the layers ReLU",
    ),
    "layer_cycle": (_layer_cycle, "form a cycle"),
    "many_layers": (_many_layers, "layers: at most 2000 are read"),
    "deep_json": (_deep_json, "nested too deeply"),
    "control_name": (
        replace("ReLU", class_name="Lambda", name="\x1b[2J\u202e../../x"),
        r"\x1b[2J\u202e../../x",
    ),
}
# Texts in place of the description.
TEXTS = {
    "brackets": ("[" * 100_000, "is not JSON"),
    "yaml": ("!!python/object/apply:os.system ['true']", "is not JSON"),
    "long_number": ('{"class_name": ' + "9" * 5000 + "}", "is not JSON"),
    "million": ("[" + "0," * 1_000_000 + "0]", "has 2000003 characters"),
    "numbers": ("[" + "0," * 500_000 + "0]", "too long"),
}


# These are refused in the sandbox in every run of the tests, the others in slow ones only.
SANDBOXED = (
    "lambda_code", "slow",
)
EXPECTED = {name: expected for name, (_, expected) in {**DESCRIPTIONS, **TEXTS}.items()}


def _spoil(path, name) -> None:
    with h5py.File(path, "r+") as file:
        if name in TEXTS:
            file.attrs["model_config"] = TEXTS[name][0]
        else:
            model = json.loads(file.attrs["model_config"])
            DESCRIPTIONS[name][0](model)
            file.attrs["model_config"] = json.dumps(model)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_hostile_description_is_refused(victim, name):
    _spoil(victim, name)
    assert EXPECTED[name] in said(refused_by_the_gates(victim))


@pytest.mark.parametrize("name", sandboxed(EXPECTED, SANDBOXED))
def test_a_hostile_description_is_refused_in_the_sandbox(victim, refusal, name):
    _spoil(victim, name)
    assert EXPECTED[name] in refusal(victim)
