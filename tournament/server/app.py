"""The application: pages, the league's site, and what the pages ask for."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, RedirectResponse
from starlette.exceptions import HTTPException
from starlette.routing import Route

from tournament.report.site import ASSETS as REPORT_ASSETS
from tournament.server import student_api, teacher_api
from tournament.server.guard import Guard
from tournament.server.live_site import SiteFiles
from tournament.server.options import ServerOptions
from tournament.server.problems import Problem, answer_bug, answer_http_error, answer_problem
from tournament.server.service import Service

ASSETS = Path(__file__).parent / "assets"
PAGES = {
    "/": ASSETS / "hand_in.html",
    "/teacher": ASSETS / "teacher.html",
    "/style.css": REPORT_ASSETS / "style.css",
    **{f"/{name}": ASSETS / name for name in ("forms.css", "ask.js", "hand_in.js", "teacher.js")},
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
    app.include_router(teacher_api.router)
    app.router.routes.extend(_page(path, file) for path, file in PAGES.items())
    app.router.routes.append(Route("/site", _to_site))
    app.mount("/site", SiteFiles(directory=options.league / "site", html=True, check_dir=False))
    return Guard(app)


async def _to_site(request: Request) -> RedirectResponse:
    return RedirectResponse("site/")  # relative, whatever host the request names


def _page(path: str, file: Path) -> Route:
    async def answer(request: Request) -> FileResponse:
        return FileResponse(file, headers={"Cache-Control": "no-cache"})

    return Route(path, answer, methods=["GET"])
