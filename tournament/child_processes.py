"""Child processes: the last line of their errors, and how they are killed."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Protocol


class Process(Protocol):
    """A child of `subprocess` or of `asyncio`."""

    pid: int

    def kill(self) -> None: ...


def last_line(errors: bytes) -> str:
    """Return the last line that a process wrote to its standard error; "" where it wrote none."""
    return errors.decode("utf-8", "replace").strip().rpartition("\n")[2].strip()


def own_search_path() -> str:
    """Return a PYTHONPATH that begins with this kit, since another one may be installed."""
    kit = str(Path(__file__).resolve().parents[1])
    return os.pathsep.join(filter(None, (kit, os.environ.get("PYTHONPATH"))))


def kill_session(process: Process) -> None:
    """Kill a process that leads a session of its own, and whatever it started."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
