"""Work with files and tables in a thread of its own, so that the event loop never waits for it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


class Desk:
    """A thread that does one piece of work after another.

    What is used at one desk only needs no locks, such as a connection to a database.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)

    async def __call__(self, work: Callable[..., Result], *arguments: object) -> Result:
        """Return what a function returns, or raise what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def close(self) -> None:
        """Wait for the work that was begun, and end the thread."""
        self._thread.shutdown()
