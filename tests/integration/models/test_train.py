"""train.py for real, on a tiny network: what a run leaves, killed and interrupted and resumed."""

import itertools
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import keras
import numpy as np
import pytest

import train
from golois.data.dataset import Dataset
from golois.data.mixture import Mixture
from golois.kit.run_folder import CheckpointError, read_table
from models.evaluation import gallery
from models.evaluation.network import load_network
from models.training import averaging, outlook, run_folder
from models.training.checkpoint import stage_of
from models.training.run_folder import TrainingFolder
from tests.data import EMBEDDED_GAMES, LABELLED_GAMES
from tests.integration.intake import parity

TINY = [
    *("--model", "resnet", "--set", "blocks=1", "--set", "filters=4"),
    *("--epochs", "2", "--steps-per-epoch", "2", "--batch-size", "16"),
    *("--validation-positions", "16", "--aux", "ownership,reply=0.3", "--ema", "0.5"),
]
WITHOUT_AVERAGES_AND_HEADS = TINY[:14]
NETWORKS = {"average.h5", "best.h5", "best_with_heads.h5", "last.h5"}
FILES = NETWORKS | {"checkpoint.npz", "config.json", "curves.png", "history.csv", "worst.png"}

pytestmark = pytest.mark.usefixtures("without_graphs", "without_curves", "networks_read_here")


def rows_but_seconds(folder: Path) -> list[dict[str, float]]:
    rows = read_table(folder / "history.csv")
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def weights(path: Path) -> list[np.ndarray]:
    return keras.saving.load_model(path, compile=False).get_weights()


def assert_same_run(folder: Path, other: Path) -> None:
    """Equal up to the order in which threads add floats."""
    ours, theirs = rows_but_seconds(folder), rows_but_seconds(other)
    assert len(ours) == len(theirs)
    for row, expected in zip(ours, theirs, strict=True):
        assert row == pytest.approx(expected, rel=1e-3, abs=1e-4)
    for name in ("last.h5", "best.h5"):
        for ours, theirs in zip(weights(folder / name), weights(other / name), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=5e-4)  # a step is 2e-3


@pytest.fixture(scope="module", autouse=True)
def small_measurements() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(averaging, "STATISTICS_BATCHES", 1)
        patch.setattr(averaging, "STATISTICS_BATCH_SIZE", 16)
        patch.setattr(train, "BLENDS", averaging.BLENDS[:2])
        patch.setattr(outlook, "PEAK_SECONDS", 0)
        yield


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory, without_graphs) -> Path:
    """The folder of a run, whose curves are drawn at its end alone.

    Beside it lies `killed`: its files when the first epoch was kept, which a kill would leave then.
    """
    folder, draw = tmp_path_factory.mktemp("runs") / "uninterrupted", train.draw_curves

    def drawn_at_the_end(path: Path, history: list, rate: float) -> None:
        if len(history) == 2:
            draw(path, history, rate)
        else:
            shutil.copytree(folder, folder.parent / "killed")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train, "draw_curves", drawn_at_the_end)
        patch.setattr(gallery, "NUM_SHOWN", 2)
        assert train.main([*TINY, "--out", str(folder)]) == 0
    return folder


def test_a_run_leaves_what_it_promises(uninterrupted):
    assert {path.name for path in uninterrupted.iterdir()} == FILES
    config = json.loads((uninterrupted / "config.json").read_text())
    assert config["options"]["epochs"] == 2
    assert config["model_options"]["filters"] == 4
    (file,) = config["data"]["files"]
    assert file["num_games"] > 1000 and len(file["sha256"]) == 64
    assert set(config["versions"]) == {"python", "numpy", "keras", "tensorflow"}
    rows = rows_but_seconds(uninterrupted)
    assert [row["epoch"] for row in rows] == [1, 2]
    assert [row["positions"] for row in rows] == [32, 64]
    rates = [row["learning_rate"] for row in rows]
    assert rates == sorted(rates, reverse=True) and rates[-1] < rates[0] / 2


