"""What is chosen of runtimes and batches, on a clock that only evaluations move."""

import json
import logging
from dataclasses import asdict

import numpy as np
import pytest

from golois.constants import PLANES_SHAPE
from tests.small_networks import random_artefact
from tournament.errors import NetworkError
from tournament.intake import IntakeError, Manifest
from tournament.networks import tuning
from tournament.networks.evaluator import open_evaluator
from tournament.networks.tuning import Tuning, tune

POSITIONS = np.zeros((8, *PLANES_SHAPE), np.float32)


class FakeRuntimes:
    """Runtimes that take so many seconds to compile, and so many for a batch."""

    def __init__(self, monkeypatch, costs: dict, compile_seconds: float = 0.1):
        self.now = 0.0
        self.compiled = []
        self.wrong = self.failing = None
        self._costs = costs
        self._compile_seconds = compile_seconds
        monkeypatch.setattr(tuning, "installed_runtimes", lambda: tuple(costs))
        monkeypatch.setattr(tuning, "compile_network", self._compile)

    def _compile(self, runtime, model, planes):
        if runtime == self.failing:
            raise NetworkError("this operation is not known")
        self.now += self._compile_seconds
        size = len(planes)
        self.compiled.append((runtime, size))

        def run():
            self.now += self._costs[runtime](size)
            return np.full((size, 361), 0.1 * (runtime == self.wrong)), np.zeros((size, 1))

        return run

    def tune(self, seconds: float = 3.0) -> Tuning:
        return tune(b"", POSITIONS, seconds, lambda: self.now)


def per_batch(first: float, each: float):
    """Seconds of a batch."""
    return lambda size: first + size * each


@pytest.mark.parametrize(
    ("costs", "runtime", "batch_size"),
    [
        ({"a": per_batch(0, 2e-3), "b": per_batch(0, 1e-3)}, "b", 1),
        ({"a": per_batch(0, 1e-3), "b": per_batch(0, 2e-3)}, "a", 1),
        ({"a": per_batch(1e-3, 1e-3)}, "a", 16),
        ({"a": per_batch(1e-4, 1e-3)}, "a", 4),
        ({"a": per_batch(0, 1.01e-3), "b": per_batch(1e-3, 1e-3)}, "a", 1),
        ({"a": per_batch(0, 1e-4)}, "a", 4),  # what a search needs between batches counts too
    ],
)
def test_the_smallest_batch_that_is_nearly_the_fastest_is_chosen(
    monkeypatch, costs, runtime, batch_size
):
    chosen = FakeRuntimes(monkeypatch, costs).tune()
    assert (chosen.runtime, chosen.batch_size) == (runtime, batch_size)
    assert {(t.runtime, t.batch_size) for t in chosen.trials} == {
        (name, size) for name in costs for size in (1, 2, 4, 8, 16, 32)
    }
    assert chosen.evaluations_per_second == round(batch_size / costs[runtime](batch_size), 1)


def test_tuning_keeps_to_its_time_and_tries_the_default_however_long_it_takes(monkeypatch):
    costs = {"a": per_batch(0, 1e-3), "b": per_batch(0, 1e-3)}
    fakes = FakeRuntimes(monkeypatch, costs, compile_seconds=0.5)
    assert fakes.tune(3.0).batch_size == 1
    assert fakes.compiled == [("a", 8), ("b", 8), ("a", 1)] and fakes.now <= 3.1
    fakes = FakeRuntimes(monkeypatch, {"a": per_batch(0, 1.0)}, compile_seconds=9.0)
    chosen = fakes.tune(1.0)
    assert (chosen.runtime, chosen.batch_size, len(chosen.trials)) == ("a", 8, 1)


