"""The pages of the site, each a function of the standings."""

from collections import defaultdict

from golois.shapes import BOARD_SIZE
from tournament.game import GameRecord
from tournament.report.charts import Scale, axis, interval_bar, signed
from tournament.report.markup import Markup, element, embedded_json, fill, join
from tournament.report.snapshot import DISTRIBUTION, GameRow, Network, Snapshot, row_of
from tournament.report.standings import Standing, Standings, percent
from tournament.report.tables import (
    crosstable,
    game_sgf,
    games_anchor,
    games_table,
    heat,
    link,
    moment,
    network_page,
    pairs,
    ranking_table,
    seconds,
    thousands,
)

# With more networks than this the crosstable has a page of its own.
MAX_CROSSTABLE_ON_INDEX = 40
NUM_LATEST = 10
DOWNLOADS = (
    ("ranking.csv", "Ranking (CSV)"),
    ("games.csv", "Games (CSV)"),
    ("league.json", "Everything but the moves (JSON)"),
    ("games.zip", "All games (SGF, zip)"),
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
        ranking=ranking_table(standings),
        crosstable=_crosstable_section(standings),
        latest=games_table(latest),
        elo_black=black,
        voids=voids,
        rules=pairs(snapshot.rules),
        downloads=join((link(text, path) for path, text in DOWNLOADS), " · "),
    )
    return _page(snapshot, snapshot.title, body)


def crosstable_page(standings: Standings) -> Markup:
    """The crosstable of a league too large for the front page."""
    snapshot = standings.snapshot
    heading = element("h1", "Crosstable")
    back = element("nav", link(snapshot.title, "index.html"), aria_label="Breadcrumb")
    body = join([back, heading, _scroll(crosstable(standings), "Crosstable")])
    return _page(snapshot, f"Crosstable – {snapshot.title}", body)


def network(standings: Standings, row: Standing, games: list[GameRow]) -> Markup:
    """The page of one network, with all of its games by opponent, best opponents first."""
    snapshot, scale = standings.snapshot, Scale.of(standings.rows)
    body = fill(
        "network.html",
        league=snapshot.title,
        name=row.name,
        summary=_summary(row, len(standings.rows)),
        axis=axis(scale),
        bar=interval_bar(row, scale),
        figures=pairs(_figures(row)),
        layers=_layers(row.network),
        opponents=_opponents(standings, row),
        games=_games_by_opponent(standings, row, games),
    )
    return _page(snapshot, f"{row.name} – {snapshot.title}", body, root="../")


def game(snapshot: Snapshot, record: GameRecord) -> Markup:
    """The page of one game, with the viewer; it depends on nothing but the game."""
    row = row_of(record)
    body = fill(
        "game.html",
        league=snapshot.title,
        black=record.black,
        white=record.white,
        black_page="../" + network_page(record.black),
        white_page="../" + network_page(record.white),
        between=games_anchor(record.white),
        outcome=outcome(row),
        sgf="../" + game_sgf(record.game_id),
        black_visits=thousands(row.black_effort.visits_per_move),
        white_visits=thousands(row.white_effort.visits_per_move),
        black_cpu=seconds(row.black_effort.cpu_seconds_per_move),
        white_cpu=seconds(row.white_effort.cpu_seconds_per_move),
        about=pairs(_about(row)),
        data=embedded_json(viewer_data(record)),
    )
    title = f"{record.black} against {record.white} – {snapshot.title}"
    return _page(snapshot, title, body, root="../")


def viewer_data(record: GameRecord) -> dict:
    """What viewer.js reads: lists with an element a ply, null where the opening was played."""
    nothing = [None] * len(record.opening)
    return {
        "size": BOARD_SIZE,
        "num_opening": len(record.opening),
        "points": [*record.opening, *(move.point for move in record.moves)],
        "visits": nothing + [move.num_visits for move in record.moves],
        "cpu_seconds": nothing + [round(move.cpu_seconds, 4) for move in record.moves],
        "value_black": nothing + [round(1 - move.value_white, 3) for move in record.moves],
    }


def outcome(row: GameRow) -> str:
    """The result of a game in words."""
    if row.winner is None:
        return f"Void: {row.reason}"
    winner = f"{row.winner_name} ({row.winner.capitalize()})"
    if row.kind == "forfeit":
        return f"{winner} wins by forfeit: {row.reason}"
    return f"{winner} wins by {row.result[2:]} points"


def _page(snapshot: Snapshot, title: str, body: Markup, root: str = "") -> Markup:
    footer = f"{snapshot.title} · {DISTRIBUTION} {dict(snapshot.rules).get('Kit', '')}"
    return fill("page.html", title=title, root=root, body=body, footer=footer)


