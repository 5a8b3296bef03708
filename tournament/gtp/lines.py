"""The controller's lines, read by a thread so that a search can see the next one coming."""

import os
import threading
from collections import deque
from collections.abc import Iterable
from contextlib import suppress

PIECE = 1 << 16  # bytes


class Lines:
    """Lines from a file descriptor, in order; the end of input is a None after them.

    Args:
        descriptor: of a pipe or terminal; read without Python's buffer, whose lock a thread that
            waits for input would hold beyond the end of the program.
    """

    def __init__(self, descriptor: int):
        self._waiting: deque[str | None] = deque()
        self._arrival = threading.Condition()
        threading.Thread(target=self._read, args=(descriptor,), daemon=True).start()

    def next(self) -> str | None:
        """Wait for a line and take it."""
        with self._arrival:
            self._arrival.wait_for(lambda: self._waiting)
            return self._waiting.popleft()

    def wait(self, seconds: float) -> bool:
        """Return whether a line, or the end of input, arrives within this many seconds."""
        with self._arrival:
            return self._arrival.wait_for(lambda: bool(self._waiting), seconds)

    def _read(self, descriptor: int) -> None:
        rest = b""
        with suppress(OSError):  # a terminal that has hung up ends the input too
            while piece := os.read(descriptor, PIECE):
                *lines, rest = (rest + piece).split(b"\n")
                self._put(line.decode(errors="replace") for line in lines)
        self._put([rest.decode(errors="replace"), None])

    def _put(self, lines: Iterable[str | None]) -> None:
        with self._arrival:
            self._waiting.extend(lines)
            self._arrival.notify_all()
