"""The console of the kit's commands, and the progress of long work, by rich."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich import console, progress
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from typing_extensions import override

from golois.kit.command import visible


class Console(console.Console):
    """A console whose texts are neither markup, nor emoji, nor commands; styles and bars work."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, **options})

    @override
    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)


class Progress:
    """The progress of long work: a bar on a terminal; elsewhere a line after `silence` seconds.

    `total` is an int for things, a float for a share or bytes, None if unknown. A `lasting` bar
    stays when the work has ended.
    """

    def __init__(
        self, console: Console, title: str = "", total: float | None = None, *,
        silence: float = 30.0, lasting: bool = False,
    ) -> None:  # fmt: skip
        is_share = isinstance(total, float)
        columns = (
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            progress.TaskProgressColumn() if is_share else progress.MofNCompleteColumn(),
            progress.TimeRemainingColumn(),
        )
        self._console, self._silence = console, silence
        self._bar = progress.Progress(
            *columns, console=console, transient=not lasting, disable=not console.is_terminal
        )
        self._task = self._bar.add_task(title, total=total)
        self._spoke_at = time.monotonic()

    def __enter__(self) -> "Progress":
        self._bar.start()
        return self

    def __exit__(self, *_error: Any) -> None:
        self._bar.stop()

    def say(self, text: str) -> None:
        """Print a line, above the bar where there is one."""
        self._console.print(text, highlight=False, soft_wrap=True)
        self._spoke_at = time.monotonic()

    def show(self, done: float, text: str | None = None, total: float | None = None) -> None:
        """Move the bar, or print a line after a silence; `text` replaces the title."""
        self._bar.update(self._task, completed=done, description=text, total=total)
        if self.is_due:
            self.say(self._line(self._bar.tasks[0]))

    @property
    def is_due(self) -> bool:
        """Whether there is no bar, and the last line was long ago."""
        return self._bar.disable and time.monotonic() - self._spoke_at > self._silence

    @staticmethod
    def _line(task: progress.Task) -> str:
        if isinstance(task.total, float):
            return f"{task.percentage:3.0f} % {task.description}"
        of_all = "" if task.total is None else f" of {task.total:,}"
        return f"  {task.description}: {task.completed:,.0f}{of_all}"

    def advance(self, count: float = 1) -> None:
        """Move the bar by so much."""
        self.show(self._bar.tasks[0].completed + count)


HEARTBEAT_SECONDS = 60


class Reporter:
    """Prints to the standard output, without colours or bars where that is no terminal."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, soft_wrap=True)
        self._lasting: set[str] = set()

    def say(self, text: RenderableType) -> None:
        """Print a line, or a table."""
        self._console.print(text)

    def warn(self, found: Mapping[str, str]) -> None:
        """Print warnings, each kind when it comes up and not again while it lasts."""
        for kind, text in found.items():
            if kind not in self._lasting:
                self._console.print(f"  note: {text}")
        self._lasting = set(found)

    @contextmanager
    def bar(self, title: str, total: int | None) -> Iterator[Callable[..., None]]:
        """Show a bar, which the function that it gives moves on; without a terminal, rare lines."""
        with Progress(self._console, title, total, silence=HEARTBEAT_SECONDS) as progress:
            yield progress.advance
