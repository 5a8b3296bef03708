"""The page of one network: what it is, how it scored, and all of its games."""

from collections.abc import Sequence

from tournament.league.games import GameRow
from tournament.league.placings import Placing
from tournament.report.charts import Scale, axis, interval_bar, share_bar
from tournament.report.markup import Markup, element, fill, join
from tournament.report.meetings import game_address, meeting_address
from tournament.report.snapshot import Network
from tournament.report.standings import Score, Standing, Standings, percent
from tournament.report.tables import (
    elo_cell,
    head_cell,
    heat,
    interval_head,
    link,
    pairs,
    rank_interval,
    scroll,
    table,
)
from tournament.report.words import margin, moment, network_page, seconds, signed, thousands

ROOT = "../"


def network_body(
    standings: Standings, row: Standing, games: Sequence[GameRow], weeks: Sequence[Placing]
) -> Markup:
    """The content of a network's page; games and weeks are its own, in their order."""
    scale = Scale.of(standings.rows)
    return fill(
        "network.html",
        name=row.name,
        summary=_summary(row, len(standings.rows)),
        note=_note(row.network),
        axis=axis(scale),
        bar=interval_bar(row, scale),
        colours=_colours(row),
        figures=pairs(_figures(row)),
        architecture=pairs(_architecture(row.network)),
        layers=_layers(row.network),
        weeks=_weeks(weeks, row.network.sha256),
        forfeits=_forfeits(row, games),
        opponents=scroll(_opponents(standings, row, games), "Opponents and games"),
    )


def _summary(row: Standing, num_networks: int) -> str:
    ranks = (
        f"between {row.rank_low} and {row.rank_high} at 95 %"
        if row.rank_low < row.rank_high
        else "certain at 95 %"
    )
    return (
        f"Rank {row.rank} of {num_networks}, {ranks} · "
        f"Elo {signed(row.elo)} ± {row.elo_halfwidth:.0f}"
    )


def _note(entry: Network) -> Markup:
    """Why a network plays no more."""
    if not entry.note:
        return Markup("")
    return element("p", f"Plays no more: {entry.note}. Its games count.", class_="banner")


def _colours(row: Standing) -> Markup:
    head = [
        head_cell("Colour"),
        head_cell("W–L", "number"),
        head_cell("Winrate", "number"),
        head_cell("Share of games won"),
    ]
    scores = (("Black", row.as_black), ("White", row.as_white), ("Both", row.score))
    return table("colours", head, [_colour_row(title, score) for title, score in scores])


def _colour_row(title: str, score: Score) -> Markup:
    winrate = [f"{score.winrate:.3f}", element("span", f" ± {score.sigma:.3f}", class_="aside")]
    return element(
        "tr",
        element("th", title, scope="row"),
        element("td", score, class_="number"),
        element("td", *(winrate if score.num_games else ()), class_="number"),
        element("td", share_bar(score), class_="bars"),
    )


def _figures(row: Standing) -> list[tuple[str, str]]:
    return [
        ("Better than the next", "" if row.beats_next is None else percent(row.beats_next)),
        ("Visits a move", thousands(row.effort.visits_per_move)),
        ("CPU a move", seconds(row.effort.cpu_seconds_per_move)),
        ("Elo updated game by game", signed(row.elo_by_update)),
        ("Moves chosen", thousands(row.effort.num_moves)),
        ("Forfeits", str(row.num_forfeits)),
    ]


def _weeks(weeks: Sequence[Placing], sha256: str) -> Markup:
    """The rating at the end of each week; nothing before the second one."""
    if len(weeks) < 2:
        return Markup("")
    scale = Scale.of(weeks)
    head = [
        head_cell("Week"),
        interval_head(scale, "week-grid"),
        head_cell("Elo", "number"),
        head_cell("Rank", "number"),
        head_cell("W–L", "number minor"),
        head_cell("Points", "number minor"),
    ]
    rows = [_week_row(week, scale, sha256) for week in weeks]
    heading = element("h2", "Rating over weeks", id="weeks")
    content = scroll(table("weeks", head, rows), "Rating over weeks")
    return element("section", heading, content, aria_labelledby="weeks")


