"""What is wrong with a submission, in words its author can act on."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tournament.errors import TournamentError

MAX_FAULTS = 20
MAX_TEXT = 400


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, and what to change in the model's code."""

    text: str
    remedy: str


class IntakeError(TournamentError, RuntimeError):
    """The intake itself could not work on this machine; says nothing about the submission."""


class Refused(TournamentError, ValueError):
    """A gate refuses the submission; `faults` says why. It never leaves the package."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(fault.text for fault in self.faults))


def refuse_together(*checks: Callable[[], object]) -> None:
    """Make all checks, each of which may raise Refused, and raise what they found together."""
    faults: list[Fault] = []
    for check in checks:
        try:
            check()
        except Refused as refusal:
            faults.extend(refusal.faults)
    if faults:
        raise Refused(faults)


def refuse(text: str, remedy: str) -> Refused:
    """Return the refusal for a single fault, to be raised."""
    return Refused((Fault(text, remedy),))


def printable(text: str, limit: int = MAX_TEXT) -> str:
    """Return untrusted text as one line of printable ASCII, at most `limit` characters."""
    kept = text[: limit + 1]
    escaped = "".join(
        c if " " <= c <= "~" else c.encode("unicode_escape", "backslashreplace").decode("ascii")
        for c in kept
    )
    return escaped if len(escaped) <= limit else escaped[: limit - 1] + "~"


def quoted(value: object, limit: int = 60) -> str:
    """Return a value from a file, quoted and cut short, for an error message."""
    return printable(repr(value), limit)
