"""Gumbel search: the root's moves race by sequential halving in the core; below it is PUCT.

A move scores its log prior, its value (completed from others while unknown) and, with noise, a
Gumbel number: then the choice is a draw from a better policy.
Source: Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel",
ICLR 2022.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from golois.games.game import Game
from golois.kit.options import check, option
from golois.search.options import RaceOptions, SearchOptions
from tournament.errors import OptionsError
from tournament.networks.evaluator import Evaluator
from tournament.players.limits import Limits
from tournament.players.protocol import Choice, Player
from tournament.players.search import Search


@dataclass(frozen=True)
class GumbelOptions(RaceOptions):
    """Constants of the race at the root, and whether it draws Gumbel numbers."""

    noise: bool = option(
        False, "draw Gumbel numbers, by seed and position: for games that train, not for matches"
    )

    def __post_init__(self) -> None:
        check(self, OptionsError, str)

    def race(self) -> RaceOptions:
        """Return the constants that the core knows."""
        return RaceOptions(self.num_considered, self.c_visit, self.c_scale)


class GumbelPlayer(Player):
    """Chooses moves by Gumbel search; keeps its tree between the moves of a game.

    The seed decides, with the positions, the noise and the symmetries. `clock` gives CPU seconds.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        options: SearchOptions,
        gumbel: GumbelOptions,
        limits: Limits,
        seed: int = 0,
        clock: Callable[[], float] = time.process_time,
    ):
        self._search = Search(evaluator, options, limits, seed, clock)
        self._race = gumbel.race()
        self._has_noise = gumbel.noise
        self._seed = seed

    def warm_up(self) -> None:
        """See Player."""
        self._search.warm_up()

    def choose(self, game: Game, limits: Limits | None = None) -> Choice:
        """See Player; the value is the improved policy's. `limits` are of this move only."""
        tree = self._search.begin(game, limits=limits)
        if tree.num_visits == 0:
            self._search.run(1)
        tree.start_race(self._race, self._noise(game))
        while (num_left := self._search.playouts_left()) > 0:
            self._search.run(num_left, in_race=True)
        _, value_to_play = tree.improved_policy()
        return self._search.choice(tree.race_winner(), value_to_play)

    def _noise(self, game: Game) -> np.ndarray | None:
        """Return a number for each point and the pass: float64 [size² + 1]; None without noise."""
        if not self._has_noise:
            return None
        return np.random.default_rng((self._seed, game.key, game.num_moves)).gumbel(
            size=game.pass_point + 1
        )
