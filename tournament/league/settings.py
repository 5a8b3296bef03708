"""`league.toml` in a league's folder: its title, what its page shows, the deadlines of a term.

title = "Deep learning, autumn 2026"
trophies = false                # none on the page
hidden = true                   # the games, or in a term its last week, until `reveal`

[term]
zone = "Europe/Paris"
first = "2026-10-09 23:59"      # and every week at this time
until = "2026-12-18"            # the last day that may have a deadline
without = ["2026-10-30"]        # holidays
# or, in the place of the three: deadlines = ["2026-10-09 23:59", "2026-10-16 23:59"]
late_days = 3                   # of each student, for the grades

[mail] is in `tournament.league.mail_settings`.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tournament.errors import OptionsError
from tournament.league.mail_settings import MailSettings, mail_settings

FILE = "league.toml"
DEFAULT_LEAGUE = Path("league")  # the folder that commands use where none is named
MAX_TITLE = 100
FIRST_YEAR, LAST_YEAR = 2000, 2999
WEEK = timedelta(days=7)
KEYS = {"zone", "deadlines", "first", "until", "without", "late_days"}
SWITCHES = {"trophies": True, "hidden": False}  # with their defaults
EXAMPLE = 'first = "2026-10-09 23:59" and until = "2026-12-18", or deadlines = ["2026-10-09 23:59"]'


@dataclass(frozen=True)
class Deadline:
    """The last second that counts, and the name of its time zone."""

    moment: datetime
    zone: str

    @property
    def day(self) -> str:
        """Its day on the clocks of its zone, ISO 8601."""
        return self.moment.date().isoformat()

    @property
    def first_late(self) -> str:
        """The first moment that is too late, as the ledger writes times."""
        late = self.moment.astimezone(UTC).replace(microsecond=0) + timedelta(seconds=1)
        return late.isoformat(timespec="microseconds")

    def includes(self, received_at: str) -> bool:
        """Return whether a file of this time, as the ledger writes it, came in time."""
        return received_at < self.first_late

    def __str__(self) -> str:
        utc = self.moment.astimezone(UTC)
        said = f"{self.moment:%A, %d %B %Y, %H:%M:%S} {self.zone}"
        return said if self.zone == "UTC" else f"{said} ({utc:%H:%M:%S} UTC)"


BEFORE_ALL = Deadline(datetime(FIRST_YEAR, 1, 1, tzinfo=UTC), "UTC")
"""Before any file came."""


def deadline_of(first_late: str) -> Deadline:
    """Return the deadline after which this is the first moment, in UTC."""
    return Deadline(datetime.fromisoformat(first_late) - timedelta(seconds=1), "UTC")


def read_time(text: str) -> datetime:
    """Parse a day and a time of that day, ISO 8601, with or without an offset.

    Raises:
        ValueError: no time of day, since a day alone means its end to people, or another form.
    """
    moment = datetime.fromisoformat(text)
    try:
        date.fromisoformat(text)
    except ValueError:
        return moment
    raise ValueError(f"{text!r} has no time of day")


def read_deadline(text: str) -> Deadline:
    """Parse a deadline: `2026-11-28 23:59 Europe/Paris`, or ISO 8601 with an offset.

    A time that a clock shows twice, when summer ends, is the first of the two.

    Raises:
        OptionsError: no time of day, no known time zone, a year far away, or a time that the clocks
            skip when summer begins.
    """
    try:
        moment = read_time(text)
        zone = "UTC" if moment.tzinfo is UTC else f"UTC{moment:%z}"
    except ValueError:
        when, _, zone = text.strip().rpartition(" ")
        try:
            moment = read_time(when)
            if moment.tzinfo:
                raise ValueError("two time zones")
            moment = moment.replace(tzinfo=ZoneInfo(zone))
        except (ValueError, OSError, ZoneInfoNotFoundError) as error:
            raise OptionsError(_expected(text)) from error
    if moment.tzinfo is None:
        raise OptionsError(_expected(text))
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise OptionsError(
            f"a deadline must be from {FIRST_YEAR} to {LAST_YEAR}, not in {moment.year}"
        )
    # Times of one zone compare as clocks show them, and no clock shows a skipped one.
    if moment.astimezone(UTC).astimezone(moment.tzinfo) != moment:
        raise OptionsError(
            f"there is no {moment:%H:%M} on {moment:%d %B %Y} in {zone}, where clocks skip this "
            "hour: choose a time before or after it"
        )
    return Deadline(moment, zone)


def _expected(text: str) -> str:
    return (
        "a time must be like '2026-11-28 23:59 Europe/Paris' or '2026-11-28T23:59:00+01:00', "
        f"with its time zone, not {text!r}"
    )


@dataclass(frozen=True)
class Term:
    """The deadlines of a term, the first one first; a day may have several.

    late_days: of each student, for the grades (`tournament.league.late_days`).
    """

    deadlines: tuple[Deadline, ...]
    late_days: int = 0

    def passed(self, now: str) -> Deadline | None:
        """Return the last deadline before `now` (ISO 8601, UTC), or None."""
        return next((one for one in reversed(self.deadlines) if not one.includes(now)), None)

    def next(self, now: str) -> Deadline | None:
        """Return the deadline until which files of this time count; None after the last one."""
        return next((one for one in self.deadlines if one.includes(now)), None)

    def due(self, now: str, closed: str | None) -> Deadline | None:
        """Return the earliest passed deadline whose week is not closed, or None.

        `now` is ISO 8601, UTC; `closed` is `first_late` of the last closed week, or None.
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
        OptionsError: unknown keys or invalid values, no deadline, or a deadline twice.
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
    late_days = table.get("late_days", 0)
    if type(late_days) is not int or late_days < 0:
        raise OptionsError(f"late_days in [term] must be a number such as 3, not {late_days!r}")
    return Term(tuple(deadlines), late_days)


