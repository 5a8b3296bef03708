"""Who may ask, and how a refused request is answered.

Access needs a token in each request's header, not a cookie, so no other site can act for a student.
"""

import time
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from tournament.server.desk import Desk
from tournament.server.guard import UNKNOWN, address_key
from tournament.server.service import Service
from tournament.server.tokens import STUDENT, TEACHER, Holder, Tokens

UNAUTHORIZED = 401
SCHEME = "bearer"


class Problem(Exception):
    """A request that is answered with an HTTP status and a sentence; retry after these seconds."""

    def __init__(self, status: int, text: str, retry_after: int | None = None):
        super().__init__(text)
        self.status, self.text, self.retry_after = status, text, retry_after


async def answer_problem(request: Request, problem: Problem) -> JSONResponse:
    """Return the answer to a request that fails."""
    headers = {}
    if problem.retry_after is not None:
        headers["Retry-After"] = str(problem.retry_after)
    if problem.status == UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse({"problem": problem.text}, problem.status, headers)


async def answer_http_error(request: Request, error: HTTPException) -> JSONResponse:
    """Return the answer to a request for what isn't there."""
    return JSONResponse({"problem": error.detail}, error.status_code, error.headers)


async def answer_bug(request: Request, error: Exception) -> JSONResponse:
    """Return the answer where the server itself fails; the log says more."""
    return JSONResponse({"problem": "the server failed: tell your teacher, and try again"}, 500)


# All are async, since FastAPI would run others in threads of its own.
async def service(request: Request) -> Service:
    """Return the server's parts."""
    return request.app.state.service


Parts = Annotated[Service, Depends(service)]


async def holder(request: Request, parts: Parts) -> Holder:
    """Return the holder of the request's token; raises Problem without a valid token."""
    return await holder_by(request, parts, parts.reading, parts.tokens)


async def holder_by(request: Request, parts: Service, desk: Desk, tokens: Tokens) -> Holder:
    """Return the holder by `tokens`, which `desk` reads; raises Problem without a valid token."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    found = None
    if scheme.lower() == SCHEME:
        found = await desk(tokens.holder, token.strip())
    if found is not None:
        return found
    if token:
        address = address_key(request.client.host if request.client else UNKNOWN)
        wait = parts.wrong_tokens.wait_seconds(address, time.monotonic())
        if wait:
            raise Problem(429, f"too many wrong tokens: wait {wait} seconds", retry_after=wait)
    raise Problem(401, "no valid token: ask your teacher for yours")


async def student(asking: Annotated[Holder, Depends(holder)]) -> Holder:
    """Return a student or team; raises Problem for others."""
    if asking.role != STUDENT:
        raise Problem(403, "this is the teacher's token: use a student's here")
    return asking


async def teacher(asking: Annotated[Holder, Depends(holder)]) -> Holder:
    """Return the teacher; raises Problem for others."""
    if asking.role != TEACHER:
        raise Problem(403, "this is a student's token: use the teacher's here")
    return asking


Anybody = Annotated[Holder, Depends(holder)]
Student = Annotated[Holder, Depends(student)]
Teacher = Annotated[Holder, Depends(teacher)]
