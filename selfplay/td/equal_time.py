"""Two players that get the same CPU time: a network searches as long as FishNet has taken."""

from functools import partial
from time import process_time
from typing import cast

from golois.games import Game
from golois.kit.command import UsageError
from tournament.players.fresh_search import FreshSearch
from tournament.players.protocol import Choice, NewPlayer, Player


class EqualTime:
    """FishNet and a network that searches, in one process and in turn.

    A move of the network ends when it has taken as much CPU time, in all games, as FishNet; so it
    makes up on one move for what another cost too much or too little.

    Args:
        fishnet: takes the time that it needs.
        other: the network.

    Raises:
        UsageError: the other player is no network that searches each position afresh.
    """

    def __init__(self, fishnet: NewPlayer, other: NewPlayer) -> None:
        if not isinstance(other(0), FreshSearch):
            raise UsageError("--equal-time needs a network as the opponent: give its file alone")

        def follow(seed: int) -> Player:
            return _Timed(self, "opponent", partial(self._follow, cast(FreshSearch, other(seed))))

        self.seconds = {"FishNet": 0.0, "opponent": 0.0}
        self.moves = {"FishNet": 0, "opponent": 0}
        self.players = (
            lambda seed: _Timed(self, "FishNet", fishnet(seed).choose),
            follow,
        )

    def line(self) -> str:
        """CPU time a move of both."""
        means = {name: self.seconds[name] / max(1, self.moves[name]) for name in self.seconds}
        return ", ".join(f"{name} {mean:.4f} CPU seconds a move" for name, mean in means.items())

    def _follow(self, other: FreshSearch, game: Game) -> Choice:
        return other.choose_within(game, self.seconds["FishNet"] - self.seconds["opponent"])


class _Timed(Player):
    def __init__(self, times: EqualTime, name: str, choose) -> None:
        self._times, self._name, self._choose = times, name, choose

    def choose(self, game: Game) -> Choice:
        started = process_time()
        choice = self._choose(game)
        self._times.seconds[self._name] += process_time() - started
        self._times.moves[self._name] += 1
        return choice