def _facts(snapshot: Snapshot) -> str:
    rules = dict(snapshot.rules)
    facts = [f"{len(snapshot.networks)} networks", f"{len(snapshot.games)} games"]
    facts += [f"{rules['A move']} a move"] if "A move" in rules else []
    facts += [f"komi {rules['Komi']}"] if "Komi" in rules else []
    return " · ".join([*facts, f"{moment(snapshot.created_at)} UTC"])


def _banner(snapshot: Snapshot) -> Markup:
    if not snapshot.is_provisional:
        return Markup("")
    done, total = len(snapshot.games), snapshot.num_scheduled
    return element(
        "div",
        element("strong", "Provisional."),
        f" {done} of {total} games played; the order can still change. ",
        element("progress", max=total, value=done, aria_label="Games played"),
        class_="banner",
    )


def _crosstable_section(standings: Standings) -> Markup:
    if len(standings.rows) > MAX_CROSSTABLE_ON_INDEX:
        return element("p", link("Crosstable: everybody against everybody", "crosstable.html"))
    note = "Wins and losses of the row against the column; a cell leads to its games."
    return element(
        "section",
        element("h2", "Crosstable", id="crosstable"),
        _scroll(crosstable(standings), "Crosstable"),
        element("p", note, class_="note"),
        aria_labelledby="crosstable",
    )


def _scroll(content: Markup, label: str) -> Markup:
    return element("div", content, class_="scroll", tabindex=0, role="region", aria_label=label)


def _summary(row: Standing, num_networks: int) -> str:
    return (
        f"Rank {row.rank} of {num_networks}, between {row.rank_low} and {row.rank_high} at 95 % · "
        f"Elo {signed(row.elo)} ± {row.elo_halfwidth:.0f}"
    )


def _figures(row: Standing) -> list[tuple[str, str]]:
    entry = row.network
    speed, flops = entry.ms_per_evaluation, entry.flops
    return [
        ("Score", f"{row.score} (winrate {row.score.winrate:.3f} ± {row.score.sigma:.3f})"),
        ("As Black", str(row.as_black)),
        ("As White", str(row.as_white)),
        ("Better than the next", "" if row.beats_next is None else percent(row.beats_next)),
        ("Forfeits", str(row.num_forfeits)),
        ("Parameters", thousands(entry.parameters_total)),
        ("One evaluation", "" if speed is None else f"{speed:.2f} ms"),
        ("Operations in it", "" if flops is None else f"{flops / 1e6:.1f} million"),
        ("Visits a move", thousands(row.effort.visits_per_move)),
        ("CPU a move", seconds(row.effort.cpu_seconds_per_move)),
        ("Saved by Keras", entry.keras_version),
        ("Handed in", moment(entry.submitted_at)),
        ("SHA-256", entry.sha256[:16]),
    ]


def _layers(entry: Network) -> Markup:
    if not entry.layers:
        return Markup("")
    counted = ", ".join(f"{count} × {layer}" for layer, count in entry.layers)
    return element("p", f"Layers: {counted}", class_="layers")


def _opponents(standings: Standings, row: Standing) -> Markup:
    superiority = standings.superiority[row.rank - 1]
    titles = ("Rank", "Opponent", "Score", "Winrate", "Better with")
    head = [element("th", title, scope="col") for title in titles]
    body = []
    for other in standings.rows:
        score = standings.between(row.name, other.name)
        if other is row or not score.num_games:
            continue
        anchor = f"#{games_anchor(other.name)}"
        body.append(
            element(
                "tr",
                element("td", other.rank),
                element("th", link(other.name, "../" + network_page(other.name)), scope="row"),
                element("td", link(score, anchor), class_=heat(score)),
                element("td", f"{score.winrate:.3f}"),
                element("td", percent(superiority[other.rank - 1])),
            )
        )
    return element(
        "table", element("thead", element("tr", *head)), element("tbody", *body), class_="opponents"
    )


def _games_by_opponent(standings: Standings, row: Standing, games: list[GameRow]) -> Markup:
    against: dict[str, list[GameRow]] = defaultdict(list)
    for game in games:
        against[game.white if game.black == row.name else game.black].append(game)
    sections = []
    for other in standings.rows:
        met = against[other.name]
        if not met:
            continue
        anchor = games_anchor(other.name)
        score = element("span", str(standings.between(row.name, other.name)), class_="aside")
        heading = element("h3", "Against ", other.name, " ", score, id=anchor)
        table = _scroll(games_table(met, root="../"), f"Games against {other.name}")
        sections.append(element("section", heading, table, aria_labelledby=anchor))
    return join(sections)


def _about(row: GameRow) -> list[tuple[str, str]]:
    return [
        ("Result", row.result),
        ("Komi", f"{row.komi:g}"),
        ("Moves", str(row.num_plies)),
        ("Played", f"{moment(row.started_at)} UTC"),
        ("Machine", row.host),
        ("Game", row.game_id),
        ("Pair", row.pair_id),
    ]
