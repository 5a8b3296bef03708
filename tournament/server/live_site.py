"""The league's site, built anew as games end and networks are filed, and served as files."""

import asyncio
import time
from pathlib import Path
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from typing_extensions import override

from tournament.league.league import League
from tournament.server import limits
from tournament.server.desk import Desk, report_apart


class SiteFiles(StaticFiles):
    """The files of a site and nothing else: no listing, no links, no hidden files."""

    @override
    async def get_response(self, path: str, scope: Scope) -> Response:
        if any(part.startswith(".") for part in Path(path).parts):
            raise HTTPException(404)
        response = await super().get_response(path, scope)
        if isinstance(response, RedirectResponse):  # to a folder, at the host that was asked for
            response = RedirectResponse(f"./{quote(Path(path).name)}/")
        response.headers["Cache-Control"] = "no-cache"  # asks each time, and gets 304
        return response


class LiveSite:
    """Keeps a league's site up to date in a separate process, at most once in `pause_seconds`."""

    def __init__(self, league: League, desk: Desk, pause_seconds: float):
        self._league, self._desk, self._pause_seconds = league, desk, pause_seconds
        (league.folder / "site").mkdir(exist_ok=True)
        self._shown: object = None
        self._version: object = None

    async def refresh(self) -> None:
        """Build the site if the league has changed, then pause."""
        version = await self._desk(_version, self._league)
        if version == self._version:
            return
        now = await self._desk(_state, self._league)
        if now == self._shown:
            self._version = version
            return
        began = time.monotonic()
        await report_apart(self._league.folder)
        self._shown, self._version, took = now, version, time.monotonic() - began
        await asyncio.sleep(max(self._pause_seconds, took / limits.SHARE_OF_TIME))


def _version(league: League) -> object:
    """Return a value that changes whenever `_state` may, found without reading the networks."""
    written = "SELECT total_changes(), data_version FROM pragma_data_version"  # here, elsewhere
    with league.at_one_moment() as journal:
        return league.hidden.last_shown(), journal.execute(written).fetchone()


def _state(league: League) -> object:
    """Return a value that changes whenever the site should be rebuilt."""
    with league.hidden.as_published() as is_hidden:
        return (
            is_hidden, league.games.count(), league.submissions.current(),
            league.written_names.all(), league.schedules.last(), league.draws.all(),
        )
