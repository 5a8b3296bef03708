"""A league's reports: a static site, tables for the terminal, and files for other programs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from golois.files import lock
from tournament.league.league import League
from tournament.report.history import current_week, placings_of
from tournament.report.site import publish, write_site
from tournament.report.snapshot import snapshot_of
from tournament.report.standings import Standings
from tournament.report.text import course_report, draw_report, ranking_table, update_report

__all__ = ["Report", "build", "course_report", "draw_report", "ranking_table", "update_report"]


@dataclass(frozen=True)
class Report:
    """What was written of a league at one moment: its front page and two tables as CSV."""

    standings: Standings
    page: Path
    tables: tuple[Path, Path]


def build(league: League) -> Report:
    """Bring `site/`, `ranking.csv` and `games.csv` in the league's folder up to date.

    The league keeps the ranking as that of the week in which its last game ended.
    Writes only what has changed. Waits while another process writes the same report.
    """
    with _alone_in(league.folder):
        standings = Standings(snapshot_of(league))
        if week := current_week(standings.snapshot):
            league.placings.note(week, placings_of(standings))
        ranking, games = league.folder / "ranking.csv", league.folder / "games.csv"
        page = write_site(standings, league.folder / "site")
        for table in (ranking, games):
            publish(table, (page.parent / table.name).read_bytes())
    return Report(standings, page, (ranking, games))


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    with open(folder / "report.lock", "w", encoding="utf-8") as file:
        lock(file, wait=True)
        yield
