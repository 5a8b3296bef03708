"""Every fault of the table, as a file gets it: the sentence and the remedy."""

import json
import re
import string

import h5py
import numpy as np
import pytest
from container_faults import CONTAINERS, PATHS
from description_faults import CASES, NETWORKS
from spoil import STEPS, add_to_value, call, hide_numbers, late_bomb, layer

from tests.integration.intake.hostile import refused_by_the_gates, said, sandboxed
from tests.integration.intake.parity import open_file, read
from tournament.errors import NetworkError
from tournament.intake import JudgeOptions, bake, bake_request, judge, read_manifest
from tournament.intake.child import MAX_HEADER, Message, run
from tournament.intake.faults import FAULTS, Refused
from tournament.intake.for_keras import checked_description
from tournament.intake.keras import network
from tournament.intake.keras.description import pack_arrays, unpack_arrays
from tournament.intake.take import take
from tournament.intake.trial import judge_and_try
from tournament.networks.evaluator import sample_positions

pytestmark = pytest.mark.usefixtures("forked_children")


def by_name(table):
    """The code and the case by the name of the case."""
    return {name: (code, *case) for code, cases in table.items() for name, case in cases.items()}


# These are refused in the sandbox in every run of the tests, the others in slow ones only.
SANDBOXED = ("lambda_code", "slow", "many_names", "external_link", "keras_shape_bomb",
             "many_objects", "shared_texts")
DESCRIPTIONS, FILES = by_name(CASES), by_name(CONTAINERS)
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


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_of_keras_is_refused(keras_files, name):
    check(refused_by_the_gates(keras_files / f"{name}.h5"), *NETWORKS[name])


@pytest.fixture(scope="module")
def good(keras_files):
    """The resnet as .h5 and as .keras."""
    return [(keras_files / f"resnet{suffix}").read_bytes() for suffix in (".h5", ".keras")]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", FILES)
def test_a_container_is_refused(good, tmp_path, name):
    code, make, part = FILES[name]
    (tmp_path / "net").write_bytes(make(*good))
    check(refused_by_the_gates(tmp_path / "net"), code, part)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", sandboxed([*IN_A_FILE, *FILES], SANDBOXED))
def test_a_file_is_refused_in_the_sandbox(opened, good, victim, refusal, name):
    _, change, part = FILES.get(name) or DESCRIPTIONS[name]
    if name in FILES:
        victim.write_bytes(change(*good))
        assert part in refusal(victim)
        return
    with h5py.File(victim, "r+") as file:
        file.attrs["model_config"] = described(opened, change)
    assert refusal(victim)


@pytest.mark.parametrize("name", by_name(PATHS))
def test_a_path_that_leads_to_no_file_is_refused(tmp_path, name):
    code, make, part = by_name(PATHS)[name]
    check(refused(take, make(tmp_path), 1000), code, part)


def _with_arrays(path, **changed):
    """Read a file whose arrays of some layers are others."""
    opened = open_file(path)
    arrays = unpack_arrays(opened.header["weights"], opened.payload)
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


def _too_much(files, victim, monkeypatch):
    monkeypatch.setattr(network, "MAX_SECONDS", -1.0)
    return refused_by_the_gates(victim)


def _late(*_):
    request = Message({"action": "sleep"})
    return refused(
        run, "tests.sandbox_probe", "probe", request, wall_seconds=1.5, max_reply=100
    )


def _too_large(name, **options):
    """Return what judges a file that is too large."""
    options = JudgeOptions(max_bytes=1000, **options)
    return lambda files, victim, _: judge(
        files / name, work_dir=victim.parent / "work", options=options
    ).faults


def _too_large_without_a_network(files, victim, monkeypatch):
    victim.write_bytes(b"x" * 2000)
    return _too_large(victim)(files, victim, monkeypatch)


def _long_names(files, victim, monkeypatch):
    """What gate A replies fits into a header, but not what gate B is asked with it."""
    layer, names = "\U0001f600" * 256, [f"w{number}" for number in range(1615)]
    with h5py.File(victim, "w") as file:
        file.attrs["model_config"] = "{}"
        group = file.create_group(f"model_weights/{layer}")
        file["model_weights"].attrs["layer_names"] = [layer]
        group.attrs["weight_names"] = names
        for name in names:
            group[name] = np.zeros(1, "f4")
    assert len(open_file(victim).encode()) < MAX_HEADER
    return judge(victim, work_dir=victim.parent / "work").faults


def _fails_in_a_game(files, victim, monkeypatch):
    """Its value is in range on the positions that the judge tries here."""
    fixed = sample_positions().astype("uint8")
    monkeypatch.setattr("tournament.intake.real_positions.draw_positions", lambda seed: fixed)
    opening = tuple(range(0, 120, 3))
    monkeypatch.setattr("tournament.intake.trial.draw_opening", lambda seed: opening)
    path = late_bomb(files, victim.parent)
    faults = judge_and_try(path, work_dir=victim.parent, options=JudgeOptions()).faults
    assert "the value must be" in faults[0].text and "activation='sigmoid'" in faults[0].remedy
    return faults


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
    "too-much": _too_much,
    "late": _late,
    "large-file": _too_large_without_a_network,
    "large-optimizer": _too_large("compiled.h5"),
    "large-network": _too_large("resnet.keras"),
    "stored-budget": _too_large("over_budget.h5"),
    "long-names": _long_names,
    "may-be-code": lambda *_: refused(checked_description, '{"class_name": "Lambda"}', set()),
    "game": _fails_in_a_game,
    "long-name": lambda *_: refused(pack_arrays, [("x" * 257, np.zeros(1))]),
    "weights-misfit": lambda *_: refused(unpack_arrays, [["dense", [2]]], b"1234"),
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
    networks = (code for code, _ in NETWORKS.values())
    assert set(FAULTS) == {*CASES, *CONTAINERS, *PATHS, *OTHERS, *networks}
