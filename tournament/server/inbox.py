"""The uploads: stored before they are answered for, judged in a fair order, kept as a history."""

import json
import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any

from golois.kit.files import flush_folder
from tournament.errors import TournamentError
from tournament.intake import Fault
from tournament.league.journal import Journal, message_by
from tournament.league.likeness import are_alike
from tournament.league.settings import Deadline
from tournament.league.submissions import COPIED
from tournament.server import limits
from tournament.server.ledger import exact_now

QUEUED, ACCEPTED, REFUSED, UNJUDGED = "queued", "accepted", "refused", "unjudged"
AFTER_ALL = "9999"  # later than any time in the ledger
COPY_REMEDY = "hand in a different network, or ask your teacher"
COPY = Fault(COPIED.format("was handed in before"), COPY_REMEDY)
COLUMNS = (
    "number, id, owner, file_name, sha256, num_bytes, received_at, state, num_failures, faults,"
    f" manifest, judged_at, filed_at, {message_by('id')}"
)
# Goes from one owner to the next in the index; DISTINCT would read every upload.
OWNERS = """
WITH RECURSIVE owners (owner) AS (
    SELECT min(owner) FROM uploads
    UNION ALL
    SELECT (SELECT min(owner) FROM uploads WHERE owner > owners.owner) FROM owners
    WHERE owners.owner IS NOT NULL
)
SELECT owner FROM owners WHERE owner IS NOT NULL
"""


class QueueFullError(TournamentError, RuntimeError):
    """Too many files of one owner wait for their verdict."""