def test_the_h5_is_small_and_the_best_is_kept(uninterrupted):
    best = uninterrupted / "best.h5"
    assert best.stat().st_size < 200_000
    handed_in = json.loads((uninterrupted / "config.json").read_text())["parameters"]["total"]
    assert handed_in == sum(weight.size for weight in weights(best)), "no auxiliary heads"
    whole = parity.read(parity.open_file(uninterrupted / "best_with_heads.h5"))
    assert "'ownership', 'reply'" in whole.left_out and whole.parameters_total == handed_in
    rows = rows_but_seconds(uninterrupted)
    assert all(row["ownership_loss"] > 0 < row["val_reply_loss"] for row in rows)
    assert "blend_val_loss" not in rows[0] and rows[1]["blend"] in averaging.BLENDS
    kinds = {"last.h5": "val_loss", "average.h5": "average_val_loss"}
    measured = (row.get(name) for row in rows for name in (*kinds.values(), "blend_val_loss"))
    lowest = min(loss for loss in measured if loss is not None)
    for name, column in kinds.items():
        is_same = all(map(np.array_equal, weights(best), weights(uninterrupted / name)))
        assert is_same == (rows[-1][column] == lowest)


def test_killed_and_then_interrupted_a_run_resumes_to_the_same_result(
    uninterrupted, tmp_path, capsys, monkeypatch
):
    folder = shutil.copytree(uninterrupted.parent / "killed", tmp_path / "stopped")
    assert len(rows_but_seconds(folder)) == 1
    show_batch = train.EpochReporter.show_batch

    def interrupting(self, state):
        show_batch(self, state)
        if state.step == 3:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(train.EpochReporter, "show_batch", interrupting)
        assert train.main(["--resume", str(folder)]) == 130
    assert f"--resume {folder}" in capsys.readouterr().out
    assert len(rows_but_seconds(folder)) == 1, "in the middle of the second epoch"
    with np.load(folder / "checkpoint.npz") as checkpoint:
        assert json.loads(str(checkpoint["state"]))["step"] == 3, "the batches since are kept"
    assert train.main(["--resume", str(folder)]) == 0
    assert_same_run(folder, uninterrupted)


@pytest.mark.slow
def test_a_run_killed_before_its_first_epoch_begins_with_the_same_network(
    uninterrupted, tmp_path, capsys, monkeypatch
):
    folder = tmp_path / "killed"
    init = ["--init-from", str(uninterrupted / "best.h5")]
    with monkeypatch.context() as patch:
        patch.setattr(train, "train", lambda *_: signal.raise_signal(signal.SIGINT))
        assert train.main(["--smoke", *TINY[:6], *init, "--out", str(folder)]) == 130
    capsys.readouterr()
    assert train.main(["--resume", str(folder)]) == 0
    assert "11 of 11 layers taken, and the outputs are the same" in capsys.readouterr().out
    assert rows_but_seconds(folder)[0]["step"] == 2, "--smoke takes two batches"
    assert train.main(["--resume", str(folder)]) == 0
    assert "layers taken" not in capsys.readouterr().out, "its own weights go on"


def test_weights_that_are_no_numbers_end_a_run(tmp_path, capsys):
    rate = ["--lr", "1e30", "--schedule", "constant"]
    assert train.main(["--smoke", *TINY[:6], *rate, "--out", str(tmp_path / "run")]) == 2
    captured = capsys.readouterr()
    assert "the held-out loss is not a number after epoch 1" in captured.err
    assert "to hand in" not in captured.out


def test_a_folder_that_cannot_be_trained_into_is_said(uninterrupted, tmp_path, capsys):
    """That of another process, of a run, with a damaged config."""
    with TrainingFolder(uninterrupted).held():
        assert train.main(["--resume", str(uninterrupted)]) == 2
    assert "another process trains into" in capsys.readouterr().err
    assert train.main([*TINY, "--out", str(uninterrupted)]) == 2
    assert "already holds a run: continue it with" in capsys.readouterr().err
    for text in ("{}", "[]", '{"options": {"width": 3}}', '{"options": {"epochs": "x"}}'):
        (tmp_path / "config.json").write_text(text)
        assert train.main(["--resume", str(tmp_path)]) == 2
        assert "does not have the options of a run" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("clock", [pytest.param("wall", marks=pytest.mark.slow), "cpu"])
