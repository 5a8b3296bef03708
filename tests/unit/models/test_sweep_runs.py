"""sweep.py with a trainer and an intake that take no time: what is done again, and what is not."""

import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import sweep
from golois.kit.cluster import ENGINES, ClusterError
from models.sweeps import runs as sweep_runs
from models.sweeps.config import Recipe
from models.sweeps.machines import read_files, train_on
from models.sweeps.runs import Children, Run, only_sweep_of
from tests.data import ROOT
from tests.fake_arena import league_of
from tests.fake_ray import FakeMachine
from tournament.game.options import EventOptions

NOT_STOPPED = SimpleNamespace(signal=None)
ITS_OWN_KIT = sweep_runs.KIT
TWO_RUNS = "epochs = 2\n[grid]\nset.blocks = [1, 2]\n"


@pytest.fixture(autouse=True)
def fake_kit(monkeypatch):
    monkeypatch.setattr(sweep_runs, "KIT", ROOT / "tests" / "fake_kit")
    monkeypatch.setattr(sweep, "import_keras_quietly", lambda: None)
    monkeypatch.setattr(sweep, "stages_of", lambda options: [])


@pytest.fixture(autouse=True)
def without_curves(request, monkeypatch):
    """To draw them takes longer than all the rest; only one test looks for them."""
    if request.function is not test_a_sweep_trains_all_and_leaves_table_and_curves:
        monkeypatch.setattr(sweep, "draw_overlay", lambda *_: None)


def swept(folder: Path, text: str = TWO_RUNS, *where: str) -> int:
    folder.mkdir(exist_ok=True)
    (folder / "sweep.toml").write_text(text)
    given = [str(folder / "sweep.toml"), "--out", str(folder / "out"), "--no-league"]
    return sweep.main([*given, *where])


@pytest.mark.parametrize(
    ("limit", "words"),
    [("seconds = 1", ""), ("seconds = 1.0", ""), ("seconds = 2", "have 1.0 seconds"),
     ("visits = 2", "have 1.0 seconds")],
)
def test_another_limit_of_the_league_is_refused_before_the_trainings(
    limit, words, tmp_path, monkeypatch, capsys
):
    league_of(tmp_path / "out", ()).fix_options(EventOptions(seconds=1.0))
    monkeypatch.setattr(sweep, "train_all", lambda *_: None)
    (tmp_path / "sweep.toml").write_text(f"{TWO_RUNS}[league]\n{limit}\n")
    code = sweep.main([str(tmp_path / "sweep.toml"), "--out", str(tmp_path / "out")])
    refusal = f"{tmp_path / 'out' / 'league'} {words} a move, and [league] has another limit"
    assert (refusal in capsys.readouterr().err) == bool(words)
    assert code == (2 if words else 1)


def test_only_the_runs_of_the_file_play_in_its_league(tmp_path):
    league = league_of(tmp_path, ("blocks1", "blocks2", "blocks3"))
    said: list[str] = []
    for number in (1, 2):  # somebody filed blocks3 by hand
        (tmp_path / "runs" / f"blocks{number}").mkdir(parents=True)
    for names in (("blocks1",), ("blocks2",), ("blocks1", "blocks2")):
        runs = [Run(Recipe(name, {}), tmp_path / name) for name in names]
        sweep.enter_only(runs, tmp_path / "league", said.append)
        entrants = tuple(entrant.name for entrant in league.submissions.entrants())
        assert entrants == (*names, "blocks3")
    assert len(said) == 4 and said[0].startswith("blocks2 is no longer in the file")
    sweep.enter_only([], tmp_path / "none", said.append)
    assert not (tmp_path / "none").exists()


def calls(folder: Path, name: str) -> list[str]:
    return (folder / "out" / "runs" / name / "calls.txt").read_text().split()


def test_the_scripts_that_a_sweep_calls_are_there():
    for name in ("train.py", "submit.py", "selfplay.py"):
        assert (ITS_OWN_KIT / name).is_file()


def test_a_sweep_trains_all_and_leaves_table_and_curves(tmp_path, capfd):
    assert swept(tmp_path) == 0
    text = capfd.readouterr().out
    assert "run 1 of 2 that are left, blocks1: begins" in text
    assert "| blocks1 | " in text and "37.5%" in text and "Each run had 2 epochs." in text
    table = (tmp_path / "out" / "table.md").read_text()
    assert table in text
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"runs", "table.csv", "table.md", "curves.png", "sweep.lock"}
    network = tmp_path / "out" / "runs" / "blocks2" / "best.h5"
    assert network.read_text() == "--epochs=2 --set=blocks=2"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("distill = 'nowhere.h5'", "nowhere.h5: give --distill a network"),
        ("data = { 'nowhere.games' = 1 }", "nowhere.games: give data files of games"),
    ],
)
def test_a_missing_file_is_said_before_anything_is_trained(tmp_path, capsys, text, words):
    runs = f"epochs = 2\n[[runs]]\nname = 'a'\n[[runs]]\nname = 'b'\n{text}\n"
    assert swept(tmp_path, runs) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out" / "runs" / "a").exists()


