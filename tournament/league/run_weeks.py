"""The week of a run, for a league without a term; a term has its own weeks (weeks.py).

It begins with the first game and ends when everything is played, however often the run is stopped
and continued, so a tournament that goes on past midnight on Sunday is of one week.
"""

from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from tournament.league.journal import Journal
from tournament.league.placings import week_of

KEY = "run_week"
# What is played later than this after the first game is of a new week, also if the run was stopped
# and never ended: tournaments are weekly, and begin a day sooner or later.
MAX_WEEK = timedelta(days=6)


@dataclass(frozen=True)
class RunWeek:
    """The week to which all games of a run belong.

    label: that of the first game, as ISO 8601 counts weeks, "2026-W07".
    begun_at: when the first game began, ISO 8601.
    is_over: whether everything was played.
    is_kept: whether the league has kept a table of this week after everything was played.
    """

    label: str
    begun_at: str
    is_over: bool = False
    is_kept: bool = False


class RunWeeks:
    """The week of a league's last run.

    Args:
        journal: where it is written down.
    """

    def __init__(self, journal: Journal):
        self._journal = journal

    def last(self) -> RunWeek | None:
        """Return the week of the last run; None before its first game."""
        kept = self._journal.header(KEY)
        return None if kept is None else RunWeek(**kept)

    def begin(self, started_at: str) -> None:
        """Begin a week with the first game of a run; a run that was stopped goes on in its own.

        Args:
            started_at: when a game of the run began, ISO 8601.
        """
        with self._journal.transaction():
            last = self.last()
            if last is not None and not last.is_over and _are_of_one_week(last, started_at):
                return
            label = week_of(started_at)
            is_kept = last is not None and last.label == label and last.is_kept
            self._store(RunWeek(label, started_at, is_kept=is_kept))

    def end(self) -> None:
        """Write down that everything was played; again, it changes nothing."""
        with self._journal.transaction():
            week = self.last()
            if week is not None and not week.is_over:
                self._store(replace(week, is_over=True, is_kept=False))

    def keep(self, week: RunWeek) -> None:
        """Write down that the table of a week is kept, unless a run has changed that week since."""
        with self._journal.transaction():
            if self.last() == week:
                self._store(replace(week, is_kept=True))

    def _store(self, week: RunWeek) -> None:
        self._journal.set_header(KEY, asdict(week))


def _are_of_one_week(week: RunWeek, started_at: str) -> bool:
    elapsed = datetime.fromisoformat(started_at) - datetime.fromisoformat(week.begun_at)
    return elapsed <= MAX_WEEK
