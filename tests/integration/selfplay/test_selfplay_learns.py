"""Self-play learns solved games from nothing; the networks of data/selfplay play as docs say."""

import json
import re
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from golois.games.game import Game
from golois.go.coords import gtp_to_point
from selfplay.command import main
from selfplay.journal import read_journal
from selfplay.options import Options
from tests.data import ROOT
from tests.small_selfplay import play_match
from tournament.matches.opponents import opened_opponent

pytestmark = pytest.mark.usefixtures("without_curves")


def kept(folder: Path, *arguments: str) -> list[float]:
    """The share of wins that the policy alone keeps, after each iteration of a run."""
    assert main([*arguments, "--out", str(folder / "run")], "") == 0
    rows = read_journal(folder / "run" / "journal.csv")
    assert not any(isnan(row["kept"]) for row in rows)
    return [row["kept"] for row in rows]


@pytest.mark.slow
def test_nogo_3x3_is_learned_from_nothing(tmp_path):
    small = ["--set", "blocks=1", "--workers", "1"]
    shares = kept(tmp_path, "--preset", "nogo3", "--iterations", "2", *small)
    assert shares[0] < 0.75 and shares[-1] > 0.79


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["0", "1"])
def test_nogo_3x3_is_learned_to_nearly_all_wins(seed, tmp_path):
    assert kept(tmp_path, "--preset", "nogo3", "--seed", seed)[-1] >= 0.99


@pytest.mark.slow
def test_nogo_4x4_is_learned_beyond_its_beginnings(tmp_path):
    shares = kept(tmp_path, "--preset", "nogo4", "--iterations", "8")
    assert shares[0] < 0.56 and max(shares) > 0.7


@pytest.mark.slow
def test_hex_4x4_is_learned_to_nearly_all_wins(tmp_path):
    assert kept(tmp_path, "--preset", "hex4")[-1] >= 0.95


@pytest.mark.slow
def test_hex_5x5_beats_random_moves(tmp_path, capsys):
    arguments = ["--preset", "hex4", "--size", "5", "--iterations", "4"]
    assert main([*arguments, "--out", str(tmp_path / "run")], "") == 0
    capsys.readouterr()
    match = ["--against", "random", "--games", "100", "--simulations", "16"]
    assert main(["measure", str(tmp_path / "run"), *match], "") == 0
    share = re.search(r"16 simulations a move: ([\d.]+)% of 100 games", capsys.readouterr().out)
    assert share and float(share[1]) >= 95


FOLDER = ROOT / "data" / "selfplay"


def options_of(name: str) -> Options:
    return Options(**json.loads((FOLDER / name / "config.json").read_text())["options"])


def opened(name: str, options: Options, simulations: int = 32):
    name = f"net:{FOLDER / name / 'best.h5'}"
    return opened_opponent(
        name, options.rules(), options.of_matches(), simulations, options.runtime
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "centre"), [("go5", "C3"), ("go5_komis", "C3"), ("go7", "D4"), ("adversary7", "D4")]
)
def test_small_boards_are_opened_in_the_centre(name, centre):
    options = options_of(name)
    with opened(name, options) as new_player:
        game = Game(options.rules())
        point = gtp_to_point(centre, options.size)
        assert {new_player(seed).choose(game).point for seed in range(8)} == {point}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "opponent", "simulations"),
    [("nogo5", "rollouts:1000", 64), ("go5", "averagelib", 32), ("go9", "averagelib", 32)],
)
def test_black_hardly_ever_loses_from_the_empty_board(name, opponent, simulations):
    options = replace(options_of(name), seed=1)
    search = options.of_matches()
    with (
        opened(name, options, simulations) as network,
        opened_opponent(
            opponent, options.rules(), search, simulations, options.runtime
        ) as other,
    ):
        games = play_match((network, other), options.rules(), 80, 1, opening_moves=0)
    as_black = [game.winner == "black" for game in games if game.black == "first"]
    assert len(as_black) == 40 and sum(as_black) >= 34
