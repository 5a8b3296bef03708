"""A term: the deadlines of its weeks, as `league.toml` lists them or counts them from the first."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from tournament.errors import OptionsError
from tournament.league.deadline import LAST_YEAR, Deadline, read_deadline, read_time

WEEK = timedelta(days=7)
KEYS = {"zone", "deadlines", "first", "until", "without"}
EXAMPLE = 'first = "2026-10-09 23:59" and until = "2026-12-18", or deadlines = ["2026-10-09 23:59"]'


@dataclass(frozen=True)
class Term:
    """The deadlines of a term, the first one first; a day may have several."""

    deadlines: tuple[Deadline, ...]

    def passed(self, now: str) -> Deadline | None:
        """Return the last deadline that has passed.

        Args:
            now: as the ledger writes times, ISO 8601 in UTC.
        """
        return next((one for one in reversed(self.deadlines) if not one.includes(now)), None)

    def next(self, now: str) -> Deadline | None:
        """Return the deadline until which files of this time count; None after the last one."""
        return next((one for one in self.deadlines if one.includes(now)), None)

    def due(self, now: str, closed: str | None) -> Deadline | None:
        """Return the earliest deadline that has passed and whose week is not closed.

        Args:
            now: as the ledger writes times.
            closed: `first_late` of the last week that was closed; None before the first one.
        """
        return next(
            (
                one for one in self.deadlines
                if not one.includes(now) and (closed is None or one.first_late > closed)
            ),
            None,
        )


def term_of(table: Mapping[str, Any]) -> Term:
    """Return the term that the table [term] of `league.toml` describes.

    Raises:
        OptionsError: other keys, values or types than there are, no deadline, or one twice.
    """
    if unknown := sorted(table.keys() - KEYS):
        raise OptionsError(f"[term] has no {unknown[0]!r}: its keys are {', '.join(sorted(KEYS))}")
    zone = _text(table, "zone")
    if ("deadlines" in table) == ("first" in table):
        raise OptionsError(f"[term] needs one of deadlines and first, such as {EXAMPLE}")
    texts = _listed(table) if "deadlines" in table else list(_weekly(table))
    deadlines = sorted(
        (read_deadline(f"{text} {zone}") for text in texts), key=lambda one: one.first_late
    )
    if not deadlines:
        raise OptionsError("[term] needs at least one deadline")
    for one, after in pairwise(deadlines):
        if one.first_late == after.first_late:
            raise OptionsError(f"[term] has the deadline {one} twice")
    return Term(tuple(deadlines))


def _listed(table: Mapping[str, Any]) -> list[str]:
    if others := sorted(table.keys() & {"until", "without"}):
        raise OptionsError(f"[term] has deadlines, which leave no place for {others[0]!r}")
    return _texts(table, "deadlines")


def _weekly(table: Mapping[str, Any]) -> Iterator[str]:
    """Yield every week's deadline at the clock's time of the first, whatever summer time does."""
    try:
        moment = read_time(_text(table, "first"))
        until = date.fromisoformat(_text(table, "until"))
        without = set(map(date.fromisoformat, _texts(table, "without")))
    except ValueError as error:
        raise OptionsError(f"[term] has a wrong date ({error}); write it as {EXAMPLE}") from error
    if until.year > LAST_YEAR:
        raise OptionsError(f"[term] must end by the year {LAST_YEAR}: got {until} as its until")
    while moment.date() <= until:
        if moment.date() not in without:
            yield moment.isoformat(" ")
        without.discard(moment.date())
        moment += WEEK
    _refuse_unused(without)


def _refuse_unused(without: Iterable[date]) -> None:
    for day in without:
        raise OptionsError(f"[term] has no deadline on {day}, which `without` leaves out")


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str):
        raise OptionsError(
            f"[term] needs a text as its {key}, such as "
            + ('"Europe/Paris"' if key == "zone" else EXAMPLE)
        )
    return value


def _texts(table: Mapping[str, Any], key: str) -> list[str]:
    values = table.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise OptionsError(f'{key} in [term] must be a list of texts, such as ["2026-10-09"]')
    return values
