"""The filter of system calls, run for both processors without a kernel."""

import errno
import re
from pathlib import Path

import pytest

from tests.denied_calls import DENIED, OTHER
from tests.filter_machine import answer
from tournament.intake.seccomp import FIRST_COMMON_NUMBER, MACHINES, NUMBERS, filter_code

PID, OTHER_PID = 4711, 4712
ALLOWED, KILLED, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
CLONE_OF_A_THREAD = 0x3D0F00
SOUND = {  # arguments with which a call is allowed, where not all are
    "open": (0, 0o2000000), "openat": (-100, 0, 0o2200000), "fcntl": (3, 1030),
    "ioctl": (3, 0x5401), "prlimit64": (0, 7, 0, 8), "sched_getaffinity": (PID, 8, 8),
    "sched_setaffinity": (0, 8, 8), "clone": (CLONE_OF_A_THREAD,), "prctl": (15, 8),
    "arch_prctl": (0x1023, 18),
}

each_machine = pytest.mark.parametrize("machine", MACHINES)
each_kind = pytest.mark.parametrize("threads", [False, True], ids=["alone", "threads"])


def ask(machine: str, threads: bool, number: int, arguments=()) -> int:
    code = filter_code(machine, PID, threads)
    return answer(code, MACHINES[machine][1], number, arguments)


@each_machine
def test_numbers_are_those_of_the_kernel(machine):
    header = HEADERS[machine]
    if not header.exists():
        pytest.skip(f"{header} is not installed")
    found = dict(re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", header.read_text()))
    if machine == "aarch64":  # the header names them by what they were for 32 bits
        found["newfstatat"] = found["fstatat"]
    column = MACHINES[machine][0]
    for name, numbers in NUMBERS.items():
        expected = numbers[column]
        assert found.get(name) == (None if expected is None else str(expected)), name


@each_machine
@each_kind
def test_every_listed_call_is_allowed_and_denied_ones_are_refused(machine, threads):
    for name, numbers in NUMBERS.items():
        number = numbers[MACHINES[machine][0]]
        if number is not None and (threads or name != "clone"):
            assert ask(machine, threads, number, SOUND.get(name, ())) == ALLOWED, name
    for denied in DENIED:
        number = denied.numbers[MACHINES[machine][0]]
        if number is not None:
            arguments = [OTHER_PID if word == OTHER else word for word in denied.arguments]
            assert ask(machine, threads, number, arguments) == ERROR | denied.error, denied.name
    column = MACHINES[machine][0]
    listed = {numbers[column] for name, numbers in NUMBERS.items() if threads or name != "clone"}
    for number in set(range(600)) - listed:
        error = errno.ENOSYS if number >= FIRST_COMMON_NUMBER else errno.EPERM
        assert ask(machine, threads, number) == ERROR | error, number


@each_machine
def test_a_thread_needs_permission_and_other_architectures_end_the_process(machine):
    clone = NUMBERS["clone"][MACHINES[machine][0]]
    assert ask(machine, True, clone, (CLONE_OF_A_THREAD,)) == ALLOWED
    assert ask(machine, False, clone, (CLONE_OF_A_THREAD,)) == ERROR | errno.EPERM
    code = filter_code(machine, PID, threads=True)
    read_of_i386, i386 = 3, 0x40000003
    assert answer(code, i386, read_of_i386) == KILLED


def test_calls_of_x32_are_refused():
    write = 0x40000000 | NUMBERS["write"][0]
    assert ask("x86_64", False, write) == ERROR | errno.ENOSYS
