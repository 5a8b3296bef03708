"""The commands of the tournament."""

import os
import sys

# Nothing is imported from the current folder unless it is the kit's: it may hold anyone's files.
if os.getcwd() != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):
    sys.path[:] = [place for place in sys.path if place not in ("", os.getcwd())]

import argparse
from collections.abc import Sequence
from importlib import import_module

from golois.kit.command import imports_in_words, run_in_words

PROGRAM = "python -m tournament"
INTERRUPTED = "stopped; the same command goes on from here"

with imports_in_words(PROGRAM):
    from golois.kit.options import Parser
    from tournament.commands import COMMANDS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; bad input gives one sentence on stderr and exit code 2."""
    given = sys.argv[1:] if arguments is None else arguments
    name = " ".join([PROGRAM, *(word for word in given[:1] if word in COMMANDS)])
    return run_in_words(name, lambda: _run(given), INTERRUPTED)


def _run(given: Sequence[str]) -> int:
    with imports_in_words(PROGRAM):
        options = _parser(*given[:1]).parse_args(given)
    return options.command(options)


def _parser(called: str = "") -> argparse.ArgumentParser:
    """Return the parser of all commands; only the command that is called gets its arguments."""
    parser = Parser(prog=PROGRAM, description=__doc__)
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
