"""Descriptions that no Keras writes, or with options that are not taken, and their refusals."""

import json

import pytest
from spoil import call, function, layer_of, nested, operation, replace, set_option

from tests.integration.intake.parity import bake, open_file, read
from tournament.intake.child import Message
from tournament.intake.faults import Refused


def _training(model):
    layer_of(model, "BatchNormalization")["inbound_nodes"][0]["kwargs"]["training"] = True


def _nested_call(kwargs, given=lambda tensor: tensor):
    """Return what puts a model of a ReLU, with the input "i", in the place of the first one."""

    def change(model):
        made = layer_of(model, "ReLU")["inbound_nodes"][0]
        nested({"class_name": "ReLU", "config": {"name": "r", "trainable": True}})(model)
        made.update(args=[given(made["args"][0])], kwargs=kwargs)

    return change


def _history(class_name, *history):
    """Return what makes the first layer of a class read another result."""

    def change(model):
        tensor = layer_of(model, class_name)["inbound_nodes"][0]["args"][0]
        tensor["config"]["keras_history"] = list(history)

    return change


def _second_call(model):
    """The first convolution, of 31 channels, is used on 8 too."""
    conv = layer_of(model, "Conv2D")
    conv["inbound_nodes"].append(call("re_lu"))
    layer_of(model, "Flatten")["inbound_nodes"] = [call(conv["name"])]
    layer_of(model, "Flatten")["inbound_nodes"][0]["args"][0]["config"]["keras_history"][1] = 1


def _outputs(*names):
    return lambda model: model["config"].update(output_layers=[[name, 0, 0] for name in names])


def _same_name(model):
    layers = model["config"]["layers"]
    layers[2]["name"] = layers[1]["name"]


def _second_input(model):
    layers = model["config"]["layers"]
    layers.append({**layers[0], "name": "more"})


def _own(class_name, **config):
    """Return what puts a layer of this kit in the place of the first ReLU, of 8 channels."""
    return replace("ReLU", class_name=f"golois>{class_name}", config={"name": "re_lu", **config})


def _own_conv(**config):
    good = {"input_fields": [8, 0, 0, 0, 0, 0], "fields": [8, 0, 0, 0, 0, 0], "window": 3}
    return _own("EquivariantConv2D", **{**good, "use_bias": False, "trainable": True, **config})


def _own_norm(**config):
    good = {"fields": [0, 0, 0, 0, 0, 1], "epsilon": 0.001, "trainable": True}
    return _own("EquivariantBatchNormalization", **{**good, **config})