def test_a_network_that_an_earlier_run_makes_may_be_missing(tmp_path):
    made = tmp_path / "out" / "runs" / "a" / "best.h5"
    runs = f"epochs = 2\n[[runs]]\nname = 'a'\n[[runs]]\nname = 'b'\ninit_from = '{made}'\n"
    assert swept(tmp_path, runs) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("epochs = 1", "Each run had 1 epoch."),
        ("epochs = '2'\nclock = 'cpu'", "Each run had 2 epochs."),
        ("minutes = 1", "Each run had 1 minute."),
        ("minutes = 1.5\nclock = 'cpu'", "Each run had 1.5 minutes of processor time."),
    ],
)
def test_the_table_says_what_all_runs_had(tmp_path, text, words, capfd):
    assert swept(tmp_path, text) == 0
    assert words in capfd.readouterr().out


def test_the_same_command_repeats_no_finished_run(tmp_path, capfd):
    """Runs are added and not changed."""
    assert swept(tmp_path) == swept(tmp_path) == 0
    assert swept(tmp_path, TWO_RUNS.replace("[1, 2]", "[1, 2, 3]")) == 0
    assert all(calls(tmp_path, f"blocks{number}") == ["--out"] for number in (1, 2, 3))
    assert swept(tmp_path, TWO_RUNS.replace("epochs = 2", "epochs = 3")) == 2
    errors = capfd.readouterr().err
    assert errors.count("\n") == 1 and "give the run another name" in errors


