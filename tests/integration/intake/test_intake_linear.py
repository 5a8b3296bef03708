"""Descriptions of networks: each part is read once, and what predictions don't use is read past."""

import json
from collections import Counter

import pytest
from spoil import call, layer_of, replace, set_option

from tests.integration.intake.parity import bake, open_file, read
from tournament.intake import faults, sandbox
from tournament.intake.child import Message
from tournament.intake.faults import MAX_FAULTS, Refused
from tournament.intake.keras import builder as kinds
from tournament.intake.keras import calls
from tournament.intake.keras.builder import Stopwatch
from tournament.intake.keras.description import Call


@pytest.fixture
def counted(monkeypatch):
    """Count the calls of functions; returns what does so from then on, and the counts."""
    counts: Counter[str] = Counter()

    def count(owner, name):
        function = getattr(owner, name)

        def counting(*arguments, **named):
            counts[name] += 1
            return function(*arguments, **named)

        monkeypatch.setattr(owner, name, counting)
        return counts

    return count


def _changed(opened, change) -> Message:
    model = json.loads(opened.header["config"])
    change(model)
    return Message({**opened.header, "config": json.dumps(model)}, opened.payload)


def _refs(*names):
    return [[[name, 0, 0, {}] for name in names]]


def _unneeded_calls(model):
    """A model of 500 calls, of which one is needed, that is itself called 100 times."""
    start = {"class_name": "InputLayer", "config": {"name": "i", "batch_shape": [1]}}
    inner = {"class_name": "Identity", "name": "x", "config": {"name": "x", "trainable": True},
             "inbound_nodes": 500 * [_refs("i")[0]]}
    functional = {
        "name": "f", "layers": [start, inner],
        "input_layers": [["i", 0, 0]], "output_layers": [["x", 0, 0]],
    }
    calls = [[["conv2d" if n == 0 else "re_lu", max(0, n - 1), 0, {}]] for n in range(100)]
    layer_of(model, "ReLU").update(
        class_name="Functional", config=functional, inbound_nodes=calls
    )


def test_what_a_model_needs_is_worked_out_once(opened, counted):
    counts = counted(Call, "tensors")
    read(_changed(opened, _unneeded_calls))
    assert 500 < counts["tensors"] < 10 * 700


def test_the_options_of_a_layer_and_of_a_function_are_read_once(opened, counted, monkeypatch):
    counts = counted(calls, "read_options")
    config = {"name": "re_lu", "scale": 1.0, "offset": [0.5] * 8, "trainable": True}
    change = replace("ReLU", class_name="Rescaling", config=config,
                     inbound_nodes=500 * [call("conv2d")])
    before = len(json.loads(opened.header["config"])["config"]["layers"])
    read(_changed(opened, change))
    assert 0 < counts["read_options"] <= before
    seen = Counter()
    read_options = calls.read_options

    def counting(layer, schema, given, instead):
        seen.update(given.keys())
        return read_options(layer, schema, given, instead)

    monkeypatch.setattr(calls, "read_options", counting)
    change = replace("ReLU", class_name="Add", config={"name": "re_lu", "y": [0.5] * 8},
                     inbound_nodes=500 * [call("conv2d")])
    read(_changed(opened, change))
    assert seen["y"] == 1 and seen["x"] == 500


def test_thousands_of_faults_are_counted_and_not_all_described(opened, counted):
    counts = counted(faults, "quoted")
    many = {f"option{number}": number for number in range(60_000)}
    with pytest.raises(Refused) as refusal:
        read(_changed(opened, lambda model: layer_of(model, "Conv2D")["config"].update(many)))
    assert counts["quoted"] < 4 * MAX_FAULTS
    texts = [fault.text for fault in refusal.value.faults]
    assert any("59990 more options are not supported" in text for text in texts)


def test_thousands_of_calls_that_are_wrong_are_not_all_read(opened, counted):
    counts = counted(calls, "_prepare_call")
    layers = [
        {"class_name": "ReLU", "name": f"r{number}", "config": {"name": f"r{number}"},
         "inbound_nodes": 20 * [{"args": [0.5], "kwargs": {}}]}
        for number in range(500)
    ]
    with pytest.raises(Refused) as refusal:
        read(_changed(opened, lambda model: model["config"]["layers"].extend(layers)))
    assert counts["_prepare_call"] < calls.MAX_REFUSALS + 50
    assert refusal.value.faults[-1].text == "and more faults of this kind"
    assert len(refusal.value.faults) == MAX_FAULTS + 1


@pytest.mark.skipif(sandbox.resource is None, reason="this system has no limits")
def test_a_childs_processor_time_is_not_rounded_up(monkeypatch):
    limits = {}
    monkeypatch.setattr(sandbox.resource, "setrlimit", limits.__setitem__)
    monkeypatch.setattr(sandbox.time, "process_time", lambda: 0.9)
    sandbox._limit_resources(sandbox.Limits(cpu_seconds=2, memory_bytes=1 << 28))
    assert limits[sandbox.resource.RLIMIT_CPU] == (2, 2)


def test_a_stopwatch_lets_work_go_on_until_the_time_is_over(monkeypatch):
    now = iter((5.0, 6.9, 7.1))
    monkeypatch.setattr(kinds.time, "process_time", lambda: next(now))
    watch = Stopwatch(2.0)
    watch.check()
    with pytest.raises(Refused):
        watch.check()


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
