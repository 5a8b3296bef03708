"""The arena's commands."""

import os
import sys

# Nothing is imported from the current folder unless it is the kit's: it may hold anyone's files.
if os.getcwd() != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):
    sys.path[:] = [place for place in sys.path if place not in ("", os.getcwd())]

import argparse
import sqlite3
from collections.abc import Sequence
from importlib import import_module

try:
    from golois.command_line import Parser, in_one_sentence, visible_output
    from golois.errors import GoloisError
    from tournament.commands import COMMANDS
    from tournament.errors import TournamentError
except ImportError as error:  # the native core is not built, or a package is missing
    print(f"python -m tournament: {error}", file=sys.stderr)
    sys.exit(2)

EXIT_BAD_INPUT, EXIT_INTERRUPTED = 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; bad input gives one sentence on stderr and exit code 2."""
    with visible_output():
        try:
            return _run(sys.argv[1:] if arguments is None else arguments)
        except KeyboardInterrupt as stop:
            print(str(stop) or "stopped; the same command goes on from here", file=sys.stderr)
            return EXIT_INTERRUPTED


def _run(arguments: Sequence[str]) -> int:
    try:
        options = _parser(*arguments[:1]).parse_args(arguments)
    except ImportError as error:  # a package is missing
        print(f"python -m tournament: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    try:
        return options.command(options)
    except (TournamentError, GoloisError, OSError, sqlite3.Error) as error:
        print(f"python -m tournament {options.name}: {in_one_sentence(error)}", file=sys.stderr)
        return EXIT_BAD_INPUT


def _parser(called: str = "") -> argparse.ArgumentParser:
    """Return the parser of all commands; only the command that is called gets its arguments."""
    parser = Parser(prog="python -m tournament", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(name, help=command.help)
        if name == called:
            module = import_module(f"tournament.commands.{command.module}")
            getattr(module, f"add_{name}_arguments")(subparser)
            subparser.set_defaults(command=getattr(module, f"{name}_command"))
    return parser


if __name__ == "__main__":
    sys.exit(main())
