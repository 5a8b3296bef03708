"""Uploads on the disk: stored whole, in a fair order, and the last one in time counts."""

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tournament.errors import LeagueError
from tournament.intake import Fault
from tournament.league.journal import Journal
from tournament.league.settings import Deadline, read_deadline
from tournament.server import inbox as inbox_module
from tournament.server import limits
from tournament.server.inbox import Inbox, QueueFullError, Upload
from tournament.server.ledger import exact_now, hand_in_folder, open_ledger
from tournament.server.limits import PAGE
from tournament.server.term import Calendar
from tournament.server.words import View


@pytest.fixture
def inbox(tmp_path) -> Inbox:
    return reopened(tmp_path)


def reopened(folder: Path) -> Inbox:
    """The inbox as a server finds it that begins."""
    inbox = Inbox(open_ledger(folder), hand_in_folder(folder))
    inbox.tidy()
    return inbox


def add(inbox: Inbox, owner: str, content: bytes) -> Upload:
    part = inbox.parts / "received.part"
    part.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    return inbox.add(owner, "net.h5", digest, len(content), part)


def accept(inbox: Inbox, upload: Upload) -> None:
    inbox.artefacts_of(upload).mkdir()
    inbox.accept(upload, {})


def stored(folder: Path) -> set[str]:
    return {path.stem for path in (folder / "hand_in" / "uploads").iterdir()}


def test_the_same_bytes_again_are_the_same_upload(inbox):
    first = add(inbox, "Ada", b"one")
    assert add(inbox, "Ada", b"one").id == first.id
    accept(inbox, first)
    assert add(inbox, "Ada", b"one").id == first.id
    assert add(inbox, "Kurt", b"one").id != first.id
    second = add(inbox, "Ada", b"two")
    back = add(inbox, "Ada", b"one")
    assert back.id not in (first.id, second.id), "going back to an earlier file is a new hand-in"
    assert list(inbox.parts.iterdir()) == []
    assert inbox.file_of(back).read_bytes() == b"one"


def test_a_message_stays_with_its_upload(inbox):
    plain = add(inbox, "Ada", b"one")
    part = inbox.parts / "received.part"
    part.write_bytes(b"two")
    upload = inbox.add("Ada", "net.h5", "2", 3, part, message='tried "SE" blocks')
    assert upload.message == 'tried "SE" blocks' and plain.message == ""
    accept(inbox, upload)
    assert [one.message for one in inbox.page("Ada", 2)] == ['tried "SE" blocks', ""]


def test_a_message_is_kept_that_comes_with_the_same_bytes_again(inbox):
    add(inbox, "Ada", b"one")
    for message, kept in (("better", "better"), ("", "better"), ("best", "best")):
        part = inbox.parts / "received.part"
        part.write_bytes(b"one")
        digest = hashlib.sha256(b"one").hexdigest()
        assert inbox.add("Ada", "net.h5", digest, 3, part, message=message).message == kept
        assert [one.message for one in inbox.page("Ada", 2)] == [kept]


def test_a_file_came_when_it_was_received(inbox):
    """And not when the table had time for it."""
    (part := inbox.parts / "received.part").write_bytes(b"one")
    upload = inbox.add("Ada", "net.h5", "0" * 64, 3, part, received_at="2026-11-20T12:00:00")
    assert upload.received_at == "2026-11-20T12:00:00"


def test_owners_take_turns(inbox):
    for number in range(4):
        add(inbox, "Flood", f"flood {number}".encode())
    add(inbox, "Ada", b"ada")
    add(inbox, "Kurt", b"kurt 1")
    add(inbox, "Kurt", b"kurt 2")
    owners = [upload.owner for upload in inbox.waiting()]
    assert owners == ["Flood", "Ada", "Kurt", "Flood", "Kurt", "Flood", "Flood"]
    inbox.refuse(inbox.waiting()[0], [])
    assert [upload.owner for upload in inbox.waiting()][:3] == ["Ada", "Kurt", "Flood"]
    assert [upload.number for upload in inbox.waiting() if upload.owner == "Flood"] == [2, 3, 4]


