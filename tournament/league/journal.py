"""The SQLite file behind a league: tables, version, and transactions with readable errors."""

import json
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from golois.kit.files import open_private
from tournament.errors import LeagueError

SCHEMA_VERSION = 3
# The moves have a table of their own, so that 40,000 games can be read without them.
SCHEMA = """
CREATE TABLE header (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE submissions (
    sha256 TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'withdrawn', 'suspended')),
    note TEXT NOT NULL,
    num_pardoned INTEGER NOT NULL,
    anchor_elo REAL,
    submitted_at TEXT NOT NULL,
    manifest TEXT NOT NULL
);
CREATE UNIQUE INDEX one_network_a_name ON submissions (name) WHERE status != 'superseded';
CREATE TABLE schedules (
    number INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    rounds INTEGER NOT NULL,
    budget_hours REAL,
    num_games INTEGER NOT NULL,
    noted_at TEXT NOT NULL
);
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    game_id TEXT NOT NULL UNIQUE,
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
    num_plies INTEGER NOT NULL,
    black_moves INTEGER NOT NULL,
    black_visits INTEGER NOT NULL,
    black_cpu_seconds REAL NOT NULL,
    white_moves INTEGER NOT NULL,
    white_visits INTEGER NOT NULL,
    white_cpu_seconds REAL NOT NULL,
    host TEXT NOT NULL,
    cpu_model TEXT NOT NULL,
    host_speed REAL,
    started_at TEXT NOT NULL,
    finished_at TEXT NOT NULL
);
CREATE TABLE moves (game_id TEXT PRIMARY KEY REFERENCES games (game_id), moves TEXT NOT NULL);
CREATE TABLE voids (
    number INTEGER PRIMARY KEY,
    game_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    host TEXT NOT NULL,
    finished_at TEXT NOT NULL
);
CREATE TABLE placings (
    week TEXT NOT NULL,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    rank INTEGER NOT NULL,
    rank_low INTEGER NOT NULL,
    rank_high INTEGER NOT NULL,
    elo REAL NOT NULL,
    elo_halfwidth REAL NOT NULL,
    num_wins INTEGER NOT NULL,
    num_games INTEGER NOT NULL,
    points REAL NOT NULL,
    PRIMARY KEY (week, name)
);
"""


LOSER = "CASE winner WHEN 'black' THEN white_sha256 ELSE black_sha256 END"
"""The network that lost a row of `games`."""

PRIMARY_CODE = 0xFF
OF_DISK = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
"""What SQLite finds wrong with the place of a file, and not with what is in it."""


def message_by(column: str) -> str:
    """Return the SQL of the message that `Journal.note_message` keeps by the value of a column."""
    found = f"SELECT json_extract(value, '$') FROM header WHERE key = 'message/' || {column}"
    return f"coalesce(({found}), '')"


