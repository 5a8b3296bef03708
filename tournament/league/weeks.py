"""The weeks of a league, and the ratings that it has kept of each.

In a term a deadline closes a week; its stored table and page keep it, each step as one row of the
journal. Without a term a week lasts from a run's first game until the run ends.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from tournament.errors import LeagueError
from tournament.league.journal import Journal
from tournament.league.settings import Deadline

WEEKS, RUN_WEEK = "weeks", "run_week"  # keys of the journal's header
# A run that begins later than this after the first game is of a new week, also if the run before
# was stopped and never ended: tournaments are weekly, and begin a day sooner or later.
MAX_WEEK = timedelta(days=6)


@dataclass(frozen=True)
class Week:
    """A week of a term whose deadline has passed.

    label: the day of its deadline, with a + for the second week that ends on that day; unique.
    first_late: the first moment that was too late, ISO 8601 in UTC.
    kept_at: when its table was kept; None while its games are played.
    is_last: whether the term had no later deadline when this week was closed.
    """

    label: str
    first_late: str
    kept_at: str | None = None
    is_last: bool = False


@dataclass(frozen=True)
class RunWeek:
    """The week of all games of a run, without a term, labelled by the first game's ISO 8601 week.

    `is_over` says whether its run has ended, `is_kept` whether a table was kept after that, or
    after the run was stopped, which is `is_stopped`.
    """

    label: str
    begun_at: str
    is_over: bool = False
    is_kept: bool = False
    is_stopped: bool = False


@dataclass(frozen=True)
class Placing:
    """Where a network stood at the end of a week, as it was published.

    week: its label in a term, such as "2026-02-13", else as ISO 8601 counts it, "2026-W07".
    rank, rank_low, rank_high: 1 is best, with the 95 % interval.
    elo, elo_halfwidth: the rating, and half of its 95 % interval.
    points: the share of games that it would win against all others, 0 … 100
    (docs/teacher/term.md).
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


class Weeks:
    """The weeks of a league."""

    def __init__(self, journal: Journal):
        self._journal = journal

    def all(self) -> list[Week]:
        """Return the closed weeks of the term in their order."""
        return [Week(**week) for week in self._journal.header(WEEKS) or []]

    def last(self) -> Week | None:
        """Return the week that was closed last; None before the first deadline."""
        return next(reversed(self.all()), None)

    def under_way(self) -> Week | None:
        """Return the week that is closed and whose table isn't kept yet."""
        last = self.last()
        return last if last is not None and last.kept_at is None else None

    def close(self, deadline: Deadline, is_last: bool = False) -> bool:
        """Close a deadline's week; return False if it is closed, or an earlier week is not kept."""
        with self._journal.transaction():
            weeks = self.all()
            if weeks and (weeks[-1].kept_at is None or weeks[-1].first_late >= deadline.first_late):
                return False
            label, taken = deadline.day, {week.label for week in weeks}
            while label in taken:  # a second deadline on its day
                label += "+"
            self._store([*weeks, Week(label, deadline.first_late, is_last=is_last)])
        return True

    def keep(self, label: str, now: str) -> None:
        """Note that a week's table is kept, once; raise LeagueError if the week was not closed."""
        with self._journal.transaction():
            weeks = self.all()
            if not weeks or weeks[-1].label != label:
                raise LeagueError(f"the week {label} is not the last one that was closed")
            if weeks[-1].kept_at is None:
                self._store([*weeks[:-1], replace(weeks[-1], kept_at=now)])

    def of_run(self) -> RunWeek | None:
        """Return the week of the last run; None before its first game."""
        kept = self._journal.header(RUN_WEEK)
        return None if kept is None else RunWeek(**kept)

    def begin_run(self, started_at: str) -> None:
        """Begin a week with a run's first game (ISO 8601); a stopped run continues its own week."""
        with self._journal.transaction():
            last = self.of_run()
            if last is not None and not last.is_over and _are_of_one_week(last, started_at):
                if last.is_stopped:  # from here on, its table follows its games again
                    self._store_run(replace(last, is_kept=False, is_stopped=False))
                return
            label = week_of(started_at)
            is_kept = last is not None and last.label == label and last.is_kept
            self._store_run(RunWeek(label, started_at, is_kept=is_kept))

    def end_run(self) -> None:
        """Write down that the run has ended; again, it changes nothing."""
        with self._journal.transaction():
            week = self.of_run()
            if week is not None and not week.is_over:
                self._store_run(replace(week, is_over=True, is_kept=False, is_stopped=False))

    def keep_run(self, week: RunWeek) -> None:
        """Write down that the table of a week is kept, unless a run has changed that week since."""
        with self._journal.transaction():
            if self.of_run() == week:
                self._store_run(replace(week, is_kept=True, is_stopped=not week.is_over))

    def placings(self) -> list[Placing]:
        """Return the ratings that were kept, week after week, best first."""
        rows = self._journal.execute("SELECT * FROM placings ORDER BY rowid")
        return [Placing(*row) for row in rows]

    def note_placings(self, week: str, placings: Sequence[Placing]) -> None:
        """Replace a week's ratings by these, best first; there may be none."""
        with self._journal.transaction():
            self._journal.execute("DELETE FROM placings WHERE week = ?", (week,))
            for placing in placings:
                self._journal.insert("placings", asdict(placing))

    def _store(self, weeks: list[Week]) -> None:
        self._journal.set_header(WEEKS, [asdict(week) for week in weeks])

    def _store_run(self, week: RunWeek) -> None:
        self._journal.set_header(RUN_WEEK, asdict(week))


def week_of(timestamp: str) -> str:
    """Return the week of an ISO 8601 time, on this machine's clocks.

    A run at the same local time every week has a week of its own, also where clocks change.
    """
    year, week, _ = datetime.fromisoformat(timestamp).astimezone().isocalendar()
    return f"{year}-W{week:02d}"


def _are_of_one_week(week: RunWeek, started_at: str) -> bool:
    elapsed = datetime.fromisoformat(started_at) - datetime.fromisoformat(week.begun_at)
    return elapsed <= MAX_WEEK
