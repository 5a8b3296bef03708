"""Work beside the event loop: in a thread or a process of its own, or repeated despite failures."""

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from golois.kit.processes import run_apart
from tournament.errors import LeagueError, TournamentError
from tournament.server import limits

Result = TypeVar("Result")
# Failures that may pass, such as a full disk; others are bugs, and the work continues anyway.
PASSING = (TournamentError, OSError, sqlite3.Error)
LOG = logging.getLogger("tournament.server")


class Desk:
    """A thread that does one piece of work after another, so its objects need no locks."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)

    async def __call__(self, work: Callable[..., Result], *arguments: object) -> Result:
        """Return what a function returns, or raise what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def close(self) -> None:
        """Wait for the work that was begun, and end the thread."""
        self._thread.shutdown()


async def report_apart(league: Path, *options: str) -> None:
    """Run `report` on a league in a separate process; raise LeagueError if it fails."""
    command = ("-m", "tournament", "report", "--quiet", *options, "--league", str(league))
    ended = await run_apart(*command)
    if ended.code:
        raise LeagueError(ended.said)


async def repeat(step: Callable[[], Awaitable[None]], pause_seconds: float, failure: str) -> None:
    """Repeat a step forever with a pause in between; log a failure in these words, and retry."""
    while True:
        try:
            await step()
        except PASSING as error:
            LOG.error("%s: %s", failure, error)
            await asyncio.sleep(limits.RETRY_SECONDS)
        except Exception:
            LOG.exception(failure)
            await asyncio.sleep(limits.RETRY_SECONDS)
        await asyncio.sleep(pause_seconds)
