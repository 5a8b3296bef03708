"""One's own token for a server, in the arguments of a command or in the environment."""

import argparse
import os
from pathlib import Path

from tournament.errors import SubmissionError

TOKEN_VARIABLE = "TOURNAMENT_TOKEN"


def add_token_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the token for a server."""
    token = parser.add_mutually_exclusive_group()
    token.add_argument("--token", help=f"your token; safer in {TOKEN_VARIABLE} or in a file")
    token.add_argument("--token-file", type=Path, metavar="FILE", help="file with your token")


def token_of(arguments: argparse.Namespace) -> str:
    """Return the token of the arguments, or of the environment.

    Raises:
        SubmissionError: there is none.
    """
    if arguments.token is not None:
        token = arguments.token
    elif arguments.token_file is not None:
        token = arguments.token_file.read_text(encoding="utf-8-sig", errors="replace")
    else:
        token = os.environ.get(TOKEN_VARIABLE, "")
    token = token.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise SubmissionError(
            f"{'this is not a token' if token else 'no token is given'}: "
            f"give your token with --token-file, in {TOKEN_VARIABLE} or with --token"
        )
    return token
