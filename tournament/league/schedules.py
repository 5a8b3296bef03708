"""What a league is meant to play: its targets, and the schedules that were run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tournament.errors import OptionsError
from tournament.game.job import GameJob, schedule_hash
from tournament.game.record import utc_now
from tournament.league.games import Games
from tournament.league.journal import Journal


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


class Schedules:
    """What a league is meant to play, and how long its games have been running.

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

    def run_seconds(self) -> float:
        """Return how long games of the league have been running, over all runs, in seconds."""
        return self._journal.header("run_seconds") or 0.0

    def note_run_seconds(self, seconds: float) -> None:
        """Store `run_seconds`."""
        with self._journal.transaction():
            self._journal.set_header("run_seconds", round(seconds, 3))
