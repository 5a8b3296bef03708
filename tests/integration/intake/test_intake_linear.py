"""Descriptions whose reading could take the square of their size: each part is read once."""

import json
from collections import Counter

import pytest
from spoil import call, layer_of, replace

from tests.integration.intake.parity import open_file, read
from tournament.intake import faults, sandbox
from tournament.intake.child import Message
from tournament.intake.faults import MAX_FAULTS, Refused
from tournament.intake.keras import builder as kinds
from tournament.intake.keras import calls
from tournament.intake.keras.builder import Stopwatch
from tournament.intake.keras.description import Call


@pytest.fixture(scope="module")
def opened(keras_files) -> Message:
    """What gate A makes of the resnet."""
    return open_file(keras_files / "resnet.h5")


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


def test_the_options_of_a_layer_are_read_once(opened, counted):
    counts = counted(calls, "read_options")
    config = {"name": "re_lu", "scale": 1.0, "offset": [0.5] * 8, "trainable": True}
    change = replace("ReLU", class_name="Rescaling", config=config,
                     inbound_nodes=500 * [call("conv2d")])
    before = len(json.loads(opened.header["config"])["config"]["layers"])
    read(_changed(opened, change))
    assert 0 < counts["read_options"] <= before


def test_the_options_of_a_function_are_read_once(opened, monkeypatch):
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
    assert any("59990 more options are not known" in text for text in texts)


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
    assert refusal.value.faults[-1].text == "and more of this kind"
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
