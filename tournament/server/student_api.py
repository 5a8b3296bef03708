"""Requests of a student's page and submit.py --to: only the student's own files and verdicts."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

from fastapi import APIRouter, Request, Response
from starlette.requests import ClientDisconnect

from tournament.errors import LeagueError, SubmissionError
from tournament.intake.faults import printable
from tournament.league.names import message_of
from tournament.server import limits
from tournament.server.access import Anybody, Parts, Problem, Student
from tournament.server.inbox import QueueFullError, Upload
from tournament.server.receiving import (
    Form,
    FormError,
    Received,
    TooLargeError,
    TooSlowError,
    is_form,
    receive,
)
from tournament.server.service import Service

NOT_STORED = "your file was not stored; send it again later, and tell your teacher"
router = APIRouter(prefix="/api")


@router.get("/league")
async def league(parts: Parts) -> dict[str, Any]:
    """Return the public information."""
    deadline = parts.calendar.next()
    draws = await parts.for_league(parts.league.draws.all)
    return {
        "title": parts.title,
        "deadline": str(deadline) if deadline else None,
        "is_over": parts.calendar.is_over(),
        "max_bytes": parts.options.judge.file_limit,
        "draws": [{"commitment": draw.commitment, "secret": draw.secret} for draw in draws],
    }


@router.get("/me")
async def me(asking: Anybody, parts: Parts) -> dict[str, str]:
    """Return the holder of the token."""
    names = await parts.for_league(parts.league.written_names.all)
    written = names.get(asking.name, asking.name)
    return {"name": asking.name, "written": written, "role": asking.role}


@router.post("/uploads", status_code=202)
async def hand_in(request: Request, asking: Student, parts: Parts) -> dict[str, Any]:
    """Store the request's body, or the file in its form; the verdict is asked for afterwards."""
    try:
        await parts.for_league(parts.league.submissions.check_name, asking.name, None)
    except SubmissionError as error:
        raise Problem(409, f"{error}; ask your teacher") from error
    try:
        message = message_of(unquote(request.headers.get("x-message", ""), errors="replace"))
    except SubmissionError as error:
        raise Problem(400, str(error)) from error
    closed = await parts.for_league(parts.league.weeks.last)
    # A clock that is set back must not bring a file into a week that is frozen.
    not_before = closed.first_late if closed else ""
    with _on_its_way(parts, asking.name):
        received, name = await _receive(request, parts)
    received_at = parts.options.now()  # before it waits for its turn to be written
    file_name = printable(name or "network.h5", limits.MAX_FILE_NAME)
    try:
        upload = await parts.writing(
            _store, parts, asking.name, file_name, received, not_before, message, received_at
        )
    except QueueFullError as error:
        raise Problem(429, str(error), retry_after=10) from error
    except LeagueError as error:
        raise Problem(507, f"the server's disk is full or fails: {NOT_STORED}") from error
    if upload.filed_at is not None and message:
        await parts.for_league(
            parts.league.submissions.note_message, asking.name, upload.manifest, message
        )
    await parts.judges.wake()
    return await _described(parts, asking.name, upload.id)


@router.get("/uploads")
async def history(
    asking: Student, parts: Parts, response: Response, before: str | None = None
) -> list[dict[str, Any]]:
    """Return the student's latest uploads, or those before one; a Link leads to the next page."""
    found = await parts.reading(parts.view().page, asking.name, before)
    if found is None:
        raise _no_such_file()
    uploads, next_before = found
    if next_before is not None:
        response.headers["Link"] = f'<uploads?before={next_before}>; rel="next"'
    return uploads


@router.get("/plays")
async def plays(asking: Student, parts: Parts) -> list[str]:
    """Return which file of the student plays and which one will, in sentences."""
    networks = await parts.for_league(parts.league.published)
    own = next((network for network in networks if network.name == asking.name), None)
    return await parts.reading(parts.view().plays, asking.name, own)


@router.get("/uploads/{upload_id}")
async def one(upload_id: str, asking: Student, parts: Parts) -> dict[str, Any]:
    """Return one of the student's own uploads."""
    return await _described(parts, asking.name, upload_id)


def _store(
    parts: Service, owner: str, file_name: str, received: Received, not_before: str, message: str,
    received_at: str,
) -> Upload:
    try:
        return parts.inbox.add(
            owner, file_name, received.sha256, received.num_bytes, received.path, not_before,
            message, received_at,
        )
    finally:
        received.path.unlink(missing_ok=True)


async def _receive(request: Request, parts: Service) -> tuple[Received, str]:
    """Return the file of a request on the disk and how its author calls it, or the Problem."""
    max_bytes = parts.options.judge.file_limit
    kind = request.headers.get("content-type", "")
    length = request.headers.get("content-length", "")
    most = max_bytes + (limits.MAX_FORM_REST if is_form(kind) else 0)
    if length.isdecimal() and int(length) > most:
        raise _too_large(max_bytes)
    try:
        form = Form(kind, request.stream()) if is_form(kind) else None
        chunks = form.file() if form else request.stream()
        received = await receive(chunks, parts.inbox.parts, max_bytes)
    except TooLargeError:
        raise _too_large(max_bytes) from None
    except FormError as error:
        raise Problem(400, str(error)) from error
    except TooSlowError as error:
        raise Problem(408, f"{error}: send it again") from error
    except ClientDisconnect:
        raise Problem(400, "the connection broke: send it again") from None
    except OSError as error:  # DiskFullError among them
        raise Problem(507, f"the server's disk is full or fails: {NOT_STORED}") from error
    if not received.num_bytes:
        received.path.unlink()
        raise Problem(400, "the file is empty")
    said = unquote(request.headers.get("x-file-name", ""), errors="replace")
    return received, form.file_name if form else said


async def _described(parts: Service, owner: str, upload_id: str) -> dict[str, Any]:
    described = await parts.reading(parts.view().one, owner, upload_id)
    if described is None:
        raise _no_such_file()
    return described


def _no_such_file() -> Problem:
    return Problem(404, "there is no such file of yours")


def _too_large(max_bytes: int) -> Problem:
    return Problem(
        413, f"expected at most {max_bytes:,} bytes: make the network smaller, or save it without "
        "its optimizer: model.save('net.h5', include_optimizer=False)",
    )


@contextmanager
def _on_its_way(parts: Service, owner: str) -> Iterator[None]:
    """Count a file while it is being received, and enforce the limits on files."""
    receiving = parts.receiving
    if receiving.count(owner) >= limits.MAX_OF_ONE:
        raise Problem(429, "another file of yours is on its way: wait a little", retry_after=2)
    if len(receiving) >= limits.MAX_AT_A_TIME:
        raise Problem(503, "many files arrive at this moment: wait a little", retry_after=2)
    wait = parts.uploads.wait_seconds(owner, time.monotonic())
    if wait:
        raise Problem(429, f"too many files: wait {wait} seconds", retry_after=wait)
    receiving.append(owner)
    try:
        yield
    finally:
        receiving.remove(owner)