DESCRIPTIONS = {
    "own_weights": (_own_conv(), "the file does not hold its weight (192,)"),
    "own_norm_weights": (_own_norm(), "the file does not hold its gamma (1,)"),
    "own_huge": (_own_conv(fields=[10**9, 0, 0, 0, 0, 0]), "from 0 to 1024 in option 'fields'"),
    "own_wide": (_own_conv(fields=[1024] * 6), "the file does not hold its weight"),
    "own_sparse": (
        _own_conv(fields=[1, 0, 0, 1024, 0, 0]), "its kernel of 73,800 numbers has 24 free weights"
    ),
    "own_empty": (_own_conv(fields=[0] * 6), "its kernel of 0 numbers has 0 free weights"),
    "own_negative": (_own_conv(fields=[-1, 0, 0, 0, 0, 0]), "from 0 to 1024"),
    "own_fraction": (_own_conv(fields=[1.0, 0, 0, 0, 0, 0]), "from 0 to 1024"),
    "own_nan": (_own_conv(fields=[float("nan"), 0, 0, 0, 0, 0]), "from 0 to 1024"),
    "own_true": (_own_conv(fields=[True, 0, 0, 0, 0, 0]), "from 0 to 1024"),
    "own_five": (_own_conv(fields=[1, 1, 1, 1, 1]), "6 whole numbers, of fields T, S, D, C, F"),
    "own_text": (_own_conv(input_fields="88888"), "6 whole numbers, of fields"),
    "own_channels": (_own_conv(input_fields=[9, 0, 0, 0, 0, 0]), "expected the 9 channels"),
    "own_even": (_own_conv(window=4), "expected 1 or 3 or 5 or 7 in option 'window': got 4"),
    "own_window": (_own_conv(window=10**9), "in option 'window': got 1000000000"),
    "own_option": (_own_conv(kernel="os.system"), "option 'kernel' is not known"),
    "own_missing": (_own("EquivariantConv2D", trainable=True), "option 'fields' is missing"),
    "own_epsilon": (_own_norm(epsilon=float("nan")), "a number from 1e-12 to 1.0"),
    "own_norm_channels": (_own_norm(fields=[7, 0, 0, 0, 0, 0]), "expected the 7 channels"),
    "own_of_another": (replace("ReLU", class_name="evil>EquivariantConv2D"), "is not known here"),
    "own_without_package": (replace("ReLU", class_name="EquivariantConv2D"), "is not known here"),
    "own_of_a_module": (
        replace("ReLU", class_name="golois>EquivariantConv2D", module="models.parts.equivariant"),
        "not of a class of Keras: 'models.parts.equivariant'",
    ),
    "unknown_layer": (_history("ReLU", "ghost", 0, 0), "layer 'ghost' that it does not have"),
    "unknown_output": (_history("ReLU", "conv2d", 0, 5), "layer 'conv2d' that it does not have"),
    "unknown_call": (_history("ReLU", "conv2d", 7, 0), "layer 'conv2d' that it does not have"),
    "negative_call": (_history("ReLU", "conv2d", -1, 0), "the description of the model is damaged"),
    "shared_misfit": (_second_call, "its kernel in the file is (3, 3, 31, 8), not (3, 3, 8, 8)"),
    "output_is_input": (_outputs("board", "board"), "no output for the policy"),
    "one_output_twice": (
        _outputs("policy", "policy"), "no output for the value, which is (1,); it has (361,)"
    ),
    "no_outputs": (lambda model: model["config"].update(output_layers=[]), "inputs or outputs"),
    "same_name": (_same_name, "two layers have the same name"),
    "second_input": (_second_input, "the network has 2 inputs, not one"),
    "no_numbers": (
        replace("ReLU", class_name="Cropping2D", config={"name": "c", "cropping": 19}),
        "nothing is left",
    ),
    "no_units": (set_option("Dense", "units", 0), "whole number from 1"),
    "no_size": (
        replace("ReLU", class_name="Reshape", config={
            "name": "r", "trainable": True, "target_shape": [0, -1]}),
        "option 'target_shape' is (0, -1)",
    ),
    "far_axis": (
        replace("ReLU", class_name="Softmax", config={"name": "s", "axis": -5, "trainable": True}),
        "a position has 3 axes",
    ),
    "huge_number": (set_option("BatchNormalization", "epsilon", 10**400), "a number from 1e-12"),
    "not_a_number": (set_option("BatchNormalization", "epsilon", float("nan")), "got nan"),
    "function_by_path": (function("__class__.__init__"), "is not known"),
    "reshape_batch": (function("reshape", shape=[19, -1]), "option 'shape' is [19, -1]"),
    "pad_bomb": (
        function("pad", paddings=[[0, 0], [10**6, 10**6], [0, 0], [0, 0]]), "from 0 to 19"
    ),
    "split_bomb": (function("split", num_or_size_splits=10**9, axis=-1), "do not split"),
    "step_back": (function("__operators__.getitem", slice_spec=[
        {"class_name": "__ellipsis__"},
        {"start": None, "stop": None, "step": -1},
    ]), "the slice has the step -1"),
    "two_names": (function("reshape", shape=[-1, 19, 19, 8], tensor=[[1.0]]), "is given twice"),
    "operation": (operation("ReadFile"), "is an operation on tensors that is not known here"),
    "mean_of_batch": (function("math.reduce_mean", axis=0), "option 'axis' is 0"),
    "other_module": (replace("ReLU", module="os"), "not of a class of Keras: 'os'"),
    "registered": (replace("ReLU", registered_name="evil>ReLU"), "of Keras: 'evil>ReLU'"),
    "filters_bomb": (set_option("Conv2D", "filters", 900_000), "its kernel in the file"),
    "negative": (set_option("Conv2D", "strides", [-1, -1]), "from 1 to 19"),
    "boolean": (set_option("Conv2D", "use_bias", 2), "true or false"),
    "infinite": (set_option("BatchNormalization", "epsilon", float("inf")), "a number from"),
    "unknown_option": (set_option("Conv2D", "run", "rm -rf"), "option 'run' is not known"),
    "other_axis": (set_option("BatchNormalization", "axis", 1), "its gamma in the file is"),
    "axis_of_batch": (set_option("BatchNormalization", "axis", 0), "a position has 3 axes"),
    "two_axes": (set_option("BatchNormalization", "axis", [2, 3]), "option 'axis' is (2, 3)"),
    "inner_custom": (
        set_option("Conv2D", "activation",
             {"class_name": "ReLU", "config": {}, "registered_name": "evil>ReLU"}),
        "one of the layers ReLU",
    ),
    "inner_option": (
        set_option("Conv2D", "activation", {"class_name": "ReLU", "config": {"run": 1}}),
        "(ReLU: option 'run' is not known)",
    ),
    "activation_function": (
        set_option("Conv2D", "activation", {
            "module": "builtins", "class_name": "function", "config": "my_relu",
            "registered_name": "function"}),
        "one of the layers ReLU",
    ),
    "planes_8": (
        set_option("InputLayer", "batch_shape", [None, 19, 19, 8]), "the network reads 8 planes"
    ),
    "board_9": (
        set_option("InputLayer", "batch_shape", [None, 9, 9, 31]), "the input is (9, 9, 31)"
    ),
    "planes_first": (
        set_option("InputLayer", "batch_shape", [None, 31, 19, 19]), "the input is (31, 19, 19)"
    ),
    "sparse_input": (set_option("InputLayer", "sparse", True), "sparse or ragged"),
    "channels_first": (set_option("Conv2D", "data_format", "channels_first"), "'channels_last'"),
    "no_groups": (
        replace(
            "ReLU", class_name="GroupNormalization",
            config={"name": "re_lu", "trainable": True, "groups": 0, "axis": -1},
        ),
        "options 'axis' and 'groups' are -1 and 0",
    ),
    "training_call": (_training, "called with more than its tensors: 'training'"),
    "softmax_of_all": (operation("Softmax", axis=None), "in option 'axis': got None"),
    "training_model": (
        _nested_call({"training": True}), "the model is called with more than its tensors"
    ),
    "masked_model": (
        _nested_call({"mask": [[True]]}), "the model is called with more than its tensors"
    ),
    "model_of_other_names": (
        _nested_call({}, lambda tensor: {"j": tensor}), "on something else than a tensor, a list"
    ),
    "model_of_a_number": (_nested_call({}, lambda tensor: [1.0]), "on something else than a tens"),
    "no_layers": (lambda model: model["config"].clear(), "no list of layers"),
}


