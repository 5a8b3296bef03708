"""What a run prints: a line an iteration, warnings, and how far it is."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from golois.kit.console import Console, Progress

HEARTBEAT_SECONDS = 60


class Reporter:
    """Prints to the standard output, without colours or bars where that is no terminal."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, soft_wrap=True)
        self._lasting: set[str] = set()

    def say(self, text: str) -> None:
        """Print a line."""
        self._console.print(text)

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
        with Progress(self._console, title, total, silence=HEARTBEAT_SECONDS) as progress:
            yield progress.advance
