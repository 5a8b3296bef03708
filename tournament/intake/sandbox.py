"""Confines a child process before it reads any untrusted data.

It uses what the machine supports: a separate network namespace, no-new-privileges and Landlock
before the child has imported anything (`isolate`), resource limits and seccomp after (`confine`).
"""

import ctypes
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tournament.intake import landlock, seccomp

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]  # where there is no such module

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("rlimits", "nnp", "netns", "landlock", "seccomp")
_FOLDERS_OF_PACKAGES = ("site-packages", "dist-packages")
_SET_NO_NEW_PRIVS = 38
_NEW_USER, _NEW_NET = 0x10000000, 0x40000000


@dataclass(frozen=True)
class Limits:
    """What a child may use: processor time from `confine` on at most, and memory of its own.

    Memory is that which the process can write and does not share; libraries are not in it, except
    where a system knows no such limit (macOS, which holds neither). `threads` allows new threads,
    which some libraries cannot do without; new processes are forbidden by seccomp alone then.
    """

    cpu_seconds: int
    memory_bytes: int
    num_files: int = 64
    threads: bool = False


class PeakMemory:
    """The most memory that this process has had; made before `isolate`, which hides /proc."""

    def __init__(self) -> None:
        # Opened before the sandbox closes the file system, and kept.
        self._status = open("/proc/self/status") if sys.platform == "linux" else None  # noqa: SIM115

    def read(self) -> int:
        """Return bytes, 0 where the system does not tell."""
        if self._status is not None:
            self._status.seek(0)
            found = re.search(r"VmHWM:\s+(\d+) kB", self._status.read())
            return int(found[1]) * 1024 if found else 0
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit if resource else 0


def isolate() -> list[str]:
    """Take network and files from this process for good, and return the layers that hold.

    Libraries and this project's own code stay readable. Call it while there is one thread only: a
    thread that is there already would keep its rights, and a network namespace could not be made.
    """
    held = []
    if sys.platform == "linux":
        libc = _load_libc()
        if _leave_network(libc):
            held.append("netns")
        if libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
            held.append("nnp")
            version = landlock.restrict(libc, _readable_paths())
            if version:
                held.append(f"landlock{version}")
    return held


def confine(limits: Limits) -> list[str]:
    """Limit what all threads of this process may use and call; return the layers that hold.

    Call it after all imports and `isolate`: no further thread can be started, unless the limits
    allow threads.
    """
    held = ["rlimits"] if _limit_resources(limits) else []
    if sys.platform == "linux" and seccomp.restrict(_load_libc(), limits.threads):
        held.append("seccomp")
    return held


def missing_layers(held: str) -> list[str]:
    """Return the layers that are not in a text such as "rlimits+nnp+landlock7"."""
    names = [name.rstrip("0123456789") for name in held.split("+")]
    return [layer for layer in LAYERS if layer not in names]


def _limit_resources(limits: Limits) -> bool:
    if resource is None:
        return False
    wanted = {
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_NOFILE": limits.num_files,
        "RLIMIT_CPU": int(time.process_time()) + limits.cpu_seconds,  # up to a second less
        "RLIMIT_DATA": limits.memory_bytes,
    }
    if not limits.threads:
        wanted["RLIMIT_NPROC"] = 0  # which counts threads too
    for name, value in wanted.items():
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (AttributeError, ValueError, OSError):
            if name != "RLIMIT_DATA" or sys.platform == "linux":  # macOS does not hold it
                return False
    return True


def _load_libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    libc.syscall.restype = ctypes.c_long
    return libc


def _leave_network(libc: ctypes.CDLL) -> bool:
    """Move to an empty network namespace, in a new user namespace where that is needed."""
    return libc.unshare(_NEW_NET) == 0 or libc.unshare(_NEW_USER | _NEW_NET) == 0


def _readable_paths() -> set[str]:
    """Return where Python's modules and ours are; there is no user data in them."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix}
    packages = {place for place in sys.path if Path(place).name in _FOLDERS_OF_PACKAGES}
    ours = {str(ROOT / name) for name in ("golois", "tournament", "tests")}
    return prefixes | packages | ours | {"/lib", "/lib64", "/usr/lib", "/sys/devices/system/cpu"}
