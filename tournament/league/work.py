"""Game pairs that a run lends to workers over the network: `work.sqlite` in a league's folder.

The run offers pairs and takes results; the server lends and receives. Nothing of it is a result of
the league: the journal gets a game when the run trusts it.
"""

import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tournament.game.job import GameJob
from tournament.league.journal import Journal

VERSION = 1
SCHEMA = """
CREATE TABLE header (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE tokens (
    hash TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('worker')),
    made_at TEXT NOT NULL,
    revoked_at TEXT
);
CREATE UNIQUE INDEX one_token_a_name ON tokens (name) WHERE revoked_at IS NULL;
CREATE TABLE workers (
    holder TEXT NOT NULL,
    machine TEXT NOT NULL,
    speed REAL,
    asked_at REAL NOT NULL,
    num_wanted INTEGER NOT NULL,
    num_games INTEGER NOT NULL,
    PRIMARY KEY (holder, machine)
);
CREATE TABLE leases (
    id TEXT PRIMARY KEY,
    jobs TEXT NOT NULL,
    ends_at REAL NOT NULL,
    holder TEXT,
    machine TEXT,
    lent_at REAL,
    speed REAL,
    report TEXT
);
"""
TERMS, STOPPED = "terms", "stopped"
# A worker that waits asks every few seconds.
WAITING_SECONDS = 15.0


@dataclass(frozen=True)
class Lease:
    """A game pair that a worker has, or that waits for a worker (holder None).

    Seconds are those of `time.time`. `machine` is how a worker calls itself, `speed` what it has
    measured (tournament.running.calibration); `report` is what it has sent, untrusted.
    """

    id: str
    pair: tuple[GameJob, ...]
    holder: str | None = None
    machine: str | None = None
    lent_at: float | None = None
    speed: float | None = None
    report: str | None = None

    @property
    def worker(self) -> str:
        """Who has it, in words."""
        return f"{self.holder}/{self.machine}"


