"""A league's reports: a static site, tables for the terminal, and files for other programs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

from golois.kit.files import lock
from tournament.errors import LeagueError
from tournament.game.record import utc_now
from tournament.league.league import League
from tournament.report.feed import FEED, feed_xml
from tournament.report.history import current_week, is_settled, placings_of
from tournament.report.pages import index
from tournament.report.site import keep_site, publish, write_site
from tournament.report.snapshot import snapshot_of
from tournament.report.standings import Standings
from tournament.report.text import course_report, draw_report, ranking_table, update_report

__all__ = [
    "Report", "build", "course_report", "draw_report", "keep", "ranking_table", "update_report",
]


@dataclass(frozen=True)
class Report:
    """What was written of a league at one moment: its front page and two tables as CSV."""

    standings: Standings
    page: Path
    tables: tuple[Path, Path]


def build(league: League, *, ends_run: bool = False) -> Report:
    """Bring `site/`, `ranking.csv` and `games.csv` in the league's folder up to date.

    The league keeps the ranking for its current week, unless that week is settled. `ends_run` says
    that a run of this process has just ended or was stopped: its table is kept in any case. Waits
    while another process writes the same report.
    """
    with _alone_in(league.folder):
        return _build(league, ends_run)


def keep(league: League) -> Report:
    """End the week of a term: build the report, and keep its table, and its page in `site/weeks/`.

    After a kill at any moment the week can be ended again.

    Raises:
        LeagueError: no week has been closed, its table is kept already, or its games are hidden.
    """
    with _alone_in(league.folder):
        week = league.weeks.under_way()
        if week is None:
            raise LeagueError(f"no week of a term waits for its table in {league.folder}")
        if league.hidden.last_shown() is not None:
            raise LeagueError(
                f"the games of {week.label} are hidden: show them with python -m tournament reveal "
                f"--league {quote(str(league.folder))}"
            )
        written = _build(league)
        keep_site(written.standings, written.page.parent, week.label)
        league.weeks.keep(week.label, utc_now())
        written.standings.snapshot = replace(
            written.standings.snapshot, weeks=tuple(league.weeks.all()),
            placings=tuple(league.weeks.placings()),
        )
        publish(written.page.with_name(FEED), feed_xml(written.standings))
        publish(written.page, index(written.standings).encode())
    return written


def _build(league: League, ends_run: bool = False) -> Report:
    is_of_run = ends_run or league.coordinator() is not None
    standings = Standings(replace(snapshot_of(league), is_of_run=is_of_run))
    _keep_placings(league, standings)
    ranking, games = league.folder / "ranking.csv", league.folder / "games.csv"
    league.hidden.note_shown()
    page = write_site(standings, league.folder / "site")
    for table in (ranking, games):
        publish(table, (page.parent / table.name).read_bytes())
    return Report(standings, page, (ranking, games))


def _keep_placings(league: League, standings: Standings) -> None:
    snapshot = standings.snapshot
    week, run_week = current_week(snapshot), snapshot.run_week
    if week is None or is_settled(snapshot):
        return
    league.weeks.note_placings(week, placings_of(standings))
    if run_week is not None and (run_week.is_over or league.coordinator() is None):
        league.weeks.keep_run(run_week)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    with open(folder / "report.lock", "w", encoding="utf-8") as file:
        lock(file, wait=True)
        yield
