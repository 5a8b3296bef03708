"""Arguments that several commands take."""

import argparse
import math
from dataclasses import replace
from pathlib import Path

from tournament.game.rules import LIMITS, EventOptions
from tournament.players import PLAYERS
from tournament.players.time_plan import TIME_PLANS

RULES = (
    *LIMITS,
    "scale_clock",
    "time_plan",
    "komi",
    "seed",
    "max_plies",
    "opening_plies",
    "batch_size",
    "resign",
    "resign_value",
    "resign_plies",
    "player",
    "tta",
)
DEFAULTS = EventOptions()


def add_league_argument(parser: argparse.ArgumentParser) -> None:
    """Add which league."""
    parser.add_argument("--league", type=Path, required=True, help="the league's folder")


def add_league_arguments(parser: argparse.ArgumentParser) -> None:
    """Add which league, and whether to be quiet about it."""
    add_league_argument(parser)
    parser.add_argument("--quiet", action="store_true", help="say nothing but errors")


def add_rule_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the rules of an event; what is not given is None."""
    clock = parser.add_mutually_exclusive_group()
    clock.add_argument("--seconds", type=float, help="CPU seconds a move (default 2)")
    clock.add_argument("--visits", type=int, help="visits a move; every game is then reproducible")
    parser.add_argument(
        "--scale-clock",
        action=argparse.BooleanOptionalAction,
        help="give slow machines more seconds and fast ones fewer (default --no-scale-clock)",
    )
    parser.add_argument(
        "--time-plan",
        choices=TIME_PLANS,
        help=f"how the seconds change from move to move (default {DEFAULTS.time_plan})",
    )
    parser.add_argument("--komi", type=float, help="points for White (default 7.5)")
    parser.add_argument("--seed", type=int, help="of schedule, openings and searches (default 0)")
    parser.add_argument("--max-plies", type=int, help="longer games are scored as they stand (722)")
    parser.add_argument("--opening-plies", type=int, help="plies from the book (default 6)")
    parser.add_argument(
        "--batch-size", type=int,
        help="positions evaluated at a time (default: as each network was tuned; with --visits 8)",
    )
    parser.add_argument(
        "--resign",
        action=argparse.BooleanOptionalAction,
        help="adjudicate decided games, or play each to its end (default --resign)",
    )
    parser.add_argument(
        "--resign-plies",
        type=int,
        help="moves in a row that both networks must agree for, 0 for never "
        f"(default {DEFAULTS.resign_plies})",
    )
    parser.add_argument(
        "--resign-value",
        type=float,
        help=f"the chance that they must agree counts as none (default {DEFAULTS.resign_value})",
    )
    parser.add_argument(
        "--player", choices=PLAYERS, help="how all networks choose their moves (default puct)"
    )
    parser.add_argument(
        "--tta",
        action=argparse.BooleanOptionalAction,
        help="average every evaluation over the eight symmetries (default --no-tta)",
    )


def event_options(arguments: argparse.Namespace, begun_with: EventOptions | None) -> EventOptions:
    """The rules asked for: those not given are the ones that the event was begun with.

    Raises:
        OptionsError: a value out of range.
    """
    given = {name: getattr(arguments, name) for name in RULES}
    given = {name: value for name, value in given.items() if value is not None}
    if begun_with is None:
        return EventOptions(**given)
    limits = dict.fromkeys(LIMITS) if given.keys() & set(LIMITS) else {}
    return replace(begun_with, **{**limits, **given})


def positive(text: str) -> int:
    """The number of 1 or more that a text is, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more: got {number}")
    return number


def finite(text: str) -> float:
    """The finite number that a text is, for argparse."""
    number = float(text)
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"expected a finite number: got {text}")
    return number
