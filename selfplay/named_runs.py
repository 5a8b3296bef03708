"""What the options of all runs have in common: named ones, least values, and how a run goes on."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Generic, TypeVar

from golois.kit.command import UsageError
from golois.kit.options import flag

Options = TypeVar("Options")
"""Of a kind of run."""


@dataclass(frozen=True)
class Preset(Generic[Options]):
    """A named run.

    Attributes:
        options: of it.
        idea: what it shows, in one line.
    """

    options: Options
    idea: str


def require_only(given: Collection[str], lengths: Collection[str]) -> None:
    """Refuse options beside --resume that say more than how long the run goes on.

    Args:
        given: names of the options that were given.
        lengths: of those that may be.

    Raises:
        UsageError: another option is given.
    """
    if others := set(given) - set(lengths):
        allowed = ", ".join(map(flag, lengths))
        raise UsageError(
            f"{flag(min(others))} cannot be given beside --resume, only {allowed}: leave it out"
        )
