"""Refuses all system calls but those that system_calls.py lists."""

import ctypes
import errno
import os
import platform

from tournament.intake.system_calls import (
    FIRST_COMMON_NUMBER,
    NUMBERS,
    Call,
    Condition,
    IsNull,
    OneOf,
    With,
    Without,
    allowed_calls,
)

_SET_FILTER, _ALL_THREADS = 1, 1
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # where they lie in what a filter may look at

# Column of NUMBERS, audit architecture, and the number of seccomp itself.
MACHINES = {"x86_64": (0, 0xC000003E, 317), "aarch64": (1, 0xC00000B7, 277)}

Code = list[tuple[int, int, int, int]]


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
    """Return the filter's instructions, each with its operation, jumps and value.

    A call of another architecture, such as a 32-bit one, ends the process.
    """
    column, architecture, _ = MACHINES[machine]
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE), (_JUMP_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    for call in allowed_calls(pid, threads):
        number = NUMBERS[call.name][column]
        if number is not None:
            answer = _answer(call)
            code += [(_JUMP_EQUAL, 0, len(answer), number), *answer]
    return [
        *code,
        (_JUMP_AT_LEAST, 0, 1, FIRST_COMMON_NUMBER), (_RETURN, 0, 0, _ERROR | errno.ENOSYS),
        (_RETURN, 0, 0, _ERROR | errno.EPERM),
    ]


def _answer(call: Call) -> Code:
    """Return what a filter does with a call that is listed."""
    refusal = (_RETURN, 0, 0, _ERROR | call.error)
    checks = [step for condition in call.conditions for step in _check(condition, refusal)]
    return [*checks, (_RETURN, 0, 0, _ALLOW)]


def _check(condition: Condition, refusal: tuple[int, int, int, int]) -> Code:
    """Return instructions that go on where the condition holds."""
    low = _FIRST_ARGUMENT + 8 * condition.argument
    match condition:
        case OneOf(values=values):
            jumps = [(_JUMP_EQUAL, len(values) - k, 0, value) for k, value in enumerate(values)]
            return [(_LOAD, 0, 0, low), *jumps, refusal]
        case IsNull():
            return [
                step
                for half in (low, low + 4)
                for step in ((_LOAD, 0, 0, half), (_JUMP_EQUAL, 1, 0, 0), refusal)
            ]
        case Without(bits=bits):
            return [(_LOAD, 0, 0, low), (_JUMP_SET, 0, 1, bits), refusal]
        case With(bits=bits):
            return [(_LOAD, 0, 0, low), (_JUMP_SET, 1, 0, bits), refusal]
