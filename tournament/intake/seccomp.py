"""Refuses all system calls except the calls that a confined child of the intake needs.

A call is listed because Python, NumPy, ONNX Runtime or OpenVINO needs it for itself, or because
another C library or another kernel uses it for the same purpose. Arguments are looked at where a
call could also reach another process, write a file or raise a limit.
"""

import ctypes
import errno
import os
import platform
from collections.abc import Sequence

# Numbers from here on are those of all architectures. A C library that finds such a call missing
# takes an older one instead, so they fail with ENOSYS; the calls below fail with EPERM.
FIRST_COMMON_NUMBER = 424

# Numbers on x86_64 and on aarch64; None where there is no such call.
NUMBERS = {
    # its own memory
    "brk": (12, 214), "mmap": (9, 222), "munmap": (11, 215), "mremap": (25, 216),
    "mprotect": (10, 226), "madvise": (28, 233), "mbind": (237, 235),
    # files that it may read, and its two pipes
    "read": (0, 63), "readv": (19, 65), "pread64": (17, 67), "write": (1, 64), "writev": (20, 66),
    "open": (2, None), "openat": (257, 56), "close": (3, 57), "lseek": (8, 62),
    "fadvise64": (221, 223), "fcntl": (72, 25), "ioctl": (16, 29), "getdents64": (217, 61),
    "stat": (4, None), "lstat": (6, None), "fstat": (5, 80), "newfstatat": (262, 79),
    "statx": (332, 291), "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439),
    "readlink": (89, None), "readlinkat": (267, 78), "getcwd": (79, 17),
    # who and where it is
    "getpid": (39, 172), "getppid": (110, 173), "gettid": (186, 178), "getuid": (102, 174),
    "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177), "uname": (63, 160),
    "sysinfo": (99, 179), "getcpu": (309, 168), "getrlimit": (97, 163), "getrusage": (98, 165),
    "prlimit64": (302, 261), "sched_getaffinity": (204, 123), "sched_setaffinity": (203, 122),
    # time
    "time": (201, None), "gettimeofday": (96, 169), "clock_gettime": (228, 113),
    "clock_getres": (229, 114), "nanosleep": (35, 101), "clock_nanosleep": (230, 115),
    # its own signals
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132), "restart_syscall": (219, 128),
    # its threads
    "clone": (56, 220), "futex": (202, 98), "set_robust_list": (273, 99), "rseq": (334, 293),
    "set_tid_address": (218, 96), "sched_yield": (24, 124), "prctl": (157, 167),
    "arch_prctl": (158, None),
    # chance, and the end
    "getrandom": (318, 278), "exit": (60, 93), "exit_group": (231, 94),
}

# Column of NUMBERS, audit architecture, and the number of seccomp itself.
MACHINES = {"x86_64": (0, 0xC000003E, 317), "aarch64": (1, 0xC00000B7, 277)}

_SET_FILTER, _ALL_THREADS = 1, 1
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # where they lie in what a filter may look at

_CLONE_THREAD = 0x10000
_WRITING = 0o3 | 0o100 | 0o1000  # the access mode, O_CREAT and O_TRUNC
_MOVE_ALL = 0x4
_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD_CLOEXEC = 0, 1, 2, 3, 1030
_TCGETS, _TCGETS2, _FIOCLEX, _FIONCLEX = 0x5401, 0x802C542A, 0x5451, 0x5450
_PR_OF_NAMES = (15, 16, 0x53564D41)  # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA
# Which instructions may be used, as runtimes ask: SVE and SME on aarch64, AMX on x86_64.
_PR_SVE_GET_VL, _PR_SME_GET_VL = 51, 64
_XCOMP_SUPP, _XCOMP_PERM, _REQ_XCOMP_PERM = 0x1021, 0x1022, 0x1023

Code = list[tuple[int, int, int, int]]  # operation, jumps if it holds and if not, value


class _Instruction(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    ]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction))]


