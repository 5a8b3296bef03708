"""What a question and a verdict cost does not depend on how much has been handed in before."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tournament.league.journal import Journal
from tournament.league.settings import Deadline, read_deadline
from tournament.server.inbox import Inbox
from tournament.server.ledger import exact_now, hand_in_folder, open_ledger
from tournament.server.limits import PAGE
from tournament.server.term import Calendar
from tournament.server.words import View

DEADLINE = read_deadline("2026-11-28 23:59 UTC")
STATES = ("refused", "accepted", "unjudged")


def filled(folder: Path, num_uploads: int) -> tuple[Inbox, Journal]:
    """An inbox of three students with so many uploads each; the last one of each waits."""
    ledger = open_ledger(folder)
    with ledger.transaction():
        for number in range(num_uploads):
            for owner in ("Ada", "Grace", "Kurt"):
                state = "queued" if number == num_uploads - 1 else STATES[number % 3]
                add_row(ledger, owner, number, state)
    return Inbox(ledger, hand_in_folder(folder)), ledger


def add_row(ledger: Journal, owner: str, number: int, state: str) -> None:
    is_filed, at = state == "accepted" and number % 2 == 0, "2026-11-20T10:00:00.000000+00:00"
    ledger.insert("uploads", {
        "id": f"{owner}{number}", "owner": owner, "file_name": "net.h5", "sha256": f"{number:064}",
        "num_bytes": 1, "received_at": at, "state": state, "num_failures": 0, "faults": "[]",
        "judged_at": None if state == "queued" else at, "filed_at": at if is_filed else None,
    })


def hand_in(inbox: Inbox) -> None:
    part = inbox.parts / "part"
    part.write_bytes(b"x")
    inbox.add("Ada", "net.h5", "0" * 64, 1, part)




def view(inbox: Inbox, deadline: Deadline | None = None) -> View:
    return View(inbox, set(), Calendar(exact_now, deadline))


WORK: dict[str, Callable[[Inbox], object]] = {
    "one upload": lambda inbox: view(inbox, DEADLINE).one("Ada", "Ada1"),
    "one that waits": lambda inbox: view(inbox).one("Kurt", inbox.waiting()[2].id),
    "a page": lambda inbox: view(inbox, DEADLINE).page("Ada", None),
    "a later page": lambda inbox: view(inbox, DEADLINE).page("Ada", "Ada60"),
    "a hand-in": hand_in,
    "the queue": Inbox.waiting,
    "what is to be filed": lambda inbox: inbox.to_file(DEADLINE),
    "a verdict": lambda inbox: inbox.refuse(inbox.waiting()[0], []),
    "filing": lambda inbox: inbox.note_filed(inbox.last_accepted("Ada")),
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_its_cost_does_not_grow(tmp_path, work):
    """Counts the steps of SQLite's machine, which are the same on every computer."""
    counts = []
    for num_uploads in (120, 900):
        inbox, ledger = filled(tmp_path / str(num_uploads), num_uploads)
        steps: list[int] = []
        ledger._database.set_progress_handler(partial(steps.append, 0), 1)
        work(inbox)
        counts.append(len(steps))
    assert 0 < counts[1] < 1.2 * counts[0]


def test_a_history_is_read_page_by_page(tmp_path):
    inbox, _ = filled(tmp_path, 2 * PAGE + 1)
    told, before = [], None
    for expected in (PAGE, PAGE, 1):
        uploads, before = view(inbox).page("Ada", before)
        assert len(uploads) == expected
        told += [upload["id"] for upload in uploads]
    assert before is None
    assert told == [f"Ada{number}" for number in reversed(range(2 * PAGE + 1))]
    assert view(inbox).page("Ada", "Kurt1") is None, "those of others are not there"
    assert view(inbox).page("Emmy", None) == ([], None)
