"""Another program on the other end of GTP 2, as a controller sees it."""

import os
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from golois.kit.processes import kill_session
from tournament.errors import EngineError

SECONDS_TO_END = 10
USER_TICKS, SYSTEM_TICKS = 11, 12  # in /proc/PID/stat, counted after the program's name


class GtpClient:
    """A program that speaks GTP on its standard input and output; a context that ends it.

    It waits for answers as long as they take, and discards stderr. `own_session` keeps Ctrl-C from
    the program. A program that cannot be started raises an OSError.
    """

    def __init__(self, name: str, command: Sequence[str], *, own_session: bool = True):
        self.name = name
        self._has_session = own_session
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=own_session,
            encoding="utf-8",
            errors="replace",
        )
        assert self._process.stdin and self._process.stdout  # both are pipes
        self._stdin, self._stdout = self._process.stdin, self._process.stdout

    def __enter__(self) -> "GtpClient":
        return self

    def __exit__(self, *exception) -> None:
        """Close its input, which makes an engine exit, and wait for a limited time."""
        with suppress(OSError):  # it has exited without reading the last command
            self._stdin.close()
        try:
            self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            if self._has_session:
                kill_session(self._process)  # with the programs that it has started
            else:
                self._process.kill()
            self._process.wait()
        self._stdout.close()

    def cpu_seconds(self) -> float:
        """Return the CPU seconds that its process has taken; time on the clock but on Linux."""
        try:
            status = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="utf-8")
        except OSError:
            return time.monotonic()
        ticks = status.rpartition(")")[2].split()[USER_TICKS : SYSTEM_TICKS + 1]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def ask(self, command: str) -> str:
        """Send a command and return the answer, its lines joined by newlines.

        Raises:
            EngineError: it refuses the command, it has ended, or its answer is not one of GTP.
        """
        try:
            self._stdin.write(command + "\n")
            self._stdin.flush()
        except OSError as error:
            raise EngineError(f"{self.name} did not take {command!r}: {error}") from error
        lines: list[str] = []
        while line := self._stdout.readline():
            if line.strip("\r\n"):
                lines.append(line.rstrip("\r\n"))
            elif lines:
                break
        text = "\n".join(lines)
        if not line or text[:1] not in ("=", "?"):
            raise EngineError(
                f"{self.name} answered {command!r} with {text!r}; an answer begins with = or ? "
                "and ends with an empty line"
            )
        if text[0] == "?":
            raise EngineError(f"{self.name} refused {command!r}: {text[1:].strip()}")
        return text[1:].strip()
