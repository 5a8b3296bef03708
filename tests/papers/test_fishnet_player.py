"""FishNet as a player of games that it has not seen from the start."""

from dataclasses import replace

import numpy as np
import pytest

from golois.games.game import Game
from golois.games.rules import Go
from golois.go.board import Board
from golois.go.coords import BLACK
from papers.fishnet.game import Scoring
from papers.fishnet.network import NUM_SELECTION_WEIGHTS, NUM_WEIGHTS
from papers.fishnet.player import FishNetPlayer, fishnet_players
from papers.fishnet.saved import SavedNetwork
from tournament.errors import OptionsError


@pytest.fixture(scope="module")
def saved() -> SavedNetwork:
    weights = np.random.default_rng(2).normal(0, 0.4, NUM_WEIGHTS)
    return SavedNetwork(weights, Scoring(), 0.1)


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


def test_a_deep_search_needs_selnet(saved, tmp_path):
    saved.save(tmp_path / "net.npz")
    with pytest.raises(OptionsError, match="net.npz has no SelNet"):
        fishnet_players(tmp_path / "net.npz", 5, depth=4)
    selection = np.zeros(NUM_SELECTION_WEIGHTS)
    replace(saved, selection=selection, selection_games=1).save(tmp_path / "net.npz")
    player = fishnet_players(tmp_path / "net.npz", 5, depth=4)(0)
    assert player.choose(Game(Go(5))).point in range(26)
