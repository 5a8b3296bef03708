"""The tournament that a server runs, without games."""

import asyncio
import json
import sys

import pytest

from tournament.errors import EXIT_GIVEN_UP
from tournament.league.league import League
from tournament.league.settings import read_deadline
from tournament.server import limits, tournament_run
from tournament.server.desk import Desk
from tournament.server.ledger import open_ledger
from tournament.server.tournament_run import TournamentRun


@pytest.fixture
def run(tmp_path, monkeypatch) -> TournamentRun:
    run = TournamentRun(League(tmp_path), open_ledger(tmp_path), Desk())
    monkeypatch.setattr(run, "_entrants", lambda: [("Ada", "1"), ("Kurt", "2")])
    return run


@pytest.fixture
def begun(monkeypatch) -> list[tuple[str, ...]]:
    """Runs that have begun; each ends at once."""
    commands, begin = [], asyncio.create_subprocess_exec

    async def begin_and_end(*command: str, **options) -> asyncio.subprocess.Process:
        commands.append(command)
        return await begin(sys.executable, "-c", "", **options)

    monkeypatch.setattr(tournament_run.asyncio, "create_subprocess_exec", begin_and_end)
    return commands


def test_a_run_that_is_held_begins_when_it_is_released(run, begun):
    async def hold_and_release() -> None:
        run.hold()
        await run.want(True)
        await run._run_if_due()
        assert await run.wanted() and begun == []
        run.release()
        await run._run_if_due()

    asyncio.run(hold_and_release())
    assert len(begun) == 1


def test_each_deadline_ends_a_pause_once(run, tmp_path):
    first, second = (read_deadline(f"2026-10-{day} 23:59 UTC") for day in ("09", "16"))

    async def wishes(run: TournamentRun) -> list[bool]:
        told = []
        for deadline in (first, first, second, second):
            await run.want_after(deadline)
            told.append(await run.wanted())
            await run.want(False)
        return told

    assert asyncio.run(wishes(run)) == [True, False, True, False]
    again = TournamentRun(League(tmp_path), open_ledger(tmp_path), Desk())
    asyncio.run(again.want_after(second))
    assert not asyncio.run(again.wanted()), "a pause outlives the server"


def test_a_run_begins_again_after_a_disk_that_failed_while_one_began(run, begun, monkeypatch):
    may_play, answers = run._may_play, iter([True, OSError("the disk fails")])

    async def may_play_or_fail() -> bool:
        answer = next(answers, None)
        if isinstance(answer, OSError):
            raise answer
        return await may_play() if answer is None else answer

    async def start_twice() -> dict[str, object]:
        await run.want(True)
        await run._run_if_due()
        await run._run_if_due()
        return await run.state()

    monkeypatch.setattr(run, "_may_play", may_play_or_fail)
    assert not asyncio.run(start_twice())["running"]
    assert len(begun) == 2


@pytest.mark.parametrize(("code", "is_over"), [(0, True), (EXIT_GIVEN_UP, True), (1, False)])
def test_a_run_that_ends_unexpectedly_has_not_played(run, monkeypatch, code, is_over):
    """Python ends with 1 after a traceback; the week of a term must not be kept then."""
    begin = asyncio.create_subprocess_exec

    async def begin_and_end(*command: str, **options) -> asyncio.subprocess.Process:
        return await begin(sys.executable, "-c", f"raise SystemExit({code})", **options)

    async def play() -> tuple[bool, str]:
        await run.want(True)
        for _ in range(limits.MAX_ATTEMPTS):
            await run._run_if_due()
        return await run.has_played(), str((await run.state())["problem"])

    monkeypatch.setattr(tournament_run.asyncio, "create_subprocess_exec", begin_and_end)
    expected = "" if is_over else "the run ended with exit status 1"
    assert asyncio.run(play()) == (is_over, expected)


@pytest.mark.usefixtures("begun")
def test_the_teacher_is_told_of_a_spent_budget(run, tmp_path):
    spent = "the budget of 5 hours is spent"
    (tmp_path / "summary.json").write_text(json.dumps({"stopped_by": spent}))

    async def play() -> tuple[bool, str]:
        await run.want(True)
        await run._run_if_due()
        return await run.has_played(), str((await run.state())["problem"])

    assert asyncio.run(play()) == (True, spent)


@pytest.mark.parametrize("is_paused", [True, False])
def test_a_pause_or_a_hold_ends_a_run_that_has_just_begun(run, monkeypatch, is_paused):
    begin = asyncio.create_subprocess_exec

    async def begin_and_pause(*command: str, **options) -> asyncio.subprocess.Process:
        process = await begin(sys.executable, "-c", "import time; time.sleep(60)", **options)
        if is_paused:
            await run.want(False)
        else:
            run.hold()
        await run.interrupt()
        return process

    async def start() -> dict[str, object]:
        await run.want(True)
        await asyncio.wait_for(run._run_if_due(), 30)
        return await run.state()

    monkeypatch.setattr(tournament_run.asyncio, "create_subprocess_exec", begin_and_pause)
    assert asyncio.run(start()) == {"wanted": not is_paused, "running": False, "problem": ""}


TALKATIVE = """
import signal, sys, time
def stop(*_):
    sys.stderr.write("x" * (1 << 20))
    sys.exit(0)
signal.signal(signal.SIGINT, stop)
print("begun", file=sys.stderr, flush=True)
time.sleep(60)
"""


def test_a_run_that_says_much_when_it_ends_is_waited_for(run, monkeypatch):
    """Its errors fill a pipe that somebody has to read."""
    begin, begun = asyncio.create_subprocess_exec, []

    async def begin_talkative(*command: str, **options) -> asyncio.subprocess.Process:
        process = await begin(sys.executable, "-c", TALKATIVE, **options)
        await process.stderr.readline()
        begun.append(process)
        return process

    async def keep_and_end() -> int | None:
        await run.want(True)
        task = asyncio.create_task(run.keep())
        while not begun:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.wait([task])
        return begun[0].returncode

    monkeypatch.setattr(limits, "STOP_SECONDS", 10)
    monkeypatch.setattr(tournament_run.asyncio, "create_subprocess_exec", begin_talkative)
    assert asyncio.run(keep_and_end()) == 0
