"""The ranking for a terminal, and the lines that the course prints."""

from collections.abc import Iterable

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from tournament.league.draws import Draw
from tournament.ratings.elo_update import ALPHA
from tournament.report.columns import IN_TEXT
from tournament.report.standings import Standings


def ranking_table(standings: Standings) -> Group:
    """Return the ranking, with notes on its uncertainty below, for `rich.print`."""
    table = Table(
        box=box.SIMPLE_HEAD,
        title=Text(standings.snapshot.title),
        title_justify="left",
        padding=0,
        pad_edge=False,
    )
    for column in IN_TEXT:  # narrow enough for 80 columns; only names may wrap
        is_name = column.justify == "left"
        table.add_column(column.text, justify=column.justify, no_wrap=not is_name, overflow="fold")
    for row in standings.rows:
        # Text, and not str, so that a name is never read as markup.
        table.add_row(*(Text(column.cell_of_text(row)) for column in IN_TEXT))
    return Group(table, *(Text(line) for line in _notes(standings)))


def course_report(standings: Standings) -> list[str]:
    """Return one line per network, best first, exactly as the course's tournament prints them."""
    return [
        f"{row.name} ( {row.network.parameters or 0} ): {row.score.num_wins} wins, "
        f"{row.score.num_games} games played, winrate = {row.score.winrate:.3f} , "
        f"sigma = {row.score.sigma:.3f}"
        for row in standings.rows
    ]


def draw_report(draws: Iterable[Draw]) -> list[str]:
    """Return one line a draw: the hash of its secret, and the secret once it is published."""
    return [
        f"seed drawn for {len(draw.networks) or 'the next'} networks: secret "
        f"{draw.secret or 'not yet published'}, its SHA-256 {draw.commitment}"
        for draw in draws
    ]


def update_report(standings: Standings) -> str:
    """Return NoGoZero+'s Elo update in one sentence, with its caveat."""
    rows = sorted(standings.played, key=lambda row: -row.elo_by_update)
    ratings = ", ".join(f"{row.name} {round(row.elo_by_update):+}" for row in rows)
    return (
        f"Elo updated game by game as NoGoZero+ does (alpha {ALPHA:g}, all from 0), which depends "
        f"on the order of the games: {ratings}."
    )


def _notes(standings: Standings) -> list[str]:
    snapshot = standings.snapshot
    written = snapshot.written
    played = f"{len(snapshot.games)} of {snapshot.num_scheduled} games"
    status = f"Provisional: {played} played." if snapshot.is_provisional else f"{played} played."
    absent = [f"{row.written}: {row.network.note}." for row in standings.rows if row.network.note]
    failed = [
        f"{written(one.name)}: {one.note}. Its games don't count." for one in snapshot.taken_out
    ]
    is_trainable = any(network.count == "trainable" for network in snapshot.networks)
    counted = "Parameters are the trainable ones." if is_trainable else ""
    facts = " ".join(filter(None, (status, standings.colour(), standings.scale(), counted)))
    certainty = " ".join(filter(None, (standings.separation(), standings.without_games())))
    return [facts, certainty, *absent, *failed]
