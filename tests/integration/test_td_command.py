"""`selfplay.py td` on a tiny board: a run, one that was killed, its measurements, bad input."""

import csv

import numpy as np
import pytest

from golois.isn_network import NUM_WEIGHTS, SHORTCUT
from models.errors import CheckpointError
from selfplay import command
from selfplay.td.saved import SavedNetwork

SMALL = "--size 3 --games 40 --block-games 10 --shortcut-games 20 --snapshot-games 20 --lr 0.001"


def call(text: str) -> int:
    return command.main(text.split(), "what it does")


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("td") / "run"
    assert call(f"td {SMALL} --out {folder}") == 0
    return folder


def weights_of(folder, games: int) -> np.ndarray:
    return SavedNetwork.load(folder / "nets" / f"{games:07}.npz").weights


def test_a_run_trains_the_shortcut_first_and_keeps_networks(run_folder):
    first, shortcut, last = (weights_of(run_folder, games) for games in (0, 20, 40))
    others = slice(0, SHORTCUT.start)
    assert (first[SHORTCUT] == 0).all() and (shortcut[SHORTCUT] != 0).any()
    np.testing.assert_array_equal(first[others], shortcut[others])
    assert (shortcut[others] != last[others]).any()
    rows = list(csv.DictReader((run_folder / "journal.csv").open()))
    assert [row["games"] for row in rows] == ["10", "20", "30", "40"]


def test_a_run_that_was_stopped_comes_to_the_same_weights(run_folder, tmp_path):
    """After 20 games, with a block under way that left nothing."""
    assert call(f"td {SMALL} --games 20 --out {tmp_path / 'run'}") == 0
    (tmp_path / "run" / ".new-0123.npz").write_bytes(b"half of a checkpoint")
    assert call(f"td --resume {tmp_path / 'run'} --games 40") == 0
    np.testing.assert_array_equal(weights_of(tmp_path / "run", 40), weights_of(run_folder, 40))
    assert not list((tmp_path / "run").glob(".new-*"))


def test_selnet_learns_from_games_and_goes_on(run_folder, tmp_path, capsys):
    """Its choice comes closer to the values' than equal chances, on games before it learns them."""
    network, out = run_folder / "nets" / "0000040.npz", tmp_path / "both.npz"
    for games in (20, 60):
        assert call(f"td select {network} --out {out} --size 3 --games {games} --lr 0.002") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["20", "40", "60"]
    words = lines[-1].split()
    selected, uniform = (float(words[words.index(word) - 1]) for word in ("nats", "of"))
    assert selected < uniform
    both = SavedNetwork.load(out)
    assert both.selection is not None and both.selection_games == 60
    np.testing.assert_array_equal(both.weights, SavedNetwork.load(network).weights)
    assert call(f"td measure {out} --against random --games 2 --size 3 --depth 4") == 0
    assert "4 plies" in capsys.readouterr().out


def test_measure_and_league_print_shares(run_folder, capsys):
    assert call(f"td measure {run_folder} --against random --games 2") == 0
    assert "games each against random" in capsys.readouterr().out
    assert call(f"td league {run_folder} --every 20 --games 2") == 0
    assert "the best is" in capsys.readouterr().out
    rows = list(csv.DictReader((run_folder / "league.csv").open()))
    games = [sum(int(row[name]) for name in ("wins", "draws", "losses")) for row in rows]
    assert games == [4, 4, 4] and sum(int(row["wins"]) for row in rows) <= 6
    assert (run_folder / "league.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("td --size 30", "--size must be from 2 to 19"),
        ("td --games 15", "--games must be a multiple of --block-games 100"),
        ("td --trace-decay 2", "trace_decay must be from 0 to 1"),
        ("td --resume {run} --lr 1", "--lr cannot be given beside --resume"),
        ("td --resume nowhere", "nowhere is not the folder of a run"),
        ("td --out {run}", "already holds a run"),
        ("td measure {run} --against perfect", "perfect does not play"),
        ("td measure {run} --games 3", "--games must be an even number"),
        ("td league {run} --every -1", "--every must be 0 or more"),
        ("td measure {run} --depth 0", "--depth must be 1 or more"),
        ("td select nowhere.npz", "--out is missing"),
        ("td select nowhere.npz --out {run}/new.npz", "not a network of FishNet"),
        ("td select nowhere.npz --out {run}/new.npz --size 1", "--size must be from 2 to 19"),
    ],
)
def test_bad_input_is_one_sentence(run_folder, arguments, words, capsys):
    assert call(arguments.format(run=run_folder)) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


def test_files_that_are_no_networks_are_refused(tmp_path):
    damaged, short = tmp_path / "damaged.npz", tmp_path / "short.npz"
    damaged.write_bytes(b"no zip")
    np.savez(short, weights=np.zeros(NUM_WEIGHTS - 1), captured=0.4, stone=0.4, step=0.1)
    for path in (damaged, short, tmp_path / "missing.npz"):
        with pytest.raises(CheckpointError, match="714 weights"):
            SavedNetwork.load(path)
