"""`report`: write a league's table, lines, CSV and page."""

import argparse
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from golois.kit.console import Console
from tournament import report
from tournament.commands.arguments import add_league_arguments
from tournament.errors import TournamentError
from tournament.league.league import League
from tournament.report.snapshot import snapshot_of
from tournament.report.standings import Standings
from tournament.server.mail import deliver

MEANWHILE_SECONDS = 600


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_league_arguments(parser)
    parser.add_argument(
        "--keep", action="store_true",
        help="keep the table and the page of a term's week whose deadline has passed",
    )


def report_command(arguments: argparse.Namespace) -> int:
    """Write a report of the league's current state."""
    league = League(arguments.league, create=False)
    if league.is_read_only and not arguments.keep:
        if not arguments.quiet:
            _print(Standings(snapshot_of(league)), league.folder)
            print(f"{league.folder} can't be written: its page and CSV stay as they are")
        return 0
    write_report(league, arguments.quiet, report.keep if arguments.keep else report.build)
    return 0


def write_report(
    league: League, quiet: bool, build: Callable[[League], report.Report] = report.build
) -> report.Report:
    """Build the page and the CSV, tell students by e-mail, and print the table unless `quiet`."""
    written = build(league)
    send_mails(league.folder)
    if not quiet:
        _print(written.standings, league.folder)
        print(f"as CSV: {' '.join(map(str, written.tables))}")
        print(f"page: {written.page}")
    return written


def send_mails(league: Path) -> None:
    """Send the e-mails that are due; say what fails, which stops no command."""
    try:
        deliver(league)
    except (TournamentError, OSError, sqlite3.Error) as error:
        print(error, file=sys.stderr)


def _print(standings: Standings, folder: Path) -> None:
    Console().print(report.ranking_table(standings))
    for line in report.course_report(standings):
        print(line)
    if standings.played:
        print(report.update_report(standings))
    for line in report.draw_report(standings.snapshot.draws):
        print(line)
    if standings.snapshot.is_hidden:
        shows = f"python -m tournament reveal --league {quote(str(folder))}"
        print(f"hidden games are left out; to show them to everybody: {shows}")


@contextmanager
def report_meanwhile(folder: Path, seconds: float = MEANWHILE_SECONDS) -> Iterator[None]:
    """Rewrite a league's report every few seconds in a separate process while the body runs.

    A failed report is tried again.
    """
    command = [sys.executable, "-m", "tournament", "report", "--quiet", "--league", str(folder)]
    is_over = threading.Event()

    def publish() -> None:
        while not is_over.wait(seconds):
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    thread = threading.Thread(target=publish, name="report")
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
