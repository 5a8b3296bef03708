"""Closes the file system of this process with Landlock, where the kernel has it (Linux ≥ 5.13)."""

import ctypes
import os
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1
_READ = (1 << 2) | (1 << 3)  # read files and list directories
# Rights over the file system, over TCP, and the scopes, that each ABI version added.
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP_SINCE, _TCP = 4, 0b11
_SCOPES_SINCE, _SCOPES = 6, 0b11


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("tcp", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("rights", ctypes.c_uint64), ("directory", ctypes.c_int32)]


def restrict(libc: ctypes.CDLL, readable: Iterable[str]) -> int:
    """Deny all files but reading below `readable`; needs no-new-privileges.

    Returns:
        The version of Landlock that now holds, 0 where there is none.
    """
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
        for path in readable:
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
