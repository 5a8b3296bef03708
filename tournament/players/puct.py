"""The league's player: PUCT to the limit, then the most visited move."""

import time
from collections.abc import Callable

from golois.games.game import Game
from golois.search.tree import SearchOptions
from tournament.networks.evaluator import Evaluator
from tournament.players.limits import Limits
from tournament.players.protocol import Choice, Player
from tournament.players.search import Search


class PuctPlayer(Player):
    """Chooses moves by PUCT; keeps its tree between the moves of a game.

    The seed decides, with the positions, the symmetries. `clock` gives CPU seconds.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        options: SearchOptions,
        limits: Limits,
        seed: int = 0,
        clock: Callable[[], float] = time.process_time,
    ):
        self._search = Search(evaluator, options, limits, seed, clock)

    def warm_up(self) -> None:
        """See Player."""
        self._search.warm_up()

    def choose(self, game: Game, limits: Limits | None = None) -> Choice:
        """See Player; `limits` replace the usual limits for this move."""
        tree = self._search.think(game, limits=limits)
        return self._search.choice(tree.best_move(), tree.root_value_to_play)
