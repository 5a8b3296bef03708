"""`tokens`: create and revoke the tokens for hand-in over the network."""

import argparse
import os
from contextlib import closing
from pathlib import Path

from golois.kit.files import replaced_file
from tournament.commands.arguments import add_league_argument
from tournament.errors import OptionsError
from tournament.league.league import League
from tournament.league.names import network_name
from tournament.league.roster import (
    NETWORK,
    TITLES,
    Person,
    Roster,
    read_columns,
    read_roster,
    refuse_lookalikes,
)
from tournament.league.work import Work
from tournament.server.ledger import open_ledger
from tournament.server.tokens import EMAILS, IDS, STUDENT, TEACHER, WORKER, Tokens


def add_tokens_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_league_argument(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "students", nargs="?", type=Path, metavar="STUDENTS.csv",
        help="one row for each student or team; existing tokens stay valid",
    )
    what.add_argument("--teacher", metavar="NAME", help="create a token for the teacher's page")
    what.add_argument(
        "--worker", metavar="NAME",
        help="create a token for machines that play games (docs/teacher/cluster.md)",
    )
    what.add_argument("--revoke", metavar="NAME", help="revoke the token of a name")
    add_columns_argument(parser)


def add_columns_argument(parser: argparse.ArgumentParser) -> None:
    """Add which columns of a roster are what."""
    parser.add_argument(
        "--columns", metavar="WHAT=TITLE,…",
        help="columns of the CSV, if they can't be guessed, such as name='Full name',id=Number; "
        f"WHAT is one of {', '.join(TITLES)}",
    )


def roster_of(path: Path, arguments: argparse.Namespace) -> Roster:
    """Return the roster in a file, with the columns of `add_columns_argument`."""
    return read_roster(path, read_columns(arguments.columns) if arguments.columns else None)


def tokens_command(arguments: argparse.Namespace) -> int:
    """Create or revoke tokens; new ones are shown only once."""
    if arguments.columns is not None and arguments.students is None:
        raise OptionsError("--columns names columns of STUDENTS.csv: give this file too")
    league = League(arguments.league)
    tokens = Tokens(open_ledger(arguments.league))
    if arguments.revoke is not None:
        _revoke(tokens, arguments)
    elif arguments.worker is not None:
        with closing(Work(arguments.league)) as work:
            Tokens(work.journal).issue([arguments.worker], WORKER, _print)
    elif arguments.teacher is not None:
        tokens.issue([arguments.teacher], TEACHER, _print)
    else:
        roster = roster_of(arguments.students, arguments)
        refuse_lookalikes(arguments.students, roster.people)
        league.written_names.refuse_lookalikes(
            {person.network: person.network for person in roster.people}
        )
        _issue(tokens, arguments.students, roster)
        league.written_names.note({
            person.network: person.name for person in roster.people
            if person.network == network_name(person.name)  # else it may be a pseudonym
        })
    return 0


def _revoke(tokens: Tokens, arguments: argparse.Namespace) -> None:
    name = arguments.revoke
    with closing(Work(arguments.league)) as work:
        of_workers = Tokens(work.journal)
        is_worker = name in of_workers.holders()
        if is_worker:
            of_workers.revoke(name)
            work.forgive(name)
        if not is_worker or name in tokens.holders():
            tokens.revoke(name)
    print(f"the token of {name} is revoked")


def _print(made: dict[str, str]) -> None:
    if not made:
        raise OptionsError("this name has a token; revoke it first with --revoke")
    print(*made.values())


def _issue(tokens: Tokens, students: Path, roster: Roster) -> None:
    path = students.with_suffix(".tokens.csv")

    def write(made: dict[str, str]) -> None:
        if not made:
            print(f"all in {students} have a token; their numbers and addresses are stored")
            return
        if path.exists():
            raise OptionsError(
                f"{path} already exists, and its tokens are stored nowhere else: move it away first"
            )
        write_private(path, _with_tokens(roster, made))
        print(f"{len(made)} new tokens in {path}; they are stored nowhere else")

    tokens.issue([person.network for person in roster.people], STUDENT, write)
    tokens.note(IDS, {person.network: person.id for person in roster.people if person.id})
    tokens.note(EMAILS, {person.network: person.email for person in roster.people if person.email})


def _with_tokens(roster: Roster, made: dict[str, str]) -> bytes:
    """Return the rows of people with a new token, which is added; every column is kept."""
    has_network = NETWORK in map(str.lower, roster.titles)
    titles = ["token"] if has_network else ["network", "token"]

    def cells(person: Person) -> list[str] | None:
        token = made.get(person.network)
        return None if token is None else [*([] if has_network else [person.network]), token]

    return roster.with_columns(titles, cells)


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its user may read, whole or not at all."""
    with replaced_file(path) as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(content)
