"""selfplay.py as a whole: it goes on after a kill with the same bytes, and stops cleanly."""

import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import keras
import numpy as np
import pytest

from golois.kit.signals import Stopped
from selfplay import command as selfplay_command
from selfplay import loop as selfplay_loop
from selfplay.command import changed_versions, main, versions
from selfplay.journal import read_journal
from selfplay.learner import Learner
from selfplay.options import Options
from tests.data import ROOT
from tournament.matches import match as selfplay_match

TINY = {
    "size": 3,
    "simulations": 4,
    "games-per-iteration": 24,
    "games-per-shard": 8,
    "parallel": 8,
    "batch-size": 16,
    "steps-per-iteration": 4,
    "measure-positions": 20,
    "gate-games": 2,
    "gate-simulations": 2,
    "iterations": 2,
    "runtime": "onnxruntime",  # which opens a network much faster
}
OF_TINY = [f"--{name}={value}" for name, value in TINY.items()]
OF_TINY += ["--set=blocks=1", "--set=filters=4"]
UNMEASURED = "--measure-positions=0"
TIMED = ("in_network", "seconds_playing", "seconds_training", "seconds")
# Graphs take longer to make than such a network to train, and so do curves: drawn at the end only.
WITHOUT_GRAPHS = """
import runpy, sys, tensorflow
from selfplay import loop
loop.SECONDS_BETWEEN_CURVES = float("inf")
tensorflow.config.run_functions_eagerly(True)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
KILLED_AT = """
import os, signal, sys
target, when, *sys.argv[1:] = sys.argv[1:]
replace = os.replace
def replace_or_die(beside, path):
    if str(path).endswith(target) and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    replace(beside, path)
    if str(path).endswith(target):
        os.kill(os.getpid(), signal.SIGKILL)
os.replace = replace_or_die
""" + WITHOUT_GRAPHS
ONE_THREAD = {
    **os.environ,
    "PYTHONPATH": str(ROOT),
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}


def command(folder: Path, *arguments: str) -> list[str]:
    is_begun = (folder / "config.json").exists()
    given = ["--resume", str(folder)] if is_begun else ["--out", str(folder), *OF_TINY]
    return [str(ROOT / "selfplay.py"), *given, *arguments]


def run_through(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_GRAPHS, *command(folder, *arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=ONE_THREAD,
    )


def files_of(folder: Path) -> dict[str, bytes]:
    """What does not depend on the time that it took."""
    kinds = (".h5", ".onnx", ".games", ".npz")
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*")}
    found = {name: path.read_bytes() for name, path in files.items() if path.suffix in kinds}
    found |= {name: path.read_bytes() for name, path in files.items() if "gate/" in name}
    rows = read_journal(folder / "journal.csv")
    kept = [[value for name, value in row.items() if name not in TIMED] for row in rows]
    return found | {"journal": repr(kept).encode()}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory, without_graphs):
    """The folder of a run in this process, and what it has said."""
    folder, said = tmp_path_factory.mktemp("runs") / "whole", StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said):
        patch.setattr(selfplay_loop, "SECONDS_BETWEEN_CURVES", float("inf"))
        patch.setattr(sys, "argv", command(folder, "--workers=1"))
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(sys.argv[0], run_name="__main__")
    assert ended.value.code == 0
    return folder, said.getvalue()


@pytest.fixture(scope="module")
def files_of_a_process(tmp_path_factory) -> dict[str, bytes]:
    """What a run in a process of its own leaves."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    found = run_through(folder)
    assert found.returncode == 0, found.stderr
    return files_of(folder)


def kill_at(folder: Path, target: str, when: str) -> None:
    """Start or resume a run that kills itself before or after it puts a file in its place."""
    arguments = command(folder, "--workers", "1")
    process = subprocess.run(
        [sys.executable, "-c", KILLED_AT, target, when, *arguments],
        cwd=ROOT,
        env=ONE_THREAD,
        capture_output=True,
    )
    assert process.returncode == -signal.SIGKILL, process.stderr


