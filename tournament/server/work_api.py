"""Requests of `python -m tournament work`: pairs to play, their networks, and reports.

Everything that comes is a stranger's. Here its size and form are checked; the run replays the games
(tournament.running.lending_engine).
"""

import json
import math
import time
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import FileResponse

from tournament.errors import LeagueError
from tournament.intake.faults import printable
from tournament.server import limits
from tournament.server.access import Parts, Problem, holder_by
from tournament.server.service import Service
from tournament.server.tokens import Holder

KINDS = ("onnx", "json")
router = APIRouter(prefix="/api/worker")


async def worker(request: Request, parts: Parts) -> Holder:
    """Return the holder of a worker's token; raises Problem for others and for stopped tokens."""
    found = await holder_by(request, parts, parts.for_work, parts.worker_tokens)
    stopped = await parts.for_work(parts.work.stopped)
    if found.name in stopped:
        raise Problem(403, f"your token is stopped: {stopped[found.name]}; ask your teacher")
    return found


Worker = Annotated[Holder, Depends(worker)]


@router.get("")
async def terms(asking: Worker, parts: Parts) -> dict[str, Any]:
    """Return how games are played; options are None while no games are played."""
    return await parts.for_work(parts.work.terms) or {"options": None}


@router.post("/leases")
async def lend(request: Request, asking: Worker, parts: Parts) -> dict[str, Any]:
    """Lend pairs to a worker that has this kit and about this machine's speed."""
    asked = await _body(request, limits.MAX_PART_HEAD)
    found = await parts.for_work(parts.work.terms)
    if found is None:
        return {"options": None, "leases": []}
    speed, wanted = asked.get("speed"), asked.get("wanted")
    if not (speed is None or type(speed) is float and 0 < speed < math.inf):
        raise Problem(400, "expected a speed: a number of evaluations a second")
    if type(wanted) is not int or not 1 <= wanted <= limits.MAX_WANTED:
        raise Problem(400, f"expected a wish for 1 to {limits.MAX_WANTED} pairs")
    if said := _refusal(found, asked.get("kit"), speed):
        raise Problem(409, said)
    leases = await _stored(
        parts, parts.work.lend, asking.name, _machine(asked), speed, wanted, time.time(),
        found["seconds"],
    )
    told = [{"id": one.id, "jobs": [job.to_json() for job in one.pair]} for one in leases]
    return {"options": found["options"], "leases": told}


@router.put("/leases")
async def extend(request: Request, asking: Worker, parts: Parts) -> dict[str, Any]:
    """Extend the leases of a worker that is still playing."""
    asked = await _body(request, limits.MAX_PART_HEAD)
    if (found := await parts.for_work(parts.work.terms)) is not None:
        now, longest = time.time(), found["longest"]
        await _stored(
            parts, parts.work.extend, asking.name, _machine(asked), now, found["seconds"], longest
        )
    return {}


@router.post("/leases/{lease_id}")
async def report(
    lease_id: str, request: Request, asking: Worker, parts: Parts
) -> dict[str, Any]:
    """Take the report of a pair; not if its lease has ended."""
    text = json.dumps(await _body(request, limits.MAX_REPORT))
    return {"taken": await _stored(parts, parts.work.report, lease_id, asking.name, text)}


@router.get("/networks/{sha256}.{kind}")
async def network(sha256: str, kind: str, asking: Worker, parts: Parts) -> FileResponse:
    """Return an artefact or its manifest, of a network in a pair that this worker has."""
    if kind not in KINDS or not await parts.for_work(parts.work.has, asking.name, sha256):
        raise Problem(404, "there is no such network in your pairs")
    return FileResponse(parts.league.folder / "artefacts" / f"{sha256}.{kind}")


def _refusal(terms: dict[str, Any], kit: Any, speed: float | None) -> str | None:
    """Return why a machine may not play, or None."""
    if kit != terms["kit"]:
        return (
            "this version of the kit differs from the server's: install the same version here, "
            "and start the worker again"
        )
    options, here = terms["options"], terms["speed"]
    if options["seconds"] is None or options["scale_clock"] or here is None:
        return None
    if speed is None or abs(speed / here - 1) > terms["spread"]:
        return (
            f"this machine evaluates {speed or 0:.0f} positions a CPU second, and the server "
            f"{here:.0f}: games of {options['seconds']:g} s a move would not be equal; a league "
            "with --visits or --scale-clock can use this machine"
        )
    return None


def _machine(asked: dict[str, Any]) -> str:
    return printable(str(asked.get("machine", "")), limits.MAX_FILE_NAME)


async def _body(request: Request, most: int) -> dict[str, Any]:
    """Return a request's JSON object of at most so many bytes."""
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > most:
            raise Problem(413, f"expected at most {most:,} bytes")
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Problem(400, "expected an object in JSON")
    return found


async def _stored(parts: Service, store: Any, *arguments: Any) -> Any:
    try:
        return await parts.for_work(store, *arguments)
    except LeagueError as error:
        raise Problem(503, "the server's disk is full or fails", retry_after=10) from error
