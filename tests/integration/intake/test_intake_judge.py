"""A whole judgement: gates, artefact, manifest and report, and networks for a match."""

import hashlib
import json
import os
import re
import shutil
from dataclasses import asdict

import h5py
import numpy as np
import pytest

from tests.data import ROOT
from tests.fake_arena import tiny_network
from tests.integration.intake import parity
from tests.integration.intake.hostile import reason, refused_by_the_gates
from tournament.commands.verdict import print_verdict
from tournament.errors import NetworkError, OptionsError
from tournament.intake import IntakeError, JudgeOptions, Manifest, child, judge
from tournament.intake.artefact import open_network, place_artefact
from tournament.networks.evaluator import open_evaluator
from tournament.networks.runtimes import installed_runtimes
from tournament.networks.tuning import Tuning

pytestmark = pytest.mark.usefixtures("forked_children")


@pytest.fixture(scope="module")
def accepted(keras_files, tmp_path_factory):
    """The verdict on the resnet, artefact and manifest included."""
    return judge(keras_files / "resnet.h5", work_dir=tmp_path_factory.mktemp("artefacts"))


def test_an_accepted_file_becomes_artefact_and_manifest(keras_files, accepted):
    assert accepted.accepted and accepted.faults == ()
    manifest = accepted.manifest
    assert manifest.sha256 == hashlib.sha256((keras_files / "resnet.h5").read_bytes()).hexdigest()
    assert accepted.onnx_path.name == f"{manifest.sha256}.onnx"
    assert manifest.onnx_sha256 == hashlib.sha256(accepted.onnx_path.read_bytes()).hexdigest()
    assert Manifest.read(accepted.onnx_path.with_suffix(".json")) == manifest
    assert manifest.parameters_total == np.load(keras_files / "resnet.npz")["parameters"]
    assert manifest.parameters_total - manifest.parameters_trainable == 2 * (4 * 8 + 24)
    assert manifest.layers["Conv2D"] == 6
    assert 0 < manifest.ms_per_evaluation < 100 and manifest.max_difference <= 1e-4
    assert "rlimits" in manifest.sandbox
    assert {p.name for p in accepted.onnx_path.parent.iterdir()} == {
        f"{manifest.sha256}.onnx", f"{manifest.sha256}.json"
    }


def test_heads_of_training_alone_are_left_out(keras_files, tmp_path, capsys):
    verdict = judge(keras_files / "auxiliary.h5", work_dir=tmp_path)
    left_out = (
        "the outputs 'ownership', 'score', with 6 layers and 699 parameters that only they need"
    )
    assert verdict.accepted and verdict.manifest.left_out == left_out
    assert "Floor" not in verdict.manifest.layers and "Dense" in verdict.manifest.layers
    print_verdict(keras_files / "auxiliary.h5", verdict)
    assert f"left out     {left_out}" in capsys.readouterr().out
    total = verdict.manifest.parameters_total
    options = JudgeOptions(max_params=total)
    assert judge(keras_files / "auxiliary.h5", work_dir=tmp_path, options=options).accepted


@pytest.mark.slow
def test_an_accepted_file_is_tuned_inside_the_sandbox(keras_files, tmp_path, accepted):
    options = JudgeOptions(tune_seconds=0.2)
    verdict = judge(keras_files / "resnet.h5", work_dir=tmp_path, options=options)
    tuning = Manifest.read(verdict.onnx_path.with_suffix(".json")).tuning
    assert {trial.runtime for trial in tuning.trials} == set(installed_runtimes())
    assert tuning.evaluations_per_second > 0
    assert verdict.onnx_path.read_bytes() == accepted.onnx_path.read_bytes()
    assert open_evaluator(verdict.onnx_path).batch_size == tuning.batch_size


def test_a_network_that_cannot_be_tuned_keeps_the_defaults(keras_files, tmp_path, monkeypatch):
    run = child.run

    def run_badly(module, function, *request, **options):
        if function == "try_runtimes":
            module, function = "tests.sandbox_probe", "no_such_function"
        return run(module, function, *request, **options)

    monkeypatch.setattr(child, "run", run_badly)
    options = JudgeOptions(tune_seconds=0.2)
    verdict = judge(keras_files / "resnet.h5", work_dir=tmp_path, options=options)
    assert verdict.accepted and verdict.manifest.tuning == Tuning()


