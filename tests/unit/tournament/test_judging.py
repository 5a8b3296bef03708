"""Verdicts and filing, whatever fails: files keep their place, and hold up no others."""

import asyncio
import hashlib
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fake_arena import file_network, tiny_network
from tournament.errors import LeagueError, SubmissionError
from tournament.intake import JudgeOptions
from tournament.league.league import League
from tournament.league.settings import BEFORE_ALL
from tournament.server import judging, limits
from tournament.server.desk import Desk
from tournament.server.inbox import Inbox, Upload
from tournament.server.judging import JudgeError, Judges
from tournament.server.ledger import hand_in_folder, open_ledger


@pytest.fixture
def inbox(tmp_path, monkeypatch) -> Inbox:
    monkeypatch.setattr(limits, "RETRY_SECONDS", 0.001)
    return Inbox(open_ledger(tmp_path), hand_in_folder(tmp_path))


def add(inbox: Inbox, owner: str, content: bytes = b"x") -> Upload:
    part = inbox.parts / "part"
    part.write_bytes(content)
    return inbox.add(owner, "net.h5", hashlib.sha256(content).hexdigest(), 1, part)


def judges_of(inbox: Inbox) -> Judges:
    return Judges(inbox, Desk(), inbox.parts.parent, JudgeOptions(), lambda: None)


def file_all(inbox: Inbox, monkeypatch, file: Callable) -> dict[str, tuple[str, bool]]:
    """Two accepted uploads after a round of filing: their states, and whether they are filed."""
    for owner in ("Ada", "Kurt"):
        inbox.accept(add(inbox, owner), {})
    monkeypatch.setattr(judging, "_file", file)
    asyncio.run(judges_of(inbox).file_what_counts())
    everybody = inbox.last_of_everybody().values()
    return {upload.owner: (upload.state, upload.filed_at is not None) for upload, _ in everybody}


@pytest.mark.parametrize(
    ("error", "becomes"),
    [
        (LeagueError("the disk is full"), "accepted"),
        (PermissionError("not yours"), "accepted"),
        (FileNotFoundError("its artefact is gone"), "queued"),
        (SubmissionError("filed as Kurt"), "refused"),
    ],
)
def test_one_that_cannot_be_filed_holds_up_no_other(inbox, monkeypatch, error, becomes):
    def file(league: Path, upload: Upload, *paths: Path) -> None:
        if upload.owner == "Ada":
            raise error

    filed = file_all(inbox, monkeypatch, file)
    assert filed == {"Ada": (becomes, False), "Kurt": ("accepted", True)}


def test_a_copy_of_a_file_that_its_author_replaced_before_the_deadline_is_refused(
    inbox, monkeypatch
):
    """The league has never seen that file."""
    for owner, network in (("Ada", "first"), ("Ada", "second"), ("Kurt", "first")):
        upload = add(inbox, owner, f"{owner} {network}".encode())
        inbox.accept(upload, {"onnx_sha256": network})
    filed = []
    monkeypatch.setattr(judging, "_file", lambda league, upload, *paths: filed.append(upload.owner))
    asyncio.run(judges_of(inbox).file_what_counts())
    copied, _ = inbox.last_of_everybody()["Kurt"]
    assert filed == ["Ada"] and copied.state == "refused"
    assert "was handed in before under another name" in copied.faults[0].text


def test_a_network_of_the_league_is_refused_when_it_is_handed_in(inbox, monkeypatch, tmp_path):
    """Not only at the deadline, when it is too late to hand in another one."""
    opened = League(tmp_path / "league")
    file_network(opened, "Ada", tiny_network(1), tmp_path)
    manifest = opened.submissions.current()[0].manifest
    opened.submissions.withdraw("Ada")

    async def judge(path: Path, work_dir: Path, options: JudgeOptions) -> dict:
        return {"faults": [], "manifest": {**manifest, "sha256": path.stem}}

    monkeypatch.setattr(judging, "judge_apart", judge)
    judges = Judges(inbox, Desk(), opened.folder, JudgeOptions(), lambda: BEFORE_ALL)
    for owner in ("Kurt", "Ada"):
        add(inbox, owner, owner.encode())
        asyncio.run(judges.judge_next())
    told = {owner: upload for owner, (upload, _) in inbox.last_of_everybody().items()}
    assert told["Kurt"].state == told["Ada"].state == "refused"
    assert "is already in the league under another name" in told["Kurt"].faults[0].text
    assert "Ada no longer plays: it was withdrawn" in told["Ada"].faults[0].text


def test_one_owners_files_are_judged_one_after_the_other(inbox, monkeypatch):
    for owner, content in (("Ada", b"1"), ("Ada", b"2"), ("Kurt", b"3"), ("Ada", b"4")):
        add(inbox, owner, content)
    now, most, order = [], [], []
    uploads, kurt_began = {upload.id: upload for upload in inbox.waiting()}, asyncio.Event()

    async def judge(path: Path, work_dir: Path, options: JudgeOptions) -> dict:
        upload = uploads[path.stem]
        now.append(upload.owner)
        most.append(tuple(sorted(now)))
        if upload.owner == "Kurt":
            kurt_began.set()
        await asyncio.wait_for(kurt_began.wait(), 60)
        await asyncio.sleep(0)
        now.remove(upload.owner)
        order.append(upload.number)
        return {"faults": [], "manifest": None}

    async def judge_all() -> None:
        judges = judges_of(inbox)
        await asyncio.gather(one_after_the_other(judges, 2), one_after_the_other(judges, 2))

    async def one_after_the_other(judges: Judges, number: int) -> None:
        for _ in range(number):
            await judges.judge_next()

    monkeypatch.setattr(judging, "judge_apart", judge)
    asyncio.run(judge_all())
    assert ("Ada", "Kurt") in most and not [both for both in most if both == ("Ada", "Ada")]
    assert [number for number in order if number != 3] == [1, 2, 4]


def test_a_judge_that_hangs_is_killed(tmp_path, monkeypatch):
    """Here the time is over as soon as the judge is there."""
    begin, begun, limit = asyncio.create_subprocess_exec, [], asyncio.Timeout(None)

    async def begin_and_be_late(*command: str, **options) -> asyncio.subprocess.Process:
        begun.append(await begin(*command, **options))
        limit.reschedule(0)
        return begun[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", begin_and_be_late)
    monkeypatch.setattr(asyncio, "timeout", {limits.JUDGE_SECONDS: limit}.__getitem__)
    monkeypatch.setattr(judging, "COMMAND", ("-c", "import time; time.sleep(5)"))
    with pytest.raises(JudgeError, match="no verdict within"):
        asyncio.run(judging.judge_apart(tmp_path / "net.h5", tmp_path, JudgeOptions()))
    assert [process.returncode for process in begun] == [-signal.SIGKILL]


def test_a_judge_that_says_something_else_gave_no_verdict(tmp_path, monkeypatch):
    monkeypatch.setattr(judging, "COMMAND", ("-c", "print('a library says hello')"))
    with pytest.raises(JudgeError, match="the verdict cannot be read"):
        asyncio.run(judging.judge_apart(tmp_path / "net.h5", tmp_path, JudgeOptions()))
