"""What the arena asks of a player, and what it gets."""

from dataclasses import dataclass
from typing import Protocol

from golois.board import Board


@dataclass(frozen=True)
class Choice:
    """A move and what it cost.

    point: 0 … 360, or 361 for a pass.
    num_visits: of the root, including those kept from the previous move.
    cpu_seconds: of the process, from the first look at the board to the decision.
    value_white: P(White wins) as the player sees it.
    budget_seconds: CPU seconds that it had for the move; None under another limit.
    """

    point: int
    num_visits: int
    cpu_seconds: float
    value_white: float
    budget_seconds: float | None = None


class Resignation(Exception):
    """The player resigns. Networks never do; programs of others may."""


class Player(Protocol):
    """Chooses the moves of one colour in one game.

    A network never resigns, and considers only the moves of docs/rules.md.

    name: the network's public name.
    """

    name: str

    def warm_up(self) -> None:
        """Evaluate before the clock starts, so that the first move costs no more than the others.

        Raises:
            NetworkError: the network failed.
        """
        ...

    def choose(self, board: Board, komi: float) -> Choice:
        """Choose a move; don't change the board.

        Args:
            board: the game so far; a player may keep what it knows of the last one's continuation.
            komi: points for White.

        Raises:
            NetworkError: the network failed, or answered with no policy or no value.
            Resignation: the player gives the game up.
        """
        ...
