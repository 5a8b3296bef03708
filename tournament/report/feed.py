"""The feed of a league, in Atom (RFC 4287): an entry for each week whose table is final."""

import re
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from urllib.parse import quote
from xml.etree import ElementTree

from tournament.league.weeks import Placing
from tournament.report.formats import signed
from tournament.report.history import all_placings
from tournament.report.standings import Standings

FEED = "feed.xml"
ATOM = "http://www.w3.org/2005/Atom"
NUM_NAMED = 10
# What XML 1.0 has no character for, and no way to escape.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def feed_xml(standings: Standings) -> bytes:
    """Return the feed, newest week first; ids and times are the same in every build."""
    snapshot = standings.snapshot
    key = snapshot.draws[0].commitment if snapshot.draws else snapshot.title
    weeks = list(weeks_with_table(standings))
    begun_at = snapshot.draws[0].drawn_at if snapshot.draws else snapshot.created_at
    feed = ElementTree.Element("feed", xmlns=ATOM)
    _add(feed, "id", _urn(key))
    _add(feed, "title", snapshot.title)
    _add(feed, "updated", max((updated for _, updated in weeks), default=begun_at))
    _add(_add(feed, "author"), "name", snapshot.title)
    _add(feed, "link", rel="self", href=FEED)
    _add(feed, "link", href="index.html")
    placings = all_placings(standings)
    for label, updated in reversed(weeks):
        entry = _add(feed, "entry")
        _add(entry, "id", _urn(f"{key} {label}"))
        _add(entry, "title", f"The table of {label}")
        _add(entry, "updated", updated)
        page = f"weeks/{quote(label)}/index.html" if snapshot.weeks else "index.html"
        _add(entry, "link", href=page)
        of_week = [placing for placing in placings if placing.week == label]
        _add(entry, "content", _table(standings, of_week))
    return ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True)


def weeks_with_table(standings: Standings) -> Iterator[tuple[str, str]]:
    """Yield the label of each week whose table is final, oldest first, and a time in ISO 8601.

    In a term the time is when the table was kept; otherwise the day of the label, which no later
    run changes.
    """
    snapshot = standings.snapshot
    if snapshot.weeks:
        yield from ((week.label, week.kept_at) for week in snapshot.weeks if week.kept_at)
        return
    run = snapshot.run_week
    for label in sorted({placing.week for placing in all_placings(standings)}):
        if run is None or run.is_over or label != run.label:
            day = date.fromisoformat(label.rstrip("+"))  # of a week of ISO 8601, its Monday
            yield label, datetime(day.year, day.month, day.day, tzinfo=UTC).isoformat()


def _table(standings: Standings, placings: Sequence[Placing]) -> str:
    lines = [
        f"{one.rank}. {standings.snapshot.written(one.name)}: {signed(one.elo)} ± "
        f"{one.elo_halfwidth:.0f} Elo, {one.num_wins} of {one.num_games} games won"
        for one in placings[:NUM_NAMED]
    ]
    left_out = len(placings) - len(lines)
    return "\n".join([*lines, f"and {left_out} more"] if left_out else lines or ["No games."])


def _add(
    parent: ElementTree.Element, tag: str, text: str | None = None, **attributes: str
) -> ElementTree.Element:
    child = ElementTree.SubElement(parent, tag, attributes)
    child.text = None if text is None else FORBIDDEN.sub("", text)
    return child


def _urn(key: str) -> str:
    return uuid.uuid5(uuid.NAMESPACE_URL, FORBIDDEN.sub("", key)).urn