def test_time_ends_a_run_with_the_schedule_at_its_end(clock, tmp_path, monkeypatch):
    """By a clock that moves a second at each look: nine looks, and the rate is near zero."""
    monkeypatch.setattr(train, "CLOCKS", {clock: itertools.count().__next__})
    arguments = [*WITHOUT_AVERAGES_AND_HEADS, "--epochs", "1000", "--minutes", "0.15"]
    arguments += ["--clock", clock, "--steps-per-epoch", "5"]
    assert train.main([*arguments, "--out", str(tmp_path / "timed")]) == 0
    last = rows_but_seconds(tmp_path / "timed")[-1]
    assert last["epoch"] < 8 and last["learning_rate"] < 0.05 * 0.01


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda config: config["data"]["files"][0].update(sha256="0" * 64, checksums={}),
            "has other games",
        ),
        (lambda config: config["model_options"].pop("perspective"), "new run with --init-from"),
    ],
)
def test_resume_refuses_other_games_and_networks(change, words, uninterrupted, tmp_path, capsys):
    config = json.loads((uninterrupted / "config.json").read_text())
    change(config)
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert train.main(["--resume", str(tmp_path)]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    "before",
    [
        lambda file: file.update(sha256="0" * 64),  # the file has got its ladders since
        lambda file: file.pop("checksums"),  # of a run that began before they were noted
    ],
)
def test_resume_knows_the_games_that_a_run_began_with(before, uninterrupted, tmp_path):
    config = json.loads((uninterrupted / "config.json").read_text())
    now = json.loads((uninterrupted / "config.json").read_text())
    before(config["data"]["files"][0])
    (tmp_path / "config.json").write_text(json.dumps(config))
    train.require_same(TrainingFolder(tmp_path), now)


def test_a_longer_run_averages_the_last_part_of_all_of_it(tmp_path):
    """A batch of whole games counts by its positions."""
    folder, short = tmp_path / "run", [*WITHOUT_AVERAGES_AND_HEADS, "--steps-per-epoch", "1"]
    begun = [*short, "--swa", "0.5", "--whole-games", "--seed", "5", "--out"]
    for arguments, averaged in ((begun, 1), (["--epochs", "4", "--resume"], 2)):
        assert train.main([*arguments, str(folder)]) == 0
        with np.load(folder / "checkpoint.npz") as checkpoint:
            assert json.loads(str(checkpoint["state"]))["mean_count"] == averaged
    games = Mixture([(Dataset(EMBEDDED_GAMES, seed=5), 1.0)], seed=5)
    lengths = [len(games.draw_game(step, "train")) for step in range(4)]
    shown = [row["positions"] for row in read_table(folder / "history.csv", empty=0)]
    assert shown == list(itertools.accumulate(lengths)) and len(set(lengths)) > 1


@pytest.mark.slow
def test_a_run_that_is_over_draws_the_curves_that_a_kill_has_left_out(
    uninterrupted, tmp_path, capsys, monkeypatch
):
    drawn = []
    monkeypatch.setattr(run_folder, "draw_curves", lambda *given: drawn.append(given))
    folder = shutil.copytree(uninterrupted, tmp_path / "run")
    assert train.main(["--resume", str(folder)]) == 0
    [(path, rows, first_rate)] = drawn
    assert first_rate == 0.0
    assert path == folder / "curves.png" and [row["epoch"] for row in rows] == [1, 2]
    said = capsys.readouterr().out
    assert "resumed after batch 4, at the end\n" in said
    assert f"to make the run longer: python train.py --resume {folder} --epochs 4\n" in said


def deeper_than(shallow: Path, out: Path) -> list[str]:
    """The arguments of a run in bfloat16, compiled by XLA, that begins with a shallower network."""
    network = ["--model", "resnet", "--set", "blocks=2", "--set", "filters=4", "--jit"]
    init = ["--init-from", str(shallow / "best.h5"), "--precision", "mixed_bfloat16"]
    return ["--smoke", *network, *init, "--out", str(out)]


