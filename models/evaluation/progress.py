"""How far a long step is: a bar on a terminal, a line now and then elsewhere."""

import time
from typing import Any

from rich.progress import Progress

from golois.kit.console import Console

HEARTBEAT_SECONDS = 30


class Steps:
    """Counts to a total; call it with what is done.

    Args:
        console: where to say it.
        title: what is being done.
        total: of what is counted.
    """

    def __init__(self, console: Console, title: str, total: int) -> None:
        self._console, self._title, self._total = console, title, total
        self._bar = Progress(console=console, transient=True, disable=not console.is_terminal)
        self._task = self._bar.add_task(title, total=total)
        self._spoke_at = time.monotonic()

    def __enter__(self) -> "Steps":
        self._bar.start()
        return self

    def __exit__(self, *_error: Any) -> None:
        self._bar.stop()

    def __call__(self, done: int) -> None:
        """Move the bar to `done` of the total; without a terminal print a line now and then."""
        self._bar.update(self._task, completed=done)
        if self._bar.disable and time.monotonic() - self._spoke_at > HEARTBEAT_SECONDS:
            self._spoke_at = time.monotonic()
            self._console.print(f"{self._title}: {done:,} of {self._total:,}")
