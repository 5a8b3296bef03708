"""Requests of the teacher's page: every student's state, and control of the tournament."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from tournament.errors import LeagueError
from tournament.server.access import Parts, Teacher
from tournament.server.problems import Problem
from tournament.server.processes import run_apart
from tournament.server.service import Service
from tournament.server.words import describe

router = APIRouter(prefix="/api/teacher")


@router.get("")
async def overview(asking: Teacher, parts: Parts) -> dict[str, Any]:
    """Return the hand-ins, the run's state, and free disk space."""
    schedule, disk = parts.league.schedules.last(), shutil.disk_usage(parts.league.folder)
    return {
        "students": _students(parts),
        "waiting": len(parts.inbox.waiting()),
        "run": parts.run.state(),
        "games": {
            "played": parts.league.games.count(),
            "scheduled": schedule.num_games if schedule else 0,
        },
        "disk": {"free": disk.free, "total": disk.total},
    }


@router.post("/start")
async def start(asking: Teacher, parts: Parts) -> dict[str, Any]:
    """Start playing games."""
    parts.run.start()
    return parts.run.state()


@router.post("/pause")
async def pause(asking: Teacher, parts: Parts) -> dict[str, Any]:
    """Pause playing games."""
    try:
        parts.run.pause()
    except LeagueError as error:
        raise Problem(409, str(error)) from error
    return parts.run.state()


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


def _students(parts: Service) -> list[dict[str, Any]]:
    """Return everyone who has a token or ever handed in, with their last upload."""
    waiting, being_judged = parts.inbox.waiting(), parts.judges.being_judged
    by_owner: dict[str, list] = {name: [] for name in parts.tokens.students()}
    with_token = set(by_owner)
    for upload in parts.inbox.all():
        by_owner.setdefault(upload.owner, []).append(upload)
    filed = parts.league.submissions.all()
    statuses = {one.name: one for one in filed if one.status != "superseded"}
    return [
        {
            "name": name,
            "has_token": name in with_token,
            "handed_in": len(uploads),
            "last": describe(uploads[-1], uploads, waiting, being_judged, parts.options.deadline)
            if uploads else None,
            "network": {"status": statuses[name].status, "note": statuses[name].note,
                        "since": statuses[name].submitted_at} if name in statuses else None,
        }
        for name, uploads in sorted(by_owner.items())
    ]