@pytest.mark.usefixtures("with_graphs_here")
def test_a_deeper_network_begins_with_a_shallow_one(uninterrupted, tmp_path, capsys, monkeypatch):
    """What is trained is looked at; the slow test trains it."""
    begun = []
    monkeypatch.setattr(train, "train", lambda *given: begun.append(given[3]) or 0)
    assert train.main(deeper_than(uninterrupted, tmp_path / "run")) == 0
    assert "11 of 15 layers taken, and the outputs are the same" in capsys.readouterr().out
    [model] = begun
    assert model.jit_compile
    assert "bfloat16" in {layer.compute_dtype for layer in model.network.layers}


@pytest.mark.slow
@pytest.mark.usefixtures("with_graphs_here")
def test_a_deeper_network_is_compiled_and_trained_in_bfloat16(uninterrupted, tmp_path):
    assert train.main(deeper_than(uninterrupted, tmp_path / "run")) == 0
    assert np.isfinite([row["val_loss"] for row in rows_but_seconds(tmp_path / "run")]).all()


@pytest.mark.slow
def test_a_network_is_taught_by_another(uninterrupted, tmp_path, capsys):
    teacher, folder = tmp_path / "teacher.h5", tmp_path / "taught"
    teacher_bytes = (uninterrupted / "best.h5").read_bytes()
    teacher.write_bytes(teacher_bytes)
    tiny = ["--model", "mobilenet", "--set", "blocks=1", "--set", "filters=4", "--set", "trunk=4"]
    taught = ["--smoke", *tiny, "--distill", str(teacher), "--distill-weight", "1"]
    assert train.main([*taught, "--out", str(folder)]) == 0
    teacher.rename(tmp_path / "moved.h5")
    resume = ["--resume", str(folder), "--distill"]
    assert train.main([*resume, str(tmp_path / "moved.h5")]) == 0
    others = (uninterrupted / name for name in ("last.h5", "average.h5"))
    other = next(path for path in others if path.read_bytes() != teacher_bytes)
    assert train.main([*resume, str(other)]) == 2
    assert "--distill has another teacher" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.usefixtures("with_graphs_here")
def test_ownership_is_soon_known_better_than_from_the_stones(tmp_path):
    """On held-out games the stones as they stand lose 0.82, and a constant 0.99."""
    folder = tmp_path / "run"
    small = ["--model", "resnet", "--set", "blocks=2", "--set", "filters=16", "--batch-size", "32"]
    short = ["--epochs", "1", "--steps-per-epoch", "150", "--validation-positions", "512"]
    assert train.main([*small, *short, "--aux", "ownership", "--out", str(folder)]) == 0
    (row,) = rows_but_seconds(folder)
    assert row["val_ownership_loss"] < 0.75


@pytest.mark.slow
@pytest.mark.usefixtures("with_graphs_here")
@pytest.mark.parametrize("name", ["soft_policy", "short_term_values", "optimistic_policy"])
def test_an_auxiliary_head_soon_knows_more_than_a_constant(name, tmp_path, capsys):
    """Each output of a crossentropy as often as it is right, or the mean of a squared error."""
    small = ["--model", "resnet", "--set", "blocks=2", "--set", "filters=16", "--batch-size", "32"]
    short = ["--epochs", "1", "--steps-per-epoch", "150", "--validation-positions", "512"]
    data = ["--data", str(LABELLED_GAMES), "--aux", name, "--out", str(tmp_path / "run")]
    assert train.main([*small, *short, *data]) == 0
    (row,) = rows_but_seconds(tmp_path / "run")
    constant = re.search(rf"{name} loss of a constant there: ([\d.]+)", capsys.readouterr().out)
    assert row[f"val_{name}_loss"] < 0.97 * float(constant[1])


@pytest.mark.parametrize("place", [None, 6, 8, 10])
def test_a_damaged_checkpoint_is_said_in_words(place, uninterrupted, tmp_path):
    """Cut off; or another version, flag or method in the first entry of the zip's directory."""
    content = bytearray((uninterrupted / "checkpoint.npz").read_bytes())
    entry = content.rindex(b"PK\1\2")
    if place:
        content[entry + place] |= 0x7F
    else:
        del content[entry:]
    (tmp_path / "checkpoint.npz").write_bytes(content)
    with pytest.raises(CheckpointError, match="cannot read the checkpoint"):
        stage_of(tmp_path / "checkpoint.npz")


