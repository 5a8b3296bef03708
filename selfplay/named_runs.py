"""What the options of all runs have in common: named ones, least values, and how a run goes on."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import inf
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


def require_lowest(options: object, lowest: Mapping[str, float]) -> None:
    """Refuse numbers that are no numbers or too small.

    Args:
        options: of a run.
        lowest: the least value of each option that has one.

    Raises:
        UsageError: a number is infinite, NaN or below its least value.
    """
    for name, bound in lowest.items():
        value = getattr(options, name)
        if not bound <= value < inf:
            raise UsageError(f"{flag(name)} must be a finite number from {bound}, not {value}")


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
