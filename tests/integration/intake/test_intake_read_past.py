"""Descriptions with more than predictions use, or in another form: the same network comes out."""

import json

import pytest
from spoil import set_option

from tests.integration.intake.parity import bake, open_file, read
from tournament.intake.child import Message
from tournament.intake.faults import Refused


@pytest.fixture(scope="module")
def opened(keras_files):
    """What gate A makes of the resnet."""
    return open_file(keras_files / "resnet.h5")


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
