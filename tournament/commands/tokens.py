"""`tokens`: create and revoke the tokens for hand-in over the network."""

import argparse
import csv
import io
import os
from pathlib import Path

from golois.files import replaced_file
from tournament.commands.arguments import add_league_argument
from tournament.errors import OptionsError
from tournament.league.league import League
from tournament.server.ledger import open_ledger
from tournament.server.tokens import STUDENT, TEACHER, Tokens, read_names


def add_tokens_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_league_argument(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "students", nargs="?", type=Path, metavar="STUDENTS.csv",
        help="one row per student or team; those who have a token keep it",
    )
    what.add_argument("--teacher", metavar="NAME", help="create one for the teacher's page")
    what.add_argument("--revoke", metavar="NAME", help="revoke the token of a name")


def tokens_command(arguments: argparse.Namespace) -> int:
    """Create or revoke tokens; new ones are shown only once."""
    League(arguments.league).close()
    tokens = Tokens(open_ledger(arguments.league))
    if arguments.revoke is not None:
        tokens.revoke(arguments.revoke)
        print(f"the token of {arguments.revoke} is revoked")
    elif arguments.teacher is not None:
        tokens.issue([arguments.teacher], TEACHER, _print)
    else:
        _issue(tokens, arguments.students)
    return 0


def _print(made: dict[str, str]) -> None:
    if not made:
        raise OptionsError("this name has a token; revoke it first with --revoke")
    print(*made.values())


def _issue(tokens: Tokens, students: Path) -> None:
    people = read_names(students)
    path = students.with_suffix(".tokens.csv")
    if path.exists():
        raise OptionsError(
            f"{path} already exists, and its tokens are stored nowhere else: move it away first"
        )

    def write(made: dict[str, str]) -> None:
        if not made:
            raise OptionsError(f"nobody in {students} needs a token: all have one")
        rows = [(person, name, made[name]) for person, name in people.items() if name in made]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([("name", "network", "token"), *rows])
        with replaced_file(path) as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(text.getvalue().encode())
        print(f"{len(made)} new tokens in {path}; they are stored nowhere else")

    tokens.issue(list(people.values()), STUDENT, write)
