"""Calls that the intake's child must not make, with arguments that would do it no harm.

`OTHER` stands for another process of the same user.
"""

import errno
from dataclasses import dataclass

OTHER = "another process"
BAD_ADDRESS = 8  # where no call can read or write


@dataclass(frozen=True)
class Denied:
    """A call by its numbers on x86_64 and aarch64, its arguments, and the error to expect."""

    name: str
    numbers: tuple[int | None, int | None]
    arguments: tuple[int | str, ...] = ()
    error: int = errno.EPERM


DENIED = (
    # other processes
    Denied("kill", (62, 129), (OTHER, 0)),
    Denied("tkill", (200, 130), (OTHER, 0)),
    Denied("tgkill", (234, 131), (OTHER, OTHER, 0)),
    Denied("rt_sigqueueinfo", (129, 138), (OTHER, 0, BAD_ADDRESS)),
    Denied("rt_tgsigqueueinfo", (297, 240), (OTHER, OTHER, 0, BAD_ADDRESS)),
    Denied("pidfd_open", (434, 434), (OTHER, 0), errno.ENOSYS),
    Denied("pidfd_send_signal", (424, 424), (-1, 0, 0, 0), errno.ENOSYS),
    Denied("pidfd_getfd", (438, 438), (-1, 0, 0), errno.ENOSYS),
    Denied("prlimit64 of another", (302, 261), (OTHER, 7, 0, 0)),
    Denied("prlimit64 that sets", (302, 261), (0, 7, BAD_ADDRESS, 0)),
    Denied("prlimit64 that sets, by a high address", (302, 261), (0, 7, 1 << 32, 0)),
    Denied("setrlimit", (160, 164), (7, BAD_ADDRESS)),
    Denied("sched_setaffinity of another", (203, 122), (OTHER, 8, BAD_ADDRESS)),
    Denied("sched_getaffinity of another", (204, 123), (OTHER, 8, BAD_ADDRESS), errno.ENOSYS),
    Denied("sched_setscheduler", (144, 119), (OTHER, 0, BAD_ADDRESS)),
    Denied("sched_setparam", (142, 118), (OTHER, BAD_ADDRESS)),
    Denied("sched_setattr", (314, 274), (OTHER, BAD_ADDRESS, 0)),
    Denied("setpriority", (141, 140), (0, OTHER, 19)),
    Denied("getpriority", (140, 141), (0, OTHER)),
    Denied("ioprio_set", (251, 30), (1, OTHER, 0)),
    Denied("setpgid", (109, 154), (0, 0)),
    Denied("setsid", (112, 157)),
    Denied("ptrace", (101, 117), (16, OTHER, 0, 0)),
    Denied("process_vm_readv", (310, 270), (OTHER, 0, 0, 0, 0, 0)),
    Denied("process_vm_writev", (311, 271), (OTHER, 0, 0, 0, 0, 0)),
    Denied("process_madvise", (440, 440), (-1, 0, 0, 0, 0), errno.ENOSYS),
    Denied("migrate_pages", (256, 238), (OTHER, 0, 0, 0)),
    Denied("move_pages", (279, 239), (OTHER, 0, 0, 0, 0, 4)),
    Denied("mbind that moves what others use", (237, 235), (0, 4096, 0, 0, 0, 4)),
    Denied("kcmp", (312, 272), (OTHER, OTHER, 0, 0, 0)),
    Denied("get_robust_list", (274, 100), (OTHER, BAD_ADDRESS, BAD_ADDRESS)),
    Denied("membarrier", (324, 283), (0, 0, 0)),
    Denied("fcntl F_SETOWN", (72, 25), (0, 8, OTHER)),
    Denied("fcntl F_SETOWN_EX", (72, 25), (0, 15, BAD_ADDRESS)),
    Denied("fcntl F_SETFL", (72, 25), (0, 4, 0)),
    Denied("ioctl FIOSETOWN", (16, 29), (0, 0x8901, BAD_ADDRESS)),
    Denied("ioctl TIOCSTI", (16, 29), (0, 0x5412, BAD_ADDRESS)),
    Denied("prctl PR_SET_PDEATHSIG", (157, 167), (1, 0)),
    Denied("prctl PR_SCHED_CORE", (157, 167), (62, 0, OTHER, 0, 0)),
    # new processes
    Denied("fork", (57, None)),
    Denied("vfork", (58, None)),
    Denied("clone", (56, 220), (17, 0, 0, 0, 0)),
    Denied("clone3", (435, 435), (BAD_ADDRESS, 88), errno.ENOSYS),
    Denied("execve", (59, 221), (BAD_ADDRESS, 0, 0)),
    Denied("execveat", (322, 281), (-1, BAD_ADDRESS, 0, 0, 0)),
    Denied("memfd_create", (319, 279), (BAD_ADDRESS, 0)),
    # the network, and the machine
    Denied("socket", (41, 198), (1, 1, 0)),
    Denied("socketpair", (53, 199), (1, 1, 0, BAD_ADDRESS)),
    Denied("connect", (42, 203), (0, BAD_ADDRESS, 0)),
    Denied("sendto", (44, 206), (0, BAD_ADDRESS, 0, 0, 0, 0)),
    Denied("mount", (165, 40), (0, 0, 0, 0, 0)),
    Denied("unshare", (272, 97), (0,)),
    Denied("setns", (308, 268), (0, 0)),
    Denied("bpf", (321, 280), (0, 0, 0)),
    Denied("perf_event_open", (298, 241), (0, 0, -1, -1, 0)),
    Denied("userfaultfd", (323, 282), (0,)),
    Denied("io_uring_setup", (425, 425), (1, BAD_ADDRESS), errno.ENOSYS),
    Denied("keyctl", (250, 219), (0, 0, 0, 0, 0)),
    Denied("shmget", (29, 194), (0, 0, 0)),
    Denied("msgget", (68, 186), (0, 0)),
    Denied("semget", (64, 190), (0, 0, 0)),
    Denied("mq_open", (240, 180), (BAD_ADDRESS, 0, 0, 0)),
    Denied("setuid", (105, 146), (0,)),
    Denied("arch_prctl ARCH_SET_GS", (158, None), (0x1001, 0)),
    # files
    Denied("open for writing", (2, None), (BAD_ADDRESS, 1)),
    Denied("openat for writing", (257, 56), (-100, BAD_ADDRESS, 1)),
    Denied("openat for both", (257, 56), (-100, BAD_ADDRESS, 2)),
    Denied("openat that creates", (257, 56), (-100, BAD_ADDRESS, 0o100)),
    Denied("openat that cuts", (257, 56), (-100, BAD_ADDRESS, 0o1000)),
    Denied("openat2", (437, 437), (-100, BAD_ADDRESS, BAD_ADDRESS, 24), errno.ENOSYS),
    Denied("creat", (85, None), (BAD_ADDRESS, 0)),
    Denied("truncate", (76, 45), (BAD_ADDRESS, 0)),
    Denied("ftruncate", (77, 46), (-1, 0)),
    Denied("unlink", (87, None), (BAD_ADDRESS,)),
    Denied("unlinkat", (263, 35), (-100, BAD_ADDRESS, 0)),
    Denied("rename", (82, None), (BAD_ADDRESS, BAD_ADDRESS)),
    Denied("renameat2", (316, 276), (-100, BAD_ADDRESS, -100, BAD_ADDRESS, 0)),
    Denied("linkat", (265, 37), (-100, BAD_ADDRESS, -100, BAD_ADDRESS, 0)),
    Denied("mkdirat", (258, 34), (-100, BAD_ADDRESS, 0)),
    Denied("mknodat", (259, 33), (-100, BAD_ADDRESS, 0, 0)),
    Denied("chmod", (90, None), (BAD_ADDRESS, 0)),
    Denied("fchmod", (91, 52), (-1, 0)),
    Denied("fchmodat", (268, 53), (-100, BAD_ADDRESS, 0)),
    Denied("fchownat", (260, 54), (-100, BAD_ADDRESS, 0, 0, 0)),
    Denied("utimensat", (280, 88), (-100, BAD_ADDRESS, 0, 0)),
    Denied("setxattr", (188, 5), (BAD_ADDRESS, BAD_ADDRESS, 0, 0, 0)),
    Denied("flock", (73, 32), (-1, 2)),
    Denied("inotify_init1", (294, 26), (0,)),
    Denied("chdir", (80, 49), (BAD_ADDRESS,)),
    Denied("umask", (95, 166), (0o22,)),
    Denied("no such call", (9999, 9999), (), errno.ENOSYS),
)
