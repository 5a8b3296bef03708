"""Child processes: the last line of their errors, and how they end."""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Protocol

_SET_PARENT_DEATH_SIGNAL = 1


class Process(Protocol):
    """A child of `subprocess` or of `asyncio`."""

    pid: int

    def kill(self) -> None:
        """End it at once."""
        ...


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


def end_with_parent() -> None:
    """Have this process killed as soon as the one that started it ends, also by a kill.

    Only Linux can do that; elsewhere this does nothing.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
