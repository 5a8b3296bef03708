"""Time in, playouts out, without a clock: a move's seconds, and the playouts they pay for."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from golois.constants import MAX_INT32

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

# Evaluations that make a mean. While a move has fewer, the warm-up's fill the sample up.
MIN_SAMPLE = 8


@dataclass
class _Cost:
    """The mean cost of an evaluation in this move; `usual` is the warm-up's, 0 if unknown."""

    usual: float = 0.0
    seconds: float = 0.0
    count: int = 0

    def begin(self) -> None:
        self.seconds, self.count = 0.0, 0

    def add(self, seconds: float) -> None:
        self.seconds += seconds
        self.count += 1

    def mean(self, most: float = math.inf) -> float:
        """Return the mean; a slow warm-up counts as `most`, or as the evaluations of this move."""
        usual = min(self.usual, most)
        if not self.count:
            return usual
        mean = self.seconds / self.count
        num_missing = max(0, MIN_SAMPLE - self.count)
        return (self.seconds + num_missing * min(usual or mean, mean)) / (self.count + num_missing)


class MoveTime:
    """What a move has used of its seconds, and how many playouts the rest pays for.

    An evaluation's cost is the mean of this move, so that a slow evaluation matters little. Steps
    of time are never negative, whatever the clock does. `batch_size` counts a full batch's leaves.
    """

    def __init__(self, batch_size: int):
        self._batch_size = batch_size
        self._leaf = _Cost()
        self._batch = _Cost() if batch_size > 1 else self._leaf
        self._budget = math.inf
        self._used = self._last = 0.0
        self._has_run = False

    def learn(self, leaf_seconds: Sequence[float], batch_seconds: Sequence[float]) -> None:
        """Take over what evaluations of a single leaf and of a full batch took in the warm-up."""
        for cost, seconds in ((self._leaf, leaf_seconds), (self._batch, batch_seconds)):
            cost.usual = min((taken for taken in seconds if taken > 0), default=0.0)

    def begin(self, now: float) -> None:
        """Start a move at `now`, seconds on the clock; nothing of the last move remains."""
        for cost in (self._leaf, self._batch):
            cost.begin()
        self._budget, self._used, self._last = math.inf, 0.0, now
        self._has_run = False

    def allow(self, seconds: float, now: float) -> None:
        """Set what the move may use in all, with what it has used since it began."""
        self._budget = seconds
        self._used, self._last = self.used(now), now

    def add_batch(self, num_leaves: int, now: float) -> None:
        """Count a batch that has ended; it has 0 leaves if no evaluation was needed."""
        cost = self._leaf if num_leaves == 1 else self._batch
        seconds, self._last = now - self._last, now
        if seconds < 0:  # the clock was set back, and does not know
            seconds = cost.mean() if num_leaves else 0.0
        elif num_leaves:
            cost.add(seconds)
        self._used += seconds
        self._has_run = True

    def used(self, now: float) -> float:
        """Return the seconds since the move began."""
        return self._used + max(0.0, now - self._last)

    def playouts_left(self, num_single: int) -> int:
        """Return how many playouts probably end in time: `num_single` leaves first, then batches.

        A move that has run none may run one while it has any time.
        """
        seconds = self._budget - self._used
        if seconds <= 0:
            return 0
        return max(self._within(seconds, num_single), 0 if self._has_run else 1)

    def _within(self, seconds: float, num_single: int) -> int:
        leaf = self._leaf.mean()
        batch = self._batch.mean(self._batch_size * leaf if self._leaf.count else math.inf)
        if seconds < num_single * leaf:
            return int(seconds / leaf)
        rest = seconds - num_single * leaf
        if rest < batch:
            return num_single
        num_batches = rest / batch if batch else 1.0
        return min(num_single + int(min(num_batches, MAX_INT32)) * self._batch_size, MAX_INT32)
