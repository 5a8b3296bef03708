"""The tables that pages share: ranking, crosstable and games."""

from collections.abc import Iterable
from typing import Protocol

from tournament.league.games import GameRow
from tournament.report.charts import Rated, Scale, axis, interval_bar
from tournament.report.markup import Markup, element, join
from tournament.report.meetings import game_address, meeting_address
from tournament.report.snapshot import Network
from tournament.report.standings import Score, Standing, Standings, percent
from tournament.report.words import moment, network_page, seconds, signed, thousands

# Shades of the crosstable, from lost to won; style.css has one class for each.
NUM_HEATS = 7


class Ranked(Protocol):
    """What has the 95 % interval of a rank."""

    rank_low: int
    rank_high: int


def heat(score: Score) -> str:
    """The class of a score's shade: `h0` all lost … `h6` all won."""
    return f"h{round(score.winrate * (NUM_HEATS - 1))}"


def ranking_table(standings: Standings) -> Markup:
    """The ranking with interval bars; columns of class `minor` are left out on narrow screens."""
    scale = Scale.of(standings.rows)
    head = [
        head_cell("Rank", "number"),
        head_cell("Network"),
        interval_head(scale),
        head_cell("Elo", "number"),
        head_cell("Better than next", "number minor"),
        head_cell("W–L", "number"),
        head_cell("Winrate", "number minor"),
        head_cell("Parameters", "number minor"),
        head_cell("Visits a move", "number minor"),
        head_cell("CPU a move", "number minor"),
        head_cell("Forfeits", "number minor"),
    ]
    return table("ranking", head, [_ranking_row(row, scale) for row in standings.rows])


def _ranking_row(row: Standing, scale: Scale) -> Markup:
    minor = (
        "" if row.beats_next is None else percent(row.beats_next),
        f"{row.score.winrate:.3f}",
        thousands(row.network.parameters_total),
        thousands(row.effort.visits_per_move),
        seconds(row.effort.cpu_seconds_per_move),
        row.num_forfeits or "",
    )
    rank_cell = [row.rank, element("span", rank_interval(row), class_="ranks")]
    better, *others = (element("td", cell, class_="number minor") for cell in minor)
    return element(
        "tr",
        element("td", *rank_cell, class_="number rank"),
        element("th", link(row.name, network_page(row.name)), _status(row.network), scope="row"),
        element("td", interval_bar(row, scale), class_="bars"),
        elo_cell(row),
        better,
        element("td", row.score, class_="number"),
        *others,
        class_=None if row.is_separated else "unsure",
    )


def rank_interval(row: Ranked) -> str:
    """The ranks that are possible at 95 %, such as 1–3."""
    return f"{row.rank_low}–{row.rank_high}" if row.rank_low < row.rank_high else str(row.rank_low)


def elo_cell(row: Rated) -> Markup:
    """A rating and half of its 95 % interval."""
    halfwidth = element("span", f" ± {row.elo_halfwidth:.0f}", class_="aside")
    return element("td", signed(row.elo), halfwidth, class_="number")


def _status(entry: Network) -> Markup:
    """What sets a network apart, in a word: anchor, withdrawn, suspended."""
    anchor = "" if entry.anchor_elo is None else "anchor"
    words = [word for word in (anchor, entry.note.partition(" ")[0]) if word]
    return element("span", " " + ", ".join(words), class_="aside") if words else Markup("")


def crosstable(standings: Standings) -> Markup:
    """Scores of each network (rows) against each other one (columns), linked to their games."""
    rows = standings.rows
    head = [element("td")]
    head += [element("th", row.rank, scope="col", title=row.name) for row in rows]
    body = [
        element(
            "tr",
            _rank_and_name(row),
            *(_cell(standings, row.name, other.name) for other in rows),
        )
        for row in rows
    ]
    return table("crosstable", head, body)


def _rank_and_name(row: Standing) -> Markup:
    rank = element("span", row.rank, class_="place")
    return element("th", rank, " ", link(row.name, network_page(row.name)), scope="row")


def _cell(standings: Standings, name: str, opponent: str) -> Markup:
    score = standings.between(name, opponent)
    if not score.num_games:
        return element("td", "·" if name == opponent else "")
    return element("td", link(score, meeting_address(name, opponent)), class_=heat(score))


def games_table(games: Iterable[GameRow]) -> Markup:
    """Games, each linked to its replay."""
    head = [head_cell(title) for title in ("Black", "White", "Result")]
    head += [head_cell("Moves", "number minor"), head_cell("Played", "minor")]
    rows = [
        element(
            "tr",
            _player(game, "black"),
            _player(game, "white"),
            element("td", _replay(game)),
            element("td", game.num_plies, class_="number minor"),
            element("td", moment(game.started_at), class_="minor"),
        )
        for game in games
    ]
    return table("games", head, rows)


def _replay(game: GameRow) -> Markup:
    label = f"{game.result}: replay {game.black} against {game.white}"
    return element("a", game.result, href=game_address(game), aria_label=label)


def _player(game: GameRow, colour: str) -> Markup:
    name = getattr(game, colour)
    return element("td", element("strong", name) if game.winner == colour else name)


def table(class_: str, head: Iterable[Markup], rows: Iterable[Markup]) -> Markup:
    """A table of one row of heads and of rows."""
    return element(
        "table",
        element("thead", element("tr", *head)),
        element("tbody", *rows),
        class_=class_,
    )


def scroll(content: Markup, label: str) -> Markup:
    """What may be wider than the page: a region of its own, reached by the keyboard."""
    about = f"{label}, the table"
    return element("div", content, class_="scroll", tabindex=0, role="region", aria_label=about)


def head_cell(title: str, class_: str | None = None) -> Markup:
    """The head of a column."""
    return element("th", title, scope="col", class_=class_)


def interval_head(scale: Scale, grid: str = "grid") -> Markup:
    """The head of a column of interval bars."""
    return element("th", axis(scale, grid), class_="bars", scope="col", aria_label="95 % interval")


def link(text: object, target: str) -> Markup:
    """A link."""
    return element("a", text, href=target)


def pairs(entries: Iterable[tuple[object, object]]) -> Markup:
    """The content of a description list; entries without a value are left out."""
    return join(
        element("div", element("dt", what), element("dd", value))
        for what, value in entries
        if value not in ("", None)
    )