def signal_amid_games(folder: Path, number: signal.Signals) -> int:
    """Start or resume a run and send it a signal when its first new shard is there."""
    before = set(folder.rglob("*.games"))
    process = subprocess.Popen(
        [sys.executable, "-c", WITHOUT_GRAPHS, *command(folder, "--workers", "1")],
        cwd=ROOT,
        env=ONE_THREAD,
        stdout=subprocess.DEVNULL,
    )
    while set(folder.rglob("*.games")) == before:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(number)
    return process.wait()


def test_a_run_leaves_games_networks_journal_and_curves(uninterrupted, capsys):
    folder, text = uninterrupted
    assert {path.name for path in folder.iterdir()} == {
        "config.json", "checkpoint.npz", "journal.csv", "curves.png", "oracle.json",
        "page.html", "games.sgf", "games", "nets", "gate",
    }  # fmt: skip
    assert [row["iteration"] for row in read_journal(folder / "journal.csv")] == [0, 1, 2]
    assert "iteration 2, 48 games" in text and "of the wins" in text
    assert "\x1b" not in text
    assert json.loads((folder / "config.json").read_text())["options"]["size"] == 3
    assert main(["measure", str(folder), "--games", "2"], "") == 0
    measured = capsys.readouterr().out
    assert "0, untrained" in measured and "against the untrained network, 4 simulations" in measured
    assert main(["measure", str(folder), "--games", "2"], "") == 0
    assert capsys.readouterr().out == measured
    more = ["--games", "2", "--against", "random", "--opening-moves", "0", "--after", "B2"]
    assert main(["measure", str(folder), *more], "") == 0
    measured = capsys.readouterr().out
    assert "against random, 4 simulations a move: " in measured
    assert " after B2: first moves of 20 searches: " in measured
    assert len((folder / "measured.csv").read_text().splitlines()) == 4
    names = sorted(path.name.split("-")[1] for path in (folder / "matches").glob("*.csv"))
    assert names == ["random", "untrained"]
    (folder / "measured.csv").unlink()
    shutil.rmtree(folder / "matches")


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_bytes(files_of_a_process, tmp_path):
    folder = tmp_path / "killed"
    kill_at(folder, "nets/0000.h5", "after")
    assert signal_amid_games(folder, signal.SIGKILL) == -signal.SIGKILL
    kill_at(folder, "checkpoint.npz", "after")
    assert run_through(folder).returncode == 0
    assert files_of(folder) == files_of_a_process


@pytest.mark.slow
def test_a_run_killed_at_each_of_its_files_goes_on_to_the_same_bytes(files_of_a_process, tmp_path):
    folder = tmp_path / "killed"
    for name in ("oracle.json", "nets/0000.h5", "nets/0000.json", "nets/0000.onnx", "journal.csv"):
        kill_at(folder, name, "before")
    for name in ("checkpoint.npz", "nets/0001.h5", "nets/0001.onnx", "gate/0001.json"):
        kill_at(folder, name, "before")
        kill_at(folder, name, "after")
    kill_at(folder, "journal.csv", "before")
    assert signal_amid_games(folder, signal.SIGTERM) == 143
    assert signal_amid_games(folder, signal.SIGINT) == 130
    assert run_through(folder).returncode == 0
    assert files_of(folder) == files_of_a_process


def stopped(*_: object) -> None:
    signal.raise_signal(signal.SIGINT)
    raise Stopped


@pytest.mark.slow
def test_a_run_that_is_stopped_says_how_it_goes_on(uninterrupted, tmp_path, capsys, monkeypatch):
    """With what --resume was given; a new run keeps its lengths itself."""
    folder = tmp_path / "of a run"
    folder.mkdir()
    shutil.copy(uninterrupted[0] / "config.json", folder)
    monkeypatch.setattr(selfplay_loop.Loop, "run", stopped)
    monkeypatch.setattr(selfplay_command, "open_engine", lambda *_: lambda wanted: None)
    resumed = ["--resume", str(folder)]
    for options in (
        "",
        "--minutes 80.0 --workers 1",
        "--iterations 9 --patience 3 --address auto",
    ):
        assert main([*resumed, *options.split()], "") == 130
        line = capsys.readouterr().out.splitlines()[-1]
        expected = f"python selfplay.py --resume '{folder}' {options}".strip()
        assert line == f"stopped by SIGINT; continue with: {expected}"
    new = tmp_path / "run"
    assert main([*OF_TINY, "--address", "head:6379", "--out", str(new)], "") == 130
    shown = capsys.readouterr().out
    assert shown.endswith(f": python selfplay.py --resume {new} --address head:6379\n")


