"""A league's folder and its SQLite journal, the only truth about an event.

    league.sqlite · submissions/SHA256.h5 · artefacts/SHA256.onnx and .json · games/GAME_ID.sgf

A file is moved into place whole before the row that names it is committed, and a game is one row
under its id, inserted once: a process that dies at any moment leaves a league that can go on.
"""

import fcntl
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from tournament.errors import LeagueError, OptionsError
from tournament.game.job import GameJob, schedule_hash
from tournament.game.record import utc_now
from tournament.game.rules import EventOptions
from tournament.league.games import Results
from tournament.league.journal import Journal
from tournament.league.placings import Placings
from tournament.league.schedules import Schedule, Target
from tournament.league.submissions import Registry

LOOK_SECONDS = 0.1

class League(Registry, Results, Placings):
    """Submissions, rules and games of one event, in one folder.

    Any number of processes may read and file submissions; one at a time may run games, inside
    `coordinate`.

    Args:
        folder: the league's folder.
        create: whether to make it when it holds no league.

    Raises:
        LeagueError: no league there, or one that this version cannot read.
    """

    def __init__(self, folder: str | Path, *, create: bool = True):
        self.folder = Path(folder)
        path = self.folder / "league.sqlite"
        if not path.exists():
            if not create:
                raise LeagueError(
                    f"expected a league in {self.folder}: got none; submit.py --league begins one"
                )
            self.folder.mkdir(parents=True, exist_ok=True)
        self._journal = Journal(path)

    def close(self) -> None:
        """Closes the journal."""
        self._journal.close()

    @property
    def summary_path(self) -> Path:
        """Where it is written how the last run ended; no file while one runs."""
        return self.folder / "summary.json"

    def options(self) -> EventOptions | None:
        """The rules of the event, or None before its first run."""
        data = self._journal.header("options")
        return None if data is None else EventOptions.from_json(data)

    def fix_options(self, options: EventOptions) -> None:
        """Makes these the rules of the event, for good.

        Raises:
            OptionsError: the event has other ones.
        """
        with self._journal.transaction():
            begun_with = self.options()
            if begun_with is None:
                self._journal.set_header("options", options.to_json())
            elif begun_with != options:
                raise OptionsError(
                    "expected the options that the league was begun with, begin another league "
                    f"for others: got {', '.join(begun_with.differences(options))}"
                )

    def schedule(self) -> Schedule | None:
        """The last schedule that was run; None before the first run."""
        row = self._journal.execute(
            "SELECT hash, rounds, budget_hours, num_games, noted_at FROM schedules"
            " ORDER BY number DESC LIMIT 1"
        ).fetchone()
        if row is None:
            return None
        digest, rounds, budget_hours, num_games, noted_at = row
        return Schedule(digest, Target(rounds, budget_hours), num_games, noted_at)

    def note_schedule(self, jobs: Sequence[GameJob], target: Target) -> None:
        """Writes down which schedule is being run; one like the last is not written again."""
        ids = {job.game_id for job in jobs} | {row.game_id for row in self.rows()}
        noted = Schedule(schedule_hash(jobs), target, len(ids), utc_now())
        last = self.schedule()
        if last is None or replace(last, noted_at=noted.noted_at) != noted:
            with self._journal.transaction():
                self._journal.execute(
                    "INSERT INTO schedules (hash, rounds, budget_hours, num_games, noted_at)"
                    " VALUES (?, ?, ?, ?, ?)",
                    (noted.hash, target.rounds, target.budget_hours, len(ids), noted.noted_at),
                )

    def run_seconds(self) -> float:
        """For how long games of the league have been run, over all runs, in seconds."""
        return self._journal.header("run_seconds") or 0.0

    def note_run_seconds(self, seconds: float) -> None:
        """Writes `run_seconds` down."""
        with self._journal.transaction():
            self._journal.set_header("run_seconds", round(seconds, 3))

    @contextmanager
    def at_one_moment(self) -> Iterator[Journal]:
        """The journal, and all that is read of the league inside, as it is now."""
        with self._journal.one_moment():
            yield self._journal

    @contextmanager
    def coordinate(self) -> Iterator[None]:
        """Holds the league for running games.

        Raises:
            LeagueError: another process runs games on it.
        """
        with open(self._lock_path, "a", encoding="utf-8") as lock:
            if not _locked(lock):
                time.sleep(LOOK_SECONDS)  # somebody may only look, in `coordinator`
            if not _locked(lock):
                raise LeagueError(
                    f"expected one tournament at a time on {self.folder}: another one is running"
                )
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            yield

    def coordinator(self) -> int | None:
        """The process that runs games on this machine, or None when none does."""
        with open(self._lock_path, "a+", encoding="utf-8") as lock:
            if _locked(lock):
                return None
            lock.seek(0)
            number = lock.read()
        return int(number) if number.isdecimal() else None

    @property
    def _lock_path(self) -> Path:
        return self.folder / "coordinator.lock"


def _locked(file: TextIO) -> bool:
    """Whether nobody else had the file; it is this process's now, until it is closed."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
