"""Work that a server does for ever, whatever goes wrong in between."""

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable

from tournament.errors import TournamentError

RETRY_SECONDS = 5.0
# What may pass, such as a full disk; anything else is a bug, and work goes on all the same.
PASSING = (TournamentError, OSError, sqlite3.Error)
LOG = logging.getLogger("tournament.server")


async def repeat(step: Callable[[], Awaitable[None]], pause_seconds: float, failure: str) -> None:
    """Takes one step after the other with a pause between; a failed one is logged and repeated.

    Args:
        failure: what it means that a step fails, in words.
    """
    while True:
        try:
            await step()
        except PASSING as error:
            LOG.error("%s: %s", failure, error)
            await asyncio.sleep(RETRY_SECONDS)
        except Exception:
            LOG.exception(failure)
            await asyncio.sleep(RETRY_SECONDS)
        await asyncio.sleep(pause_seconds)
