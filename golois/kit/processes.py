"""The CPUs of a process, and its children: the last line of their errors, and how they end."""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import IO, Protocol

from golois.kit.command import one_line

CGROUPS = Path("/sys/fs/cgroup")
# Where Linux says how many microseconds of CPU time a container has in how many, by its version.
CPU_LIMITS = (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"))

_SET_PARENT_DEATH_SIGNAL = 1
_KEPT_OF_ERRORS = 4000


class Process(Protocol):
    """A child of `subprocess` or of `asyncio`."""

    pid: int

    def kill(self) -> None:
        """End it at once."""


def num_cpus(cgroups: Path = CGROUPS) -> int:
    """Return how many logical CPUs this process may use, which can be fewer than there are."""
    if not hasattr(os, "sched_getaffinity"):
        return os.cpu_count() or 1
    allowed, limit = len(os.sched_getaffinity(0)), container_cpus(cgroups)
    return allowed if limit is None else max(1, min(allowed, int(limit)))


def container_cpus(cgroups: Path = CGROUPS) -> float | None:
    """Return how many CPUs' time this container may use at once; None without a limit."""
    for names in CPU_LIMITS:
        try:
            quota, period = " ".join((cgroups / name).read_text() for name in names).split()
        except (OSError, ValueError):
            continue
        return int(quota) / int(period) if quota.isdecimal() else None
    return None


def last_line(errors: bytes) -> str:
    """Return the last line that a process wrote to its standard error; "" where it wrote none."""
    return errors.decode("utf-8", "replace").strip().rpartition("\n")[2].strip()


class ErrorsReader:
    """Reads a process's standard error to its end, so that a full pipe can't block the process."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._end = b""
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def last(self) -> bytes:
        """Return the last 4,000 bytes, once the process and all that hold the pipe have ended."""
        self._thread.join()
        return self._end

    def _read(self) -> None:
        with self._pipe:
            while piece := os.read(self._pipe.fileno(), 1 << 16):
                self._end = (self._end + piece)[-_KEPT_OF_ERRORS:]


def own_search_path() -> str:
    """Return a PYTHONPATH that begins with this kit, since another one may be installed."""
    kit = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join(filter(None, (kit, os.environ.get("PYTHONPATH"))))


def kill_session(process: Process) -> None:
    """Kill a process that leads a session of its own, and whatever it started."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def end_with_parent() -> None:
    """Have Linux kill this process when its parent ends, also by a kill; elsewhere do nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


@dataclass(frozen=True)
class Ended:
    """A finished process: its exit status, output, and the last line of its errors."""

    code: int
    output: bytes
    said: str


async def run_apart(*arguments: str, given: bytes = b"") -> Ended:
    """Run Python with these arguments; when the caller is cancelled the process is killed."""
    import asyncio  # here, since it takes as long as the rest of a child's imports

    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True,
    )
    try:
        output, errors = await process.communicate(given)
    except BaseException:
        kill_session(process)
        await process.communicate()
        raise
    assert process.returncode is not None  # it has ended
    said = one_line(last_line(errors)) or f"exit status {process.returncode}"
    return Ended(process.returncode, output, said)