# Functions and operations that were read once, and others; with a part of what helps.
INSTEAD = {
    "math.reduce_sum": "the mean of the same axes", "math.square": "layers.Multiply()([x, x])",
    "nn.max_pool2d": "layers.MaxPooling2D", "nn.conv2d": "layers.Conv2D",
    "linalg.matmul": "layers.Dot", "einsum": "layers.Dot", "image.resize": "layers.UpSampling2D",
    "squeeze": "layers.Reshape", "stack": "layers.Reshape", "gather": "choose by slices",
    "repeat": "layers.UpSampling2D", "norm": "layers.LayerNormalization",
    "clip_by_value": "layers.ReLU(max_value=1.0)", "math.abs": "layers.Maximum()([x, -x])",
    "stop_gradient": "leave the call out", "math.sin": "by a layer", "io.read_file": "by a layer",
    "Sum": "the mean of the same axes", "Power": "layers.Multiply()([x, x])",
    "Conv": "layers.Conv2D", "Take": "choose by slices", "Clip": "layers.ReLU",
    "Floor": "by a layer of keras.layers", "Mish": 'layers.Activation("mish")(x)',
}


# Texts in place of the description.
TEXTS = {
    "empty": ("", "is not JSON"),
    "null": ("null", "not a functional one"),
    "cut": ("{", "is not JSON"),
    "call": ('{"class_name": "os.system"}', "'os.system', not a functional one"),
    "mark": ('\ufeff{"class_name": "Functional"}', "is not JSON"),
    "two_bytes": ('{"class_name": 1}'.encode("utf-16").decode("latin-1"), "is not JSON"),
    "null_byte": ('{"class_name": 1}\0', "is not JSON"),
    "infinity": ('{"class_name": 1e999}', "of class inf"),
    "twice": ('{"class_name": "Functional", "class_name": "Lambda"}', "of class 'Lambda'"),
}


