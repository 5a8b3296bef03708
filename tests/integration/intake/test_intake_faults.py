"""Every fault of the table, as a file gets it: the sentence and the remedy."""

import json
import re
import string

import h5py
import numpy as np
import pytest
from fault_cases import CASES, NETWORKS
from spoil import STEPS, add_to_value, call, hide_numbers, layer

from tests.integration.intake.hostile import refused_by_the_gates, said, sandboxed
from tests.integration.intake.parity import open_file, read
from tournament.errors import NetworkError
from tournament.intake import JudgeOptions, bake, bake_request, judge, read_manifest
from tournament.intake.child import Message
from tournament.intake.faults import FAULTS, Refused
from tournament.intake.keras import network, weights

# These are refused in the sandbox in every run of the tests, the others in slow ones only.
SANDBOXED = ("lambda_code", "slow")
DESCRIPTIONS = {name: (code, *case) for code, cases in CASES.items()
                for name, case in cases.items()}
# h5py writes no text with a null byte.
IN_A_FILE = [name for name, case in DESCRIPTIONS.items() if "\0" not in str(case[1])]


def pattern_of(template):
    """What a sentence of the table looks like with values in its places."""
    pieces = string.Formatter().parse(template)
    return "".join(re.escape(text) + ".*" * (place is not None) for text, place, *_ in pieces)


def check(faults, code, part=""):
    """One of the faults has this code, and says this."""
    patterns = [pattern_of(FAULTS[code].text), pattern_of(FAULTS[code].remedy)]
    assert said(faults)
    assert any(
        all(map(re.fullmatch, patterns, (fault.text, fault.remedy)))
        and part in f"{fault.text}: {fault.remedy}" for fault in faults
    ), faults


def refused(function, *arguments, **options):
    with pytest.raises(Refused) as refusal:
        function(*arguments, **options)
    return refusal.value.faults


@pytest.fixture(scope="module")
def opened(keras_files):
    """What gate A makes of the resnet."""
    return open_file(keras_files / "resnet.h5")


def described(opened, change):
    """A description that is changed, or a text in its place."""
    if isinstance(change, str):
        return change
    model = json.loads(opened.header["config"])
    change(model)
    return json.dumps(model)


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_a_description_is_refused(opened, name):
    code, change, part = DESCRIPTIONS[name]
    header = {**opened.header, "config": described(opened, change)}
    check(refused(read, Message(header, opened.payload), max_flops=500_000_000), code, part)


@pytest.mark.parametrize("name", sandboxed(IN_A_FILE, SANDBOXED))
def test_a_description_is_refused_in_the_sandbox(opened, victim, refusal, name):
    _, change, part = DESCRIPTIONS[name]
    with h5py.File(victim, "r+") as file:
        file.attrs["model_config"] = described(opened, change)
    assert refusal(victim)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_of_keras_is_refused(keras_files, name):
    check(refused_by_the_gates(keras_files / f"{name}.h5"), *NETWORKS[name])


def _with_arrays(path, **changed):
    """Read a file whose arrays of some layers are others."""
    opened = open_file(path)
    arrays = weights.unpack(opened.header["weights"], opened.payload)
    changes = {name: change(arrays.get(name, [])) for name, change in changed.items()}
    header = opened.header
    return refused(
        network.read_network, header["config"], {**arrays, **changes}, header["keras_version"],
        by_class=header["by_class"],
    )


def _overflow(files, victim, monkeypatch):
    """Each number is finite, what they make of a position is not."""
    with h5py.File(victim, "r+") as file:
        file["model_weights/conv2d/conv2d/kernel"][...] = 1e38
    return refused_by_the_gates(victim)


def _cancellation(files, victim, monkeypatch):
    """Later digits are lost when a large number is added, and taken away again."""
    layers = [
        layer("up", "Rescaling", [call("pooled")], scale=100.0, offset=1e8),
        layer("relu", "ReLU", [call("up")]),
        layer("down", "Rescaling", [call("relu")], scale=1.0, offset=-1e8),
    ]
    with h5py.File(victim, "r+") as file:
        file.attrs["model_config"] = add_to_value(file.attrs["model_config"], layers, "down")
    return refused_by_the_gates(victim)


def _too_long(files, victim, monkeypatch):
    monkeypatch.setattr(network, "MAX_SECONDS", -1.0)
    return refused_by_the_gates(victim)


def _no_evaluation(files, victim, monkeypatch):
    def fail(*_):
        raise NetworkError("no memory")

    monkeypatch.setattr(bake, "_open", fail)
    return refused_by_the_gates(victim)


def _hidden_digits(files, victim, monkeypatch):
    """A network that reads a second weight in a parameter, as it can where nothing is rounded."""
    hide_numbers(victim, np.arange(128, 159) / STEPS, np.linspace(0.6, 0.9, 31))
    bake.bake(bake_request(open_file(victim), JudgeOptions(round_numbers=False), seed=0))
    return refused_by_the_gates(victim)


OTHERS = {
    "too-long": _too_long,
    "long-name": lambda *_: refused(weights.pack, [("x" * 257, np.zeros(1))]),
    "weights-misfit": lambda *_: refused(weights.unpack, [["dense", [2]]], b"1234"),
    "weights-of-model": lambda files, *_: _with_arrays(
        files / "nested.h5", block=lambda arrays: [*arrays, arrays[0]]
    ),
    "weights-of-no-class": lambda files, *_: _with_arrays(
        files / "resnet.keras", ghost=lambda _: [np.ones(1, np.float32)]
    ),
    "evaluation": _no_evaluation,
    "not-finite": _overflow,
    "float32": _cancellation,
    "rounding": _hidden_digits,
    "slow": lambda files, victim, _: judge(
        victim, work_dir=victim.parent, options=JudgeOptions(max_ms=1e-6)
    ).faults,
    "memory": lambda files, victim, _: judge(
        victim, work_dir=victim.parent, options=JudgeOptions(max_megabytes=1, max_ms=1000)
    ).faults,
    "reader-fails": lambda *_: refused(read_manifest, b"", Message({}), JudgeOptions(), 0),
}


@pytest.mark.parametrize("code", OTHERS)
def test_another_fault_is_refused(keras_files, victim, monkeypatch, code):
    if code == "memory" and bake.heap_bytes() == 0:
        pytest.skip("this system does not tell")
    check(OTHERS[code](keras_files, victim, monkeypatch), code)


def test_every_fault_of_the_table_is_tried():
    assert set(FAULTS) == {*CASES, *OTHERS, *(code for code, _ in NETWORKS.values())}