class Work:
    """The pairs that are lent; the run uses one object, the server another."""

    def __init__(self, league: Path):
        self.journal = Journal(league / "work.sqlite", SCHEMA, VERSION)

    def close(self) -> None:
        """Close the file."""
        self.journal.close()

    # The run

    def begin(self, terms: dict[str, Any]) -> None:
        """Begin to lend on these terms, plain data; leases of an earlier run end."""
        with self.journal.transaction():
            self.journal.execute("DELETE FROM leases")
            self.journal.execute("DELETE FROM workers")
            self.journal.set_header(TERMS, terms)

    def end(self) -> None:
        """Lend nothing more."""
        with self.journal.transaction():
            self.journal.execute("DELETE FROM leases")
            self.journal.set_header(TERMS, None)

    def num_wanted(self, now: float) -> int:
        """Return for how many pairs workers wait."""
        wanted = self.journal.value(
            "SELECT coalesce(sum(num_wanted), 0) FROM workers WHERE asked_at > ?",
            now - WAITING_SECONDS,
        )
        offered = self.journal.value("SELECT count(*) FROM leases WHERE holder IS NULL")
        return max(0, wanted - offered)

    def offer(self, pairs: Sequence[Sequence[GameJob]], now: float) -> None:
        """Offer pairs for a short time to whoever asks first."""
        with self.journal.transaction():
            for pair in pairs:
                jobs = json.dumps([job.to_json() for job in pair])
                row = {"id": secrets.token_hex(8), "jobs": jobs, "ends_at": now + WAITING_SECONDS}
                self.journal.insert("leases", row)

    def is_idle(self) -> bool:
        """Return whether no pair is offered or lent."""
        return self.journal.execute("SELECT 1 FROM leases LIMIT 1").fetchone() is None

    def take_reported(self) -> list[Lease]:
        """Return the leases with a report, and end them."""
        return self._take("report IS NOT NULL")

    def take_lost(self, now: float) -> list[Lease]:
        """Return the leases that have run out, and end them."""
        return self._take("report IS NULL AND ends_at < ?", now)

    def stop(self, holder: str, reason: str) -> list[Lease]:
        """Lend nothing more to a holder of a token; return the leases that this ends."""
        with self.journal.transaction():
            self.journal.set_header(STOPPED, {**self.stopped(), holder: reason})
        return self._take("holder = ?", holder)

    # The server

    def terms(self) -> dict[str, Any] | None:
        """Return the terms of the run, or None while nothing is lent."""
        return self.journal.header(TERMS)

    def stopped(self) -> dict[str, str]:
        """Return why holders of tokens get no games any more."""
        return self.journal.header(STOPPED) or {}

    def forgive(self, holder: str) -> None:
        """Lend to a holder again."""
        with self.journal.transaction():
            others = {name: why for name, why in self.stopped().items() if name != holder}
            self.journal.set_header(STOPPED, others)

    def lend(
        self, holder: str, machine: str, speed: float | None, num_wanted: int, now: float,
        seconds: float,
    ) -> list[Lease]:
        """Lend up to so many pairs for some seconds; with none, remember who waits for them."""
        with self.journal.transaction():
            free = self._read("holder IS NULL LIMIT ?", num_wanted)
            for lease in free:
                self.journal.execute(
                    "UPDATE leases SET holder = ?, machine = ?, speed = ?, lent_at = ?,"
                    " ends_at = ? WHERE id = ?",
                    (holder, machine, speed, now, now + seconds, lease.id),
                )
            self.journal.execute(
                "INSERT INTO workers VALUES (?, ?, ?, ?, ?, 0) ON CONFLICT DO UPDATE SET"
                " speed = excluded.speed, asked_at = excluded.asked_at,"
                " num_wanted = excluded.num_wanted",
                (holder, machine, speed, now, num_wanted - len(free)),
            )
        return free

    def extend(
        self, holder: str, machine: str, now: float, seconds: float, longest: float
    ) -> None:
        """Extend the leases of a worker that still plays, to the `longest` seconds at most."""
        with self.journal.transaction():
            self.journal.execute(
                "UPDATE leases SET ends_at = min(?, lent_at + ?) WHERE holder = ? AND machine = ?",
                (now + seconds, longest, holder, machine),
            )

    def report(self, lease_id: str, holder: str, report: str) -> bool:
        """Keep a worker's report; return False if the lease is not that holder's any more."""
        with self.journal.transaction():
            kept = self.journal.execute(
                "UPDATE leases SET report = ? WHERE id = ? AND holder = ? AND report IS NULL",
                (report, lease_id, holder),
            )
            self.journal.execute(
                "UPDATE workers SET num_games = num_games + 2 WHERE (holder, machine) ="
                " (SELECT holder, machine FROM leases WHERE id = ? AND ?)",
                (lease_id, kept.rowcount),
            )
            return bool(kept.rowcount)

    def has(self, holder: str, sha256: str) -> bool:
        """Return whether a network plays in a pair that this holder has."""
        return any(
            sha256 in (job.black_sha256, job.white_sha256)
            for lease in self._read("holder = ?", holder) for job in lease.pair
        )

    def workers(self) -> list[dict[str, Any]]:
        """Return who has asked this run for pairs, as plain data."""
        rows = self.journal.execute(
            "SELECT holder, machine, speed, asked_at, num_games,"
            " (SELECT count(*) FROM leases WHERE leases.holder = workers.holder"
            " AND leases.machine = workers.machine) FROM workers ORDER BY holder, machine"
        )
        names = ("holder", "machine", "speed", "asked_at", "games", "leases")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _read(self, where: str, *values: Any) -> list[Lease]:
        rows: Iterable[tuple[Any, ...]] = self.journal.execute(
            "SELECT id, jobs, holder, machine, lent_at, speed, report FROM leases"
            f" WHERE {where}",
            values,
        )
        return [
            Lease(id, tuple(map(GameJob.from_json, json.loads(jobs))), *others)
            for id, jobs, *others in rows
        ]

    def _take(self, where: str, *values: Any) -> list[Lease]:
        if not self._read(f"{where} LIMIT 1", *values):  # so that a look costs no flush
            return []
        with self.journal.transaction():
            found = self._read(where, *values)
            for lease in found:
                self.journal.execute("DELETE FROM leases WHERE id = ?", (lease.id,))
        return found
