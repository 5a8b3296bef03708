"""What goes wrong with a request, as an answer that a page and a program can show."""

from fastapi import Request
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

UNAUTHORIZED = 401


class Problem(Exception):
    """A request that is answered with a sentence.

    Args:
        status: of HTTP.
        text: the sentence.
        retry_after: in how many seconds the same request may succeed.
    """

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
