"""`reinstate`: lets a withdrawn or suspended network play again."""

import argparse

from tournament.commands.arguments import add_league_argument
from tournament.league import League
from tournament.registry import FORFEITS_TO_SUSPEND


def add_parser(commands: argparse._SubParsersAction) -> None:
    """Add the command and its arguments."""
    parser = commands.add_parser("reinstate", help="let a withdrawn or suspended network play")
    parser.set_defaults(command=reinstate_command)
    add_league_argument(parser)
    parser.add_argument("network", metavar="NAME", help="as it was filed")


def reinstate_command(arguments: argparse.Namespace) -> int:
    """Reinstates it; its forfeits so far no longer count towards a suspension."""
    filed = League(arguments.league, create=False).reinstate(arguments.network)
    print(f"{filed.name} plays; {FORFEITS_TO_SUSPEND} more forfeits suspend it")
    return 0
