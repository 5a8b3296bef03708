"""How the CPU seconds of a game are shared out among the moves of one player (docs/rules.md)."""

from collections.abc import Callable

# For "middle", after Huang, Coulom and Lin, "Time management for Monte-Carlo tree search applied to
# the game of Go", 2010: a move gets the rest of the bank, divided by 80 and the plies left to the
# peak. So it gets more and more until that ply, and less and less after it.
BANK_MOVES = 180
DIVISOR = 80
PEAK_PLY = 80
DECIDED_SHARE = 0.25


def flat(seconds: float, num_plies: int, is_decided: bool) -> float:
    """Give every move the same."""
    return seconds


def middle(seconds: float, num_plies: int, is_decided: bool) -> float:
    """Give more in the middle of the game, and a quarter in decided positions.

    A whole game takes less than BANK_MOVES times the seconds, however long it is.
    """
    rest = BANK_MOVES * seconds
    for ply in range(num_plies % 2, num_plies, 2):
        rest -= rest / _divisor(ply)
    return rest / _divisor(num_plies) * (DECIDED_SHARE if is_decided else 1)


def _divisor(ply: int) -> int:
    return DIVISOR + max(PEAK_PLY - ply, 0)


# The CPU seconds of a move, from the seconds a move in the event's options, the plies played so far
# and whether the player thinks that the game is decided.
TIME_PLANS: dict[str, Callable[[float, int, bool], float]] = {"flat": flat, "middle": middle}
