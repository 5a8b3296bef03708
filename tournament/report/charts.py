"""What the pages' pictures are drawn from: a common scale of ratings, and shades of scores."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from tournament.ratings.ranking import Score

# From all games lost to all won; style.css has a class for each.
SHADES = ("lost", "lost-2", "lost-1", "even", "won-1", "won-2", "won")


class Rated(Protocol):
    """A row of a ranking, as the charts see it."""

    @property
    def elo(self) -> float:
        """The rating."""
        ...

    @property
    def elo_halfwidth(self) -> float:
        """Half of its 95 % interval, in Elo."""
        ...


@dataclass(frozen=True)
class Scale:
    """A range of Elo that is drawn, with a tick every `step`."""

    low: float
    high: float
    step: int

    @classmethod
    def of(cls, rated: Iterable[Rated]) -> "Scale":
        """Return the smallest scale that holds every interval, ends rounded to half a tick."""
        ends = [row.elo + sign * row.elo_halfwidth for row in rated for sign in (-1, 1)] or [0.0]
        step = _step(max(ends) - min(ends))
        half = step / 2
        low, high = math.floor(min(ends) / half) * half, math.ceil(max(ends) / half) * half
        return cls(low - half / 2, high + half / 2, step)

    def position(self, elo: float) -> str:
        """Return where a rating lies, such as `37.50%`."""
        return f"{100 * (elo - self.low) / (self.high - self.low):.2f}%"

    def ticks(self) -> list[int]:
        """Return the multiples of `step` on the scale."""
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return [self.step * i for i in range(first, last + 1)]


def shade(score: Score) -> str:
    """Return the class of a score's shade."""
    return SHADES[round(score.winrate * (len(SHADES) - 1))]


def _step(span: float) -> int:
    # More ticks on the narrow axis would write −1000 into −500.
    return next((step for step in (50, 100, 200, 500, 1000) if span / step <= 3), 2000)
