"""The uploads: stored before they are answered for, judged in a fair order, kept as a history."""

import json
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from golois.files import flush_folder
from tournament.errors import TournamentError
from tournament.intake import Fault
from tournament.league.journal import Journal
from tournament.server.deadline import Deadline
from tournament.server.ledger import exact_now

QUEUED, ACCEPTED, REFUSED, UNJUDGED = "queued", "accepted", "refused", "unjudged"
MAX_QUEUED = 5  # of one owner
MAX_FAILURES = 3
COLUMNS = (
    "number, id, owner, file_name, sha256, num_bytes, received_at, state, num_failures, faults,"
    " manifest, judged_at, filed_at"
)


class QueueFullError(TournamentError, RuntimeError):
    """Too many files of one owner wait for their verdict."""


@dataclass(frozen=True)
class Upload:
    """A file that was handed in.

    number: in the order in which the files came.
    file_name: as the author named it; only a label.
    state: "queued"; "accepted"; "refused"; "unjudged" when the intake failed, through no fault of
        the file.
    manifest: of an accepted one.
    filed_at: when it became its owner's network in the league, or None.
    """

    number: int
    id: str
    owner: str
    file_name: str
    sha256: str
    num_bytes: int
    received_at: str
    state: str
    num_failures: int
    faults: tuple[Fault, ...]
    manifest: dict[str, Any] | None
    judged_at: str | None
    filed_at: str | None