def test_what_a_child_says_is_not_trusted(accepted):
    values = accepted.manifest.to_json()
    odd = {**values, "keras_version": "\x1b[2J", "layers": {"\u202e": 1}}
    manifest = Manifest.from_json(odd)
    assert (manifest.keras_version, manifest.layers) == (r"\x1b[2J", {r"\u202e": 1})
    for name, wrong in (("flops", "many"), ("layers", {"ReLU": "x"}), ("ms_per_evaluation", None)):
        with pytest.raises(IntakeError, match=name):
            Manifest.from_json({**values, name: wrong})


def test_nothing_of_the_author_is_in_the_artefact(accepted):
    names = set(re.findall(rb"[A-Za-z_]\w{3,}", accepted.onnx_path.read_bytes()))
    assert not [name for name in names if name in (b"board", b"conv2d", b"batch_normalization")]
    parity.check(accepted.onnx_path.read_bytes())


def test_the_artefact_answers_in_any_batch(keras_files, tmp_path):
    keras = np.load(keras_files / "resnet.npz")
    unrounded = JudgeOptions(round_numbers=False)
    verdict = judge(keras_files / "resnet.h5", work_dir=tmp_path, options=unrounded)
    evaluator = open_evaluator(verdict.onnx_path, batch_size=4)
    assert evaluator.planes.shape == (4, 19, 19, 31)
    evaluator.planes[:3] = keras["planes"]
    for size in (1, 2, 3):
        policy, value_white = evaluator.evaluate(evaluator.planes[:size])
        assert policy.dtype == value_white.dtype == np.float32
        np.testing.assert_allclose(policy, keras["policy"][:size], atol=1e-5)
        np.testing.assert_allclose(value_white, keras["value"][:size, 0], atol=1e-5)


def test_a_wrong_network_leaves_nothing_and_a_missing_artefact_is_said(keras_files, tmp_path):
    verdict = judge(keras_files / "logits.h5", work_dir=tmp_path / "work")
    assert verdict.manifest is None and verdict.onnx_path is None
    assert "not a distribution" in reason(verdict) and not (tmp_path / "work").exists()
    with pytest.raises(NetworkError, match="cannot read the artefact"):
        open_evaluator(tmp_path / "none.onnx")


def test_all_faults_are_named_at_once(keras_files, tmp_path):
    path = tmp_path / "net.h5"
    shutil.copy(keras_files / "operators.h5", path)
    with h5py.File(path, "r+") as file:
        config = file.attrs["model_config"]
        file.attrs["model_config"] = config.replace('"Relu"', '"Cumsum"').replace(
            '"Multiply"', '"Floor"'
        )
    faults = judge(path, work_dir=tmp_path / "work").faults
    assert [fault.text.split("(")[1].split(")")[0] for fault in faults] == ["Cumsum", "Floor"]


@pytest.mark.slow
def test_layers_of_further_outputs_are_not_counted_beside_another_fault(tmp_path):
    path = ROOT / "data" / "restnet_ownership" / "best_with_heads.h5"
    options = JudgeOptions(max_params=85_433, planes_shape=(19, 19, 21))
    [fault] = judge(path, work_dir=tmp_path, options=options).faults
    assert "parameters" not in fault.text


def test_a_large_file_over_the_budget_is_told_of_its_optimizer_too(keras_files, tmp_path):
    options = JudgeOptions(max_bytes=1000, max_params=1000)
    faults = judge(keras_files / "compiled.h5", work_dir=tmp_path, options=options).faults
    assert ["optimizer" in fault.remedy for fault in faults] == [True, False]
    assert "further outputs need do not count" in faults[1].remedy


