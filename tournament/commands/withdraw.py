"""`withdraw`: lets a network play no more."""

import argparse

from tournament.commands.arguments import add_league_argument
from tournament.league import League


def add_parser(commands: argparse._SubParsersAction) -> None:
    """Add the command and its arguments."""
    parser = commands.add_parser("withdraw", help="let a network play no more; its games count")
    parser.set_defaults(command=withdraw_command)
    add_league_argument(parser)
    parser.add_argument("network", metavar="NAME", help="as it was filed")


def withdraw_command(arguments: argparse.Namespace) -> int:
    """Withdraws it, also from a league that is running."""
    filed = League(arguments.league, create=False).withdraw(arguments.network)
    print(f"{filed.name} plays no more; its games count")
    return 0
