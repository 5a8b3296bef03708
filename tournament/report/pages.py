"""The pages of the site, each a function of the standings."""

from collections.abc import Sequence

from tournament.league.games import GameRow
from tournament.league.placings import Placing
from tournament.report.markup import Markup, element, fill, join
from tournament.report.network import network_body
from tournament.report.snapshot import DISTRIBUTION, Snapshot
from tournament.report.standings import Standing, Standings
from tournament.report.tables import crosstable, games_table, link, pairs, ranking_table, scroll
from tournament.report.words import moment, signed, thousands

# With more networks than this the crosstable has a page of its own.
MAX_CROSSTABLE_ON_INDEX = 40
NUM_LATEST = 10
DOWNLOADS = (
    ("ranking.csv", "Ranking (CSV)"),
    ("games.csv", "Games (CSV)"),
    ("league.json", "Everything but the moves (JSON)"),
    ("games.zip", "All games (SGF, zip)"),
)
CONTENTS = (
    ("ranking", "Ranking"),
    ("crosstable", "Crosstable"),
    ("latest", "Latest games"),
    ("reading", "How to read this"),
    ("rules", "Rules"),
    ("downloads", "Downloads"),
)


def index(standings: Standings) -> Markup:
    """The front page."""
    snapshot, ratings = standings.snapshot, standings.ratings
    black = f"{signed(ratings.elo_black)} ± {ratings.elo_black_halfwidth:.0f}"
    voids = f"Attempts that broke off here: {snapshot.num_voids}." if snapshot.num_voids else ""
    latest = snapshot.games[: -NUM_LATEST - 1 : -1]
    body = fill(
        "index.html",
        title=snapshot.title,
        facts=_facts(snapshot),
        banner=_banner(snapshot),
        separation=standings.separation().replace(" %", "\u00a0%"),
        ranking=scroll(ranking_table(standings), "Ranking"),
        crosstable=_crosstable_section(standings),
        latest=scroll(games_table(latest), "Latest games"),
        scale=_scale(standings),
        elo_black=black,
        voids=voids,
        rules=pairs(snapshot.rules),
        downloads=join((element("li", link(text, path)) for path, text in DOWNLOADS)),
    )
    return _page(snapshot, snapshot.title, body)


def crosstable_page(standings: Standings) -> Markup:
    """The crosstable of a league too large for the front page."""
    body = fill("crosstable.html", crosstable=scroll(crosstable(standings), "Crosstable"))
    title = f"Crosstable – {standings.snapshot.title}"
    return _page(standings.snapshot, title, body, "Crosstable", layout="full")


def network(
    standings: Standings, row: Standing, games: Sequence[GameRow], weeks: Sequence[Placing]
) -> Markup:
    """The page of one network, with its games and weeks, each in the order in which they came."""
    body = network_body(standings, row, games, weeks)
    title = f"{row.name} – {standings.snapshot.title}"
    return _page(standings.snapshot, title, body, row.name, root="../")


def game(snapshot: Snapshot) -> Markup:
    """The one page of all games; its address says which game to load."""
    return _page(snapshot, snapshot.title, fill("game.html"), "Game")


def _page(
    snapshot: Snapshot,
    title: str,
    body: Markup,
    place: str | None = None,
    *,
    root: str = "",
    layout: str = "column",
) -> Markup:
    """A page around a body; `place` is its own name on the way from the front page."""
    return fill(
        "page.html",
        title=title,
        root=root,
        body=body,
        layout=layout,
        nav=_contents() if place is None else _breadcrumb(snapshot.title, place, root),
        footer=f"{snapshot.title} · {DISTRIBUTION} {dict(snapshot.rules).get('Kit', '')}",
    )


def _contents() -> Markup:
    links = (link(title, f"#{anchor}") for anchor, title in CONTENTS)
    return element("nav", join(links, " "), aria_label="On this page", class_="contents")


def _breadcrumb(league: str, place: str, root: str) -> Markup:
    steps = (
        link(league, f"{root}index.html"),
        element("span", " › ", aria_hidden="true"),
        element("span", place, aria_current="page"),
    )
    return element("nav", *steps, aria_label="Breadcrumb")


def _facts(snapshot: Snapshot) -> str:
    rules = dict(snapshot.rules)
    facts = [_counted(len(snapshot.networks), "network"), _counted(len(snapshot.games), "game")]
    facts += [f"{rules['A move']} a move"] if "A move" in rules else []
    facts += [f"komi {rules['Komi']}"] if "Komi" in rules else []
    return " · ".join([*facts, f"as of {moment(snapshot.created_at)} UTC"])


def _scale(standings: Standings) -> str:
    alone = "" if standings.anchors else " A rating means nothing outside this league."
    return standings.scale() + alone


def _counted(number: int, what: str) -> str:
    return f"{thousands(number)} {what}{'' if number == 1 else 's'}"


def _banner(snapshot: Snapshot) -> Markup:
    if not snapshot.is_provisional:
        return Markup("")
    done, total = len(snapshot.games), snapshot.num_scheduled
    played = f" {thousands(done)} of {thousands(total)} games played; the order can still change. "
    return element(
        "div",
        element("p", element("strong", "Provisional."), played),
        element("progress", max=total, value=done, aria_label="Games played"),
        class_="banner",
    )


def _crosstable_section(standings: Standings) -> Markup:
    if len(standings.rows) > MAX_CROSSTABLE_ON_INDEX:
        content = element("p", link("Everybody against everybody", "crosstable.html"))
    else:
        note = "Wins and losses of the row against the column; a cell opens the games."
        table = scroll(crosstable(standings), "Crosstable")
        content = join([table, element("p", note, class_="note")])
    heading = element("h2", "Crosstable", id="crosstable")
    return element("section", heading, content, aria_labelledby="crosstable")
