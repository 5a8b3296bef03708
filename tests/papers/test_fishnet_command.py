"""selfplay.py td: runs, one that was killed, one that learns; measurements, bad input."""

import csv
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from signal import SIGINT, raise_signal

import numpy as np
import pytest

import tournament.matches.opponents
from golois.errors import DataFormatError
from golois.games.game import Game
from golois.games.rules import Go
from golois.kit.command import UsageError
from golois.kit.run_folder import CheckpointError
from golois.kit.signals import Stopped, StopRequest
from papers.fishnet import command as td_command
from papers.fishnet import measuring, thresholds
from papers.fishnet.game import Scoring
from papers.fishnet.learning import State
from papers.fishnet.measuring import EqualTime
from papers.fishnet.network import NUM_WEIGHTS, SHORTCUT
from papers.fishnet.player import fishnet_players
from papers.fishnet.saved import SavedNetwork
from papers.fishnet.td_game import play_td_game
from papers.fishnet.td_options import Options
from selfplay import command
from tests.small_selfplay import play_match
from tournament.matches.match import score_of
from tournament.networks.evaluator import Evaluator
from tournament.players.fresh_search import FreshSearch
from tournament.players.protocol import Choice
from tournament.players.simple import AtRandom

ROOT = Path(__file__).resolve().parents[2]

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
    for folder in (tmp_path / "run", tmp_path / "run" / "nets"):
        (folder / ".new-0123.npz").write_bytes(b"half of a file")
    assert call(f"td --resume {tmp_path / 'run'} --games 40") == 0
    np.testing.assert_array_equal(weights_of(tmp_path / "run", 40), weights_of(run_folder, 40))
    assert not list((tmp_path / "run").rglob(".new-*"))


def test_a_run_that_was_killed_after_its_last_checkpoint_gets_its_journal(
    run_folder, tmp_path, capsys, monkeypatch
):
    """One that is stopped says how it goes on."""
    run = tmp_path / "run"
    shutil.copytree(run_folder, run)
    whole = (run / "journal.csv").read_bytes()
    (run / "journal.csv").write_bytes(whole[: whole.rfind(b"\n", 0, -1) + 1])  # of the block before
    assert call(f"td --resume {run}") == 0
    assert (run / "journal.csv").read_bytes() == whole

    def stopped(*_: object) -> None:
        raise_signal(SIGINT)
        raise Stopped

    monkeypatch.setattr(td_command, "learn", stopped)
    assert call(f"td --resume {run} --games 60 --minutes 80.0") == 130
    line = f"python selfplay.py td --resume {run} --games 60 --minutes 80.0"
    assert capsys.readouterr().out.endswith(f"stopped by SIGINT; continue with: {line}\n")


def test_the_minutes_are_those_of_the_whole_run(tmp_path):
    """A run that has used them up ends again at once."""
    run = tmp_path / "run"
    assert call(f"td {SMALL} --minutes 0.00001 --out {run}") == 0
    assert State.load(run / "checkpoint.npz").games == 10
    assert call(f"td --resume {run}") == 0
    assert State.load(run / "checkpoint.npz").games == 10


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_with_the_same_bytes(tmp_path):
    """Three times at once after a checkpoint, wherever that is in the next block."""
    text = "td --size 5 --block-games 20 --shortcut-games 60 --snapshot-games 40 --games 400"
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert call(f"{text} --out {whole}") == 0
    command = [sys.executable, str(ROOT / "selfplay.py"), *text.split(), "--out", str(killed)]
    for number in range(3):
        before = number and (killed / "checkpoint.npz").stat().st_mtime_ns
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and checkpoint_time(killed) == before:
                time.sleep(0.001)
            assert process.poll() is None
            process.kill()
        command = [*command[:3], "--resume", str(killed)]
    assert 0 < State.load(killed / "checkpoint.npz").games < 400
    assert call(f"td --resume {killed}") == 0
    kept = sorted(path.name for path in (whole / "nets").iterdir())
    assert kept == sorted(path.name for path in (killed / "nets").iterdir())
    for name in kept:
        assert (whole / "nets" / name).read_bytes() == (killed / "nets" / name).read_bytes()
    assert len((killed / "journal.csv").read_text().splitlines()) == 1 + 400 // 20


def checkpoint_time(folder) -> int:
    path = folder / "checkpoint.npz"
    return path.stat().st_mtime_ns if path.exists() else 0