@dataclass(frozen=True)
class Upload:
    """A file that was handed in.

    number: in the order in which the files came.
    file_name: as the author named it; only a label.
    state: "queued"; "accepted"; "refused"; "unjudged" when the intake failed, not the file.
    manifest: of an accepted file.
    filed_at: when it became its owner's network in the league, or None.
    message: what the author wrote about it, or empty.
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
    message: str


class Inbox:
    """The uploads of a league, numbered in their order of arrival, whatever the clock says."""

    def __init__(self, ledger: Journal, folder: Path, now: Callable[[], str] = exact_now):
        self._ledger, self._folder, self._now = ledger, folder, now
        self._last_verdict_at = self._latest_verdict()
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
        self, owner: str, file_name: str, sha256: str, num_bytes: int, received: Path,
        not_before: str = "", message: str = "", received_at: str | None = None,
    ) -> Upload:
        """Accept a complete file, which is moved: on return it is on disk and in the tables.

        The bytes of the owner's last upload are that upload: a client that lost its answer sends
        again, with or without a new message. A refused file is judged again, since the reason may
        have passed. The file came at `received_at` (now, if None), or at `not_before` if that is
        later.

        Raises:
            QueueFullError: too many files of this owner wait.
            LeagueError: the disk is full or fails; nothing was stored.
        """
        upload_id = secrets.token_hex(8)
        place = self._folder / "uploads" / f"{upload_id}.h5"
        try:
            with self._ledger.transaction():
                last = self._first("owner = ? ORDER BY number DESC", owner)
                if last and last.sha256 == sha256 and last.state in (QUEUED, ACCEPTED):
                    received.unlink()
                    if message:
                        self._ledger.note_message(last.id, message)
                    return replace(last, message=message or last.message)
                if self._num_queued(owner) >= limits.MAX_QUEUED:
                    raise QueueFullError(
                        f"{limits.MAX_QUEUED} files of yours wait for their verdicts already: send "
                        "this one again after that"
                    )
                self._ledger.insert("uploads", {
                    "id": upload_id, "owner": owner, "file_name": file_name, "sha256": sha256,
                    "num_bytes": num_bytes, "state": QUEUED,
                    "received_at": max(received_at or self._now(), not_before),
                    "num_failures": 0, "faults": "[]",
                })
                self._ledger.note_message(upload_id, message)
                os.replace(received, place)
                flush_folder(place.parent)
        except BaseException:  # the tables don't know it
            place.unlink(missing_ok=True)
            raise
        (upload,) = self._select("id = ?", upload_id)
        return upload

    def get(self, upload_id: str) -> Upload | None:
        """Return the upload of an id, or None."""
        return self._first("id = ?", upload_id)

    def page(self, owner: str, limit: int, before: Upload | None = None) -> list[Upload]:
        """Return an owner's latest `limit` uploads (before an upload, if given), latest first."""
        condition = "owner = ?" if before is None else "owner = ? AND number < ?"
        values = (owner,) if before is None else (owner, before.number)
        return self._select(f"{condition} ORDER BY number DESC LIMIT {limit}", *values)

    def last_of_everybody(self) -> dict[str, tuple[Upload, int]]:
        """Return everybody's last upload, and how many there are, by owner."""
        totals = dict(self._ledger.execute(
            "SELECT max(number), count(*) FROM uploads GROUP BY owner"
        ).fetchall())
        last = self._select(
            "number IN (SELECT max(number) FROM uploads GROUP BY owner) ORDER BY owner"
        )
        return {upload.owner: (upload, totals[upload.number]) for upload in last}

    def waiting(self) -> list[Upload]:
        """Return the uploads without a verdict, in the order in which they are to be judged."""
        # With the plus, SQLite reads what waits and sorts it, and does not read all uploads.
        queued = self._select("state = 'queued' ORDER BY +number")
        owners = {upload.owner for upload in queued}
        return fair_order(queued, {owner: self._last_judged(owner) for owner in owners})

    def counting(self, owner: str, deadline: Deadline | None) -> Upload | None:
        """Return the later of the owner's last filed upload and the last accepted in time."""
        in_time = self.last_accepted(owner, deadline)
        found = [upload for upload in (in_time, self._last_filed(owner)) if upload]
        return max(found, key=attrgetter("number"), default=None)

    def last_accepted(self, owner: str, deadline: Deadline | None = None) -> Upload | None:
        """Return the owner's last accepted upload before the deadline."""
        # With the plus, SQLite goes back from the owner's last one, and sorts nothing.
        return self._first(
            "owner = ? AND +state = 'accepted' AND +received_at < ? ORDER BY number DESC",
            owner, deadline.first_late if deadline else AFTER_ALL,
        )

    def one_moment(self) -> AbstractContextManager[None]:
        """Read inside as of one moment, while others may write."""
        return self._ledger.one_moment()

    def refuse(self, upload: Upload, faults: Sequence[Fault]) -> None:
        """Record why a file was refused, and remove it."""
        texts = json.dumps([[fault.text, fault.remedy] for fault in faults])
        self._change(upload, state=REFUSED, faults=texts, judged_at=self._verdict_time())
        self._remove_files(upload.id)

    def accept(self, upload: Upload, manifest: dict[str, Any]) -> None:
        """Record that a file was accepted, or refuse it if somebody handed in its network before.

        Later copies that were judged sooner are refused, so the order of judging doesn't matter.
        The league's networks are not compared.
        """
        alike = [one for one in self._unfiled_of_others(upload.owner)
                 if are_alike(one.manifest or {}, manifest)]
        if any(one.number < upload.number for one in alike):
            self.refuse(upload, [COPY])
            return
        for later in alike:
            self.refuse(later, [COPY])
        self._change(
            upload, state=ACCEPTED, manifest=json.dumps(manifest), judged_at=self._verdict_time()
        )

    def fail(self, upload: Upload) -> None:
        """Record that the intake failed; after a few failures the file is not tried again."""
        failures = upload.num_failures + 1
        state = UNJUDGED if failures >= limits.MAX_FAILURES else QUEUED
        self._change(upload, num_failures=failures, state=state, judged_at=self._verdict_time())

    def note_filed(self, upload: Upload) -> None:
        """Record that the league has the file now; remove it and the owner's earlier files."""
        self._change(upload, filed_at=self._now())
        for upload_id in self._stored_ids():
            stored = self.get(upload_id)
            if stored and stored.owner == upload.owner and self._is_over(stored):
                self._remove_files(upload_id)

    def to_file(self, deadline: Deadline | None) -> list[Upload]:
        """Return the uploads that count and that the league lacks, in the order in which they came.

        Uploads wait for the verdicts of all earlier uploads. So of two copies the first is filed.
        """
        owners = self._ledger.execute(OWNERS).fetchall()
        counting = (self.counting(owner, deadline) for (owner,) in owners)
        found = [upload for upload in counting if upload and upload.filed_at is None]
        first_queued = self._first_queued()
        return sorted(
            (upload for upload in found if first_queued is None or upload.number < first_queued),
            key=attrgetter("number"),
        )

    def tidy(self) -> None:
        """Clean up after a killed server, before anything is received; requeue unjudged uploads."""
        shutil.rmtree(self.parts)
        self.parts.mkdir()
        for upload_id in self._stored_ids():
            upload = self.get(upload_id)
            if upload is None or self._is_over(upload):
                self._remove_files(upload_id)
            elif upload.state != ACCEPTED:
                shutil.rmtree(self.artefacts_of(upload), ignore_errors=True)
                if upload.state == UNJUDGED and self.file_of(upload).exists():
                    self._change(upload, state=QUEUED, num_failures=0)

    def _stored_ids(self) -> set[str]:
        folders = (self._folder / "uploads", self._folder / "judged")
        return {path.stem for folder in folders for path in folder.iterdir()}

    def _is_over(self, upload: Upload) -> bool:
        if upload.state in (REFUSED, QUEUED):
            return upload.state == REFUSED
        filed = self._last_filed(upload.owner)
        return filed is not None and upload.number <= filed.number

    def _last_filed(self, owner: str) -> Upload | None:
        return self._first("owner = ? AND +filed_at IS NOT NULL ORDER BY number DESC", owner)

    def _unfiled_of_others(self, owner: str) -> list[Upload]:
        """Return accepted uploads that the league never had: it knows the others itself."""
        return self._select("state = 'accepted' AND filed_at IS NULL AND owner != ?", owner)

    def _verdict_time(self) -> str:
        """Return the time, or one after all verdicts so far if the clock was set back."""
        self._last_verdict_at = max(self._now(), _after(self._last_verdict_at))
        return self._last_verdict_at

    def _latest_verdict(self) -> str:
        return self._ledger.value("SELECT max(judged_at) FROM uploads") or ""

    def _last_judged(self, owner: str) -> str:
        query = "SELECT max(judged_at) FROM uploads WHERE owner = ?"
        return self._ledger.value(query, owner) or ""

    def _num_queued(self, owner: str) -> int:
        return self._ledger.value(
            "SELECT count(*) FROM uploads WHERE state = 'queued' AND owner = ?", owner
        )

    def _first_queued(self) -> int | None:
        # With the plus, SQLite reads what waits, and does not go through all uploads.
        return self._ledger.value("SELECT min(+number) FROM uploads WHERE state = 'queued'")

    def _remove_files(self, upload_id: str) -> None:
        (self._folder / "uploads" / f"{upload_id}.h5").unlink(missing_ok=True)
        shutil.rmtree(self._folder / "judged" / upload_id, ignore_errors=True)

    def _change(self, upload: Upload, **columns: Any) -> None:
        with self._ledger.transaction():
            self._ledger.update("uploads", "number", {**columns, "number": upload.number})

    def _first(self, condition: str, *values: Any) -> Upload | None:
        return next(iter(self._select(f"{condition} LIMIT 1", *values)), None)

    def _select(self, condition: str, *values: Any) -> list[Upload]:
        rows = self._ledger.execute(f"SELECT {COLUMNS} FROM uploads WHERE {condition}", values)
        return [_upload_of(row) for row in rows.fetchall()]


def fair_order(uploads: Sequence[Upload], last_judged: Mapping[str, str]) -> list[Upload]:
    """Order uploads so that owners take turns, least recently judged first (ISO 8601 or "")."""
    turns: dict[str, int] = {}
    keys = {}
    for upload in uploads:
        turn = turns[upload.owner] = turns.get(upload.owner, -1) + 1
        keys[upload.id] = (turn, last_judged[upload.owner], upload.number)
    return sorted(uploads, key=lambda upload: keys[upload.id])


def _after(moment: str) -> str:
    """Return the next moment that the ledger tells apart; "" after "", which is before all."""
    if not moment:
        return moment
    later = datetime.fromisoformat(moment) + timedelta(microseconds=1)
    return later.isoformat(timespec="microseconds")


def _upload_of(row: Sequence[Any]) -> Upload:
    *head, faults, manifest, judged_at, filed_at, message = row
    read = tuple(Fault(*pair) for pair in json.loads(faults))
    cells = [*head, read, manifest and json.loads(manifest), judged_at, filed_at, message]
    return Upload(*cells)