def test_a_failed_run_stops_no_other_one_and_is_resumed(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("FAKE_TRAIN_FAILS", "blocks1")
    assert swept(tmp_path) == 1
    printed = capfd.readouterr()
    assert "sweep.py: blocks1 failed; the same command tries it again" in printed.err
    assert "| blocks2 | " in printed.out and "| blocks1 | " not in printed.out
    monkeypatch.delenv("FAKE_TRAIN_FAILS")
    assert swept(tmp_path) == 0
    assert calls(tmp_path, "blocks1") == ["--out", "--resume"]
    assert calls(tmp_path, "blocks2") == ["--out"]


def test_a_run_that_was_begun_keeps_its_options(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("FAKE_TRAIN_FAILS", "blocks1")
    assert swept(tmp_path, f"lr = 0.004\n{TWO_RUNS}") == 1
    monkeypatch.delenv("FAKE_TRAIN_FAILS")
    (tmp_path / "out" / "runs" / "blocks2" / "verdict.json").unlink()
    assert swept(tmp_path) == 2
    errors = capfd.readouterr().err
    assert "was begun with --lr 0.004, not 0.01: give the run another name" in errors
    assert calls(tmp_path, "blocks1") == calls(tmp_path, "blocks2") == ["--out"]
    assert swept(tmp_path, f"lr = 0.004\n{TWO_RUNS}") == 0


def test_networks_of_the_same_bytes_are_both_in_the_table(tmp_path, capfd):
    """The second cannot be filed under a name of its own; it is measured and plays nothing."""
    run, again = (Run(Recipe(name, {"epochs": 2}), tmp_path / name) for name in ("ada", "same"))
    with only_sweep_of(tmp_path, pytest.fail) as lock:
        children = Children(lock, NOT_STOPPED)
        for one in (run, again):
            assert sweep_runs.train(one, children) == 0
            assert sweep_runs.judge(one, children, tmp_path / "league")
    assert "--league" in run.verdict()["asked"] and "--check-only" in again.verdict()["asked"]


def test_runs_of_other_held_out_positions_are_said_not_to_compare(tmp_path, capfd):
    assert swept(tmp_path, "epochs = 2\n[grid]\nseed = [1, 2]\n") == 0
    assert "only between runs with the same data and seed" in capfd.readouterr().out
    assert swept(tmp_path / "alike", TWO_RUNS) == 0
    assert "only between runs" not in capfd.readouterr().out


def test_a_refused_network_is_in_the_table_with_the_reason(tmp_path, capfd):
    """Networks that cannot be built are refused before the first run."""
    assert swept(tmp_path, TWO_RUNS.replace("[1, 2]", "[1, 9]")) == 0
    text = capfd.readouterr().out
    assert "| blocks9 | " in text and "blocks9 may not play: expected something else" in text
    other = tmp_path / "other"
    assert swept(other, 'epochs = 2\npreset = "paper"\nset = { blocs = 3 }') == 2
    assert capfd.readouterr().err.startswith("sweep.py: mobilenet has no option 'blocs'")
    assert not (other / "out").exists()
    where = ("--engine", "local", "--address", "auto")
    assert swept(other, TWO_RUNS, *where) == 2
    assert "--address auto is for clusters" in capfd.readouterr().err
    assert swept(other, f"tensorboard = true\n{TWO_RUNS}", "--engine", "ray") == 2
    assert "tensorboard do not come back from a cluster" in capfd.readouterr().err


def test_a_wish_to_stop_reaches_the_training(tmp_path):
    """A training that waits for Ctrl-C, in a sweep that was told to stop."""
    stop = SimpleNamespace(signal=signal.SIGTERM)
    with only_sweep_of(tmp_path, pytest.fail) as lock:
        sleeping = [sys.executable, "-c", "import time; time.sleep(600)"]
        code = Children(lock, stop).run(sleeping, stderr=subprocess.DEVNULL)
    assert code in (1, -signal.SIGINT)


def test_a_stopped_sweep_begins_no_further_run(tmp_path, monkeypatch, capfd):
    def stopping(run, children):
        signal.raise_signal(signal.SIGINT)
        return 130

    monkeypatch.setattr(sweep, "train", stopping)
    assert swept(tmp_path) == 130
    text = capfd.readouterr().out
    assert "blocks1: begins" in text and "blocks2" not in text
    assert text.endswith("stopped; the same command goes on from here\n")


def test_what_a_killed_sweep_left_running_is_waited_for(tmp_path):
    with only_sweep_of(tmp_path, pytest.fail) as lock:
        left = subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=[lock.fileno()])
    said = []

    def end_it(text: str) -> None:
        said.append(text)
        left.stdin.close()

    with only_sweep_of(tmp_path, end_it):
        assert left.wait() == 0
    assert len(said) == 1 and said[0].startswith("waiting for another sweep of")


def begun(folder: Path, names: str) -> list[Run]:
    return [Run(Recipe(name, {"epochs": 2}), folder / name) for name in names]


def test_a_cluster_trains_a_run_on_each_machine(tmp_path, ray, capsys):
    runs = begun(tmp_path, "abc")
    (runs[0].folder.path / "report").mkdir(parents=True)  # as evaluate.py --out leaves it
    cluster = ray(FakeMachine("one"), FakeMachine("two")).cluster
    trained = list(train_on(cluster, runs, NOT_STOPPED, print))
    assert {(run.name, code) for run, code in trained} == {("a", 0), ("b", 0), ("c", 0)}
    for run in runs:
        assert run.history()[-1]["positions"] == 3000
        assert read_files(run.folder.path)["calls.txt"] == b"--out\n"
    text = capsys.readouterr().out
    assert "a: begins on one\nb: begins on two\n" in text and "c: finished" in text
    runs, stop = begun(tmp_path / "stopped", "ab"), SimpleNamespace(signal=None)
    for _ in train_on(ray(FakeMachine()).cluster, runs, stop, print):
        stop.signal = signal.SIGINT
    assert runs[0].is_begun and not runs[1].is_begun


def test_a_lost_machine_s_run_goes_on_elsewhere_from_where_it_was(tmp_path, ray, capsys):
    (run,) = begun(tmp_path, "a")
    cluster = ray(FakeMachine("one", dies_at=1), FakeMachine("two")).cluster
    assert [code for _, code in train_on(cluster, [run], NOT_STOPPED, print)] == [0]
    assert read_files(run.folder.path)["calls.txt"] == b"--out\n--resume\n"
    assert "a: its machine was lost" in capsys.readouterr().out
    with pytest.raises(ClusterError, match="no machine in the cluster can train"):
        list(train_on(ray(FakeMachine(dies_at=0)).cluster, [run], NOT_STOPPED, print))


def test_a_sweep_is_trained_by_the_engine_of_its_name(tmp_path, ray, monkeypatch, capfd):
    addresses, cluster = [], ray(FakeMachine("one")).cluster
    monkeypatch.setitem(ENGINES, "ray", lambda address: addresses.append(address) or cluster)
    assert swept(tmp_path, TWO_RUNS, "--engine", "ray") == 0
    assert "blocks1: begins on one" in capfd.readouterr().out
    assert swept(tmp_path, TWO_RUNS.replace("2]", "2, 3]"), "--address", "head:6379") == 0
    assert swept(tmp_path, TWO_RUNS.replace("2]", "2, 3]"), "--address", "head:6379") == 0
    assert addresses == [None, "head:6379"]  # where nothing is left to train, none is asked for
