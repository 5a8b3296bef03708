"""The arena's commands: python -m tournament run | report | check."""

import argparse
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

try:
    from rich.console import Console

    from golois.command_line import Parser
    from golois.errors import GoloisError
    from tournament import check, report
    from tournament.coordinator import run_event
    from tournament.errors import TournamentError
    from tournament.league import League
    from tournament.options import EventOptions
    from tournament.progress import view_for
    from tournament.workers import LocalEngine
except ImportError as error:  # the native core is not built, or a package is missing
    print(f"python -m tournament: {error}", file=sys.stderr)
    sys.exit(2)

RULES = ("seconds", "visits", "komi", "seed", "max_plies", "opening_plies", "batch_size")
EXIT_GIVEN_UP, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; what is wrong with the input is said in one sentence, with exit code 2."""
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except (TournamentError, GoloisError, OSError, sqlite3.Error) as error:
        print(f"python -m tournament {options.name}: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return EXIT_INTERRUPTED


def run_command(arguments: argparse.Namespace) -> int:
    """Plays what is missing, then writes the report."""
    league = League(arguments.league, create=False)
    options = _event_options(arguments, league.options())
    rounds = arguments.rounds or (league.schedule() or {"rounds": 1})["rounds"]
    engine = LocalEngine(league.folder / "artefacts", options, arguments.workers)
    outcome = run_event(league, options, rounds, engine, view_for(Console(), arguments.quiet))
    _report(league, arguments.quiet)
    if outcome.given_up:
        print(
            f"{len(outcome.given_up)} games were given up as void; the same command tries again: "
            + ", ".join(outcome.given_up),
            file=sys.stderr,
        )
        return EXIT_GIVEN_UP
    return 0


def report_command(arguments: argparse.Namespace) -> int:
    """Writes table, lines, CSV and page of what the league has."""
    _report(League(arguments.league, create=False), arguments.quiet)
    return 0


def _event_options(arguments: argparse.Namespace, begun_with: EventOptions | None) -> EventOptions:
    """The rules asked for: options not given are those that the league was begun with."""
    given = {name: getattr(arguments, name) for name in RULES}
    given = {name: value for name, value in given.items() if value is not None}
    if begun_with is None:
        return EventOptions(**given)
    limits = {"seconds": None, "visits": None} if {"seconds", "visits"} & given.keys() else {}
    return replace(begun_with, **{**limits, **given})


def _report(league: League, quiet: bool) -> None:
    page = report.build_site(league)
    tables = report.write_csv(league)
    if not quiet:
        Console().print(report.terminal_table(league))
        for line in report.course_lines(league):
            print(line)
        print(f"as CSV: {' '.join(map(str, tables))}")
        print(f"page: {page}")


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m tournament", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)

    run = commands.add_parser("run", help="play what is missing, and write the report")
    run.set_defaults(command=run_command)
    _add_league(run)
    clock = run.add_mutually_exclusive_group()
    clock.add_argument("--seconds", type=float, help="CPU seconds a move (default 2)")
    clock.add_argument("--visits", type=int, help="visits a move; every game is then reproducible")
    run.add_argument(
        "--rounds", type=_positive, help="game pairs of every two networks (default 1); may grow"
    )
    run.add_argument("--workers", type=int, help="processes (default: one for each physical core)")
    run.add_argument("--komi", type=float, help="points for White (default 7.5)")
    run.add_argument("--seed", type=int, help="of schedule, openings and searches (default 0)")
    run.add_argument("--max-plies", type=int, help="longer games are scored as they stand (722)")
    run.add_argument("--opening-plies", type=int, help="plies from the book (default 6)")
    run.add_argument("--batch-size", type=int, help="positions evaluated at a time (default 8)")

    build = commands.add_parser("report", help="write table, CSV and page")
    build.set_defaults(command=report_command)
    _add_league(build)

    judge = commands.add_parser("check", help="judge networks as the arena will")
    judge.set_defaults(command=check.check_command)
    check.add_check_arguments(judge)
    return parser


def _add_league(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--league", type=Path, required=True, help="the league's folder")
    parser.add_argument("--quiet", action="store_true", help="say nothing but errors")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more: got {number}")
    return number


if __name__ == "__main__":
    sys.exit(main())
