"""Arguments that several commands take."""

import argparse
import math
from pathlib import Path

from golois.kit.options import Parser
from golois.kit.run_folder import network_file
from tournament.commands.rules import given_fields
from tournament.game.options import LIMITS, EventOptions
from tournament.game.presets import PRESETS
from tournament.league.settings import DEFAULT_LEAGUE
from tournament.networks.runtimes import FLOAT32, PRECISIONS
from tournament.players.registry import file_of_katago


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
    options = begun_with or EventOptions()
    if rules is not None:
        options = options.changed(PRESETS[rules].games)
    return options.changed(given_fields(arguments, EventOptions))


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
