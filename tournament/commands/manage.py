"""`withdraw`, `reinstate`, `anchor`, `reveal`, `export`, `import`: a teacher's short commands."""

import argparse
from pathlib import Path

from tournament.commands.arguments import add_league_argument
from tournament.commands.output import output_file, refuse_inside
from tournament.commands.report import write_report
from tournament.errors import OptionsError
from tournament.league.league import League
from tournament.ratings.bradley_terry import MAX_ANCHOR
from tournament.report.league_zip import export_leagues, import_leagues
from tournament.report.text import draw_report


def add_withdraw_arguments(parser: argparse.ArgumentParser) -> None:
    """Add which network of which league."""
    add_league_argument(parser)
    parser.add_argument("network", metavar="NAME", help="name of the network")


add_reinstate_arguments, add_reveal_arguments = add_withdraw_arguments, add_league_argument


def withdraw_command(arguments: argparse.Namespace) -> int:
    """Withdraw the network; this works while the league is running."""
    filed = League(arguments.league, create=False).submissions.withdraw(arguments.network)
    print(f"{filed.name} no longer plays; its games count")
    return 0


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
    rating.add_argument("--free", action="store_true", help="stop using the network as an anchor")


def anchor_command(arguments: argparse.Namespace) -> int:
    """Make the network an anchor, or no anchor; games and ranks don't change.

    See docs/teacher/table.md.
    """
    elo = None if arguments.free else arguments.elo
    if elo is not None and not abs(elo) <= MAX_ANCHOR:
        raise OptionsError(f"--elo must be within {MAX_ANCHOR:,.0f} of 0, not {elo:g}")
    filed = League(arguments.league, create=False).submissions.set_anchor(arguments.network, elo)
    what = "not an anchor" if elo is None else f"an anchor at {elo:g} Elo"
    print(f"{filed.name} is {what}")
    return 0


def reveal_command(arguments: argparse.Namespace) -> int:
    """Publish the secrets of the seed and hidden games, with a new report."""
    league = League(arguments.league, create=False)
    was_hidden = league.reveal()
    written = write_report(league, quiet=True)
    if was_hidden:
        print(f"everybody may see all games now: {written.page}")
    for line in draw_report(league.draws.all()):
        print(line)
    return 0


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "leagues", nargs="+", type=Path, metavar="LEAGUE", help="folder of a league"
    )
    parser.add_argument(
        "-o", "--output", type=output_file, required=True, metavar="FILE.zip",
        help="file to write",
    )


def export_command(arguments: argparse.Namespace) -> int:
    """Write the archive."""
    refuse_inside(arguments.leagues, arguments.output)
    leagues = [League(folder, create=False) for folder in arguments.leagues]
    export_leagues(leagues, arguments.output)
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB")
    return 0


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("archive", type=Path, metavar="FILE.zip", help="file that export wrote")
    parser.add_argument(
        "--into", type=Path, default=Path("."), metavar="DIR",
        help="folder to restore into (default: here)",
    )


def import_command(arguments: argparse.Namespace) -> int:
    """Restore the leagues from an archive, and print where they are."""
    for folder in import_leagues(arguments.archive, arguments.into):
        print(folder)
    return 0
