"""What the child of the intake may ask of the kernel, once it is confined (seccomp.py).

A call is here because Python, NumPy, h5py, ONNX Runtime or OpenVINO needs it for itself, or because
another C library or another kernel uses it for the same purpose. Arguments are looked at where a
call could also reach another process, write a file or raise a limit.
"""

import errno
from dataclasses import dataclass

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

_CLONE_THREAD = 0x10000
_WRITING = 0o3 | 0o100 | 0o1000  # the access mode, O_CREAT and O_TRUNC
_MOVE_ALL = 0x4
_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD_CLOEXEC = 0, 1, 2, 3, 1030
_TCGETS, _TCGETS2, _FIOCLEX, _FIONCLEX = 0x5401, 0x802C542A, 0x5451, 0x5450
_PR_OF_NAMES = (15, 16, 0x53564D41)  # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA
# Which instructions may be used, as runtimes ask: SVE and SME on aarch64, AMX on x86_64.
_PR_SVE_GET_VL, _PR_SME_GET_VL = 51, 64
_XCOMP_SUPP, _XCOMP_PERM, _REQ_XCOMP_PERM = 0x1021, 0x1022, 0x1023


@dataclass(frozen=True)
class OneOf:
    """The lower 32 bits of an argument are one of these values."""

    argument: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class IsNull:
    """An argument, a pointer, is null."""

    argument: int


@dataclass(frozen=True)
class Without:
    """An argument has none of these bits."""

    argument: int
    bits: int


@dataclass(frozen=True)
class With:
    """An argument has all of these bits, which are one bit."""

    argument: int
    bits: int


Condition = OneOf | IsNull | Without | With


@dataclass(frozen=True)
class Call:
    """A call that is allowed under all of the conditions, and otherwise fails with `error`."""

    name: str
    conditions: tuple[Condition, ...] = ()
    error: int = errno.EPERM


def allowed_calls(pid: int, threads: bool) -> list[Call]:
    """List what a process may call.

    Args:
        pid: of the process itself.
        threads: whether it may start threads.
    """
    conditions: dict[str, tuple[Condition, ...]] = {
        "open": (Without(1, _WRITING),),
        "openat": (Without(2, _WRITING),),
        # Not F_SETOWN, nor what ioctl has for it: a pipe could then send signals to anyone.
        "fcntl": (OneOf(1, (_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD_CLOEXEC)),),
        "ioctl": (OneOf(1, (_TCGETS, _TCGETS2, _FIOCLEX, _FIONCLEX)),),
        "mbind": (Without(5, _MOVE_ALL),),
        "prlimit64": (OneOf(0, (0, pid)), IsNull(2)),
        "sched_getaffinity": (OneOf(0, (0, pid)),),
        "sched_setaffinity": (OneOf(0, (0, pid)),),
        "clone": (With(0, _CLONE_THREAD),),
        "prctl": (OneOf(0, (*_PR_OF_NAMES, _PR_SVE_GET_VL, _PR_SME_GET_VL)),),
        "arch_prctl": (OneOf(0, (_XCOMP_SUPP, _XCOMP_PERM, _REQ_XCOMP_PERM)),),
    }
    # glibc asks where another thread may run, and goes on if there is no such call.
    errors = {"sched_getaffinity": errno.ENOSYS}
    names = [name for name in NUMBERS if threads or name != "clone"]
    return [Call(name, conditions.get(name, ()), errors.get(name, errno.EPERM)) for name in names]