def test_a_runtime_that_fails_or_answers_otherwise_is_left_out_and_none_is_an_error(monkeypatch):
    costs = {name: per_batch(0, cost) for name, cost in (("a", 3e-3), ("b", 1e-3), ("c", 2e-3))}
    fakes = FakeRuntimes(monkeypatch, costs)
    fakes.wrong, fakes.failing = "b", "c"
    assert {trial.runtime for trial in fakes.tune().trials} == {"a"}
    fakes.wrong, fakes.failing = None, "a"
    assert {trial.runtime for trial in fakes.tune().trials} == {"b", "c"}
    fakes = FakeRuntimes(monkeypatch, {"a": per_batch(0, 1e-3)})
    fakes.failing = "a"
    with pytest.raises(NetworkError, match="no installed runtime"):
        fakes.tune()


@pytest.fixture
def onnx_path(tmp_path):
    """An artefact, as yet without a manifest."""
    path = tmp_path / "net.onnx"
    path.write_bytes(random_artefact())
    return path


def write_manifest(onnx_path, **values) -> None:
    onnx_path.with_suffix(".json").write_text(json.dumps({"sha256": "…", **values}))


def test_an_artefact_is_opened_as_it_was_tuned_and_a_missing_runtime_is_named(onnx_path, caplog):
    assert open_evaluator(onnx_path).batch_size == tuning.DEFAULT_BATCH_SIZE
    write_manifest(onnx_path)  # of a version before
    assert open_evaluator(onnx_path).batch_size == tuning.DEFAULT_BATCH_SIZE
    write_manifest(onnx_path, tuning=asdict(Tuning(batch_size=2)))
    assert open_evaluator(onnx_path).batch_size == 2
    assert open_evaluator(onnx_path, batch_size=16).batch_size == 16
    write_manifest(onnx_path, tuning=asdict(Tuning("tea_leaves", 4)))
    with caplog.at_level(logging.WARNING):
        assert open_evaluator(onnx_path).batch_size == 4
    assert "tea_leaves is not installed" in caplog.text and "onnxruntime" in caplog.text
    manifests = [{}, {"tuning": asdict(Tuning())}, {"tuning": asdict(Tuning("tea_leaves"))}]
    assert tuning.missing_runtimes(manifests) == ["tea_leaves"]


@pytest.mark.parametrize(
    "damage",
    [
        None,
        3,
        {},
        {"batch_size": 2},
        {"runtime": "a", "batch_size": 0, "trials": []},
        {"runtime": "\x1b[31m", "batch_size": 1, "trials": []},
        {"runtime": "a", "batch_size": 1, "trials": [{}]},
        {"runtime": "a", "batch_size": 1, "trials": [asdict(tuning.Trial("a", 1, "fast"))]},
    ],
)
def test_a_damaged_tuning_is_said(onnx_path, damage):
    write_manifest(onnx_path, tuning=damage)
    with pytest.raises(NetworkError, match="cannot read the manifest"):
        open_evaluator(onnx_path)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400])
def test_numbers_that_no_page_can_show_are_no_manifest(number):
    manifest = Manifest("a", "b", 1, 1, 1, "3", {}, 8, 0.5, 0.0, "none").to_json()
    trials = [{"runtime": "openvino", "batch_size": 4, "evaluations_per_second": number}]
    for wrong in (
        {"ms_per_evaluation": number}, {"max_difference": number},
        {"tuning": {"runtime": "openvino", "batch_size": 4, "trials": trials}},
    ):
        with pytest.raises(IntakeError):
            Manifest.from_json({**manifest, **wrong})


def test_a_manifest_keeps_its_tuning(tmp_path):
    tuned = Tuning("openvino", 4, (tuning.Trial("openvino", 4, 1234.5),))
    manifest = Manifest("a", "b", 1, 1, 1, "3", {}, 8, 0.5, 0.0, "none", tuned)
    manifest.write(tmp_path / "new.json")
    assert Manifest.read(tmp_path / "new.json") == manifest
    old = manifest.to_json()
    del old["tuning"], old["left_out"]
    assert Manifest.from_json(old).tuning == Tuning()
    for wrong in ({**old, "more": 1}, {**old, "tuning": {}}):
        with pytest.raises(IntakeError, match="tuning"):
            Manifest.from_json(wrong)