@pytest.mark.slow
def test_a_paper_preset_is_trained_on_its_own_planes_and_can_be_scaled(tmp_path, capsys):
    folder = tmp_path / "vit"
    small = [*("--set", "blocks=1"), *("--set", "width=8"), *("--set", "hidden=8")]
    network = ["--model", "vit", "--preset", "paper", *small, "--fit-budget", "40000"]
    assert train.main(["--smoke", *network, "--out", str(folder)]) == 0
    assert "of the features vit, not to be handed in" in capsys.readouterr().out
    config = json.loads((folder / "config.json").read_text())
    assert config["model_options"]["planes"] == 10
    assert load_network(folder / "best.h5").features == config["features"] == "vit"
    assert 30_000 < config["parameters"]["total"] <= 40_000
    assert config["model_options"]["width"] % 8 == 0
    assert train.main(["--resume", str(folder)]) == 0


def test_a_finished_run_is_rated_if_asked_when_its_folder_is_free(
    uninterrupted, tmp_path, capsys, monkeypatch
):
    folder = TrainingFolder(shutil.copytree(uninterrupted, tmp_path / "run"))
    commands, run_it = [], subprocess.run

    def called(command, **settings):
        if "ladder" not in command:
            return run_it(command, **settings)
        with folder.held():
            commands.append(command)
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr(train.subprocess, "run", called)
    resume = ["--resume", str(folder.path)]
    assert train.main(resume) == 0 and commands == []
    hint = f"python -m tournament ladder {folder.path}"
    assert f"to rate it in three minutes: {hint}\n" in capsys.readouterr().out
    assert train.main([*resume, "--ladder"]) == 3
    assert commands == [[sys.executable, *hint.split()[1:]]]
    assert "ladder" not in folder.read_config()["options"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*TINY[:6], "--out", "file/run"], "cannot use file/run"),
        (
            ["--model", "vit", "--preset", "paper", "--ladder"],
            "--ladder needs --features course, not vit: leave it out",
        ),
        (
            ["--model", "mobilenet", "--features", "liberties"],
            "mobilenet has no option planes, so it reads the course's planes: leave out",
        ),
        (
            ["--model", "two_headed", "--features", "vit", "--set", "perspective=white"],
            "two_headed needs the turn in the first plane: --features two_headed",
        ),
        (
            ["--model", "nogozero", "--features", "vit", "--set", "planes=10"],
            "needs --features course or liberties, not vit: .*perspective=white",
        ),
        (["--model", "two_headed", "--features", "two_headed"], "course or liberties, not two_h"),
        (["--model", "vit", "--set", "planes=9"], "9 planes, and the features course have 31"),
        (["--fit-budget", "50", "--set", "blocks=1"], "does not fit into 50 parameters"),
        (["--model", "alphago", "--set", "value_units=0"], "value .1,.: got policy .361,.;"),
        (["--model", "isn", "--set", "heads=none"], "expected the outputs policy .361,., value"),
        (["--model", "nogozero", "--set", "outcomes=two"], "got policy .361,., value .2,.;"),
        (["--model", "nogozero", "--set", "size=9"], "a board .19, 19.: got .9, 9.;"),
    ],
)
def test_what_cannot_be_trained_leaves_no_folder(arguments, words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("not a folder")
    assert train.main(["--smoke", "--out", "run", *arguments]) == 2
    error = capsys.readouterr().err
    assert re.search(words, error) and error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.slow
@pytest.mark.usefixtures("with_graphs_here")
def test_minutes_give_each_stage_its_share_however_long_epochs_are(tmp_path, capfd):
    folder = tmp_path / "run"
    growing = ["--curriculum", "blocks=1", "--set", "blocks=2", "--minutes", "0.5"]
    arguments = [*TINY, *growing, "--steps-per-epoch", "1000000", "--out", str(folder)]
    assert train.main(arguments) == 0
    assert "stage 2 of 2" in capfd.readouterr().out
    parameters = json.loads((folder / "config.json").read_text())["parameters"]["total"]
    assert sum(array.size for array in weights(folder / "best.h5")) == parameters
