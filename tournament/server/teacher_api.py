"""Requests of the teacher's page: every student's state, and control of the tournament."""

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from fastapi import APIRouter
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from golois.kit.processes import run_apart
from tournament.errors import LeagueError, OptionsError
from tournament.league.league import League
from tournament.league.submissions import Submission
from tournament.league.work import Work
from tournament.server.access import Parts, Problem, Teacher
from tournament.server.service import Service
from tournament.server.tokens import STUDENT, Tokens
from tournament.server.words import View

DISK_IS_FULL = (
    "the server's disk is full or fails, so it can't store this: free some space, and try again"
)
Result = TypeVar("Result")
router = APIRouter(prefix="/api/teacher")


@router.get("")
async def overview(asking: Teacher, parts: Parts) -> dict[str, Any]:
    """Return the hand-ins, the run's state, and free disk space."""
    networks = await parts.for_league(parts.league.submissions.current)
    written = await parts.for_league(parts.league.written_names.all)
    disk = shutil.disk_usage(parts.league.folder)
    return {
        **await parts.reading(_hand_ins, parts.view(), parts.tokens, networks, written),
        "run": await parts.run.state(),
        "weeks": parts.calendar.weeks(await parts.for_league(parts.league.weeks.all)),
        "games": await parts.for_league(_games, parts.league),
        "work": await parts.for_work(_work, parts.work),
        "disk": {"free": disk.free, "total": disk.total},
    }


@router.post("/start")
async def start(asking: Teacher, parts: Parts) -> dict[str, Any]:
    """Start playing games."""
    await _wish(parts, True)
    return await parts.run.state()


@router.post("/pause")
async def pause(asking: Teacher, parts: Parts) -> dict[str, Any]:
    """Pause playing games."""
    await _wish(parts, False)
    try:
        await parts.run.interrupt()
    except LeagueError as error:
        raise Problem(409, str(error)) from error
    return await parts.run.state()


@router.post("/tokens/{name}")
async def new_token(name: str, asking: Teacher, parts: Parts) -> dict[str, str]:
    """Return a new token of a student, this once; the earlier token ends."""
    token = await _changed(parts, parts.tokens.reissue, name)
    return {"name": name, "token": token}


@router.delete("/tokens/{name}")
async def revoke_token(name: str, asking: Teacher, parts: Parts) -> dict[str, str]:
    """Revoke the token of a student; files and networks stay."""
    await _changed(parts, parts.tokens.revoke, name, STUDENT)
    return {"name": name}


@router.get("/export")
async def export(asking: Teacher, parts: Parts) -> FileResponse:
    """Return the league as one file, as `python -m tournament export` writes it; without tokens."""
    folder = parts.league.folder
    beside = Path(tempfile.mkdtemp(prefix="export-", dir=parts.inbox.parts))
    path = beside / f"{folder.resolve().name}.zip"
    ended = await run_apart("-m", "tournament", "export", str(folder), "-o", str(path))
    if ended.code:
        shutil.rmtree(beside, ignore_errors=True)
        raise Problem(409, ended.said)
    clean = BackgroundTask(shutil.rmtree, beside, ignore_errors=True)
    return FileResponse(path, filename=path.name, background=clean)


async def _wish(parts: Service, wanted: bool) -> None:
    try:
        await parts.run.want(wanted)
    except LeagueError as error:
        raise Problem(507, DISK_IS_FULL) from error


async def _changed(parts: Service, change: Callable[..., Result], *arguments: str) -> Result:
    try:
        return await parts.reading(change, *arguments)
    except OptionsError as error:
        raise Problem(409, str(error)) from error
    except LeagueError as error:
        raise Problem(507, DISK_IS_FULL) from error


def _work(work: Work) -> dict[str, Any]:
    return {"workers": work.workers(), "stopped": work.stopped()}


def _games(league: League) -> dict[str, int]:
    schedule = league.schedules.last()
    return {
        "played": league.games.count(), "scheduled": schedule.num_games if schedule else 0
    }


def _hand_ins(
    view: View, tokens: Tokens, networks: Sequence[Submission], written: Mapping[str, str]
) -> dict[str, Any]:
    """Return everyone who ever had a token or handed in, with their last upload."""
    with_token, handed_in = set(tokens.students()), view.everybody()
    of_name = {network.name: network for network in networks}
    students = []
    for name in sorted({*tokens.students_ever(), *handed_in}):
        last, total = handed_in.get(name, (None, 0))
        network = of_name.get(name)
        students.append({
            "name": name,
            "written": written.get(name, name),
            "has_token": name in with_token,
            "handed_in": total,
            "last": last,
            "plays": view.plays(name, network),
            "network": network and {
                "status": network.status, "note": network.note, "since": network.submitted_at
            },
        })
    return {"students": students, "waiting": view.num_waiting()}