@pytest.fixture(scope="module")
def opened(keras_files):
    """What gate A makes of the resnet."""
    return open_file(keras_files / "resnet.h5")


def _refusal(opened, text) -> str:
    with pytest.raises(Refused) as refusal:
        read(Message({**opened.header, "config": text}, opened.payload))
    return str(refusal.value)


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_an_odd_description_is_refused(opened, name):
    change, expected = DESCRIPTIONS[name]
    model = json.loads(opened.header["config"])
    change(model)
    assert expected in _refusal(opened, json.dumps(model))


@pytest.mark.parametrize("name", INSTEAD)
def test_a_function_that_is_not_read_is_refused_with_what_to_write_instead(opened, name):
    model = json.loads(opened.header["config"])
    (operation if name[0].isupper() else function)(name)(model)
    with pytest.raises(Refused) as refusal:
        read(Message({**opened.header, "config": json.dumps(model)}, opened.payload))
    [fault] = refusal.value.faults
    assert "not known here" in fault.text and INSTEAD[name] in fault.remedy


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_is_no_description_is_refused(opened, name):
    text, expected = TEXTS[name]
    assert expected in _refusal(opened, text)


_OWN = {"module": "my_code", "class_name": "OrthogonalRegularizer", "config": {"factor": 0.01},
        "registered_name": "my_code>OrthogonalRegularizer"}
_CODE = {"class_name": "__lambda__", "config": {"code": "4wEAAAA="}}
_SYSTEM = {"module": "os", "class_name": "system", "config": {"command": "true"}}
READ_PAST = {
    f"{option}_{name}": set_option("Conv2D", option, value)
    for option in ("kernel_initializer", "kernel_regularizer", "bias_constraint",
                   "activity_regularizer")
    for name, value in {"own": _OWN, "code": _CODE, "system": _SYSTEM, "text": "mine"}.items()
}


@pytest.mark.parametrize("name", READ_PAST)
def test_what_predictions_do_not_use_is_read_past(opened, name):
    model = json.loads(opened.header["config"])
    READ_PAST[name](model)
    changed = read(Message({**opened.header, "config": json.dumps(model)}, opened.payload))
    assert bake(changed) == bake(read(opened))


def test_a_layer_that_is_never_called_is_read_past_and_not_listed(opened):
    """Keras 2 writes the layers that are attributes of a model, as in `model.extra = Dense(3)`."""
    code = {"class_name": "Lambda", "config": {"name": "code"}}
    extra = [code, {"class_name": "Sequential", "config": {"name": "more", "layers": [code]}}]
    model = json.loads(opened.header["config"])
    model["config"]["layers"] += [{**layer, "inbound_nodes": []} for layer in extra]
    changed = read(Message({**opened.header, "config": json.dumps(model)}, opened.payload))
    assert changed.layers == read(opened).layers
    assert bake(changed) == bake(read(opened))


@pytest.mark.parametrize("number", [0, 1])
def test_a_number_may_stand_for_true_or_false(opened, number):
    """As `use_bias=0` of a script is written."""

    def replaced(value):
        if isinstance(value, dict):
            return {key: replaced(item) for key, item in value.items()}
        if isinstance(value, list):
            return [replaced(item) for item in value]
        return int(value) if value is bool(number) else value

    model = json.loads(opened.header["config"])
    for layer in model["config"]["layers"]:
        if layer["class_name"] in ("Conv2D", "BatchNormalization", "Dense"):
            layer["config"] = replaced(layer["config"])
    changed = read(Message({**opened.header, "config": json.dumps(model)}, opened.payload))
    assert bake(changed) == bake(read(opened))


def test_a_frozen_layer_within_a_model_may_be_frozen_by_a_number(keras_files):
    """Keras lists the arrays of frozen layers after those of the others; here all are frozen."""
    opened = open_file(keras_files / "nested.h5")
    model = json.loads(opened.header["config"])

    def frozen(number):
        for layer in model["config"]["layers"]:
            for inner in layer["config"].get("layers", ()):
                inner["config"]["trainable"] = number
        return read(Message({**opened.header, "config": json.dumps(model)}, opened.payload))

    assert bake(frozen(0)) == bake(frozen(False)) == bake(read(opened))
    for number in (1, True):
        with pytest.raises(Refused, match="a moving variance is negative"):
            frozen(number)
