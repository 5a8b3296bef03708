"""The application, pages and site and what they ask for, on a port until it is stopped."""

import logging
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from starlette.exceptions import HTTPException
from starlette.routing import Route

from tournament.errors import LeagueError
from tournament.league.league import League
from tournament.report import pages
from tournament.report.site import ASSETS as REPORT_ASSETS
from tournament.report.site import SHOWS_GAMES
from tournament.server import challenge_api, limits, student_api, teacher_api, work_api
from tournament.server.access import Problem, answer_bug, answer_http_error, answer_problem
from tournament.server.connections import ImpatientProtocol
from tournament.server.guard import Guard
from tournament.server.ledger import open_ledger
from tournament.server.live_site import SiteFiles
from tournament.server.service import ServerOptions, Service, alone_on
from tournament.server.term import Calendar
from tournament.web import listen

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = ("forms.css", "ask.js", "hand_in.js", "challenge.js", "teacher.js")
PAGES = {
    "/": ASSETS / "hand_in.html",
    "/teacher": ASSETS / "teacher.html",
    **{f"/{name}": REPORT_ASSETS / name for name in SHOWS_GAMES},
    **{f"/{name}": ASSETS / name for name in SCRIPTS},
}


def create_app(options: ServerOptions) -> Guard:
    """Return the application that serves a league; its work begins when it is started."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.service = Service(options)
        async with app.state.service.at_work():
            yield

    # No pages about itself: they would load scripts from elsewhere.
    app = FastAPI(
        lifespan=lifespan, openapi_url=None, redirect_slashes=False,
        exception_handlers={
            Problem: answer_problem, HTTPException: answer_http_error, Exception: answer_bug,
        },
    )
    app.include_router(student_api.router)
    app.include_router(challenge_api.router)
    app.include_router(teacher_api.router)
    app.include_router(work_api.router)
    app.router.routes.extend(_page(path, file) for path, file in PAGES.items())
    app.router.routes.append(Route("/challenge", _challenge))
    app.router.routes.append(Route("/site", _to_site))
    app.mount("/site", SiteFiles(directory=options.league / "site", html=True, check_dir=False))
    return Guard(app)


async def _to_site(request: Request) -> RedirectResponse:
    return RedirectResponse("site/")  # relative, whatever host the request names


async def _challenge(request: Request) -> HTMLResponse:
    return HTMLResponse(pages.challenge(request.app.state.service.title))


def _page(path: str, file: Path) -> Route:
    async def answer(request: Request) -> FileResponse:
        return FileResponse(file, headers={"Cache-Control": "no-cache"})

    return Route(path, answer, methods=["GET"])


def serve(options: ServerOptions, host: str, port: int) -> None:
    """Serve a league; create it if it doesn't exist.

    Raises:
        OptionsError: the address cannot be listened on.
        LeagueError: the folder holds no league of this version, or another server has it.
    """
    with listen(host, port) as listening:
        _serve(options, listening)


def _serve(options: ServerOptions, listening: socket.socket) -> None:
    with closing(League(options.league)) as league:
        league.keep_rules(options.rules)
        league.draws.ensure_open()
    open_ledger(options.league).close()
    with alone_on(options.league):
        host, port = listening.getsockname()[:2]
        print(f"serving {options.league} on http://{_in_url(host)}:{port}", flush=True)
        calendar = Calendar(options.now, options.deadline, options.term)
        if (deadline := calendar.next()) is not None:
            print(f"deadline: {deadline}", flush=True)
        if calendar.is_over():
            print("the last deadline of the term has passed: files that come wait", flush=True)
        _log_to_stderr()
        _allow_files()
        server = server_of(options)
        server.run(sockets=[listening])
        if not server.started:
            raise LeagueError(f"cannot serve {options.league}: see the log for the reason")


def server_of(options: ServerOptions) -> uvicorn.Server:
    """Return a server of a league, not started yet."""
    config = uvicorn.Config(
        create_app(options), http=ImpatientProtocol, ws="none", log_config=None, access_log=False,
        server_header=False, limit_concurrency=limits.MAX_CONNECTIONS,
        timeout_graceful_shutdown=limits.ANSWER_SECONDS,
    )
    return uvicorn.Server(config)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _allow_files() -> None:
    """Let the process open what all connections need: many systems begin with 1,024 files."""
    with suppress(ImportError, OSError, ValueError):  # Windows; a system with its own limit
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = limits.MAX_OPEN_FILES
        wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _log_to_stderr() -> None:
    logging.basicConfig(
        stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING
    )
    logging.getLogger("tournament.server").setLevel(logging.INFO)
