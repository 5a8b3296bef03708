"""The weeks of a term, as the league has closed them at their deadlines and kept their tables.

A week is closed first: from then on its files are frozen, and its games are played. When its table
and its page are stored, it is kept, and its placings change no more. Each of the two is one row of
the journal, so a process that is killed between them, or a second one, does no step twice.
"""

from dataclasses import asdict, dataclass, replace

from tournament.errors import LeagueError
from tournament.league.deadline import Deadline
from tournament.league.journal import Journal

KEY = "weeks"


@dataclass(frozen=True)
class Week:
    """A week of a term whose deadline has passed.

    label: the day of its deadline, as 2026-10-09, and 2026-10-09+ for the second week that ends on
        that day; no two weeks have the same.
    first_late: the first moment that was too late, ISO 8601 in UTC.
    kept_at: when its table was kept; None while its games are played.
    """

    label: str
    first_late: str
    kept_at: str | None = None


class Weeks:
    """The closed weeks of a league.

    Args:
        journal: where they are written down.
    """

    def __init__(self, journal: Journal):
        self._journal = journal

    def all(self) -> list[Week]:
        """Return them in their order."""
        return [Week(**week) for week in self._journal.header(KEY) or []]

    def last(self) -> Week | None:
        """Return the week that was closed last; None before the first deadline."""
        return next(reversed(self.all()), None)

    def under_way(self) -> Week | None:
        """Return the week that is closed and whose table isn't kept yet."""
        last = self.last()
        return last if last is not None and last.kept_at is None else None

    def close(self, deadline: Deadline) -> bool:
        """Close the week of a deadline: what the league plays from now on is this week's.

        Returns:
            whether this call has closed it: False if it is closed, or a week before it is not kept.
        """
        with self._journal.transaction():
            weeks = self.all()
            if weeks and (weeks[-1].kept_at is None or weeks[-1].first_late >= deadline.first_late):
                return False
            label, taken = deadline.day, {week.label for week in weeks}
            while label in taken:  # a second deadline on its day
                label += "+"
            self._store([*weeks, Week(label, deadline.first_late)])
        return True

    def keep(self, label: str, now: str) -> None:
        """Write down that the table of the week under way is kept; again, it changes nothing.

        Raises:
            LeagueError: no such week was closed.
        """
        with self._journal.transaction():
            weeks = self.all()
            if not weeks or weeks[-1].label != label:
                raise LeagueError(f"the week {label} is not the last one that was closed")
            if weeks[-1].kept_at is None:
                self._store([*weeks[:-1], replace(weeks[-1], kept_at=now)])

    def _store(self, weeks: list[Week]) -> None:
        self._journal.set_header(KEY, [asdict(week) for week in weeks])
