"""The networks of data/selfplay play as docs/studies say."""

import json
from dataclasses import replace

import pytest

from golois.games.game import Game
from golois.go.coords import gtp_to_point
from selfplay.options import Options
from tests.data import ROOT
from tests.small_selfplay import play_match
from tournament.matches.opponents import opened_opponent

FOLDER = ROOT / "data" / "selfplay"


def options_of(name: str) -> Options:
    return Options(**json.loads((FOLDER / name / "config.json").read_text())["options"])


def opened(name: str, options: Options, simulations: int = 32):
    name = f"net:{FOLDER / name / 'best.h5'}"
    return opened_opponent(
        name, options.rules(), options.of_matches(), simulations, options.runtime
    )


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
