"""What a league publishes: a static site, tables for the terminal, and files for other programs."""

from pathlib import Path

from rich.console import Group

from tournament.league import League
from tournament.report.downloads import games_csv, ranking_csv
from tournament.report.site import publish, write_site
from tournament.report.snapshot import snapshot_of
from tournament.report.standings import Standings
from tournament.report.text import course_report, ranking_table

__all__ = ["build_site", "course_lines", "terminal_table", "write_csv"]


def build_site(league: League) -> Path:
    """Writes `site/` in the league's folder, as far as it has changed; returns its front page."""
    return write_site(snapshot_of(league), league.folder / "site")


def terminal_table(league: League) -> Group:
    """The ranking for `rich.print`, with what it leaves open said in words."""
    return ranking_table(snapshot_of(league))


def course_lines(league: League) -> list[str]:
    """A line a network as the course's tournament prints them, best first."""
    return course_report(snapshot_of(league))


def write_csv(league: League, folder: Path | None = None) -> tuple[Path, Path]:
    """Writes `ranking.csv` and `games.csv`, into the league's folder unless told otherwise."""
    snapshot = snapshot_of(league)
    target = folder or league.folder
    ranking, games = target / "ranking.csv", target / "games.csv"
    publish(ranking, ranking_csv(Standings(snapshot)).encode())
    publish(games, games_csv(snapshot).encode())
    return ranking, games
