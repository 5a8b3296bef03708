"""The deadline for a week's files: a time with an explicit time zone."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tournament.errors import OptionsError

FIRST_YEAR, LAST_YEAR = 2000, 2999


@dataclass(frozen=True)
class Deadline:
    """The last second that counts.

    moment: with its time zone.
    zone: the name of that zone.
    """

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
        ValueError: anything else, such as a day alone: people mean its end, and not its midnight.
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
        OptionsError: no time of day, no time zone, an unknown one, a year far away, or a time that
            the clocks skip when summer begins.
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
            f"expected a deadline from {FIRST_YEAR} to {LAST_YEAR}: got the year {moment.year}"
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
        "expected a day and a time with its time zone, such as '2026-11-28 23:59 Europe/Paris' or "
        f"'2026-11-28T23:59:00+01:00': got {text!r}"
    )
