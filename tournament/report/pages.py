"""The pages of the site, each a function of the standings."""

from collections.abc import Sequence

from tournament.league.games import GameRow
from tournament.league.placings import Placing
from tournament.report.charts import Scale
from tournament.report.network import forfeits_of, opponents_of
from tournament.report.rendering import render
from tournament.report.snapshot import DISTRIBUTION, Snapshot
from tournament.report.standings import Standing, Standings
from tournament.report.words import moment, thousands

# With more networks than this the crosstable has a page of its own.
MAX_CROSSTABLE_ON_INDEX = 40
NUM_LATEST = 10


def index(standings: Standings, of_week: str | None = None) -> str:
    """Return the front page, or with a week's label the one that is kept of this week."""
    snapshot = standings.snapshot
    kept = [week.label for week in snapshot.weeks if week.kept_at and of_week is None]
    return _page(
        "index.html",
        snapshot,
        standings=standings,
        facts=_facts(snapshot),
        scale=Scale.of(standings.played),
        crosstable_is_apart=len(standings.rows) > MAX_CROSSTABLE_ON_INDEX,
        latest=snapshot.games[: -NUM_LATEST - 1 : -1],
        of_week=of_week,
        kept_weeks=kept,
    )


def crosstable_page(standings: Standings) -> str:
    """Return the crosstable of a league too large for the front page."""
    return _page("crosstable.html", standings.snapshot, standings=standings)


def network(
    standings: Standings, row: Standing, games: Sequence[GameRow], weeks: Sequence[Placing]
) -> str:
    """Return the page of one network, with its games and weeks in chronological order."""
    return _page(
        "network.html",
        standings.snapshot,
        root="../",
        standings=standings,
        row=row,
        network=row.network,
        scale=Scale.of(standings.played),
        weeks=weeks,
        week_scale=Scale.of(weeks),
        forfeits=forfeits_of(row.name, games),
        opponents=opponents_of(standings, row, games),
    )


def game(snapshot: Snapshot) -> str:
    """Return the one page of all games; its address says which game to load."""
    return _page("game.html", snapshot)


def _page(template: str, snapshot: Snapshot, *, root: str = "", **values: object) -> str:
    """Return a page; `root` is the path from it to the site's root."""
    kit = f"{DISTRIBUTION} {dict(snapshot.rules).get('Kit', '')}"
    return render(template, snapshot=snapshot, root=root, kit=kit, **values)


def _facts(snapshot: Snapshot) -> list[str]:
    rules = dict(snapshot.rules)
    facts = [_counted(len(snapshot.networks), "network"), _counted(len(snapshot.games), "game")]
    facts += [f"{rules['A move']} a move"] if "A move" in rules else []
    facts += [f"komi {rules['Komi']}"] if "Komi" in rules else []
    return [*facts, f"as of {moment(snapshot.created_at)} UTC"]


def _counted(number: int, what: str) -> str:
    return f"{thousands(number)} {what}{'' if number == 1 else 's'}"
