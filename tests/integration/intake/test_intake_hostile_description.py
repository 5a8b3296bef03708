"""Files whose description attacks: each is refused with its reason, and nothing else happens."""

import json

import h5py
import pytest


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


def _nested(*inner):
    """Return what puts a model with these layers in the place of the first ReLU."""
    shape = [None, 19, 19, 8]
    start = {"class_name": "InputLayer", "config": {"name": "i", "batch_shape": shape}}
    return _replace(
        "ReLU", class_name="Sequential", config={"name": "re_lu", "layers": [start, *inner]}
    )


def _nested_many(model):
    """Models in models, each called twice by the one around it: 2^8 calls of the innermost."""
    config = {"name": "m", "layers": [{"class_name": "Identity", "config": {"name": "x"}}] * 1}
    for level in range(12):
        config = {"name": f"m{level}", "layers": [
            {"class_name": "Sequential", "config": {**config, "name": "m"}},
        ]}
    _layer(model, "ReLU").update(class_name="Sequential", config={**config, "name": "re_lu"})


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
    _layer(model, "ReLU").update(class_name="Sequential", config={"layers": config})


def _slow(model):
    """Boards 64 times as large in both directions: minutes of evaluation."""
    for _ in range(2):
        relu = _layer(model, "ReLU")
        relu.update(class_name="UpSampling2D", config={"name": relu["name"], "size": [8, 8]})


def _wide(model):
    first = _layer(model, "ReLU")
    first.update(class_name="TFOpLambda", config={"name": "re_lu", "function": "concat"})
    first["inbound_nodes"] = [[["conv2d", 0, 0, {"axis": -1}]] * 40_000]


def _operation(class_name, **config):
    return _replace("ReLU", class_name=class_name, config={"name": "re_lu", **config})


def _function(name, **arguments):
    """Return what puts a TFOpLambda in the place of the first ReLU."""
    return _replace(
        "ReLU", class_name="TFOpLambda", config={"name": "re_lu", "function": name},
        inbound_nodes=[["conv2d", 0, 0, arguments]],
    )


_BYTES = {"class_name": "__lambda__", "config": {"code": "4wEAAAA="}}
_CODE = {
    "class_name": "Lambda", "config": {"name": "code", "trainable": True, "function": _BYTES},
}

DESCRIPTIONS = {
    "nested_lambda": (_nested(_CODE), "layer 'code' (Lambda) is of a class that is not taken"),
    "time_distributed": (
        _replace("ReLU", class_name="TimeDistributed", config={"layer": _CODE, "trainable": True}),
        "class that is not taken",
    ),
    "bidirectional": (
        _replace("ReLU", class_name="Bidirectional", config={"layer": _CODE, "trainable": True}),
        "class that is not taken",
    ),
    "lambda_of_keras": (
        _replace("ReLU", class_name="Lambda", config={
            "trainable": True, "function": "keras.utils.get_file"}),
        "class that is not taken",
    ),
    "lambda_in_initializer": (
        _set("Conv2D", "kernel_initializer", {"class_name": "__lambda__", "module": "builtins"}),
        "an object of Keras itself",
    ),
    "string_lookup": (
        _replace("ReLU", class_name="StringLookup", config={
            "trainable": True, "vocabulary": "/etc/passwd"}),
        "class that is not taken",
    ),
    "module_key": (_replace("Conv2D", module="keras_evil.layers"), "own class, 'keras_evil"),
    "custom_object": (_replace("ReLU", registered_name="Custom>Get"), "own class, 'Custom>Get'"),
    "function_of_tf": (_function("io.read_file"), "'io.read_file' is not known"),
    "python_function": (_function("py_function", func="os.system"), "is not known"),
    "function_by_path": (_function("__class__.__init__"), "is not known"),
    "reshape_bomb": (_function("reshape", shape=[-1, 10**9, 10**9]), "from -1 to 1000000"),
    "reshape_batch": (_function("reshape", shape=[19, -1]), "option 'shape' is [19, -1]"),
    "constant_bomb": (
        _function("__operators__.add", y=[1.0] * 110_000), "a tensor or numbers in option 'y'"
    ),
    "pad_bomb": (
        _function("pad", paddings=[[0, 0], [10**6, 10**6], [0, 0], [0, 0]]), "from 0 to 19"
    ),
    "split_bomb": (_function("split", num_or_size_splits=10**9, axis=-1), "do not split"),
    "operation": (_operation("ReadFile"), "is an operation on tensors that is not known here"),
    "nested_deep": (_nested_many, "nested"),
    "nested_doubling": (_doubling, "called more than 20000 times"),
    "slow": (_slow, "too costly"),
    "wide": (_wide, "too costly"),
    "mean_of_batch": (_function("math.reduce_mean", axis=0), "option 'axis' is 0"),
    "unsafe": (
        _operation("enable_unsafe_deserialization", module="keras.config"),
        "is an operation on tensors that is not known here",
    ),
    "unicode": (
        _replace("ReLU", class_name="Lambda", name="\u202e\u0000\U000e0041\x07"),
        r"\u202e\x00\U000e0041\x07",
    ),
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
def test_a_hostile_description_is_refused(victim, refusal, name):
    spoil, reason = DESCRIPTIONS[name]
    with h5py.File(victim, "r+") as file:
        model = json.loads(file.attrs["model_config"])
        spoil(model)
        file.attrs["model_config"] = json.dumps(model)
    assert reason in refusal(victim)


@pytest.mark.parametrize("text", ["", "[" * 100_000, "null", "{", '{"class_name": "os.system"}'])
def test_a_description_that_is_none_is_refused(victim, refusal, text):
    with h5py.File(victim, "r+") as file:
        file.attrs["model_config"] = text
    assert refusal(victim)
