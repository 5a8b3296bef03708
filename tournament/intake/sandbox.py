"""Shuts a child process in before it reads anything from a stranger.

What the machine gives is used, in this order: resource limits, no-new-privileges, a network
namespace of its own, Landlock, seccomp. The text that `enter` returns says which of them hold.
"""

import ctypes
import os
import sys
from dataclasses import dataclass

from tournament.intake import landlock, seccomp

LAYERS = ("rlimits", "nnp", "netns", "landlock", "seccomp")
_SET_NO_NEW_PRIVS = 38
_NEW_USER, _NEW_NET = 0x10000000, 0x40000000


@dataclass(frozen=True)
class Limits:
    """What a child may use; memory counts addresses, so libraries themselves are in it."""

    cpu_seconds: int
    memory_bytes: int
    num_files: int = 64


def enter(limits: Limits) -> str:
    """Shut this process in for good and return what holds, such as "rlimits+nnp+landlock7".

    It doesn't undo files that are open already. Call it while there is one thread only, and after
    all imports.
    """
    held = []
    if _limit_resources(limits):
        held.append("rlimits")
    if sys.platform == "linux":
        libc = _load_libc()
        if _leave_network(libc):
            held.append("netns")
        if libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
            held.append("nnp")
            version = landlock.restrict(libc, _library_paths())
            if version:
                held.append(f"landlock{version}")
            if seccomp.restrict(libc):
                held.append("seccomp")
    return "+".join(held) or "none"


def missing_layers(held: str) -> list[str]:
    """Return the layers that are not in the text of `enter`."""
    names = [name.rstrip("0123456789") for name in held.split("+")]
    return [layer for layer in LAYERS if layer not in names]


def _limit_resources(limits: Limits) -> bool:
    try:
        import resource
    except ImportError:  # Windows
        return False
    wanted = {
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_NPROC": 0,
        "RLIMIT_NOFILE": limits.num_files,
        "RLIMIT_CPU": limits.cpu_seconds,
        "RLIMIT_AS": limits.memory_bytes,
    }
    for name, value in wanted.items():
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (AttributeError, ValueError, OSError):
            if name != "RLIMIT_AS" or sys.platform == "linux":  # macOS has no working AS limit
                return False
    return True


def _load_libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    libc.syscall.restype = ctypes.c_long
    return libc


def _leave_network(libc: ctypes.CDLL) -> bool:
    """Move to an empty network namespace, with the rights one has or those of a new user namespace."""
    return libc.unshare(_NEW_NET) == 0 or libc.unshare(_NEW_USER | _NEW_NET) == 0


def _library_paths() -> set[str]:
    """Return where Python's own modules lie: some are loaded late. Nothing of anybody is there."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix}
    return prefixes | {"/lib", "/lib64", "/usr/lib", "/sys/devices/system/cpu"}