def test_the_budget_may_count_otherwise(keras_files, tmp_path):
    path = keras_files / "over_budget.h5"
    options = JudgeOptions(max_params=148_600, count="trainable")
    assert judge(path, work_dir=tmp_path, options=options).accepted
    assert parity.read(parity.open_file(path)).parameters_total == 148_981
    [fault] = refused_by_the_gates(path, max_params=148_600)
    assert "are trainable" in fault.remedy and "--count trainable" in fault.remedy
    [fault] = refused_by_the_gates(path, max_params=148_980)
    assert "1 over the budget" in fault.text
    [fault] = refused_by_the_gates(path)
    assert "trainable" not in fault.remedy  # these are too many as well


@pytest.mark.parametrize(
    ("options", "words"),
    [
        *(
            (options, next(iter(options)).replace("_", "."))
            for options in (
                {"count": "most"}, {"max_bytes": 0}, {"batch_size": -1}, {"tune_seconds": 4},
                {"seed": -1}, {"seed": 1 << 48},
            )
        ),
        *(
            ({"planes_shape": shape, "policy_size": moves}, "planes_shape")
            for shape, moves in (
                ((1, 1, 31), 1), ((20, 20, 31), 400), ((9, 7, 31), 63), ((9, 9), 81),
                ((9, 9, 0), 81),
            )
        ),
        ({"planes_shape": (9, 9, 18)}, "policy_size must be 81, or 82 with a pass, not 361"),
    ],
)
def test_options_out_of_range_are_refused(options, words):
    with pytest.raises(OptionsError, match=words):
        JudgeOptions(**options)


def test_options_come_back_from_json():
    for options in (JudgeOptions(), JudgeOptions(planes_shape=(5, 5, 18), policy_size=26)):
        assert JudgeOptions(**json.loads(json.dumps(asdict(options)))) == options


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_a_file_that_may_not_be_read_is_refused(tmp_path):
    path = tmp_path / "net.h5"
    path.touch(mode=0o000)
    assert "Permission denied" in reason(judge(path, work_dir=tmp_path / "work"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["resnet", "over_budget"])
def test_a_network_is_baked_once_whatever_its_size(keras_files, tmp_path, name):
    artefact = place_artefact(keras_files / f"{name}.h5", tmp_path, tune_seconds=0)
    evaluator = open_evaluator(artefact.path, batch_size=1)
    assert evaluator.evaluate(evaluator.planes)[0].shape == (1, 361)
    written = artefact.path.stat().st_mtime_ns
    assert place_artefact(keras_files / f"{name}.h5", tmp_path, tune_seconds=0) == artefact
    assert artefact.path.stat().st_mtime_ns == written


def test_an_artefact_is_known_by_the_file_that_it_was_made_of_or_by_itself(keras_files, tmp_path):
    network = keras_files / "resnet.h5"
    artefact = place_artefact(network, tmp_path, tune_seconds=0)
    expected = hashlib.sha256(network.read_bytes()).hexdigest()
    for path in (network, artefact.path):
        assert open_network(path, is_timed=False).sha256 == expected
    other = tmp_path / "other.onnx"
    other.write_bytes(tiny_network(1))
    expected = hashlib.sha256(other.read_bytes()).hexdigest()
    assert open_network(other, is_timed=False).sha256 == expected
    other.with_suffix(".json").write_bytes(artefact.path.with_suffix(".json").read_bytes())
    assert open_network(other, is_timed=False).sha256 == expected


def test_a_network_is_called_as_its_run_or_its_file(keras_files, tmp_path):
    run = tmp_path / "mine"
    run.mkdir()
    (run / "best.h5").write_bytes((keras_files / "resnet.h5").read_bytes())
    assert open_network(run / "best.h5", is_timed=False).name == "mine"
    (run / "net.v2.onnx").write_bytes(tiny_network(1))
    assert open_network(run / "net.v2.onnx", is_timed=False).name == "net.v2"


def test_the_budget_is_all_that_does_not_count(keras_files, tmp_path):
    assert not judge(keras_files / "over_budget.h5", work_dir=tmp_path / "judged").accepted
    with pytest.raises(NetworkError, match=r"logits\.h5: .*: "):
        place_artefact(keras_files / "logits.h5", tmp_path, tune_seconds=0)
    assert not list(tmp_path.glob("*.onnx"))