class Undecided(Evaluator):
    """An evaluator without a network, on 3×3."""

    batch_size = 8

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Equal chances for all."""
        return np.full((len(planes), 10), 0.1, np.float32), np.full(len(planes), 0.5, np.float32)


def test_a_network_gets_the_time_that_fishnet_takes(run_folder, tmp_path, capsys, monkeypatch):
    """Both sides' time is counted and shown; another kind of opponent is refused."""
    monkeypatch.setattr(tournament.matches.opponents, "NetworkEvaluator", lambda *_: Undecided())
    network = tmp_path / "net.onnx"
    network.write_bytes(b"")
    assert call(f"td measure {run_folder} --against net:{network} --games 2 --equal-time") == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("CPU seconds a move, opponent" in line for line in lines) == 2
    assert call(f"td measure {run_folder} --against random --games 2 --equal-time") == 2
    assert "--equal-time needs a network" in capsys.readouterr().err


def test_a_network_searches_until_the_times_are_equal():
    """It makes up on one move for what the moves before took too much or too little."""
    asked = []

    class Patient(FreshSearch):
        def __init__(self, seed: int):
            pass

        def choose_within(self, game, seconds):
            asked.append(seconds)
            return Choice(game.pass_point)

    game = Game(Go(3, 0.5, max_moves=30))
    times = EqualTime(AtRandom, Patient)
    for _ in range(3):
        for new_player in times.players:
            new_player(0).choose(game)
    left = times.seconds["FishNet"] - times.seconds["opponent"]
    assert asked[0] > 0 and asked[-1] > asked[0] and 0 < left < times.seconds["FishNet"]


def test_limits_of_classes_are_measured_and_played_with(run_folder, tmp_path, capsys, monkeypatch):
    """In games as the network has learned them."""
    network = run_folder / "nets" / "0000040.npz"
    assert call(f"td thresholds {network} --games 40 --size 5") == 0
    *rows, given = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == [str(stones) for stones in range(1, 9)]
    assert call(f"td {SMALL} {given} --every-move --out {tmp_path / 'run'}") == 0
    chains = SavedNetwork.load(tmp_path / "run" / "nets" / "0000040.npz").chains
    assert chains.least_eye == 0.2 and len(chains.openings) == 8
    seen = []
    monkeypatch.setattr(td_command, "print_limits", lambda saved, options, *_: seen.append(options))
    other = tmp_path / "net.npz"
    SavedNetwork(np.zeros(NUM_WEIGHTS), Scoring(0.0, 1.0), 0.2).save(other)
    assert call(f"td thresholds {other}") == 0
    (options,) = seen
    assert options.scoring() == Scoring(0.0, 1.0) and options.step == 0.2


def test_limits_are_those_of_games_with_the_networks_own_classes(run_folder, monkeypatch):
    """Its classes of chains, whatever those are for which limits are measured."""
    saved = SavedNetwork.load(run_folder / "nets" / "0000040.npz")
    played = []

    def game_of(network, options, seed):
        played.append(options.chains)
        return play_td_game(network, options, seed)

    monkeypatch.setattr(thresholds, "play_td_game", game_of)
    with suppress(UsageError):
        options = Options(size=5, least_eye=0.2)
        thresholds.print_limits(saved, options, 1, lambda _: None, StopRequest())
    assert played == [saved.chains] and saved.chains.least_eye == 0


def test_selnet_learns_from_games_and_goes_on(run_folder, tmp_path, capsys):
    """Its choice comes closer to the values' than equal chances, on games before it learns them."""
    network, out = run_folder / "nets" / "0000040.npz", tmp_path / "both.npz"
    select = f"td select {network} --size 3 --lr 0.002"
    for games in (20, 60):
        assert call(f"{select} --games {games} --out {out}") == 0
    lines = capsys.readouterr().out.splitlines()
    assert call(f"{select} --games 60 --out {tmp_path / 'whole.npz'}") == 0
    assert (tmp_path / "whole.npz").read_bytes() == out.read_bytes()
    capsys.readouterr()
    assert [line.split()[0] for line in lines] == ["20", "40", "60"]
    words = lines[-1].split()
    selected, uniform = (float(words[words.index(word) - 1]) for word in ("nats", "of"))
    assert selected < uniform
    both = SavedNetwork.load(out)
    assert both.selection is not None and both.selection_games == 60
    copy = tmp_path / "copy.npz"
    assert call(f"td select {out} --out {copy} --size 3 --games 60") == 0
    assert "has learned from 60 games: give more with --games" in capsys.readouterr().out
    np.testing.assert_array_equal(SavedNetwork.load(copy).selection, both.selection)
    other = run_folder / "nets" / "0000020.npz"
    assert call(f"td select {other} --out {out} --size 3 --games 80") == 2
    assert "has another FishNet than" in capsys.readouterr().err
    np.testing.assert_array_equal(both.weights, SavedNetwork.load(network).weights)
    assert call(f"td measure {out} --against random --games 2 --size 3 --depth 4") == 0
    assert "4 plies" in capsys.readouterr().out


