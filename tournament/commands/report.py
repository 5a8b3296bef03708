"""`report`: table, lines, CSV and page of what a league has."""

import argparse
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from tournament import report
from tournament.commands.arguments import add_league_arguments
from tournament.league.league import League

MEANWHILE_SECONDS = 600


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_league_arguments(parser)


def report_command(arguments: argparse.Namespace) -> int:
    """Writes the report of the league as it is."""
    write_report(League(arguments.league, create=False), arguments.quiet)
    return 0


def write_report(league: League, quiet: bool) -> report.Report:
    """Builds page and CSV, and prints the table unless that is not wanted."""
    written = report.build(league)
    if not quiet:
        Console().print(report.ranking_table(written.standings))
        for line in report.course_report(written.standings):
            print(line)
        print(report.update_report(written.standings))
        print(f"as CSV: {' '.join(map(str, written.tables))}")
        print(f"page: {written.page}")
    return written


@contextmanager
def report_meanwhile(folder: Path, seconds: float = MEANWHILE_SECONDS) -> Iterator[None]:
    """Has the report of a league written anew every so many seconds while the body runs.

    In a process of its own, since games wait for nobody; a report that fails is tried again.
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
