"""A child that tries what it must not; run by test_intake_sandbox.py."""

import ctypes
import os
import socket
import threading
import time

from tournament.intake.child import Message
from tournament.intake.sandbox import Limits

OUTSIDE = "/tmp/escaped"
LIMITS = Limits(cpu_seconds=1, memory_bytes=1 << 30)
_requests: list[Message] = []


def _is_open(descriptor: int) -> bool:
    return attempt(lambda: os.fstat(descriptor)) == "done"


def attempt(action) -> str:
    """Return how it went."""
    try:
        action()
    except (OSError, RuntimeError) as error:
        return type(error).__name__
    return "done"


def _read_passwd():
    with open("/etc/passwd") as file:
        file.read()


def _write():
    with open(OUTSIDE, "w") as file:
        file.write("x")


def _thread():
    thread = threading.Thread(target=os.getpid)
    thread.start()
    thread.join()


def _unshare():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x10000000) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def _call(number, arguments) -> int:
    """The error number of a system call, 0 where it succeeds; "parent" is the parent's number."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    words = [os.getppid() if word == "parent" else word for word in arguments]
    ctypes.set_errno(0)
    result = libc.syscall(*map(ctypes.c_long, (number, *words)))
    return ctypes.get_errno() if result == -1 else 0


def _spin():
    while True:
        pass


def probe(request: Message) -> Message:
    """Do what the request names, or try everything forbidden and tell how it went."""
    action = request.header["action"]
    if action == "attempt":
        forbidden = {
            "read": _read_passwd, "write": _write, "fork": os.fork,
            "exec": lambda: os.execv("/bin/true", ["true"]), "socket": socket.socket,
            "kill": lambda: os.kill(os.getppid(), 0), "thread": _thread,
            "chmod": lambda: os.chmod(__file__, 0o644), "utime": lambda: os.utime(__file__),
            "unshare": _unshare,
        }
        return Message({name: attempt(action) for name, action in forbidden.items()})
    if action == "call":
        return Message({"errors": [_call(*call) for call in request.header["calls"]]})
    if action == "echo":
        return Message({"size": len(request.payload)}, request.payload)
    if action == "remember":
        _requests.append(request)
        open_ones = [descriptor for descriptor in range(1000) if _is_open(descriptor)]
        descriptors = len(open_ones) - 1  # that of its own use of memory
        remembered = len(_requests) - 1
        return Message(
            {"descriptors": descriptors, "remembered": remembered, "pid": os.getpid()}
        )
    if action == "claim":
        return Message({"sandbox": "rlimits+moon"})
    if action == "talk":
        os.write(2, b"x" * (1 << 20) + b"\n")
        return Message({"talked": True})
    if action == "talk_and_fail":
        os.write(2, b"x" * (1 << 20) + b"\n")
    if action == "names":
        return Message({"names": ["é" * 1_000_000]})
    {
        "sleep": lambda: time.sleep(60), "spin": _spin, "crash": os.abort,
        "memory": lambda: bytearray(2 << 30), "flood": lambda: os.write(1, bytes(1 << 20)),
        "fail": lambda: 1 // 0, "talk_and_fail": lambda: 1 // 0,
    }[action]()
    return Message({})
