"""Two players that get the same CPU time: a network searches as long as FishNet has taken."""

from time import process_time

from golois.games import Game
from golois.kit.command import UsageError
from selfplay.players import Player, Searching


class EqualTime:
    """FishNet and a network that searches, in one process and in turn.

    A move of the network ends when it has taken as much CPU time, in all games, as FishNet; so it
    makes up on one move for what another cost too much or too little.

    Args:
        fishnet: takes the time that it needs.
        other: the network.

    Raises:
        UsageError: the other player is no network that searches.
    """

    def __init__(self, fishnet: Player, other: Player) -> None:
        if not isinstance(other, Searching):
            raise UsageError("--equal-time needs a network as the opponent: give net:FILE")
        self.seconds = {"FishNet": 0.0, "opponent": 0.0}
        self.moves = {"FishNet": 0, "opponent": 0}
        self.fishnet = _Timed(self, fishnet)
        self.opponent = _Follower(self, other)

    def spend(self, name: str, seconds: float) -> None:
        """Count a move."""
        self.seconds[name] += seconds
        self.moves[name] += 1

    def line(self) -> str:
        """CPU time a move of both."""
        means = {name: self.seconds[name] / max(1, self.moves[name]) for name in self.seconds}
        return ", ".join(f"{name} {mean:.4f} CPU seconds a move" for name, mean in means.items())


class _Timed:
    def __init__(self, times: EqualTime, player: Player) -> None:
        self._times, self._player = times, player

    def move(self, game: Game, seed: int) -> int | None:
        started = process_time()
        move = self._player.move(game, seed)
        self._times.spend("FishNet", process_time() - started)
        return move


class _Follower:
    def __init__(self, times: EqualTime, player: Searching) -> None:
        self._times, self._player = times, player

    def move(self, game: Game, seed: int) -> int:
        started = process_time()
        seconds = self._times.seconds
        move = self._player.move_within(game, seconds["FishNet"] - seconds["opponent"], seed)
        self._times.spend("opponent", process_time() - started)
        return move