def test_one_owner_has_few_files_in_the_queue(inbox):
    for number in range(limits.MAX_QUEUED):
        add(inbox, "Flood", f"{number}".encode())
    with pytest.raises(QueueFullError, match="wait for their verdicts already"):
        add(inbox, "Flood", b"one more")
    assert add(inbox, "Flood", f"{number}".encode()).number == number + 1
    add(inbox, "Ada", b"ada")


def test_the_last_accepted_file_before_the_deadline_counts(inbox):
    uploads = [add(inbox, "Ada", f"{number}".encode()) for number in range(4)]
    for upload in uploads[:3]:
        accept(inbox, upload)
    inbox.refuse(uploads[3], [])
    assert [upload.number for upload in inbox.to_file(None)] == [3]
    passed = read_deadline("2020-01-01 00:00 UTC")
    assert inbox.to_file(passed) == []
    assert inbox.counting("Ada", None).number == 3 and inbox.counting("Ada", passed) is None

    assert standings(inbox, passed) == ["replaced", "replaced", "waits", "refused"]
    assert standings(inbox, None) == ["replaced", "replaced", "judging", "refused"]
    inbox.note_filed(inbox.to_file(None)[0])
    assert standings(inbox, None) == ["replaced", "replaced", "counts", "refused"]


def standings(inbox: Inbox, deadline: Deadline | None) -> list[str]:
    """What Ada is told of her files: it counts only when the registry has taken it."""
    told, _ = View(inbox, set(), Calendar(exact_now, deadline)).page("Ada", None)
    return [upload["standing"] or upload["state"] for upload in reversed(told)]


def test_files_that_wait_are_filed_in_the_order_in_which_they_came(inbox):
    for owner in ("Zoe", "Kurt", "Ada"):
        accept(inbox, add(inbox, owner, b"one"))
    assert [upload.owner for upload in inbox.to_file(None)] == ["Zoe", "Kurt", "Ada"]
    accept(inbox, add(inbox, "Zoe", b"two"))
    assert [upload.owner for upload in inbox.to_file(None)] == ["Kurt", "Ada", "Zoe"]


def test_a_verdict_out_of_turn_does_not_let_a_copy_in_first(inbox):
    """The author had a file before, so the copier, who had none, is judged first."""
    accept(inbox, add(inbox, "Ada", b"an earlier one"))
    inbox.note_filed(inbox.to_file(None)[0])
    original, copy = add(inbox, "Ada", b"original"), add(inbox, "Kurt", b"copy")
    assert [upload.owner for upload in inbox.waiting()] == ["Kurt", "Ada"]
    accept(inbox, copy)
    assert inbox.to_file(None) == []
    accept(inbox, original)
    assert [upload.owner for upload in inbox.to_file(None)] == ["Ada", "Kurt"]


def test_what_the_league_has_counts_whatever_becomes_of_the_deadline(inbox):
    """Nothing goes back to a file that was never filed, and lies nowhere any more."""
    uploads = [add(inbox, "Ada", f"{number}".encode()) for number in range(2)]
    for upload in uploads:
        accept(inbox, upload)
    inbox.note_filed(uploads[1])
    for text in (f"{uploads[0].received_at[:19]}Z", "2020-01-01 00:00 UTC"):
        assert inbox.counting("Ada", read_deadline(text)).number == 2
        assert inbox.to_file(read_deadline(text)) == []


def test_filing_removes_what_is_not_needed_any_more(inbox, tmp_path):
    uploads = [add(inbox, "Ada", f"{number}".encode()) for number in range(3)]
    for upload in uploads[:2]:
        accept(inbox, upload)
    inbox.note_filed(uploads[1])
    assert inbox.to_file(None) == []
    assert stored(tmp_path) == {uploads[2].id}
    inbox.refuse(uploads[2], [])
    assert stored(tmp_path) == set()
    assert list((tmp_path / "hand_in" / "judged").iterdir()) == []


