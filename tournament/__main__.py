"""The arena's commands; python -m tournament --help lists them."""

import argparse
import sqlite3
import sys
from collections.abc import Sequence

try:
    from golois.command_line import Parser
    from golois.errors import GoloisError
    from tournament.commands import (
        analyze,
        check,
        exchange,
        gtp,
        manage,
        play,
        report,
        run,
        season,
        serve,
        tokens,
    )
    from tournament.errors import TournamentError
except ImportError as error:  # the native core is not built, or a package is missing
    print(f"python -m tournament: {error}", file=sys.stderr)
    sys.exit(2)

COMMANDS = (
    run, play, gtp, analyze, report, manage, season, exchange, check, serve, tokens,
)
EXIT_BAD_INPUT, EXIT_INTERRUPTED = 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; what is wrong with the input is said in one sentence, with exit code 2."""
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except (TournamentError, GoloisError, OSError, sqlite3.Error) as error:
        print(f"python -m tournament {options.name}: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except KeyboardInterrupt as stop:
        print(str(stop) or "stopped; the same command goes on from here", file=sys.stderr)
        return EXIT_INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m tournament", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)
    for module in COMMANDS:
        module.add_parser(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
