"""FishNet as a GTP engine, and as a player of games that it has not seen from the start."""

import numpy as np
import pytest

from golois.errors import GoloisError
from golois.games.game import Game
from golois.games.rules import Go
from golois.go.board import Board
from golois.go.coords import BLACK
from papers.fishnet.game import Scoring
from papers.fishnet.gtp import FishNetCommands
from papers.fishnet.network import NUM_WEIGHTS
from papers.fishnet.player import FishNetPlayer
from papers.fishnet.saved import SavedNetwork
from tournament.gtp.protocol import Arguments, GtpError


@pytest.fixture(scope="module")
def saved() -> SavedNetwork:
    weights = np.random.default_rng(2).normal(0, 0.4, NUM_WEIGHTS)
    return SavedNetwork(weights, Scoring(), 0.1)


@pytest.fixture
def ask(saved):
    handlers = FishNetCommands(saved, 9, 1, 0).handlers()

    def ask(line: str) -> str:
        name, *words = line.split()
        return handlers[name](Arguments(words))

    return ask


def test_a_game_over_gtp(ask):
    ask("boardsize 5")
    ask("komi 3.5")
    ask("play b C3")
    move = ask("genmove w")
    assert move != "C3" and ask("showboard").count("X") == 1
    with pytest.raises(GtpError, match="illegal move"):
        ask("play b C3")
    ask("undo")
    assert ask("showboard").count("O") == 0
    ask("clear_board")
    assert ask("final_score") == "W+3.5"
    ask("play b C3")
    ask("play b D3")
    assert ask("final_score") == "B+21.5"
    ask("clear_board")
    ask("play b E5")  # a move out of turn follows a pass
    assert ask("genmove b") != "" and ask("showboard").count("O") == 0


@pytest.mark.parametrize(
    "line",
    ["boardsize 20", "boardsize 5 7", "play b Z9", "play x C3", "undo", "genmove", "komi much"],
)
def test_what_cannot_be_done_is_an_error(ask, line):
    with pytest.raises((GtpError, GoloisError)):
        ask(line)


def test_a_player_goes_on_from_any_game(saved):
    """Its moves follow from the game and the seed, whatever it has seen before."""
    game = Game(Go(5, max_moves=75))
    player = FishNetPlayer(saved, 5, seed=3)
    for _ in range(6):
        game.play(player.choose(game).point)
    game.take_back()
    again = FishNetPlayer(saved, 5, seed=3)
    assert player.choose(game).point == again.choose(game).point
    board = Board(5)
    board.play(12, BLACK)
    assert FishNetPlayer(saved, 5, depth=2).choose(Game(Go(5), board)).point in range(26)
