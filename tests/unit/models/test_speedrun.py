"""The race: a trainer and an intake that take no time, and real networks measured anew."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from golois.kit.command import UsageError
from golois.kit.console import Console
from models.__main__ import main
from models.catalogue.registry import build
from models.sweeps import runs, speedrun
from models.sweeps.runs import Children, only_sweep_of
from models.sweeps.speedrun import ENTRIES, GOAL, Goal, evaluated, race, table
from models.training.games import held_out_batches, open_games
from models.training.losses import compile_for_training
from models.training.options import Options
from models.training.steps import evaluate, save_network
from models.training.unpacking import PackedInput
from tests.data import ROOT

TINY = 'model = "resnet"\nset = { blocks = 1, filters = 4 }\n'
SECOND_CHECK = Goal(accuracy=0.375, value_mse=0.08, positions=2048)
"""What the best network of the fake trainer has after its second check of three."""


@pytest.fixture
def entry(tmp_path) -> Path:
    path = tmp_path / "entries" / "tiny.toml"
    path.parent.mkdir()
    path.write_text(TINY)
    return path


@pytest.fixture
def fake_kit(monkeypatch):
    monkeypatch.setattr(runs, "KIT", ROOT / "tests" / "fake_kit")
    monkeypatch.setattr(speedrun, "evaluated", lambda *_: (0.3748, 0.0802))


def raced(entry: Path, goal: Goal = SECOND_CHECK) -> int:
    console = Console(highlight=False, soft_wrap=True)
    return race(entry, 2, entry.parents[1] / "runs", console, goal)


def test_a_race_ends_at_the_check_that_reaches_the_goal(entry, fake_kit, capfd):
    assert raced(entry) == raced(entry) == 0
    said = "tiny-seed2: 37.5% and 0.0800 after 2.0 CPU minutes and 2,000 positions"
    assert capfd.readouterr().out.count(said) == 2
    run = entry.parents[1] / "runs" / "tiny-seed2"
    assert (run / "calls.txt").read_text() == "--out\n", "the second command trains nothing"
    log = entry.with_name("tiny-seed2.csv")
    assert len(log.read_text().splitlines()) == 3
    assert log.with_suffix(".h5").read_bytes() == (run / "best.h5").read_bytes()
    assert "| tiny  |      4,011 |     2 |         2.0 |     2,000 |" in table(entry.parent)


def test_a_training_that_went_on_past_the_goal_is_refused(entry, fake_kit):
    with pytest.raises(UsageError, match="was trained past the goal, and its best.h5 is of a"):
        raced(entry, Goal(0.25, 0.09, 2048))
    assert list(entry.parent.iterdir()) == [entry]


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (Goal(0.5, 0.08, 2048), "the training ended before the goal"),  # not of the best network
        (Goal(0.375, 0.0799, 2048), "the training ended before the goal"),
        (Goal(0.36, 0.08, 2048), ""),
    ],
)
def test_both_numbers_are_needed_and_of_the_best_network(entry, fake_kit, goal, words, capfd):
    assert raced(entry, goal) == bool(words)
    assert words in capfd.readouterr().out
    assert entry.with_name("tiny-seed2.csv").exists() != bool(words)


def test_a_network_whose_file_misses_the_goal_is_not_accepted(entry, fake_kit, monkeypatch, capfd):
    monkeypatch.setattr(speedrun, "evaluated", lambda *_: (0.37, 0.08))
    assert raced(entry) == 1
    assert "tiny-seed2 is not accepted: " in capfd.readouterr().out
    assert list(entry.parent.iterdir()) == [entry]


def test_a_training_is_stopped_at_the_goal(tmp_path):
    looks = iter([False, True])
    with only_sweep_of(tmp_path, pytest.fail) as lock:
        children = Children(lock, SimpleNamespace(signal=None))
        sleeping = [sys.executable, "-c", "import time; time.sleep(600)"]
        code = children.run(sleeping, until=lambda: next(looks), stderr=subprocess.DEVNULL)
    assert code in (1, -signal.SIGINT)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seed = 1", "sets seed, which the rules of the race fix"),
        ('data = "mine.games"', "sets data, which the rules of the race fix"),
        ('model = "best.h5"', "begins with a trained network"),
        ("set = { filters = 99 }", "parameters, and the race allows 100,000"),
        ("set = { filter = 8 }", "mobilenet has no option 'filter'"),
        ("batchsize = 8", "there is no option batchsize (did you mean batch_size?)"),
        ("lr = ", "is not TOML"),
        (None, "No such file"),
    ],
)
def test_bad_entries_are_refused_in_a_sentence(tmp_path, text, words, capsys):
    path = tmp_path / "mine.toml"
    if text is not None:
        path.write_text(text)
    assert main(["speedrun", str(path), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and words in said
    assert not (tmp_path / "out").exists()


def test_a_table_has_means_and_ranges_and_the_fastest_first(entry):
    shutil.copy(entry, entry.with_name("new.toml"))
    shutil.copy(entry, entry.with_name("fast.toml"))
    for name, seconds in (("tiny-seed0", 120), ("tiny-seed1", 240), ("fast-seed0", 60)):
        entry.with_name(f"{name}.csv").write_text(f"seconds,positions\n9,1\n{seconds},64000\n")
    for name in ("tiny-seed-old", "tiny-seed2-half", "tiny[1]-seed0", "tiny-seed3", "1-seed2"):
        entry.with_name(f"{name}.csv").write_text("seconds,positions\n9999,1\n")
    entry.rename(entry.with_name("tiny[1].toml"))
    assert "| tiny[1] |      4,011 |     0 |" in table(entry.parent)
    entry.with_name("tiny[1].toml").rename(entry)
    *_, fast, tiny, new = table(entry.parent).splitlines()
    assert fast.startswith("| fast ") and " 1.0 |" in fast
    assert tiny.startswith("| tiny ") and " 0, 1 | 3.0 (2.0 – 4.0) |" in tiny
    assert new.startswith("| new ")


@pytest.mark.parametrize("text", ["", "seconds\n1\n", "seconds,positions\n1,many\n"])
def test_a_damaged_log_is_said_to_be_so(entry, text, capsys):
    entry.with_name("tiny-seed0.csv").write_text(text)
    assert main(["speedrun", str(entry.parent)]) == 2
    assert "tiny-seed0.csv is damaged" in capsys.readouterr().err


def test_a_folder_without_entries_has_no_table(tmp_path, capsys):
    assert main(["speedrun", str(tmp_path)]) == 2
    assert "has no entry" in capsys.readouterr().err


def test_a_file_is_measured_on_the_positions_of_its_training(tmp_path, without_graphs):
    options = Options(seed=1, validation_positions=96)
    games = open_games(options)
    network = build("resnet", blocks=1, filters=4)
    model = PackedInput(network, {}, "float32", games.has_targets, jit=False)
    compile_for_training(model, **options.of_compilation())
    expected = evaluate(model, held_out_batches(options, games))
    save_network(tmp_path / "net.h5", network)
    accuracy, value_mse = evaluated(tmp_path / "net.h5", 1, 96)
    assert accuracy == pytest.approx(expected["policy_accuracy"])
    assert value_mse == pytest.approx(expected["value_mse"], abs=1e-6)


@pytest.mark.parametrize("log", sorted(ENTRIES.glob("*.csv")), ids=lambda log: log.stem)
def test_logs_of_the_kit_end_at_the_goal(log):
    history = speedrun.read_table(log)
    assert GOAL.checks(history) == len(history)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(ENTRIES.glob("*.h5")), ids=lambda path: path.stem)
def test_networks_of_the_kit_reach_the_goal(path):
    seed = int(path.stem.rpartition("-seed")[2])
    accuracy, value_mse = evaluated(path, seed, GOAL.positions)
    assert accuracy > GOAL.accuracy - 5e-4 and value_mse < GOAL.value_mse + 5e-4
