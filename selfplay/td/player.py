"""FishNet as a player of matches: no search, a move by what it is worth."""

from random import Random

import numpy as np

from golois.fishnet import FishNet
from golois.games import Game
from selfplay.td.saved import SavedNetwork

MATCH_BETA = 20.0


class FishNetPlayer:
    """Draws a move in proportion to e^(beta · value).

    Args:
        saved: the network.
        size: points on a side.
        beta: 20 in the paper's matches.
    """

    def __init__(self, saved: SavedNetwork, size: int, beta: float = MATCH_BETA) -> None:
        self._saved = saved
        self._network = saved.network(size)
        self._beta = beta
        self._begin()

    def move(self, game: Game, seed: int) -> int:
        """A move of the side to move; see `selfplay.players.Player`."""
        values = self._shown(game).values()
        weights = np.exp(self._beta * (values - np.nanmax(values)))
        shares = np.nan_to_num(weights).tolist()
        random = Random(f"{seed} {game.num_moves}")
        return random.choices(range(len(shares)), shares)[0]

    def _begin(self) -> None:
        self._seen: list[tuple[int, int]] = []
        self._game: FishNet = self._saved.game(self._network)

    def _shown(self, game: Game) -> FishNet:
        """What the network says after the moves of a game; it goes on from there if it can."""
        if game.moves[: len(self._seen)] != self._seen:
            self._begin()
        for colour, move in game.moves[len(self._seen) :]:
            self._game.play(move, colour)
        self._seen = list(game.moves)
        return self._game
