"""What a league is meant to play: its targets, the schedules that were run, and in which week."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from tournament.errors import OptionsError
from tournament.game.job import GameJob, schedule_hash
from tournament.game.record import utc_now
from tournament.league.games import Games
from tournament.league.journal import Journal
from tournament.league.placings import week_of

RUN_WEEK = "run_week"
# What is played later than this after the first game is of a new week, also if the run was stopped
# and never ended: tournaments are weekly, and begin a day sooner or later.
MAX_WEEK = timedelta(days=6)


@dataclass(frozen=True)
class Target:
    """How much of a league is to be played in all, earlier runs included.

    rounds: game pairs of every two networks.
    budget_hours: hours of running after which no game pair is begun; what they leave after the
        rounds goes to the most informative pairs. None: the rounds, however long they take.

    Raises:
        OptionsError: a value out of range.
    """

    rounds: int = 1
    budget_hours: float | None = None

    def __post_init__(self):
        if self.rounds < 1:
            raise OptionsError(f"expected 1 round or more: got {self.rounds}")
        if self.budget_hours is not None and not 0 < self.budget_hours < float("inf"):
            raise OptionsError(f"expected a positive number of hours: got {self.budget_hours}")


@dataclass(frozen=True)
class Schedule:
    """A schedule that was run.

    hash: equal ones mean the same games in the same order, up to those that a budget added.
    target: what it was to reach.
    num_games: games of it, and those that count besides.
    noted_at: ISO 8601, UTC.
    """

    hash: str
    target: Target
    num_games: int
    noted_at: str


@dataclass(frozen=True)
class RunWeek:
    """The week of a run, to which all its games belong; a term has others (see weeks.py).

    label: that of the first game, as ISO 8601 counts weeks, "2026-W07".
    begun_at: when the first game began, ISO 8601.
    is_over: whether everything was played.
    is_kept: whether the league has kept a table of this week after everything was played.
    """

    label: str
    begun_at: str
    is_over: bool = False
    is_kept: bool = False


class Schedules:
    """What a league is meant to play, in which week, and how long its games have been running.

    Args:
        journal: where it is stored.
        games: of the league.
    """

    def __init__(self, journal: Journal, games: Games):
        self._journal, self._games = journal, games

    def last(self) -> Schedule | None:
        """Return the last schedule that was run; None before the first run."""
        row = self._journal.execute(
            "SELECT hash, rounds, budget_hours, num_games, noted_at FROM schedules"
            " ORDER BY number DESC LIMIT 1"
        ).fetchone()
        if row is None:
            return None
        digest, rounds, budget_hours, num_games, noted_at = row
        return Schedule(digest, Target(rounds, budget_hours), num_games, noted_at)

    def note(self, jobs: Sequence[GameJob], target: Target) -> None:
        """Store which schedule is being run, unless it equals the last one."""
        ids = {job.game_id for job in jobs} | {row.game_id for row in self._games.rows()}
        noted = Schedule(schedule_hash(jobs), target, len(ids), utc_now())
        last = self.last()
        if last is None or replace(last, noted_at=noted.noted_at) != noted:
            with self._journal.transaction():
                self._journal.execute(
                    "INSERT INTO schedules (hash, rounds, budget_hours, num_games, noted_at)"
                    " VALUES (?, ?, ?, ?, ?)",
                    (noted.hash, target.rounds, target.budget_hours, len(ids), noted.noted_at),
                )

    def week(self) -> RunWeek | None:
        """Return the week of the last run; None before its first game."""
        kept = self._journal.header(RUN_WEEK)
        return None if kept is None else RunWeek(**kept)

    def begin_week(self, started_at: str) -> None:
        """Begin the week of a run with its first game; a run that was stopped goes on in its own.

        Args:
            started_at: when a game of the run began, ISO 8601.
        """
        with self._journal.transaction():
            last = self.week()
            if last is not None and not last.is_over and _are_of_one_week(last, started_at):
                return
            label = week_of(started_at)
            is_kept = last is not None and last.label == label and last.is_kept
            self._store(RunWeek(label, started_at, is_kept=is_kept))

    def end_week(self) -> None:
        """Write down that everything was played; again, it changes nothing."""
        with self._journal.transaction():
            week = self.week()
            if week is not None and not week.is_over:
                self._store(replace(week, is_over=True, is_kept=False))

    def keep_week(self, week: RunWeek) -> None:
        """Write down that the table of a week is kept, unless a run has changed that week since."""
        with self._journal.transaction():
            if self.week() == week:
                self._store(replace(week, is_kept=True))

    def run_seconds(self) -> float:
        """Return how long games of the league have been running, over all runs, in seconds."""
        return self._journal.header("run_seconds") or 0.0

    def note_run_seconds(self, seconds: float) -> None:
        """Store `run_seconds`."""
        with self._journal.transaction():
            self._journal.set_header("run_seconds", round(seconds, 3))

    def _store(self, week: RunWeek) -> None:
        self._journal.set_header(RUN_WEEK, asdict(week))


def _are_of_one_week(week: RunWeek, started_at: str) -> bool:
    elapsed = datetime.fromisoformat(started_at) - datetime.fromisoformat(week.begun_at)
    return elapsed <= MAX_WEEK
