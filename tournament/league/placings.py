"""Ratings by week, as they were published: a league keeps those of each of its weeks."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from datetime import date

from tournament.league.journal import Journal


@dataclass(frozen=True)
class Placing:
    """Where a network stood at the end of a week.

    week: its label in a term, such as "2026-02-13", else as ISO 8601 counts it, "2026-W07".
    rank, rank_low, rank_high: 1 is best, with the 95 % interval.
    elo, elo_halfwidth: the rating, and half of its 95 % interval.
    points: the share of games that it would win against all others, 0 … 100 (docs/ratings.md).
    """

    week: str
    name: str
    sha256: str
    rank: int
    rank_low: int
    rank_high: int
    elo: float
    elo_halfwidth: float
    num_wins: int
    num_games: int
    points: float


class Placings:
    """The ratings by week of a league.

    Args:
        journal: where they are written down.
    """

    def __init__(self, journal: Journal):
        self._journal = journal

    def note(self, week: str, placings: Sequence[Placing]) -> None:
        """Store a week's ratings, replacing earlier ones of that week, also by none.

        Args:
            week: the latest one; weeks come in the order in which they are first stored.
            placings: best first.
        """
        marks = ", ".join("?" for _ in fields(Placing))
        with self._journal.transaction():
            self._journal.execute("DELETE FROM placings WHERE week = ?", (week,))
            for placing in placings:
                self._journal.execute(f"INSERT INTO placings VALUES ({marks})", astuple(placing))

    def all(self) -> list[Placing]:
        """Return all of them, week after week, best first."""
        rows = self._journal.execute("SELECT * FROM placings ORDER BY rowid")
        return [Placing(*row) for row in rows]


def week_of(timestamp: str) -> str:
    """Return the week of an ISO 8601 time."""
    year, week, _ = date.fromisoformat(timestamp[:10]).isocalendar()
    return f"{year}-W{week:02d}"