class Inbox:
    """The uploads of a league.

    Args:
        ledger: the tables.
        folder: of the files.
    """

    def __init__(self, ledger: Journal, folder: Path):
        self._ledger, self._folder = ledger, folder
        self._began_at = exact_now()
        for name in ("uploads", "judged", "parts"):
            (folder / name).mkdir(parents=True, exist_ok=True)

    @property
    def parts(self) -> Path:
        """The folder for uploads until they are complete."""
        return self._folder / "parts"

    def file_of(self, upload: Upload) -> Path:
        """Return the path of the file, until it is filed or refused."""
        return self._folder / "uploads" / f"{upload.id}.h5"

    def artefacts_of(self, upload: Upload) -> Path:
        """Return the folder for the intake's output."""
        return self._folder / "judged" / upload.id

    def add(
        self, owner: str, file_name: str, sha256: str, num_bytes: int, received: Path
    ) -> Upload:
        """Accept a complete file; it is on disk and in the tables when this returns.

        If the bytes equal the owner's last upload, they are that upload: a client that lost its
        answer sends again. Files that were refused before this server started are judged again.

        Raises:
            QueueFullError: too many files of this owner wait.
            LeagueError: the disk is full or fails; nothing was stored.
        """
        upload_id = secrets.token_hex(8)
        place = self._folder / "uploads" / f"{upload_id}.h5"
        try:
            with self._ledger.transaction():
                mine = self.of(owner)
                if mine and mine[-1].sha256 == sha256 and self._still_holds(mine[-1]):
                    received.unlink()
                    return mine[-1]
                if sum(upload.state == QUEUED for upload in mine) >= MAX_QUEUED:
                    raise QueueFullError(
                        f"expected at most {MAX_QUEUED} files that wait for their verdict: send "
                        "this one again when they have theirs"
                    )
                self._ledger.insert("uploads", {
                    "id": upload_id, "owner": owner, "file_name": file_name, "sha256": sha256,
                    "num_bytes": num_bytes, "received_at": exact_now(), "state": QUEUED,
                    "num_failures": 0, "faults": "[]",
                })
                os.replace(received, place)
                flush_folder(place.parent)
        except BaseException:  # the tables don't know it
            place.unlink(missing_ok=True)
            raise
        return self.get(upload_id)

    def get(self, upload_id: str) -> Upload | None:
        """Return the upload of an id, or None."""
        return next(iter(self._select("id = ?", upload_id)), None)

    def of(self, owner: str) -> list[Upload]:
        """Return the uploads of one owner, in the order in which they came."""
        return self._select("owner = ?", owner)

    def all(self) -> list[Upload]:
        """Return all uploads, in the order in which they came."""
        return self._select("1")

    def waiting(self) -> list[Upload]:
        """Return the uploads without a verdict, in the order in which they are to be judged."""
        last = dict(self._ledger.execute(
            "SELECT owner, max(judged_at) FROM uploads WHERE judged_at IS NOT NULL GROUP BY owner"
        ).fetchall())
        return fair_order(self._select("state = 'queued'"), last)

    def refuse(self, upload: Upload, faults: Sequence[Fault]) -> None:
        """Record why a file was refused, and remove it."""
        texts = json.dumps([[fault.text, fault.remedy] for fault in faults])
        self._change(upload, state=REFUSED, faults=texts, judged_at=exact_now())
        self._remove_files(upload)

    def accept(self, upload: Upload, manifest: dict[str, Any]) -> None:
        """Record that a file was accepted."""
        self._change(
            upload, state=ACCEPTED, manifest=json.dumps(manifest), judged_at=exact_now()
        )

    def fail(self, upload: Upload) -> None:
        """Record that the intake failed; after a few failures the file is not tried again."""
        failures = upload.num_failures + 1
        state = UNJUDGED if failures >= MAX_FAILURES else QUEUED
        self._change(upload, num_failures=failures, state=state, judged_at=exact_now())

    def note_filed(self, upload: Upload) -> None:
        """Record that the league has the file now, and remove it and earlier ones."""
        self._change(upload, filed_at=exact_now())
        for earlier in self.of(upload.owner):
            if earlier.number <= upload.number and earlier.state != QUEUED:
                self._remove_files(earlier)

    def to_file(self, deadline: Deadline | None) -> list[Upload]:
        """Return the uploads that count and that the league doesn't have yet."""
        owners = self._ledger.execute(
            "SELECT DISTINCT owner FROM uploads WHERE state = 'accepted' AND filed_at IS NULL"
            " ORDER BY owner"
        )
        counting = (counts(self.of(owner), deadline) for (owner,) in owners.fetchall())
        return [upload for upload in counting if upload and upload.filed_at is None]

    def tidy(self) -> None:
        """Remove what a killed server left half-done; call it before anything is received.

        Uploads that could not be judged are judged again, since they came in time.
        """
        shutil.rmtree(self.parts)
        self.parts.mkdir()
        uploads = {upload.id: upload for upload in self.all()}
        for path in (self._folder / "uploads").iterdir():
            if path.stem not in uploads:
                path.unlink()
        for path in (self._folder / "judged").iterdir():
            if path.name not in uploads or uploads[path.name].state != ACCEPTED:
                shutil.rmtree(path, ignore_errors=True)
        have_filed = set()  # a later one
        for upload in reversed(uploads.values()):
            if upload.filed_at:
                have_filed.add(upload.owner)
            is_over = upload.owner in have_filed and upload.state != QUEUED
            if upload.state == REFUSED or is_over:
                self._remove_files(upload)
            elif upload.state == UNJUDGED and self.file_of(upload).exists():
                self._change(upload, state=QUEUED, num_failures=0)

    def _still_holds(self, upload: Upload) -> bool:
        if upload.state == REFUSED:
            return upload.judged_at >= self._began_at
        return upload.state != UNJUDGED

    def _remove_files(self, upload: Upload) -> None:
        self.file_of(upload).unlink(missing_ok=True)
        shutil.rmtree(self.artefacts_of(upload), ignore_errors=True)

    def _change(self, upload: Upload, **columns: Any) -> None:
        settings = ", ".join(f"{column} = :{column}" for column in columns)
        with self._ledger.transaction():
            self._ledger.execute(
                f"UPDATE uploads SET {settings} WHERE number = :number",
                {**columns, "number": upload.number},
            )

    def _select(self, condition: str, *values: Any) -> list[Upload]:
        rows = self._ledger.execute(
            f"SELECT {COLUMNS} FROM uploads WHERE {condition} ORDER BY number", values
        )
        return [_upload_of(row) for row in rows.fetchall()]


def fair_order(uploads: Sequence[Upload], last_judged: Mapping[str, str]) -> list[Upload]:
    """Order uploads so that owners take turns, least recently served first.

    Args:
        uploads: in the order in which they came, which each owner's own keep.
        last_judged: when an owner last had a verdict, ISO 8601.
    """
    turns: dict[str, int] = {}
    keys = {}
    for upload in uploads:
        turn = turns[upload.owner] = turns.get(upload.owner, -1) + 1
        keys[upload.id] = (turn, last_judged.get(upload.owner, ""), upload.number)
    return sorted(uploads, key=lambda upload: keys[upload.id])


def counts(uploads: Sequence[Upload], deadline: Deadline | None) -> Upload | None:
    """Return the owner's upload that counts: the last accepted one before the deadline.

    One that the league has still counts after the deadline is changed.
    """
    accepted = [upload for upload in uploads if upload.state == ACCEPTED]
    in_time = [
        upload for upload in accepted
        if deadline is None or upload.filed_at or deadline.includes(upload.received_at)
    ]
    return in_time[-1] if in_time else None


def _upload_of(row: Sequence[Any]) -> Upload:
    *head, faults, manifest, judged_at, filed_at = row
    read = tuple(Fault(*pair) for pair in json.loads(faults))
    return Upload(*head, read, manifest and json.loads(manifest), judged_at, filed_at)