def test_a_failing_intake_is_tried_again_a_few_times(inbox):
    upload = add(inbox, "Ada", b"one")
    for _ in range(limits.MAX_FAILURES):
        assert [waiting.id for waiting in inbox.waiting()] == [upload.id]
        inbox.fail(inbox.get(upload.id))
    assert inbox.waiting() == [] and inbox.get(upload.id).state == "unjudged"
    assert inbox.file_of(upload).exists()
    assert add(inbox, "Ada", b"one").id != upload.id, "handing it in again has it judged"


def test_a_killed_server_leaves_nothing_half_done(inbox, tmp_path):
    filed, queued = add(inbox, "Kurt", b"filed"), add(inbox, "Ada", b"queued")
    accept(inbox, filed)
    (inbox.parts / "half.part").write_bytes(b"ha")
    (tmp_path / "hand_in" / "uploads" / "no_row.h5").write_bytes(b"moved, never committed")
    (tmp_path / "hand_in" / "judged" / queued.id).mkdir()
    again = reopened(tmp_path)
    assert stored(tmp_path) == {queued.id, filed.id}
    assert [upload.id for upload in again.waiting()] == [queued.id]
    assert [upload.id for upload in again.to_file(None)] == [filed.id]
    assert not again.artefacts_of(queued).exists() and again.artefacts_of(filed).exists()
    assert list(again.parts.iterdir()) == []


