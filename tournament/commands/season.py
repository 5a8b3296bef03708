"""`season`: points and ratings over the weeks of a league, or of several."""

import argparse
import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from golois.files import write_whole
from tournament.errors import LeagueError
from tournament.league.league import League
from tournament.league.season import Season, season_of


def add_season_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "leagues", nargs="+", type=Path, metavar="LEAGUE",
        help="leagues in the order of their weeks, or a folder of them, in the order of names",
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write it here as well")


def season_command(arguments: argparse.Namespace) -> int:
    """Print the season's table."""
    folders = [league for folder in arguments.leagues for league in _leagues_in(folder)]
    season = season_of([League(folder, create=False) for folder in folders])
    Console().print(_table(season))
    if arguments.csv is not None:
        write_whole(arguments.csv, _csv(season).encode())
    return 0


def _leagues_in(folder: Path) -> Sequence[Path]:
    """Return the folder if it is a league, else the leagues inside it."""
    if (folder / "league.sqlite").exists():
        return [folder]
    found = sorted(path.parent for path in folder.glob("*/league.sqlite"))
    if not found:
        raise LeagueError(f"{folder} is neither a league nor a folder of leagues")
    return found


def _table(season: Season) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.title, table.title_justify = "points, and Elo in brackets", "left"
    for title in ("#", "network", "points", *season.weeks):
        table.add_column(Text(title), justify="left" if title == "network" else "right")
    for rank, name in enumerate(season.names(), start=1):
        placings = [season.placings[name].get(week) for week in season.weeks]
        cells = [f"{p.points:.1f} ({p.elo:+.0f})" if p else "–" for p in placings]
        # Text, and not str, so that a name is never read as markup.
        table.add_row(str(rank), Text(name), f"{season.points(name):.1f}", *cells)
    return table


def _csv(season: Season) -> str:
    text = io.StringIO()
    rows = [
        {"title": week, **asdict(season.placings[name][week])}
        for week in season.weeks
        for name in season.names()
        if week in season.placings[name]
    ]
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
