"""Ctrl-C and SIGTERM as requests, which a command meets at a point where nothing is lost."""

import signal
from typing import Any


class Stopped(Exception):
    """A signal asked to stop; what is not done yet is left for the next start."""


class StopRequest:
    """Only note the first Ctrl-C or SIGTERM inside; a second one kills as usual."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    def __enter__(self) -> "StopRequest":
        numbers = (signal.SIGINT, signal.SIGTERM)
        self._before = {number: signal.signal(number, self._note) for number in numbers}
        return self

    def __exit__(self, *_error: Any) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _frame: Any) -> None:
        self.signal = signal.Signals(number)
        signal.signal(number, signal.SIG_DFL)


def raise_if_stopped(stop: StopRequest | None) -> None:
    """Raise Stopped once a signal has come; None never stops."""
    if stop is not None and stop.signal:
        raise Stopped
