"""What a run prints: a line an iteration, warnings, and how far it is."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)

from golois.kit.console import Console

HEARTBEAT_SECONDS = 60


class Reporter:
    """Prints to the standard output, without colours or bars where that is no terminal."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, soft_wrap=True)
        self._lasting: set[str] = set()
        self._spoke_at = time.monotonic()

    def say(self, text: str) -> None:
        """Print a line."""
        self._console.print(text)
        self._spoke_at = time.monotonic()

    def warn(self, found: Mapping[str, str]) -> None:
        """Print warnings, each kind when it comes up and not again while it lasts."""
        for kind, text in found.items():
            if kind not in self._lasting:
                self._console.print(f"  note: {text}")
        self._lasting = set(found)

    @contextmanager
    def bar(self, title: str, total: int | None) -> Iterator[Callable[..., None]]:
        """Show a bar and its count inside, which the function that it gives moves on.

        Without a terminal it prints a line after a long silence.

        Args:
            title: what is counted.
            total: how many they are, about; None if nobody knows.
        """
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        ) as progress:
            task = progress.add_task(title, total=total)

            def advance(count: int = 1) -> None:
                progress.advance(task, count)
                if progress.disable and time.monotonic() - self._spoke_at > HEARTBEAT_SECONDS:
                    of_all = "" if total is None else f" of {total:,}"
                    self.say(f"  {title}: {progress.tasks[task].completed:,.0f}{of_all}")

            yield advance