def _week_row(week: Placing, scale: Scale, sha256: str) -> Markup:
    """A week of the name; what another network than this one did under it is said to be so."""
    earlier = "" if week.sha256 == sha256 else element("span", " earlier network", class_="aside")
    ranks = [week.rank, element("span", rank_interval(week), class_="ranks")]
    return element(
        "tr",
        element("th", week.week, earlier, scope="row"),
        element("td", interval_bar(week, scale, "week-grid"), class_="bars"),
        elo_cell(week),
        element("td", *ranks, class_="number"),
        element("td", f"{week.num_wins}–{week.num_games - week.num_wins}", class_="number minor"),
        element("td", f"{week.points:.1f}", class_="number minor"),
    )


def _architecture(entry: Network) -> list[tuple[str, str]]:
    speed, flops = entry.ms_per_evaluation, entry.flops
    return [
        ("Parameters", thousands(entry.parameters_total)),
        ("of them trainable", thousands(entry.parameters_trainable)),
        ("Operations an evaluation", "" if flops is None else f"{flops / 1e6:.1f} million"),
        ("Evaluation, at the intake", f"{speed:.2f} ms" if speed else ""),
        ("Evaluations a second", thousands(1000 / speed) if speed else ""),
        ("Saved by Keras", entry.keras_version),
        ("Handed in", moment(entry.submitted_at)),
        ("SHA-256", entry.sha256[:16]),
    ]


def _layers(entry: Network) -> Markup:
    counted = (
        element("li", element("span", f"{count} ×", class_="aside"), f" {layer}")
        for layer, count in entry.layers
    )
    return element("ul", *counted, class_="layers") if entry.layers else Markup("")


def _forfeits(row: Standing, games: Sequence[GameRow]) -> Markup:
    lost = [game for game in games if game.kind == "forfeit" and game.winner_name != row.name]
    if not lost:
        return Markup("")
    head = [head_cell(title) for title in ("Played", "Against", "Reason")]
    rows = [
        element(
            "tr",
            element("td", link(moment(game.started_at), ROOT + game_address(game))),
            element("th", game.winner_name, scope="row"),
            element("td", game.reason),
        )
        for game in lost
    ]
    heading = element("h2", "Forfeits", id="forfeits")
    return element(
        "section",
        heading,
        scroll(table("forfeits", head, rows), "Forfeits"),
        aria_labelledby="forfeits",
    )


def _opponents(standings: Standings, row: Standing, games: Sequence[GameRow]) -> Markup:
    superiority = standings.superiority[row.rank - 1]
    met: dict[str, list[GameRow]] = {}
    for game in games:
        met.setdefault(game.white if game.black == row.name else game.black, []).append(game)
    head = [
        head_cell("Rank", "number minor"),
        head_cell("Opponent"),
        head_cell("Score", "number"),
        head_cell("Better with", "number minor"),
        head_cell("Games as Black"),
        head_cell("Games as White"),
    ]
    rows = [
        element(
            "tr",
            element("td", other.rank, class_="number minor"),
            element("th", link(other.name, ROOT + network_page(other.name)), scope="row"),
            _score(standings, row.name, other.name),
            element("td", percent(superiority[other.rank - 1]), class_="number minor"),
            _games(met[other.name], row.name, "black"),
            _games(met[other.name], row.name, "white"),
        )
        for other in standings.rows
        if other.name in met
    ]
    return table("opponents", head, rows)


def _score(standings: Standings, name: str, opponent: str) -> Markup:
    score = standings.between(name, opponent)
    address = ROOT + meeting_address(name, opponent)
    return element("td", link(score, address), class_=f"number {heat(score)}")


def _games(games: Sequence[GameRow], name: str, colour: str) -> Markup:
    links = (
        element("a", _result(game, colour), href=ROOT + game_address(game))
        for game in games
        if getattr(game, colour) == name
    )
    return element("td", join(links, "<br>"))


def _result(game: GameRow, colour: str) -> str:
    if game.winner is None:
        return "void"
    return f"{'won' if game.winner == colour else 'lost'} {margin(game)}"
