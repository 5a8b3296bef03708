"""Arguments that several commands take."""

import argparse
import math
import os
from pathlib import Path

from golois.kit.options import Parser, declared
from golois.kit.run_folder import network_file
from tournament.errors import SubmissionError
from tournament.game.presets import PRESETS
from tournament.game.rules import LIMITS, EventOptions
from tournament.league.settings import DEFAULT_LEAGUE
from tournament.networks.runtimes import FLOAT32, PRECISIONS
from tournament.players.registry import file_of_katago

TOKEN_VARIABLE = "TOURNAMENT_TOKEN"


def add_league_argument(parser: argparse.ArgumentParser) -> None:
    """Add which league."""
    parser.add_argument(
        "--league", type=Path, default=DEFAULT_LEAGUE, metavar="DIR",
        help="the league's folder (default %(default)s)",
    )


def add_league_arguments(parser: argparse.ArgumentParser) -> None:
    """Add which league, and whether to be quiet about it."""
    add_league_argument(parser)
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def add_rule_arguments(parser: Parser) -> None:
    """Add the rules of an event; what is not given is None."""
    parser.add_fields(EventOptions, exclusive=LIMITS)


def add_precision_argument(parser: argparse.ArgumentParser) -> None:
    """Add in which precision a network computes, where it is no rule of an event."""
    parser.add_argument(
        "--precision",
        choices=PRECISIONS,
        default=FLOAT32,
        help="number format of the networks, as in the tournament (default %(default)s)",
    )


def event_options(
    arguments: argparse.Namespace, begun_with: EventOptions | None, rules: str | None = None
) -> EventOptions:
    """Return the rules asked for; other options keep the values of `begun_with`, or the defaults.

    `rules` is a word of `tournament.game.presets`. A value out of range raises an OptionsError.
    """
    given = {item.name: getattr(arguments, item.name) for item in declared(EventOptions)}
    given = {name: value for name, value in given.items() if value is not None}
    options = begun_with or EventOptions()
    if rules is not None:
        options = options.changed(PRESETS[rules].games)
    return options.changed(given)


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


def positive(text: str) -> int:
    """Parse a whole number of 1 or more, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"it must be 1 or more, not {number}")
    return number


def network_path(text: str) -> Path:
    """Parse a network's file, a run's folder or katago:FILE, for argparse."""
    return network_file(file_of_katago(text) or text)


def finite(text: str) -> float:
    """Parse a finite number, for argparse."""
    number = float(text)
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"it must be a finite number, not {text}")
    return number
