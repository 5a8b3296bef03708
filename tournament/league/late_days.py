"""Late days: a student who misses a week may take its share from the next table.

The first file after the missed deadline decides how many days this uses (docs/teacher/term.md).
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from tournament.league.league import League
from tournament.league.season import Season
from tournament.league.settings import deadline_of
from tournament.league.weeks import Week

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Late:
    """How a student makes up for a missed week: with the share of a later week, and these days."""

    share_of: str
    days: int


def late_weeks(
    season: Season, league: League, received: Iterable[tuple[str, str]]
) -> dict[str, dict[str, Late]]:
    """Return the weeks that late days make up for, by name and by the season's name of the week.

    `received` has the names and times (ISO 8601) of accepted files; the league's are added.
    """
    term = league.settings().term
    if term is None or not term.late_days:
        return {}
    times: dict[str, list[datetime]] = {}
    filed = ((one.name, one.submitted_at) for one in league.submissions.all())
    for name, moment in (*filed, *received):
        times.setdefault(name, []).append(datetime.fromisoformat(moment))
    labels = season.labels[league.folder.resolve().name]
    return {
        name: {
            labels[week]: Late(labels[late.share_of], late.days)
            for week, late in late_weeks_of(
                league.weeks.all(), labels,
                {one.week for label, one in placings.items() if labels.get(one.week) == label},
                times.get(name, ()), term.late_days,
            ).items()
        }
        for name, placings in season.placings.items()
    }


def late_weeks_of(
    weeks: Sequence[Week], with_table: Collection[str], played: Collection[str],
    received: Iterable[datetime], days_left: int,
) -> dict[str, Late]:
    """Return the weeks that one student's late days make up for, by their labels.

    `with_table` are the weeks that have a table, and `played` those whose table has the student.
    """
    found = {}
    received = sorted(received)
    for missed, following in pairwise(weeks):
        if missed.label not in with_table or missed.label in played:
            continue
        until = datetime.fromisoformat(following.first_late)
        since = datetime.fromisoformat(missed.first_late)
        first = next((moment for moment in received if since <= moment < until), None)
        if first is None or following.label not in played:
            continue
        # Whole seconds, as the deadline's own last second counts.
        late = first.replace(microsecond=0) - deadline_of(missed.first_late).moment
        if (days := -(-late // DAY)) <= days_left:
            days_left -= days
            found[missed.label] = Late(following.label, days)
    return found
