"""Sequential halving: find the best of many arms with a small budget."""

from typing import Protocol

import numpy as np


class Bandit(Protocol):
    """Arms 0 … n − 1, and a number of pulls to estimate their worth."""

    def scores(self) -> np.ndarray:
        """Return the estimated worth of each arm: float [n]."""
        ...

    def pulls_left(self) -> int:
        """Return how many pulls remain."""
        ...

    def pull(self, arm: int, num_pulls: int) -> None:
        """Pull an arm this many times, or as often as pulls remain."""
        ...


def sequential_halving(bandit: Bandit, num_considered: int) -> int:
    """Return the arm that is best after all pulls.

    In every round those still in the race get equal shares of an equal part of the pulls, and the
    better half of them stays.

    Every arm considered is pulled once at least; with fewer pulls, fewer arms are considered.

    Args:
        bandit: the arms.
        num_considered: how many enter the race, the best by their first scores.

    Source: Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits", 2013;
    as a search's root: Danihelka et al., "Policy improvement by planning with Gumbel", 2022.
    """
    arms = _best(bandit, min(num_considered, max(1, bandit.pulls_left())))
    while len(arms) > 1:
        rounds_left = (len(arms) - 1).bit_length()
        share, rest = divmod(bandit.pulls_left() // rounds_left, len(arms))
        for place, arm in enumerate(arms):
            bandit.pull(arm, max(1, share + (place < rest)))
        arms = _best(bandit, (len(arms) + 1) // 2, arms)
    bandit.pull(arms[0], bandit.pulls_left())
    return arms[0]


def _best(bandit: Bandit, count: int, among: list[int] | None = None) -> list[int]:
    """Return the arms of the highest scores, best first."""
    scores = bandit.scores()
    arms = range(len(scores)) if among is None else among
    return sorted(arms, key=lambda arm: -scores[arm])[:count]
