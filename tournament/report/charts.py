"""Rating intervals as inline SVG on one common scale, in percents of the drawing's width."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tournament.report.markup import Markup, element
from tournament.report.standings import Standing


@dataclass(frozen=True)
class Scale:
    """A range of Elo that is drawn, with a tick every `step`."""

    low: float
    high: float
    step: int

    @classmethod
    def of(cls, rows: Iterable[Standing]) -> "Scale":
        """The smallest scale that holds every interval, ends rounded to half a tick."""
        ends = [row.elo + sign * row.elo_halfwidth for row in rows for sign in (-1, 1)] or [0.0]
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


def signed(elo: float) -> str:
    """A rating with its sign, rounded, as print has it: +120, 0, −80."""
    return f"{elo:+.0f}".replace("-", "−") if round(elo) else "0"


def interval_bar(row: Standing, scale: Scale) -> Markup:
    """A rating as a dot on its 95 % interval."""
    low, high = row.elo - row.elo_halfwidth, row.elo + row.elo_halfwidth
    description = f"Elo {signed(row.elo)}, 95 % interval from {signed(low)} to {signed(high)}"
    grid = [_vertical(scale.position(tick), tick == 0) for tick in scale.ticks()]
    span = {"x1": scale.position(low), "x2": scale.position(high), "y1": "50%", "y2": "50%"}
    return element(
        "svg",
        element("title", description),
        *grid,
        element("line", class_="interval", **span),
        element("circle", class_="estimate", cx=scale.position(row.elo), cy="50%", r=4.5),
        class_="bar",
        role="img",
        aria_label=description,
    )


def axis(scale: Scale) -> Markup:
    """The numbers above the bars."""
    labels = [
        element("text", signed(tick), x=scale.position(tick), y="75%") for tick in scale.ticks()
    ]
    return element("svg", *labels, class_="bar axis", aria_hidden="true")


def _vertical(x: str, is_zero: bool) -> Markup:
    return element("line", class_="zero" if is_zero else "grid", x1=x, x2=x, y1="0", y2="100%")


def _step(span: float) -> int:
    return next((step for step in (50, 100, 200, 500, 1000) if span / step <= 4), 2000)
