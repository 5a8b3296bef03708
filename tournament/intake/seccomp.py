"""Forbids the system calls that reach out of this process.

Those are sockets, new processes, and what Landlock leaves open: modes, owners, times and extended
attributes of files.
"""

import ctypes
import errno
import platform

_SET_FILTER, _ALL_THREADS = 1, 1
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_JUMP_SET = 0x45
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_X32_BIT = 0x40000000
_CLONE3, _CLONE_THREAD = 435, 0x10000

# Audit architecture, numbers of seccomp itself and of clone, and those of: socket, socketpair,
# connect, fork, vfork (none of these two on aarch64), execve, ptrace, kill, tkill, tgkill, mount,
# bpf, execveat, process_vm_readv, process_vm_writev, userfaultfd, io_uring_setup, pidfd_open,
# keyctl, add_key, perf_event_open, unshare, setns; then chmod, chown, utime and setxattr in all
# their forms.
_CALLS = {
    "x86_64": (
        0xC000003E, 317, 56,
        (41, 53, 42, 57, 58, 59, 101, 62, 200, 234, 165, 321, 322, 310, 311, 323, 425, 434, 250,
         248, 298, 272, 308, 90, 91, 268, 452, 92, 93, 94, 260, 132, 235, 261, 280, 188,
         189, 190, 197, 198, 199, 463, 466),
    ),
    "aarch64": (
        0xC00000B7, 277, 220,
        (198, 199, 203, 221, 117, 129, 130, 131, 40, 280, 281, 270, 271, 282, 425, 434, 219, 217,
         241, 97, 268, 52, 53, 452, 54, 55, 88, 5, 6, 7, 14, 15, 16, 463, 466),
    ),
}


class _Instruction(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    ]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction))]


def restrict(libc: ctypes.CDLL, threads: bool = False) -> bool:
    """Make the listed calls fail with EPERM in all threads, and return whether it holds.

    It needs no-new-privileges. New processes are always forbidden, `threads` allows new threads.
    """
    if platform.machine() not in _CALLS:
        return False
    architecture, seccomp, clone, calls = _CALLS[platform.machine()]
    denied = _ERROR | errno.EPERM
    code = [
        (_LOAD, 0, 0, 4),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        (_JUMP_AT_LEAST, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, denied),
    ]
    for number in calls if threads else (*calls, clone, _CLONE3):
        code += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, denied)]
    if threads:
        code += _only_threads(clone)
    code.append((_RETURN, 0, 0, _ALLOW))
    instructions = (_Instruction * len(code))(*code)
    program = _Program(len(code), instructions)
    return libc.syscall(seccomp, _SET_FILTER, _ALL_THREADS, ctypes.byref(program)) == 0


def _only_threads(clone: int) -> list[tuple[int, int, int, int]]:
    """Forbid clone without the flag of a thread.

    The flags of clone3 lie in memory, where a filter cannot look: it is said to be missing, and
    the C library then calls clone.
    """
    return [
        (_JUMP_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _ERROR | errno.ENOSYS),
        (_JUMP_EQUAL, 0, 3, clone),
        (_LOAD, 0, 0, 16),
        (_JUMP_SET, 1, 0, _CLONE_THREAD),
        (_RETURN, 0, 0, _ERROR | errno.EPERM),
    ]
