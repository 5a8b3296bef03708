"""A league's folder and its SQLite journal, the only truth about an event.

    league.sqlite · submissions/SHA256.h5 · artefacts/SHA256.onnx and .json · games/GAME_ID.sgf

A file is moved into place whole before the row that names it is committed, and a game is one row
under its id, inserted once: a process that dies at any moment leaves a league that can go on.
"""

import fcntl
import hashlib
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from tournament.errors import LeagueError, OptionsError, SubmissionError
from tournament.files import write_whole
from tournament.game import VOID, GameRecord, utc_now
from tournament.options import EventOptions
from tournament.schedule import Entrant, GameJob, schedule_hash
from tournament.sgf_out import to_sgf

SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE header (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE submissions (
    sha256 TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'superseded')),
    submitted_at TEXT NOT NULL,
    manifest TEXT NOT NULL
);
CREATE UNIQUE INDEX one_active_network_a_name ON submissions (name) WHERE status = 'active';
CREATE TABLE games (
    game_id TEXT PRIMARY KEY,
    pair_id TEXT NOT NULL,
    black TEXT NOT NULL,
    white TEXT NOT NULL,
    black_sha256 TEXT NOT NULL,
    white_sha256 TEXT NOT NULL,
    result TEXT NOT NULL,
    winner TEXT NOT NULL CHECK (winner IN ('black', 'white')),
    kind TEXT NOT NULL CHECK (kind IN ('played', 'forfeit')),
    reason TEXT NOT NULL,
    komi REAL NOT NULL,
    seed INTEGER NOT NULL,
    opening TEXT NOT NULL,
    moves TEXT NOT NULL,
    host TEXT NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT NOT NULL
);
CREATE TABLE voids (
    game_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    host TEXT NOT NULL,
    finished_at TEXT NOT NULL
);
"""
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
GAME_COLUMNS = tuple(field.name for field in fields(GameRecord))


@dataclass(frozen=True)
class Submission:
    """A network that somebody handed in.

    manifest: what the intake found out about it, as `artefacts/SHA256.json` has it.
    active: False once another network was filed under the same name.
    """

    name: str
    sha256: str
    manifest: dict[str, Any]
    submitted_at: str
    active: bool


@dataclass(frozen=True)
class Void:
    """A game that broke off through no fault of its players; it was or will be played again."""

    game_id: str
    reason: str
    host: str
    finished_at: str


class League:
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
        try:
            self._database = sqlite3.connect(path, timeout=60, isolation_level=None)
            self._open()
        except sqlite3.Error as error:
            raise LeagueError(f"expected a league's journal in {path}: {error}") from error

    def close(self) -> None:
        """Closes the journal."""
        self._database.close()

    def artefact_path(self, sha256: str) -> Path:
        """Where the baked network of a submission lies."""
        return self.folder / "artefacts" / f"{sha256}.onnx"

    def game_path(self, game_id: str) -> Path:
        """Where a game's SGF lies."""
        return self.folder / "games" / f"{game_id}.sgf"

    # ---- rules -------------------------------------------------------------------------------

    def options(self) -> EventOptions | None:
        """The rules of the event, or None before its first run."""
        data = self._header("options")
        return None if data is None else EventOptions.from_json(data)

    def fix_options(self, options: EventOptions) -> None:
        """Makes these the rules of the event, for good.

        Raises:
            OptionsError: the event has other ones.
        """
        with self._transaction():
            begun_with = self.options()
            if begun_with is None:
                self._set_header("options", options.to_json())
            elif begun_with != options:
                raise OptionsError(
                    "expected the options that the league was begun with, begin another league "
                    f"for others: got {', '.join(begun_with.differences(options))}"
                )

    def schedule(self) -> dict[str, Any] | None:
        """The last schedule that was run: its `hash`, `rounds` and `num_games`; None before."""
        return self._header("schedule")

    def note_schedule(self, jobs: Sequence[GameJob], rounds: int) -> None:
        """Writes down which schedule is being run."""
        summary = {"hash": schedule_hash(jobs), "rounds": rounds, "num_games": len(jobs)}
        with self._transaction():
            self._set_header("schedule", summary)

    # ---- submissions -------------------------------------------------------------------------

    def add_submission(self, name: str, h5_path: str | Path, verdict) -> Submission:
        """Files an accepted network under a name, in place of the one that had it before.

        Filing the same network again changes nothing.

        Args:
            name: 1 to 64 letters, digits, `_`, `.` and `-`.
            h5_path: the file handed in; it is copied.
            verdict: the intake's Verdict on this very file.

        Raises:
            SubmissionError: not accepted, another file, no such name, or another name's network.
        """
        if not verdict.accepted:
            faults = "; ".join(fault.text for fault in verdict.faults)
            raise SubmissionError(f"expected an accepted network: {faults}")
        if not NAME.fullmatch(name):
            raise SubmissionError(
                f"expected a name of up to 64 letters, digits, '_', '.' and '-': got {name!r}"
            )
        content = Path(h5_path).read_bytes()
        sha256 = verdict.manifest.sha256
        if hashlib.sha256(content).hexdigest() != sha256:
            raise SubmissionError(
                f"expected the file that was checked: {h5_path} has changed since"
            )
        manifest = json.dumps(asdict(verdict.manifest), indent=2)
        with self._transaction():
            self._refuse_taken(name, sha256)
            write_whole(self.folder / "submissions" / f"{sha256}.h5", content)
            write_whole(self.artefact_path(sha256), Path(verdict.onnx_path).read_bytes())
            write_whole(self.artefact_path(sha256).with_suffix(".json"), manifest.encode())
            self._database.execute(
                "UPDATE submissions SET status = 'superseded' WHERE name = ? AND sha256 != ?",
                (name, sha256),
            )
            self._database.execute(
                "INSERT INTO submissions VALUES (?, ?, 'active', ?, ?)"
                " ON CONFLICT (sha256)"
                " DO UPDATE SET status = 'active', manifest = excluded.manifest",
                (sha256, name, utc_now(), manifest),
            )
        return next(filed for filed in self.submissions() if filed.sha256 == sha256)

    def submissions(self) -> list[Submission]:
        """All networks ever filed, in the order of their names, the superseded ones included."""
        rows = self._database.execute(
            "SELECT name, sha256, manifest, submitted_at, status = 'active' FROM submissions"
            " ORDER BY name, submitted_at"
        )
        return [Submission(n, s, json.loads(m), at, bool(active)) for n, s, m, at, active in rows]

    def entrants(self) -> list[Entrant]:
        """The networks that play: the active submissions."""
        return [Entrant(s.name, s.sha256) for s in self.submissions() if s.active]

    # ---- games -------------------------------------------------------------------------------

    def missing(self, jobs: Iterable[GameJob]) -> list[GameJob]:
        """Those of the jobs that have no result yet, in their order."""
        done = {game_id for (game_id,) in self._database.execute("SELECT game_id FROM games")}
        return [job for job in jobs if job.game_id not in done]

    def record_game(self, record: GameRecord) -> bool:
        """Writes a game down once; a void one among the voids, since it has no result.

        Returns:
            whether it was news: False when the game already had a result, which stays.
        """
        if record.kind == VOID:
            void = (record.game_id, record.reason, record.host, record.finished_at)
            with self._transaction():
                self._database.execute("INSERT INTO voids VALUES (?, ?, ?, ?)", void)
            return True
        row = record.to_json()
        for name in ("opening", "moves"):
            row[name] = json.dumps(row[name], separators=(",", ":"))
        names = ", ".join(GAME_COLUMNS)
        values = ", ".join(f":{name}" for name in GAME_COLUMNS)
        with self._transaction():
            inserted = self._database.execute(
                f"INSERT INTO games ({names}) VALUES ({values}) ON CONFLICT (game_id) DO NOTHING",
                row,
            )
            if inserted.rowcount:
                write_whole(self.game_path(record.game_id), to_sgf(record).encode())
        return bool(inserted.rowcount)

    def games(self) -> list[GameRecord]:
        """The results that count, in the order in which they came; none of superseded networks."""
        rows = self._database.execute(
            f"SELECT {', '.join(GAME_COLUMNS)} FROM games WHERE NOT EXISTS ("
            "  SELECT 1 FROM submissions WHERE status = 'superseded'"
            "  AND sha256 IN (black_sha256, white_sha256)"
            ") ORDER BY rowid"
        )
        return [_game_of(row) for row in rows]

    def voids(self) -> list[Void]:
        """The attempts that broke off, in the order in which they came."""
        return [Void(*row) for row in self._database.execute("SELECT * FROM voids ORDER BY rowid")]

    # ---- the journal -------------------------------------------------------------------------

    @contextmanager
    def coordinate(self) -> Iterator[None]:
        """Holds the league for running games.

        Raises:
            LeagueError: another process runs games on it.
        """
        with open(self.folder / "coordinator.lock", "w", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise LeagueError(
                    f"expected one tournament at a time on {self.folder}: another one is running"
                ) from None
            yield

    def _open(self) -> None:
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        with self._transaction():
            (version,) = self._database.execute("PRAGMA user_version").fetchone()
            if version == 0:
                for statement in SCHEMA.split(";\n"):
                    self._database.execute(statement)
                self._database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            elif version != SCHEMA_VERSION:
                raise LeagueError(
                    f"expected a journal of version {SCHEMA_VERSION} in {self.folder}: "
                    f"got {version}; open it with the version of the kit that wrote it"
                )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def _header(self, key: str) -> dict[str, Any] | None:
        row = self._database.execute("SELECT value FROM header WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def _set_header(self, key: str, value: dict[str, Any]) -> None:
        self._database.execute(
            "INSERT INTO header VALUES (?, ?)"
            " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, json.dumps(value)),
        )

    def _refuse_taken(self, name: str, sha256: str) -> None:
        row = self._database.execute(
            "SELECT name FROM submissions WHERE sha256 = ?", (sha256,)
        ).fetchone()
        if row is not None and row[0] != name:
            raise SubmissionError(
                f"expected a network of its own: this very file is already filed as {row[0]}"
            )


def _game_of(row: Sequence[Any]) -> GameRecord:
    data = dict(zip(GAME_COLUMNS, row, strict=True))
    return GameRecord.from_json(
        {**data, "opening": json.loads(data["opening"]), "moves": json.loads(data["moves"])}
    )