def test_a_full_disk_stores_nothing(inbox, tmp_path, monkeypatch):
    def fail(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(inbox_module.os, "replace", fail)
    with pytest.raises(LeagueError, match="No space left"):
        add(inbox, "Ada", b"one")
    assert inbox.last_of_everybody() == {} and stored(tmp_path) == set()


def test_the_next_server_judges_what_this_one_could_not(inbox, tmp_path):
    """Such as all files that came while memory was short; they came in time all the same."""
    upload = add(inbox, "Ada", b"one")
    for _ in range(limits.MAX_FAILURES):
        inbox.fail(inbox.get(upload.id))
    again = reopened(tmp_path).get(upload.id)
    assert (again.state, again.num_failures) == ("queued", 0)
    assert again.received_at == upload.received_at


def test_a_kill_while_files_are_removed_leaves_none(inbox, tmp_path, monkeypatch):
    uploads = [add(inbox, "Ada", f"{number}".encode()) for number in range(3)]
    for upload in uploads:
        accept(inbox, upload)
    with monkeypatch.context() as patch:
        patch.setattr(inbox, "_remove_files", lambda upload_id: None)
        inbox.note_filed(uploads[1])
    reopened(tmp_path)
    assert stored(tmp_path) == {uploads[2].id}


def timed(folder: Path, times: list[str]) -> Inbox:
    """An inbox whose clock shows these times, and then goes on showing the last one."""
    def now() -> str:
        return f"2026-11-20T{times.pop(0) if len(times) > 1 else times[0]}.000000+00:00"

    return Inbox(open_ledger(folder), hand_in_folder(folder), now)


def test_a_clock_that_is_set_back_changes_no_order_of_files(tmp_path):
    inbox = timed(tmp_path, ["12:00:00", "12:00:01", "11:00:00"])
    uploads = [add(inbox, "Ada", f"{number}".encode()) for number in range(3)]
    for upload in uploads:
        accept(inbox, upload)
    evening = read_deadline("2026-11-20 20:00 UTC")
    assert inbox.last_accepted("Ada").number == inbox.last_accepted("Ada", evening).number == 3
    assert inbox.counting("Ada", evening).number == 3
    assert [upload.number for upload in inbox.to_file(evening)] == [3]
    assert standings(inbox, read_deadline("2020-01-01 00:00 UTC"))[2] == "waits"


def test_what_was_filed_last_counts_whatever_the_clock_said(tmp_path):
    times = ["12:00:00"]
    inbox = timed(tmp_path, times)
    uploads = [add(inbox, "Ada", f"{number}".encode()) for number in range(3)]
    for upload in uploads[:2]:
        accept(inbox, upload)
        inbox.note_filed(upload)
        times[0] = "09:00:00"
    early = read_deadline("2020-01-01 00:00 UTC")
    assert inbox.counting("Ada", early).number == 2
    accept(inbox, uploads[2])
    assert stored(tmp_path) == {uploads[2].id}


def test_owners_take_turns_whatever_the_clock_says(tmp_path):
    times = ["12:00:00"]
    inbox = timed(tmp_path, times)
    for owner in ("Ada", "Kurt", "Ada", "Kurt"):
        add(inbox, owner, f"{owner} {len(inbox.waiting())}".encode())
    order = []
    while waiting := inbox.waiting():
        order.append(waiting[0].owner)
        inbox.refuse(waiting[0], [])
        times[0] = f"{11 - len(order)}:00:00".zfill(8)
    assert order == ["Ada", "Kurt", "Ada", "Kurt"]


def test_a_refused_file_is_judged_anew_when_it_comes_again(inbox):
    """Such as a file that a busy machine did not read in time."""
    upload = add(inbox, "Ada", b"one")
    inbox.refuse(upload, [Fault("not read in time", "try again later")])
    again = add(inbox, "Ada", b"one")
    assert again.id != upload.id and inbox.waiting() == [again]


def test_a_file_comes_no_earlier_than_the_frozen_week_ended(tmp_path):
    inbox = timed(tmp_path, ["12:00:00"])
    (part := inbox.parts / "received.part").write_bytes(b"one")
    late = read_deadline("2026-11-20 13:00 UTC").first_late
    upload = inbox.add("Ada", "net.h5", "0" * 64, 3, part, not_before=late)
    assert upload.received_at == late


@pytest.mark.parametrize("judged_first", [0, 1])
def test_of_two_copies_the_first_counts_and_the_other_is_refused_at_once(inbox, judged_first):
    uploads = [add(inbox, owner, owner.encode()) for owner in ("Ada", "Kurt")]
    for number in (judged_first, 1 - judged_first):
        inbox.accept(uploads[number], {"onnx_sha256": "the same"})
    original, copy = (inbox.get(upload.id) for upload in uploads)
    assert (original.state, copy.state) == ("accepted", "refused")
    assert "was handed in before under another name" in copy.faults[0].text


def test_a_file_of_ones_own_again_is_no_copy(inbox):
    for content in (b"one", b"two"):
        inbox.accept(add(inbox, "Ada", content), {"onnx_sha256": "the same"})
    assert [upload.state for upload in inbox.page("Ada", 2)] == ["accepted", "accepted"]


def test_a_file_waits_for_its_verdict_while_an_earlier_one_may_be_the_same(inbox):
    passed = read_deadline("2020-01-01 00:00 UTC")
    earlier, later = add(inbox, "Ada", b"one"), add(inbox, "Kurt", b"two")
    accept(inbox, later)
    view = View(inbox, set(), Calendar(exact_now, passed))
    assert view.one("Kurt", later.id)["state"] == "judging"
    inbox.refuse(earlier, [])
    view = View(inbox, set(), Calendar(exact_now, passed))
    assert view.one("Kurt", later.id)["standing"] == "waits"


def test_a_file_that_must_wait_is_accepted_and_joins_later(inbox):
    """As while games are hidden: the student may send another file meanwhile."""
    upload = add(inbox, "Ada", b"one")
    accept(inbox, upload)
    view = View(inbox, set(), Calendar(exact_now), must_wait=True)
    told = view.one("Ada", upload.id)
    assert (told["state"], told["standing"]) == ("accepted", "later")
    assert told["words"].startswith("Accepted: it joins the league later")


def test_a_refused_file_says_which_one_counts_until_then(inbox):
    first = add(inbox, "Ada", b"one")
    accept(inbox, first)
    inbox.note_filed(first)
    for content in (b"two", b"three"):
        inbox.refuse(add(inbox, "Ada", content), [Fault("no network", "hand in another")])
    told, _ = View(inbox, set(), Calendar(exact_now)).page("Ada", None)
    when = first.received_at[:16].replace("T", " ")
    said = "Refused: fix the listed faults, and hand in again."
    assert told[0]["words"] == f"{said} The file that counts is net.h5 of {when} UTC."
    assert told[1]["words"] == said
    assert told[2]["words"] == "Accepted: this is the file that counts."


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
