"""The options for the server to hand in to, and for the token."""

import argparse
import os
from pathlib import Path

from tournament.errors import SubmissionError

TOKEN_VARIABLE = "TOURNAMENT_TOKEN"


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for the server and the token."""
    parser.add_argument(
        "--to", metavar="URL", help="hand it in over the network, to `python -m tournament serve`"
    )
    token = parser.add_mutually_exclusive_group()
    token.add_argument("--token", help=f"yours; better in {TOKEN_VARIABLE} or in a file")
    token.add_argument("--token-file", type=Path, metavar="FILE", help="file with your token")


def token_of(arguments: argparse.Namespace) -> str:
    """Return the token of `add_server_arguments`, or of the environment.

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
            f"give yours by --token-file, in {TOKEN_VARIABLE} or by --token"
        )
    return token
