"""Pictures as inline SVG: rating intervals on one common scale, shares, ratings over weeks."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from tournament.report.markup import Markup, element
from tournament.report.standings import Score
from tournament.report.words import signed


class Rated(Protocol):
    """What has a rating and half of its 95 % interval, in Elo."""

    elo: float
    elo_halfwidth: float


@dataclass(frozen=True)
class Scale:
    """A range of Elo that is drawn, with a tick every `step`."""

    low: float
    high: float
    step: int

    @classmethod
    def of(cls, rated: Iterable[Rated]) -> "Scale":
        """The smallest scale that holds every interval, ends rounded to half a tick."""
        ends = [row.elo + sign * row.elo_halfwidth for row in rated for sign in (-1, 1)] or [0.0]
        step = _step(max(ends) - min(ends))
        half = step / 2
        low, high = math.floor(min(ends) / half) * half, math.ceil(max(ends) / half) * half
        return cls(low - half / 2, high + half / 2, step)

    def position(self, elo: float) -> str:
        """Where a rating lies, such as `37.50%`."""
        return f"{100 * (elo - self.low) / (self.high - self.low):.2f}%"

    def ticks(self) -> list[int]:
        """The multiples of `step` on the scale."""
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return [self.step * i for i in range(first, last + 1)]


def interval_bar(row: Rated, scale: Scale, grid: str = "grid") -> Markup:
    """A rating as a dot on its 95 % interval; its page has an `axis` too, with the grid."""
    low, high = row.elo - row.elo_halfwidth, row.elo + row.elo_halfwidth
    description = f"Elo {signed(row.elo)}, 95 % interval from {signed(low)} to {signed(high)}"
    span = {"x1": scale.position(low), "x2": scale.position(high), "y1": "50%", "y2": "50%"}
    return element(
        "svg",
        element("use", href=f"#{grid}"),
        element("line", class_="interval", **span),
        element("circle", class_="estimate", cx=scale.position(row.elo), cy="50%", r=4.5),
        class_="bar",
        role="img",
        aria_label=description,
    )


def axis(scale: Scale, grid: str = "grid") -> Markup:
    """The numbers above the bars, and the grid that the bars repeat under its id."""
    ticks = scale.ticks()
    labels = [element("text", signed(tick), x=scale.position(tick), y="75%") for tick in ticks]
    lines = [_vertical(scale.position(tick), tick == 0) for tick in ticks]
    repeated = element("symbol", *lines, id=grid)
    return element("svg", repeated, *labels, class_="bar axis", aria_hidden="true")


def share_bar(score: Score) -> Markup:
    """The share of games won, with a mark at one half; the numbers stand beside it."""
    won = f"{100 * score.winrate:.1f}%"
    return element(
        "svg",
        element("rect", class_="whole", width="100%", height="100%", rx=2),
        element("rect", class_="won", width=won, height="100%", rx=2),
        element("line", class_="half", x1="50%", x2="50%", y1="0", y2="100%"),
        class_="share",
        aria_hidden="true",
    )


def _vertical(x: str, is_zero: bool) -> Markup:
    return element("line", class_="tick zero" if is_zero else "tick", x1=x, x2=x, y1="0", y2="100%")


def _step(span: float) -> int:
    return next((step for step in (50, 100, 200, 500, 1000) if span / step <= 4), 2000)
