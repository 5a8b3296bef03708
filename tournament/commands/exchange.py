"""`export` and `import`: leagues as one file, and back."""

import argparse
from pathlib import Path

from tournament.commands.output import output_file
from tournament.league.league import League
from tournament.report.league_zip import export_leagues, import_leagues


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
