"""Confines a child process before it reads any untrusted data.

It uses what the machine supports: a separate network namespace, no-new-privileges and Landlock
(Linux ≥ 5.13), which closes all files, by `isolate`; resource limits and seccomp by `confine`.
"""

import ctypes
import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tournament.intake import seccomp

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]  # where there is no such module

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("rlimits", "nnp", "netns", "landlock", "seccomp")
_FOLDERS_OF_PACKAGES = ("site-packages", "dist-packages")
_SET_NO_NEW_PRIVS = 38
_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG, _PATH_BENEATH = 1, 1
_READ = (1 << 2) | (1 << 3)  # read files and list directories
# Rights over the file system, over TCP, and the scopes, that each version of Landlock added.
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP_SINCE, _TCP = 4, 0b11
_SCOPES_SINCE, _SCOPES = 6, 0b11


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
        # In a new user namespace where that is needed.
        if libc.unshare(_NEW_NET) == 0 or libc.unshare(_NEW_USER | _NEW_NET) == 0:
            held.append("netns")
        if libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
            held.append("nnp")
            if version := _close_files(libc):
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


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("tcp", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("rights", ctypes.c_uint64), ("directory", ctypes.c_int32)]


def _close_files(libc: ctypes.CDLL) -> int:
    """Deny all files but reading code; return the version of Landlock that holds, 0 for none."""
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)
    if version < 1:
        return 0
    ruleset = _Ruleset(
        files=(1 << _RIGHTS.get(version, max(_RIGHTS.values()))) - 1,
        tcp=_TCP if version >= _TCP_SINCE else 0,
        scopes=_SCOPES if version >= _SCOPES_SINCE else 0,
    )
    size = 8 if version < _TCP_SINCE else 16 if version < _SCOPES_SINCE else 24
    handle = libc.syscall(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(size), 0)
    if handle < 0:
        return 0
    try:
        for path in _readable_paths():
            _allow(libc, handle, path)
        return version if libc.syscall(_RESTRICT_SELF, handle, 0) == 0 else 0
    finally:
        os.close(handle)


def _allow(libc: ctypes.CDLL, handle: int, path: str) -> None:
    """Let `path` and all below it be read; a missing path needs no rule."""
    try:
        directory = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rule = _PathBeneath(_READ, directory)
        libc.syscall(_ADD_RULE, handle, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(directory)


def _readable_paths() -> set[str]:
    """Return where Python's modules and ours are; there is no user data in them."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix}
    packages = {place for place in sys.path if Path(place).name in _FOLDERS_OF_PACKAGES}
    ours = {str(ROOT / name) for name in ("golois", "tournament", "tests")}
    return prefixes | packages | ours | {"/lib", "/lib64", "/usr/lib", "/sys/devices/system/cpu"}