def test_a_measured_match_goes_on_where_it_was_stopped(run_folder, tmp_path, monkeypatch):
    network, folder = run_folder / "nets" / "0000040.npz", tmp_path / "kept"
    assert call(f"td measure {network} --against random --games 2 --size 5 --out {folder}") == 0
    (path,) = folder.glob("0000040-*.csv")
    kept = path.read_text().splitlines()
    assert call(f"td measure {network} --against random --games 4 --size 5 --out {folder}") == 0
    assert path.read_text().splitlines()[:3] == kept and len(path.read_text().splitlines()) == 5
    monkeypatch.setattr(measuring, "fishnet_players", lambda *_: None)  # plays no more
    assert call(f"td measure {network} --against random --games 4 --size 5 --out {folder}") == 0


def test_a_run_does_not_begin_anew_over_its_journal(tmp_path, capsys):
    run = tmp_path / "run"
    assert call(f"td {SMALL} --out {run}") == 0
    (run / "checkpoint.npz").rename(tmp_path / "moved.npz")
    before = (run / "journal.csv").read_bytes()
    assert call(f"td --resume {run} --games 60") == 2
    assert "checkpoint.npz is missing: put it back" in capsys.readouterr().err
    assert (run / "journal.csv").read_bytes() == before


@pytest.mark.filterwarnings("error")
def test_a_rate_that_is_too_high_ends_the_learning_in_words(run_folder, tmp_path, capsys):
    network, run, out = run_folder / "nets" / "0000040.npz", tmp_path / "run", tmp_path / "out.npz"
    for text in (
        f"td {SMALL.replace('0.001', '1e308')} --out {run}",
        f"td select {network} --out {out} --size 3 --games 20 --lr 1e308",
    ):
        assert call(text) == 2
        assert "not numbers after 1 games: begin again" in capsys.readouterr().err
    assert not (run / "checkpoint.npz").exists() and not out.exists()


def test_measure_and_league_print_shares(run_folder, capsys):
    assert call(f"td measure {run_folder} --against random --games 2") == 0
    assert "games each against random" in capsys.readouterr().out
    last = run_folder / "nets" / "0000040.npz"
    assert call(f"td measure {run_folder} --against isn:{last} --depth 2 --games 2") == 0
    assert "2 plies" in capsys.readouterr().out
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
        ("td --openings 1:2", "a row of openings must be three ascending numbers"),
        ("td --openings few", "--openings must be rows such as 0.5:1:1.7"),
        ("td --least-eye 2", "least_eye must be from 0 to 1"),
        ("td thresholds {run}/nets/0000040.npz --games 1 --size 3", "show no limits"),
        ("td --resume {run} --lr 1", "--lr cannot be given with --resume"),
        ("td --resume nowhere", "nowhere is not the folder of a run"),
        ("td --out {run}", "already holds a run"),
        ("td measure {run} --against perfect", "perfect does not play"),
        ("td measure {run} --games 3", "--games must be an even number"),
        ("td measure {run} --equal-time --out x", "--out has no effect with --equal-time"),
        ("td league {run} --every -1", "--every must be 0 or more"),
        ("td measure {run} --depth 0", "--depth must be 1 or more"),
        ("td measure {run}/nets/0000040.npz --every 20", "--every has no effect without the"),
        ("td select nowhere.npz", "--out is missing"),
        ("td select nowhere.npz --out {run}/new.npz", "not a network of FishNet"),
        ("td select nowhere.npz --out {run}/new", "--out must end in .npz"),
        ("td select nowhere.npz --out {run}/new.npz --size 1", "--size must be from 2 to 19"),
    ],
)
def test_bad_input_is_one_sentence(run_folder, arguments, words, capsys):
    assert call(arguments.format(run=run_folder)) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


def test_files_that_are_no_networks_are_refused(tmp_path):
    damaged, short, empty = (tmp_path / f"{name}.npz" for name in ("damaged", "short", "empty"))
    damaged.write_bytes(b"no zip")
    empty.touch()
    np.savez(short, weights=np.zeros(NUM_WEIGHTS - 1), captured=0.4, stone=0.4, step=0.1)
    for path in (damaged, short, empty, tmp_path / "missing.npz"):
        with pytest.raises(DataFormatError, match="714 weights"):
            SavedNetwork.load(path)
        with pytest.raises(CheckpointError, match="cannot be read: start a new run"):
            State.load(path)


GAMES = 400


@pytest.mark.slow
def test_all_weights_beat_the_shortcut_at_two_standard_errors(tmp_path):
    """On 5×5, about two minutes."""
    text = f"td --preset isn_td5 --shortcut-games 2000 --games 12000 --out {tmp_path / 'run'}"
    assert command.main(text.split(), "") == 0
    nets = tmp_path / "run" / "nets"
    players = tuple(fishnet_players(nets / f"{games:07}.npz", 5) for games in (12_000, 2_000))
    score = score_of(play_match(players, Go(5, 0.5, max_moves=75), GAMES, 1))
    assert score.winrate > 0.5 + 2 * 0.5 / GAMES**0.5
