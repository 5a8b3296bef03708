"""What the server remembers besides the league: tokens and uploads, in `hand_in/` of its folder.

The files are hand_in.sqlite, uploads/ID.h5, and judged/ID/SHA256.onnx and .json. An upload is in
place before the row that names it is committed, so a server can die at any moment.
"""

import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from tournament.league.journal import Journal, may_write

VERSION = 1
SCHEMA = """
CREATE TABLE header (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE tokens (
    hash TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('student', 'teacher')),
    made_at TEXT NOT NULL,
    revoked_at TEXT
);
CREATE UNIQUE INDEX one_token_a_name ON tokens (name) WHERE revoked_at IS NULL;
CREATE TABLE uploads (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    file_name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    num_bytes INTEGER NOT NULL,
    received_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'accepted', 'refused', 'unjudged')),
    num_failures INTEGER NOT NULL,
    faults TEXT NOT NULL,
    manifest TEXT,
    judged_at TEXT,
    filed_at TEXT
);
CREATE INDEX uploads_of_owner ON uploads (owner, number);
CREATE INDEX verdicts_of_owner ON uploads (owner, judged_at);
CREATE INDEX uploads_waiting ON uploads (number) WHERE state = 'queued';
CREATE INDEX uploads_by_state ON uploads (owner, state, received_at);
CREATE INDEX uploads_unfiled ON uploads (number) WHERE state = 'accepted' AND filed_at IS NULL;
"""


def ledger_file(league: Path) -> Path:
    """Return where the server's tables of a league are."""
    return league / "hand_in" / "hand_in.sqlite"


def hand_in_folder(league: Path) -> Path:
    """Return the folder for the server's own files of a league; only its user may read them."""
    folder = ledger_file(league).parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.chmod(folder, 0o700)
    return folder


def open_ledger(league: Path) -> Journal:
    """Return the server's tables, made when missing; raise LeagueError for another version."""
    hand_in_folder(league)
    return Journal(ledger_file(league), SCHEMA, VERSION)


def accepted_files(league: Path) -> list[tuple[str, str]]:
    """Return the owner and the time of each accepted upload; none if this user may not read it."""
    if not may_write(ledger_file(league)):
        return []
    with closing(open_ledger(league)) as ledger:
        return ledger.execute(
            "SELECT owner, received_at FROM uploads WHERE state = 'accepted'"
        ).fetchall()


def exact_now() -> str:
    """Return the time in ISO 8601, UTC, fine enough to tell verdicts apart."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
