"""When a game ends early: the winner is certain, or both networks agree long.

See docs/teacher/rules.md.
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
    """Return the colour that wins by its settled points alone, "black" or "white", or None."""
    settled = board.settled()
    black, white = ((settled == colour).sum() for colour in (BLACK, WHITE))
    if 2 * black - settled.size > komi:
        return "black"
    return "white" if 2 * white - settled.size > -komi else None


def decision(
    values_white: Iterable[float], resign_value: float, resign_plies: int
) -> Decision | None:
    """Find the first `resign_plies` moves in a row that all gave one colour almost no chance.

    `values_white` has P(White wins) as each mover saw it. `resign_value`, 0 … 0.5, counts as no
    chance; 0 plies means never. In a run of two or more moves both networks have agreed.
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
