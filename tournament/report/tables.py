"""The tables that pages share: ranking, crosstable and games."""

from collections.abc import Iterable

from tournament.report.charts import Scale, axis, interval_bar, signed
from tournament.report.markup import Markup, element, file_stem, join
from tournament.report.snapshot import GameRow
from tournament.report.standings import Score, Standing, Standings, percent

# Shades of the crosstable, from lost to won; style.css has one class for each.
NUM_HEATS = 7


def network_page(name: str) -> str:
    """Where a network's page lies, from the site's root."""
    return f"networks/{file_stem(name)}.html"


def game_page(game_id: str) -> str:
    """Where a game's page lies, from the site's root."""
    return f"games/{file_stem(game_id)}.html"


def game_sgf(game_id: str) -> str:
    """Where a game's SGF lies, from the site's root."""
    return f"games/{file_stem(game_id)}.sgf"


def games_anchor(opponent: str) -> str:
    """The place of the games against an opponent on a network's page."""
    return f"vs-{file_stem(opponent)}"


def heat(score: Score) -> str:
    """The class of a score's shade: `heat-0` all lost … `heat-6` all won."""
    return f"heat-{round(score.winrate * (NUM_HEATS - 1))}" if score.num_games else "heat-none"


def ranking_table(standings: Standings) -> Markup:
    """The ranking with interval bars; columns of class `minor` are left out on narrow screens."""
    scale = Scale.of(standings.rows)
    head = [
        _head("Rank", "number"),
        _head("Network"),
        element("th", axis(scale), class_="bars", scope="col", aria_label="95 % interval"),
        _head("Elo", "number"),
        _head("Better than next", "number minor"),
        _head("W–L", "number"),
        _head("Winrate", "number minor"),
        _head("Parameters", "number minor"),
        _head("Visits a move", "number minor"),
        _head("CPU a move", "number minor"),
        _head("Forfeits", "number minor"),
    ]
    rows = [_ranking_row(row, scale) for row in standings.rows]
    return element(
        "table",
        element("thead", element("tr", *head)),
        element("tbody", *rows),
        class_="ranking",
    )


def _ranking_row(row: Standing, scale: Scale) -> Markup:
    ranks = f"{row.rank_low}–{row.rank_high}" if row.rank_low < row.rank_high else row.rank_low
    minor = (
        "" if row.beats_next is None else percent(row.beats_next),
        f"{row.score.winrate:.3f}",
        thousands(row.network.parameters_total),
        thousands(row.effort.visits_per_move),
        seconds(row.effort.cpu_seconds_per_move),
        row.num_forfeits or "",
    )
    better, *others = (element("td", cell, class_="number minor") for cell in minor)
    elo = [signed(row.elo), element("span", f" ± {row.elo_halfwidth:.0f}", class_="aside")]
    return element(
        "tr",
        element("td", row.rank, element("span", ranks, class_="ranks"), class_="number rank"),
        element("th", link(row.name, network_page(row.name)), scope="row"),
        element("td", interval_bar(row, scale), class_="bars"),
        element("td", *elo, class_="number"),
        better,
        element("td", row.score, class_="number"),
        *others,
        class_=None if row.is_separated else "unsure",
    )


def crosstable(standings: Standings) -> Markup:
    """Scores of each network (rows) against each other one (columns), linked to their games."""
    rows = standings.rows
    head = [
        element("th", element("abbr", row.rank, title=row.name), scope="col") for row in rows
    ]
    body = [
        element(
            "tr",
            element("th", row.rank, " ", link(row.name, network_page(row.name)), scope="row"),
            *(_cell(standings, row.name, other.name) for other in rows),
        )
        for row in rows
    ]
    corner = element("td", class_="corner")
    return element(
        "table",
        element("thead", element("tr", corner, *head)),
        element("tbody", *body),
        class_="crosstable",
    )


def _cell(standings: Standings, name: str, opponent: str) -> Markup:
    score = standings.between(name, opponent)
    if not score.num_games:
        return element("td", "" if name != opponent else "·", class_="heat-none")
    target = f"{network_page(name)}#{games_anchor(opponent)}"
    return element("td", link(score, target), class_=heat(score))


def games_table(games: Iterable[GameRow], root: str = "") -> Markup:
    """Games, each linked to its page; `root` leads from the page to the site's root."""
    titles = ("Game", "Black", "White", "Result")
    head = [_head(title) for title in titles]
    head += [_head("Moves", "number minor"), _head("Played", "minor")]
    rows = [
        element(
            "tr",
            element("td", link("Replay", root + game_page(game.game_id), game.game_id)),
            _player(game, "black"),
            _player(game, "white"),
            element("td", game.result, class_="result"),
            element("td", game.num_plies, class_="number minor"),
            element("td", moment(game.started_at), class_="minor"),
        )
        for game in games
    ]
    return element(
        "table", element("thead", element("tr", *head)), element("tbody", *rows), class_="games"
    )


def _player(game: GameRow, colour: str) -> Markup:
    name = getattr(game, colour)
    return element("td", element("strong", name) if game.winner == colour else name)


def link(text: object, target: str, about: str | None = None) -> Markup:
    """A link; `about` tells links with the same text apart for those who hear the page."""
    label = f"{text} {about}" if about else None
    return element("a", text, href=target, aria_label=label)


def pairs(entries: Iterable[tuple[object, object]]) -> Markup:
    """The content of a description list; entries without a value are left out."""
    return join(
        element("div", element("dt", what), element("dd", value))
        for what, value in entries
        if value not in ("", None)
    )


def thousands(number: float | None) -> str:
    """A whole number with thin spaces between its thousands; empty without one."""
    return "" if number is None else f"{number:,.0f}".replace(",", "\u202f")


def seconds(duration: float | None) -> str:
    """CPU time with its unit, seconds or milliseconds; empty without any."""
    if duration is None:
        return ""
    return f"{duration:.2f} s" if duration >= 0.1 else f"{1000 * duration:.1f} ms"


def moment(timestamp: str) -> str:
    """An ISO 8601 time as people read it, to the minute."""
    return timestamp[:16].replace("T", " ")


def _head(title: str, class_: str | None = None) -> Markup:
    return element("th", title, scope="col", class_=class_)
