"""When a game ends early (docs/rules.md).

Either it is already won whatever follows, or both networks have agreed on the winner for long.
"""

from collections.abc import Iterable
from typing import NamedTuple

from golois.go.board import Board
from golois.go.coords import BLACK, WHITE


class Decision(NamedTuple):
    """Who wins, "black" or "white", and how many moves it took both networks to agree on it."""

    winner: str
    num_moves: int


def winner_by_settled_points(board: Board, komi: float) -> str | None:
    """Return the colour, "black" or "white", whose settled points alone are enough to win.

    Args:
        board: the game so far.
        komi: points for White.

    Returns:
        None while neither has enough.
    """
    settled = board.settled()
    black, white = ((settled == colour).sum() for colour in (BLACK, WHITE))
    if 2 * black - settled.size > komi:
        return "black"
    return "white" if 2 * white - settled.size > -komi else None


def decision(
    values_white: Iterable[float], resign_value: float, resign_plies: int
) -> Decision | None:
    """Find the first run of consecutive moves that all gave one colour almost no chance.

    The networks take turns, so in a run of two or more moves both have agreed.

    Args:
        values_white: P(White wins) as whoever moved saw it, a value a move.
        resign_value: the chance, 0 … 0.5, that counts as none.
        resign_plies: how many moves in a row; 0 for never.

    Returns:
        None while the game is open.
    """
    leader, streak = None, 0
    for num_moves, value_white in enumerate(values_white, start=1):
        before = leader
        leader = _leader(value_white, resign_value)
        streak = streak + 1 if leader == before else 1
        if leader and streak == resign_plies:
            return Decision(leader, num_moves)
    return None


def _leader(value_white: float, resign_value: float) -> str | None:
    if value_white <= resign_value:
        return "black"
    return "white" if value_white >= 1 - resign_value else None
