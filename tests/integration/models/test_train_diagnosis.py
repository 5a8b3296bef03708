"""What a training says of itself: runs in which something is wrong, and a run that is well."""

import csv
import sys
from itertools import islice

import pytest

import train
from golois.records.packed_file import GameFile
from golois.records.packing import write_games
from models.training import reporter
from models.training.diagnosis import WHAT_WORKS
from models.training.forecast import CURVES, expected
from tests.data import EMBEDDED_GAMES, ROOT

TINY = [
    *("--model", "resnet", "--set", "blocks=1", "--set", "filters=8"),
    *("--batch-size", "16", "--validation-positions", "64"),
    *("--optimizer", "adam", "--warmup-epochs", "0", "--value-weight", "4"),
]

pytestmark = pytest.mark.usefixtures("without_curves")


@pytest.fixture
def said(capsys, tmp_path):
    """Train, and return what was printed."""

    def said(*options: str) -> str:
        assert train.main([*TINY, *options, "--out", str(tmp_path / "run")]) == 0
        return capsys.readouterr().out

    return said


@pytest.mark.slow
def test_a_healthy_run_is_told_without_a_note(said, monkeypatch):
    monkeypatch.setattr(reporter, "SPEED_SECONDS", 0.0)
    text = said("--epochs", "1", "--steps-per-epoch", "150", "--lr", "0.005")
    assert "note:" not in text
    assert "resnet of 8,343 parameters (budget 100,000), 8,209 trainable\n" in text
    assert "  stem " in text and " ms an evaluation here; into " in text
    assert "positions to train on: the run takes 2,400, each about 0.0043 times" in text
    assert "for the whole run" in text and "expected" not in text, "so small a network is not known"
    assert "to hand it in: python submit.py " in text


@pytest.mark.slow
@pytest.mark.usefixtures("without_graphs")
def test_a_value_head_that_has_learned_nothing_is_told(said):
    slow = ("--epochs", "1", "--steps-per-epoch", "2", "--lr", "1e-5")
    text = said(*slow, "--set", "perspective=white")
    assert "note: the value head has learned nothing yet" in text
    assert f"--set perspective=mover ({WHAT_WORKS}, 5)" in text


@pytest.mark.slow
@pytest.mark.usefixtures("without_graphs")
def test_a_rate_that_is_too_high_is_told(said):
    text = said("--epochs", "1", "--steps-per-epoch", "20", "--optimizer", "sgd", "--lr", "30")
    assert "note: the network is worse than chance: the learning rate is too high" in text
    assert "try next: a lower learning rate, such as --lr 3\n" in text


@pytest.mark.slow
def test_over_fitting_is_told(said, tmp_path):
    write_games(islice(GameFile.open(EMBEDDED_GAMES), 6), tmp_path / "few.games")
    text = said(
        *("--data", str(tmp_path / "few.games"), "--validation-fraction", "0.4"),
        *("--epochs", "9", "--steps-per-epoch", "60", "--lr", "0.02", "--symmetry", "none"),
        *("--set", "filters=24"),
    )
    assert "note: over-fitting: the held-out loss is " in text
    assert f"try next: more games: --data FILE, or a teacher's labels ({WHAT_WORKS}, 9)" in text


@pytest.mark.slow
@pytest.mark.usefixtures("without_graphs")
def test_a_run_beside_it_with_the_same_games_is_named(said, capsys, tmp_path):
    said("--epochs", "1", "--steps-per-epoch", "2")
    again = [*TINY, "--epochs", "1", "--steps-per-epoch", "2", "--out", str(tmp_path / "other")]
    assert train.main(again) == 0
    assert "your last run, run, after 32 positions: accuracy " in capsys.readouterr().out


SHORT = ("--epochs", "1", "--steps-per-epoch", "2")


@pytest.mark.usefixtures("without_graphs")
def test_a_run_in_a_folder_of_runs_brings_their_page_up_to_date(tmp_path, capsys):
    runs = tmp_path / "runs"
    assert train.main([*TINY, *SHORT, "--out", str(runs / "one")]) == 0
    assert f"all runs beside each other: {runs / 'index.html'}" in capsys.readouterr().out
    page = (runs / "index.html").read_text()
    assert "<h2>one</h2>" in page and (runs / "curves.png").is_file()
    (runs / "one" / "config.json").write_text("{")
    assert train.main([*TINY, *SHORT, "--out", str(runs / "two")]) == 0
    assert "the page of all runs stays as it was: " in capsys.readouterr().out
    assert (runs / "index.html").read_text() == page


def test_tensorboard_without_its_package_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    assert train.main([*TINY, "--tensorboard", "--out", str(tmp_path / "run")]) == 2
    assert "--tensorboard needs another package: pip install tensorboard" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("without_graphs")
def test_tensorboard_gets_training_and_held_out_measures(said, tmp_path):
    pytest.importorskip("tensorboard")
    said(*SHORT, "--tensorboard")
    for part in ("train", "validation"):
        (events,) = (tmp_path / "run" / "tensorboard" / part).iterdir()
        assert b"epoch_policy_accuracy" in events.read_bytes()


def test_what_is_expected_holds_for_the_trainings_that_it_is_from():
    with CURVES.open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        assert (ROOT / row["origin"]).exists()
        found = expected(row["family"], int(row["positions"]))
        gap = abs(found.accuracy - float(row["accuracy"]))
        assert gap <= 1.3 * found.accuracy_halfwidth, row
    few, many = (expected("mobilenet", positions) for positions in (50_000, 5_000_000))
    assert few.accuracy < many.accuracy and few.value_mse > many.value_mse
    assert expected("mobilenet", 10) is None
    assert not expected("vit", 100_000).is_of_family
