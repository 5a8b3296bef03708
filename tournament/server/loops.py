"""Work that a server repeats forever, despite failures."""

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable

from tournament.errors import TournamentError

RETRY_SECONDS = 5.0
# Failures that may pass, such as a full disk; others are bugs, and the work continues anyway.
PASSING = (TournamentError, OSError, sqlite3.Error)
LOG = logging.getLogger("tournament.server")


async def repeat(step: Callable[[], Awaitable[None]], pause_seconds: float, failure: str) -> None:
    """Repeat a step forever with a pause in between; log and retry failed ones.

    Args:
        step: is awaited each time.
        pause_seconds: between the end of a step and the next one.
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