def restrict(libc: ctypes.CDLL, threads: bool = False) -> bool:
    """Refuse what is not listed, in all threads of this process, and return whether that holds.

    It needs no-new-privileges. New processes are always refused, `threads` allows new threads.
    """
    machine = platform.machine()
    if machine not in MACHINES:
        return False
    code = filter_code(machine, os.getpid(), threads)
    instructions = (_Instruction(*line) for line in code)
    program = _Program(len(code), (_Instruction * len(code))(*instructions))
    seccomp = MACHINES[machine][2]
    return libc.syscall(seccomp, _SET_FILTER, _ALL_THREADS, ctypes.byref(program)) == 0


def filter_code(machine: str, pid: int, threads: bool) -> Code:
    """Return the filter's instructions for a process, which may start threads or not.

    A call of another architecture, such as a 32-bit one, ends the process.
    """
    column, architecture, _ = MACHINES[machine]
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE), (_JUMP_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    conditions = _conditions(pid)
    for name, numbers in NUMBERS.items():
        number = numbers[column]
        if number is not None and (threads or name != "clone"):
            answer = [*conditions.get(name, ()), (_RETURN, 0, 0, _ALLOW)]
            code += [(_JUMP_EQUAL, 0, len(answer), number), *answer]
    return [
        *code,
        (_JUMP_AT_LEAST, 0, 1, FIRST_COMMON_NUMBER), (_RETURN, 0, 0, _ERROR | errno.ENOSYS),
        (_RETURN, 0, 0, _ERROR | errno.EPERM),
    ]


def _conditions(pid: int) -> dict[str, Code]:
    """Return what goes on only if the arguments of a call are sound, by the call's name."""
    return {
        "open": _bits(1, _WRITING, False),
        "openat": _bits(2, _WRITING, False),
        # Not F_SETOWN, nor what ioctl has for it: a pipe could then send signals to anyone.
        "fcntl": _one_of(1, (_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD_CLOEXEC)),
        "ioctl": _one_of(1, (_TCGETS, _TCGETS2, _FIOCLEX, _FIONCLEX)),
        "mbind": _bits(5, _MOVE_ALL, False),
        "prlimit64": _one_of(0, (0, pid)) + _null(2),
        # glibc asks where another thread may run, and goes on if there is no such call.
        "sched_getaffinity": _one_of(0, (0, pid), errno.ENOSYS),
        "sched_setaffinity": _one_of(0, (0, pid)),
        "clone": _bits(0, _CLONE_THREAD, True),
        "prctl": _one_of(0, (*_PR_OF_NAMES, _PR_SVE_GET_VL, _PR_SME_GET_VL)),
        "arch_prctl": _one_of(0, (_XCOMP_SUPP, _XCOMP_PERM, _REQ_XCOMP_PERM)),
    }


def _one_of(argument: int, values: Sequence[int], error: int = errno.EPERM) -> Code:
    """Look whether the lower 32 bits of an argument are one of these values."""
    jumps = [(_JUMP_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
    load = (_LOAD, 0, 0, _FIRST_ARGUMENT + 8 * argument)
    return [load, *jumps, (_RETURN, 0, 0, _ERROR | error)]


def _null(argument: int) -> Code:
    """Look whether an argument, a pointer, is null."""
    low = _FIRST_ARGUMENT + 8 * argument
    refusal = (_RETURN, 0, 0, _ERROR | errno.EPERM)
    checks = [[(_LOAD, 0, 0, half), (_JUMP_EQUAL, 1, 0, 0), refusal] for half in (low, low + 4)]
    return checks[0] + checks[1]


def _bits(argument: int, bits: int, wanted: bool) -> Code:
    """Look whether an argument has any of these bits, as is wanted or not."""
    load = (_LOAD, 0, 0, _FIRST_ARGUMENT + 8 * argument)
    return [load, (_JUMP_SET, wanted, not wanted, bits), (_RETURN, 0, 0, _ERROR | errno.EPERM)]
