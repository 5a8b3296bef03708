"""Uploads as their owners see them: plain data, and a sentence that says what it means."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

from tournament.league.submissions import Submission
from tournament.server import limits
from tournament.server.inbox import ACCEPTED, QUEUED, REFUSED, UNJUDGED, Inbox, Upload
from tournament.server.term import Calendar

Page = tuple[list[dict[str, Any]], str | None]
JUDGING = "judging"
COUNTS, WAITS, LATER, REPLACED = "counts", "waits", "later", "replaced"
SAID = {
    REFUSED: "Refused: fix the listed faults, and hand in again.",
    UNJUDGED: "The server could not judge this file. The file is not the reason: tell your "
    "teacher, or hand it in again.",
    JUDGING: "The file is being judged.",
    COUNTS: "Accepted: this is the file that counts.",
    LATER: "Accepted: it joins the league later, unless you send another file.",
    REPLACED: "Accepted: a later file of yours took its place.",
}


class View:
    """What uploads are at one moment, told to one request.

    `being_judged` has ids. While it is true that they `must_wait`, accepted uploads are not filed.
    """

    def __init__(
        self, inbox: Inbox, being_judged: set[str], calendar: Calendar, must_wait: bool = False
    ):
        self._inbox, self._being_judged, self._calendar = inbox, being_judged, calendar
        self._must_wait = must_wait

    def one(self, owner: str, upload_id: str) -> dict[str, Any] | None:
        """Return an upload of this owner, or None."""
        with self._inbox.one_moment():
            upload = self._of(owner, upload_id)
            return None if upload is None else self._described([upload])[0]

    def page(self, owner: str, before: str | None) -> Page | None:
        """Return an owner's uploads, latest first, before an id, and the next page's id or None.

        An unknown id gives None. Without an id the page is the latest.
        """
        with self._inbox.one_moment():
            last = None if before is None else self._of(owner, before)
            if before is not None and last is None:
                return None
            found = self._inbox.page(owner, limits.PAGE + 1, last)
            told = found[:limits.PAGE]
            return self._described(told), told[-1].id if len(found) > limits.PAGE else None

    def everybody(self) -> dict[str, tuple[dict[str, Any], int]]:
        """Return everybody's last upload, and how many there are, by owner."""
        with self._inbox.one_moment():
            return {
                owner: (self._described([upload])[0], total)
                for owner, (upload, total) in self._inbox.last_of_everybody().items()
            }

    def plays(self, owner: str, network: Submission | None) -> list[str]:
        """Return which network of this owner plays now and which one will, a sentence for each."""
        with self._inbox.one_moment():
            filed, coming = self._filed_and_coming(owner)
        said = []
        if network is not None and not network.active:
            said.append(f"The network no longer plays: it was {network.note}.")
        elif network is not None:
            is_own = filed is not None and filed.sha256 == network.sha256
            since = f"the network of {network.submitted_at[:10]}"
            said.append(f"In the league: {_named(filed) if filed and is_own else since}.")
        if coming is not None:
            said.append(self._words_of_coming(coming))
        return said or ["No file plays."]

    def _filed_and_coming(self, owner: str) -> tuple[Upload | None, Upload | None]:
        """Return the accepted upload that counts, and the upload that will take its place."""
        counting = self._inbox.counting(owner, self._calendar.last())
        newest = self._inbox.last_accepted(owner)
        if counting is not None and counting.filed_at is None:
            return None, counting
        is_later = newest and (counting is None or newest.number > counting.number)
        return counting, newest if is_later else None

    def _words_of_coming(self, upload: Upload) -> str:
        last = self._calendar.last()
        is_in_time = last is None or last.includes(upload.received_at)
        if is_in_time and self._must_wait:
            return f"The file {_named(upload)} joins the league later."
        if is_in_time:
            return f"The file {_named(upload)} plays once all earlier files have their verdicts."
        return f"The file {_named(upload)} {self._calendar.when_it_plays(upload.received_at)}."

    def num_waiting(self) -> int:
        """Return how many uploads have no verdict."""
        return len(self._ahead)

    def _of(self, owner: str, upload_id: str) -> Upload | None:
        upload = self._inbox.get(upload_id)
        return upload if upload and upload.owner == owner else None

    def _described(self, uploads: Sequence[Upload]) -> list[dict[str, Any]]:
        if not any(upload.state == ACCEPTED for upload in uploads):
            return [self._describe(upload, None) for upload in uploads]
        owner = uploads[0].owner
        counting = self._inbox.counting(owner, self._calendar.last())
        newest = self._inbox.last_accepted(owner)
        return [self._describe(upload, self._standing(upload, counting, newest))
                for upload in uploads]

    def _describe(self, upload: Upload, standing: str | None) -> dict[str, Any]:
        # The registry may still refuse an unfiled upload, so don't say that it counts. One that
        # waits is a copy if a file that came before it turns out to be the same network.
        if standing == COUNTS and upload.filed_at is None and self._must_wait:
            standing = LATER
        is_open = upload.id in self._being_judged or (
            standing == COUNTS and upload.filed_at is None
        ) or (standing in (WAITS, LATER) and upload.number > self._first_ahead)
        state, standing = (JUDGING, None) if is_open else (upload.state, standing)
        ahead = self._ahead[upload.id] if state == QUEUED else 0
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
            "message": upload.message,
            "words": self._words(upload, standing or state),
        }

    def _with_what_plays(self, upload: Upload, words: str) -> str:
        """Add to the words about a refused file, if it is the last one, which file plays."""
        if upload.number != self._inbox.page(upload.owner, 1)[0].number:
            return words
        filed, coming = self._filed_and_coming(upload.owner)
        if coming is not None:
            return f"{words} {self._words_of_coming(coming)}"
        return f"{words} The file that counts is {_named(filed)}." if filed else words

    def _words(self, upload: Upload, what: str) -> str:
        if what == QUEUED:
            return f"It waits for its verdict; files before it: {self._ahead[upload.id]}."
        if what == WAITS:
            return self._calendar.words_of_waiting(upload.received_at)
        if what in (REFUSED, UNJUDGED):
            return self._with_what_plays(upload, SAID[what])
        return SAID[what]

    def _standing(
        self, upload: Upload, counting: Upload | None, newest: Upload | None
    ) -> str | None:
        if upload.state != ACCEPTED:
            return None
        if counting is not None and upload.number == counting.number:
            return COUNTS
        last = self._calendar.last()
        is_late = last is not None and not last.includes(upload.received_at)
        is_newest = newest is not None and upload.number == newest.number
        return WAITS if is_late and is_newest else REPLACED

    @cached_property
    def _first_ahead(self) -> float:
        return min((upload.number for upload in self._inbox.waiting()), default=math.inf)

    @cached_property
    def _ahead(self) -> dict[str, int]:
        """How many files are judged before each that waits, by id."""
        return {upload.id: ahead for ahead, upload in enumerate(self._inbox.waiting())}


def _named(upload: Upload) -> str:
    return f"{upload.file_name} of {upload.received_at[:16].replace('T', ' ')} UTC"