def _listed(table: Mapping[str, Any]) -> list[str]:
    if others := sorted(table.keys() & {"until", "without"}):
        raise OptionsError(f"[term] has deadlines: leave out {others[0]!r}")
    return _texts(table, "deadlines")


def _weekly(table: Mapping[str, Any]) -> Iterator[str]:
    """Yield every week's deadline at the same time by the clock, across summer time too."""
    try:
        moment = read_time(_text(table, "first"))
        until = date.fromisoformat(_text(table, "until"))
        without = set(map(date.fromisoformat, _texts(table, "without")))
    except ValueError as error:
        raise OptionsError(f"[term] has a wrong date ({error}); write it as {EXAMPLE}") from error
    if until.year > LAST_YEAR:
        raise OptionsError(f"until in [term] must be in {LAST_YEAR} or before, not {until}")
    while moment.date() <= until:
        if moment.date() not in without:
            yield moment.isoformat(" ")
        without.discard(moment.date())
        moment += WEEK
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


TABLES: dict[str, Callable[[Mapping[str, Any]], Any]] = {"term": term_of, "mail": mail_settings}


@dataclass(frozen=True)
class Settings:
    """What a teacher has written down about a league; the term is None without weekly deadlines.

    trophies: whether the page awards them (docs/teacher/table.md).
    hidden: whether games are hidden until the teacher reveals them (`tournament.league.hidden`).
    mail: how students get e-mails; None if they get none.
    """

    title: str
    term: Term | None = None
    trophies: bool = True
    hidden: bool = False
    mail: MailSettings | None = None


def read_settings(league: Path) -> Settings:
    """Read `league.toml`; the folder's name is the default title.

    Raises:
        OptionsError: the file cannot be read, or has unknown keys or invalid values.
    """
    path = league / FILE
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        found = {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OptionsError(f"{path} is not TOML: {error}") from error
    if unknown := sorted(found.keys() - {"title", *SWITCHES, *TABLES}):
        raise OptionsError(
            f"{path} has the unknown key {unknown[0]!r}: use only title, "
            f"{', '.join(SWITCHES)}, {' and '.join(f'[{name}]' for name in TABLES)}"
        )
    title = found.get("title", _title_of(league))
    if not isinstance(title, str) or not title.strip() or len(title) > MAX_TITLE:
        raise OptionsError(f"{path}: the title must be a text of 1 to {MAX_TITLE} characters")
    for name in found.keys() & TABLES.keys():
        if not isinstance(found[name], dict):
            raise OptionsError(f"{path}: {name} must be a table, [{name}]")
    switches = {name: found.get(name, default) for name, default in SWITCHES.items()}
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise OptionsError(f"{path}: {name} must be true or false")
    try:
        tables = {name: TABLES[name](found[name]) for name in TABLES if name in found}
    except OptionsError as error:
        raise OptionsError(f"{path}: {error}") from error
    return Settings(" ".join(title.split()), **switches, **tables)


def _title_of(league: Path) -> str:
    # A folder's name may be bytes that are not text.
    name = league.resolve().name.encode(errors="replace").decode()
    return name[:1].upper() + name[1:]
