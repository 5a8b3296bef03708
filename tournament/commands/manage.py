"""`withdraw`, `reinstate`, `anchor`, `reveal`: what a teacher decides about a league."""

import argparse

from tournament.commands.arguments import add_league_argument
from tournament.commands.report import write_report
from tournament.league.league import League
from tournament.report.text import draw_report


def add_withdraw_arguments(parser: argparse.ArgumentParser) -> None:
    """Add which network of which league."""
    add_league_argument(parser)
    parser.add_argument("network", metavar="NAME", help="name of the network")


def withdraw_command(arguments: argparse.Namespace) -> int:
    """Withdraw the network; this works while the league is running."""
    filed = League(arguments.league, create=False).submissions.withdraw(arguments.network)
    print(f"{filed.name} no longer plays; its games count")
    return 0


def add_reinstate_arguments(parser: argparse.ArgumentParser) -> None:
    """Add which network of which league."""
    add_withdraw_arguments(parser)


def reinstate_command(arguments: argparse.Namespace) -> int:
    """Reinstate the network: its games count again, and its failures so far are ordinary losses."""
    filed = League(arguments.league, create=False).submissions.reinstate(arguments.network)
    print(f"{filed.name} plays, and its games count")
    return 0


def add_anchor_arguments(parser: argparse.ArgumentParser) -> None:
    """Add which network, and its rating."""
    add_withdraw_arguments(parser)
    rating = parser.add_mutually_exclusive_group()
    rating.add_argument("--elo", type=float, default=0.0, help="rating of the network (default 0)")
    rating.add_argument("--free", action="store_true", help="make the network no anchor again")


def anchor_command(arguments: argparse.Namespace) -> int:
    """Make the network an anchor, or no anchor; games and ranks don't change.

    See docs/teacher/table.md.
    """
    elo = None if arguments.free else arguments.elo
    filed = League(arguments.league, create=False).submissions.set_anchor(arguments.network, elo)
    what = "not an anchor" if elo is None else f"an anchor at {elo:g} Elo"
    print(f"{filed.name} is {what}")
    return 0


def add_reveal_arguments(parser: argparse.ArgumentParser) -> None:
    """Add which league."""
    add_league_argument(parser)


def reveal_command(arguments: argparse.Namespace) -> int:
    """Publish the secrets of the seed, and hidden games with a new report."""
    league = League(arguments.league, create=False)
    if league.reveal():
        print(f"everybody may see all games now: {write_report(league, quiet=True).page}")
    for line in draw_report(league.draws.all()):
        print(line)
    return 0