class Journal:
    """A league's tables in SQLite, made when missing; many processes may open it, one thread each.

    Only its user can read a new file. `is_read_only` says whether this user may not write it. A
    file that is no journal of this version raises a LeagueError.
    """

    def __init__(self, path: Path, schema: str = SCHEMA, version: int = SCHEMA_VERSION):
        self._path, self._schema, self._version = path, schema, version
        self.is_read_only = path.exists() and not may_write(path)
        try:
            if self.is_read_only:
                self._database = _open_to_read(path)
                self._refuse_version()
                return
            # Only a new file: to close a handle on one in use would drop the locks of SQLite.
            with suppress(FileExistsError):
                os.close(open_private(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL))
            self._database = sqlite3.connect(
                path, timeout=60, isolation_level=None, check_same_thread=False
            )
            self._open()
        except OSError as error:
            raise LeagueError(f"cannot use {path}: {error.strerror or error}") from error
        except sqlite3.Error as error:
            is_of_disk = getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE in OF_DISK
            what = f"cannot use {path}" if is_of_disk else f"{path} is not a league's journal"
            raise LeagueError(f"{what}: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def execute(self, statement: str, values: Any = ()) -> sqlite3.Cursor:
        """Run a statement; a statement that writes must be inside a `transaction`."""
        return self._database.execute(statement, values)

    def value(self, query: str, *values: Any) -> Any:
        """Return the one value of a query's one row."""
        (found,) = self.execute(query, values).fetchone()
        return found

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit everything written inside, including files beside the journal, or nothing.

        Raises:
            LeagueError: the disk is full or fails; nothing of it was written.
        """
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # a full disk has rolled back already
                    self._database.execute("ROLLBACK")
                raise
        except (sqlite3.OperationalError, OSError) as error:
            raise LeagueError(
                f"cannot write to {self._path.parent}: {error}; earlier results are safe, and the "
                "same command continues from there"
            ) from error

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """Read a snapshot as of the first read inside; nested calls use the outer snapshot."""
        if self._database.in_transaction:
            yield
            return
        self.execute("BEGIN")
        try:
            yield
        finally:
            self.execute("COMMIT")

    def tables(self) -> list[str]:
        """Return the names of all tables; tables that others refer to come first."""
        return re.findall(r"CREATE TABLE (\w+)", self._schema)

    def columns_of(self, table: str) -> set[str]:
        """Return the names of the columns of one of the `tables`."""
        return {name for _, name, *_ in self.execute(f"PRAGMA table_info({table})")}

    def rows_of(self, table: str) -> Iterator[dict[str, Any]]:
        """Return the rows of one of the `tables`, by column, in the order in which they came."""
        rows = self.execute(f"SELECT * FROM {table} ORDER BY rowid")
        names = [column[0] for column in rows.description]
        return (dict(zip(names, row, strict=True)) for row in rows)

    def insert(self, table: str, columns: dict[str, Any]) -> bool:
        """Add a row unless its key exists, inside a `transaction`; return whether it was added."""
        names, values = ", ".join(columns), ", ".join(f":{name}" for name in columns)
        statement = f"INSERT INTO {table} ({names}) VALUES ({values}) ON CONFLICT DO NOTHING"
        return bool(self.execute(statement, columns).rowcount)

    def update(self, table: str, key: str, columns: dict[str, Any]) -> None:
        """Change the row with the same `key`, which is a column, inside a `transaction`."""
        settings = ", ".join(f"{name} = :{name}" for name in columns)
        self.execute(f"UPDATE {table} SET {settings} WHERE {key} = :{key}", columns)

    def header(self, key: str) -> Any:
        """Return the value of a key, or None."""
        row = self.execute("SELECT value FROM header WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def set_header(self, key: str, value: Any) -> None:
        """Set the value of a key, inside a `transaction`."""
        self.execute(
            "INSERT INTO header VALUES (?, ?)"
            " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, json.dumps(value)),
        )

    def note_message(self, of: str, message: str) -> None:
        """Keep an author's message about a file, unless it is empty, inside a `transaction`.

        `of` is the file's key, by which `message_by` reads the message in a query.
        """
        if message:
            self.set_header(f"message/{of}", message)

    def _open(self) -> None:
        self.execute("PRAGMA journal_mode = WAL")
        self.execute("PRAGMA synchronous = FULL")
        with self.transaction():
            if self.value("PRAGMA user_version") == 0:
                for statement in self._schema.split(";\n"):
                    self.execute(statement)
                self.execute(f"PRAGMA user_version = {self._version}")
            else:
                self._refuse_version()

    def _refuse_version(self) -> None:
        if (version := self.value("PRAGMA user_version")) != self._version:
            raise LeagueError(
                f"the journal in {self._path.parent} is of version {version}, and this kit "
                f"reads {self._version}: use the version of the kit that wrote it"
            )


def may_write(path: Path) -> bool:
    """Return whether this user may write a journal, and the files that SQLite has beside it."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _open_to_read(path: Path) -> sqlite3.Connection:
    # Without its files beside it, SQLite opens it only as one that nobody writes meanwhile.
    is_at_rest = not path.with_name(f"{path.name}-wal").exists()
    how = "mode=ro&immutable=1" if is_at_rest else "mode=ro"
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?{how}", uri=True, timeout=60, isolation_level=None,
        check_same_thread=False,
    )
