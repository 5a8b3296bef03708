"""What a game asks of a player, and what it gets; all games and all players have this protocol."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from golois.games.game import Game

# A player that values no position gives both colours the same chance.
UNKNOWN_VALUE = 0.5


@dataclass(frozen=True)
class Choice:
    """A move and what it cost.

    point: 0 … size² − 1, or size² for a pass.
    num_visits: of the root, including kept visits; 0 without a search.
    cpu_seconds: of the process, for the whole decision; 0 where nothing is measured.
    value_white: P(White wins) as the player sees it.
    budget_seconds: CPU seconds that it had for the move; None under another limit.
    """

    point: int
    num_visits: int = 0
    cpu_seconds: float = 0.0
    value_white: float = UNKNOWN_VALUE
    budget_seconds: float | None = None


class Resignation(Exception):
    """The player resigns. Networks never do; programs of others may."""


class Player(Protocol):
    """Chooses the moves of one colour, or of both, in one game; its seed decides the rest."""

    def warm_up(self) -> None:
        """Evaluate before the clock starts; raise NetworkError if the network fails."""
        return

    def choose(self, game: Game) -> Choice:
        """Choose a move; leave the game, which is not over, as it is.

        Raises:
            NetworkError: the network failed, or answered with no policy or no value.
            EngineError: a program of others failed, or named a move that the rules forbid.
            Resignation: the player gives the game up.
        """


NewPlayer = Callable[[int], Player]
"""Makes the player of one game, which starts afresh, from a seed."""
