"""Networks for a match: through the intake, but without a league's budget."""

import hashlib

import pytest

from tests.fake_arena import tiny_network
from tournament.errors import NetworkError
from tournament.intake import judge
from tournament.intake.artefact import open_network, place_artefact
from tournament.networks.evaluator import open_evaluator


@pytest.mark.parametrize("name", ["resnet", "over_budget"])
def test_a_network_is_baked_once_whatever_its_size(keras_files, tmp_path, name):
    artefact = place_artefact(keras_files / f"{name}.h5", tmp_path, tune_seconds=0)
    evaluator = open_evaluator(artefact.path, batch_size=1)
    assert evaluator.evaluate(evaluator.planes)[0].shape == (1, 361)
    written = artefact.path.stat().st_mtime_ns
    assert place_artefact(keras_files / f"{name}.h5", tmp_path, tune_seconds=0) == artefact
    assert artefact.path.stat().st_mtime_ns == written


def test_an_artefact_is_known_by_the_file_that_it_was_made_of(keras_files, tmp_path):
    network = keras_files / "resnet.h5"
    artefact = place_artefact(network, tmp_path, tune_seconds=0)
    expected = hashlib.sha256(network.read_bytes()).hexdigest()
    for path in (network, artefact.path):
        assert open_network(path, is_timed=False).sha256 == expected


def test_an_artefact_without_a_manifest_of_its_own_is_known_by_itself(keras_files, tmp_path):
    made = place_artefact(keras_files / "resnet.h5", tmp_path, tune_seconds=0)
    other = tmp_path / "other.onnx"
    other.write_bytes(tiny_network(1))
    expected = hashlib.sha256(other.read_bytes()).hexdigest()
    assert open_network(other, is_timed=False).sha256 == expected
    other.with_suffix(".json").write_bytes(made.path.with_suffix(".json").read_bytes())
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