@pytest.mark.usefixtures("without_curves")
def test_a_finished_run_has_a_league_which_is_played_once(
    uninterrupted, tmp_path, capsys, monkeypatch
):
    folder = tmp_path / "run"
    shutil.copytree(uninterrupted[0], folder)
    before = files_of(folder)
    assert main(["--resume", str(folder)], "") == 0
    assert "finished; the network that plays is" in capsys.readouterr().out
    assert files_of(folder) == before
    arguments = ["league", str(folder), "--every", "1", "--games", "4", "--simulations", "2"]
    assert main(arguments, "") == 0
    shown = capsys.readouterr().out
    assert "0, the first" in shown and "the best by the league is" in shown
    rows = (folder / "league.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows] == ["iteration", "0", "1", "2"]
    assert rows[1].startswith("0,0.0,0.0,8,")
    assert len(list((folder / "league").glob("*.json"))) == 3
    page = (folder / "page.html").read_text()
    assert page.count("network 2 against network 1, ") == 2
    assert page.count("against itself, ") == 24
    monkeypatch.setattr(selfplay_match, "play_out", None)  # all games are there
    assert main(arguments, "") == 0
    assert capsys.readouterr().out == shown


def begin(folder: Path, *arguments: str) -> int:
    """Run an iteration of two games; return the exit code."""
    given = ["--set=blocks=1", "--set=filters=4", "--parallel=8", "--batch-size=16", "--size=4"]
    given += ["--simulations=2", "--steps-per-iteration=1", "--workers=1", "--iterations=1"]
    given += ["--games-per-iteration=2", "--games-per-shard=2", f"--out={folder}"]
    given += ["--runtime=onnxruntime"]
    return main([*given, *arguments], "")


def weights_of(path: Path) -> dict[str, list[np.ndarray]]:
    return {layer.name: layer.get_weights() for layer in keras.saving.load_model(path).layers}


@pytest.mark.usefixtures("without_graphs", "without_curves")
def test_games_of_go_say_by_how_much_they_were_won(tmp_path, capsys):
    assert begin(tmp_path / "run", "--game=go", "--size=3", "--komis=2.5,3.5") == 0
    capsys.readouterr()
    match = ["--games", "2", "--against", "random", "--opening-moves", "0"]
    assert main(["measure", str(tmp_path / "run"), *match], "") == 0
    measured = capsys.readouterr().out
    for games in ("2 games of iteration 1", "2 games of the match"):
        assert f"{games} were played out: on average Black has " in measured
    assert re.search(r"Black wins with [\d.]+% at komi 2.5, [\d.]+% at komi 3.5", measured)


def test_it_says_how_to_begin_and_whether_other_versions_have_begun(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([], "") == 2
    error = capsys.readouterr().err
    assert "to begin: python selfplay.py --preset nogo4" in error and error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
    now = versions("onnxruntime")
    assert set(now) == {"python", "keras", "onnxruntime"}
    assert not changed_versions(now, now)
    assert "begun with keras 3.0, now " in changed_versions({**now, "keras": "3.0"}, now)


@pytest.mark.slow
@pytest.mark.usefixtures("without_graphs", "without_curves")
def test_a_run_begins_with_a_network_for_a_smaller_board(
    uninterrupted, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(selfplay_loop.Loop, "_iterate", stopped)  # its first network is there
    smaller = uninterrupted[0] / "nets" / "0002.h5"
    larger, alike = (tmp_path / name / "nets" / "0000.h5" for name in ("larger", "alike"))
    assert begin(tmp_path / "larger", "--init-from", str(smaller), UNMEASURED) == 130
    assert "taken from a network for another board" in capsys.readouterr().out
    ours, theirs = weights_of(larger).values(), weights_of(smaller).values()
    for own, other in zip(ours, theirs, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(own, other, strict=True))
    assert begin(tmp_path / "alike", "--init-from", str(larger), UNMEASURED) == 130
    assert "the outputs are the same" in capsys.readouterr().out
    config = json.loads((tmp_path / "alike" / "config.json").read_text())
    learner = Learner(Options(**config["options"]))
    learner.begin_again_from(alike)  # as a run does that was killed before its first checkpoint
    expected = keras.saving.load_model(larger).get_weights()
    for own, other in zip(learner.network.get_weights(), expected, strict=True):
        np.testing.assert_array_equal(own, other)


def test_a_network_that_does_not_fit_begins_no_run(uninterrupted, tmp_path, capsys):
    smaller = str(uninterrupted[0] / "nets" / "0002.h5")
    sequential = str(tmp_path / "sequential.h5")
    layers = [keras.Input((4, 4, 21)), keras.layers.Flatten(), keras.layers.Dense(16)]
    keras.Sequential(layers).save(sequential)
    for arguments, words in (
        (["--init-from", "nowhere.h5"], "there is no file nowhere.h5: give --init-from a network"),
        (["--init-from", smaller, "--game", "hex"], "must be a network of 4 planes"),
        (["--init-from", sequential], "policy, value, not of 21 with its only one"),
        (["--init-from", smaller, "--model", "nogozero"], "same layers"),
    ):
        given = ["--set=blocks=1", "--size", "4", "--iterations", "1", *arguments]
        assert main([*given, "--out", str(tmp_path / "run")], "") == 2
        assert words in capsys.readouterr().err and not (tmp_path / "run" / "config.json").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("without_graphs", "without_curves")
def test_the_last_line_names_the_network_that_plays(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(selfplay_loop.Score, "winrate", property(lambda self: 0.0))  # all discarded
    given = [*OF_TINY, "--workers", "1", "--steps-per-iteration", "0", "--reuse", "1"]
    given += [UNMEASURED, "--games-per-iteration", "8"]
    assert main([*given, "--out", str(tmp_path / "run")], "") == 0
    assert capsys.readouterr().out.endswith(f"that plays is {tmp_path}/run/nets/0000.h5\n")
    rows = read_journal(tmp_path / "run" / "journal.csv")[1:]
    learned = [int(row["positions"]) // TINY["batch-size"] for row in rows]
    assert [row["steps"] for row in rows] == learned  # what was discarded is learned again
    # A run that measured nothing can be asked later.
    assert main(["measure", str(tmp_path / "run"), "--against", "nobody"], "") == 2
    output, error = capsys.readouterr()
    assert not output and "a player must be one of random, " in error
    assert main(["measure", str(tmp_path / "run"), "--games", "0"], "") == 0
    assert "won positions of NoGo 3×3" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("without_graphs")
def test_a_run_learns_to_beat_a_victim(uninterrupted, tmp_path, capsys):
    victim = uninterrupted[0] / "nets" / "0002.h5"
    folder = tmp_path / "adversary"
    given = [*OF_TINY, "--iterations", "1", "--workers", "1", "--victim", str(victim)]
    assert main([*given, "--out", str(folder)], "") == 0
    assert "beats the victim in" in capsys.readouterr().out
    rows = read_journal(folder / "journal.csv")
    assert 0 <= rows[1]["beaten"] <= 1
    against = ["--against", f"net:{folder / 'victim.onnx'}", "--games", "2"]
    assert main(["measure", str(folder), *against], "") == 0
    assert "against net:" in capsys.readouterr().out
    assert main([*given[:-1], "nowhere.h5", "--out", str(tmp_path / "none")], "") == 2
    assert "there is no file nowhere.h5" in capsys.readouterr().err
    others = ["--planes", "zero", "--out", str(tmp_path / "none")]
    assert main([*given, *others], "") == 2
    error = capsys.readouterr().err
    assert "reads 21 planes; the game gives 18" in error and str(victim) in error
    assert not list((tmp_path / "none").iterdir())
