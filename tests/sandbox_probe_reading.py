"""The same child as sandbox_probe.py, which tries a socket before it reads its request."""

import socket
import sys
from types import SimpleNamespace

from tests.sandbox_probe import LIMITS, attempt
from tournament.intake.child import Message

__all__ = ["LIMITS", "probe"]

_before: list[str] = []
_input = sys.stdin.buffer


def _read() -> bytes:
    _before.append(attempt(socket.socket))
    return _input.read()


sys.stdin = SimpleNamespace(buffer=SimpleNamespace(read=_read))


def probe(request: Message) -> Message:
    """Tell how it went."""
    return Message({"socket": _before})
