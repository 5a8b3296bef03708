"""`anchor`: fixes the scale of the ratings by a network."""

import argparse

from tournament.commands.arguments import add_league_argument
from tournament.league import League


def add_parser(commands: argparse._SubParsersAction) -> None:
    """Add the command and its arguments."""
    parser = commands.add_parser("anchor", help="fix the scale of the ratings by a network")
    parser.set_defaults(command=anchor_command)
    add_league_argument(parser)
    parser.add_argument("network", metavar="NAME", help="as it was filed")
    rating = parser.add_mutually_exclusive_group()
    rating.add_argument("--elo", type=float, default=0.0, help="its rating (default 0)")
    rating.add_argument("--free", action="store_true", help="let it be no anchor any more")


def anchor_command(arguments: argparse.Namespace) -> int:
    """Makes it an anchor, or none; games and ranks stay as they are (docs/ratings.md)."""
    elo = None if arguments.free else arguments.elo
    filed = League(arguments.league, create=False).set_anchor(arguments.network, elo)
    print(f"{filed.name} is no anchor" if elo is None else f"{filed.name} has {elo:g} Elo")
    return 0
