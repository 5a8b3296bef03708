"""Forbids the system calls that reach out of this process: sockets, new processes."""

import ctypes
import errno
import platform

_SET_FILTER, _ALL_THREADS = 1, 1
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_X32_BIT = 0x40000000

# Audit architecture, number of seccomp itself, and the numbers of: socket, socketpair, connect,
# fork, vfork (none of these two on aarch64), execve, ptrace, kill, tkill, tgkill, mount, bpf,
# execveat, process_vm_readv, process_vm_writev, userfaultfd, io_uring_setup, pidfd_open, keyctl,
# add_key, perf_event_open, clone, clone3.
_CALLS = {
    "x86_64": (
        0xC000003E, 317,
        (41, 53, 42, 57, 58, 59, 101, 62, 200, 234, 165, 321, 322, 310, 311, 323, 425, 434, 250,
         248, 298, 56, 435),
    ),
    "aarch64": (
        0xC00000B7, 277,
        (198, 199, 203, 221, 117, 129, 130, 131, 40, 280, 281, 270, 271, 282, 425, 434, 219, 217,
         241, 220, 435),
    ),
}


class _Instruction(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    ]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction))]


def restrict(libc: ctypes.CDLL) -> bool:
    """Make the listed calls fail with EPERM in all threads, and return whether it holds.

    It needs no-new-privileges.
    """
    if platform.machine() not in _CALLS:
        return False
    architecture, seccomp, calls = _CALLS[platform.machine()]
    denied = _ERROR | errno.EPERM
    code = [
        (_LOAD, 0, 0, 4),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        (_JUMP_AT_LEAST, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, denied),
    ]
    for number in calls:
        code += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, denied)]
    code.append((_RETURN, 0, 0, _ALLOW))
    instructions = (_Instruction * len(code))(*code)
    program = _Program(len(code), instructions)
    return libc.syscall(seccomp, _SET_FILTER, _ALL_THREADS, ctypes.byref(program)) == 0
