"""An upload as its owner sees it: plain data, and a sentence that says what it means."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tournament.server.deadline import Deadline
from tournament.server.inbox import ACCEPTED, QUEUED, REFUSED, UNJUDGED, Upload, counts

JUDGING = "judging"
COUNTS, WAITS, REPLACED = "counts", "waits", "replaced"
SAID = {
    REFUSED: "Refused: change what is said, and hand in again.",
    UNJUDGED: "The server could not judge this file, through no fault of yours: tell your teacher, "
    "or hand it in again.",
    JUDGING: "It is being judged.",
    COUNTS: "Accepted: this is the file that counts.",
    WAITS: "Accepted: it came after the deadline and waits for the next week.",
    REPLACED: "Accepted: a later file of yours took its place.",
}


def describe(
    upload: Upload,
    mine: Sequence[Upload],
    waiting: Sequence[Upload],
    being_judged: set[str],
    deadline: Deadline | None,
) -> dict[str, Any]:
    """Return one upload as plain data.

    Args:
        mine: all uploads of its owner, in the order in which they came.
        waiting: all uploads without a verdict, in the order in which they are judged.
        being_judged: ids.
    """
    standing = _standing(upload, mine, deadline) if upload.state == ACCEPTED else None
    # The registry may still refuse an unfiled upload, so don't say that it counts.
    is_open = upload.id in being_judged or (standing == COUNTS and upload.filed_at is None)
    state, standing = (JUDGING, None) if is_open else (upload.state, standing)
    ahead = [other.id for other in waiting].index(upload.id) if state == QUEUED else 0
    return {
        "id": upload.id,
        "file": upload.file_name,
        "sha256": upload.sha256,
        "bytes": upload.num_bytes,
        "received_at": upload.received_at[:19] + "Z",
        "state": state,
        "ahead": ahead,
        "standing": standing,
        "faults": [asdict(fault) for fault in upload.faults],
        "manifest": upload.manifest,
        "words": _queue_words(ahead) if state == QUEUED else SAID[standing or state],
    }


def _queue_words(ahead: int) -> str:
    return f"It waits for its verdict; files before it: {ahead}."


def _standing(upload: Upload, mine: Sequence[Upload], deadline: Deadline | None) -> str:
    last = counts(mine, deadline)
    if last is not None and upload.number == last.number:
        return COUNTS
    is_late = deadline is not None and not deadline.includes(upload.received_at)
    newest = [up.number for up in mine if up.state == ACCEPTED][-1]
    return WAITS if is_late and upload.number == newest else REPLACED
