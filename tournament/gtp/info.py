"""What a search has found, in the lines that Leela Zero and KataGo print while they analyse.

Each number is the side to move's. Leela Zero's are whole: a win rate of 10000 is certain. What the
networks do not know, scores and ownership, is in no line.
Sources: Leela Zero 0.17 (lz-analyze); KataGo, docs/GTP_Extensions.md (kata-analyze).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from golois.coords import point_to_gtp
from golois.search import Tree
from golois.shapes import NUM_POINTS
from tournament.gtp.protocol import SYNTAX_ERROR, Arguments, GtpError

PV_LENGTH = 16
DEFAULT_INTERVAL, LEAST_INTERVAL = 100, 1  # centiseconds
TRUTHS = {"true": True, "false": False}
# Keys that other engines answer and that these networks cannot.
UNANSWERED = ("ownership", "ownershipStdev", "movesOwnership", "movesOwnershipStdev", "pvVisits")


@dataclass(frozen=True)
class InfoOptions:
    """What a controller wants to see of a search.

    interval: wall seconds between two lines.
    max_moves: candidates in a line, at most; 1 or more, since an analysis waits for its first line.
    root_info: whether kata-analyze adds the position's own visits and win rate.
    """

    interval: float = DEFAULT_INTERVAL / 100
    max_moves: int = NUM_POINTS + 1
    root_info: bool = False


def read_options(arguments: Arguments) -> InfoOptions:
    """Parse the options after an analysis command's colour: an interval, then keys and values.

    Keys that the networks cannot answer are read and ignored; so is minmoves, since every
    candidate with a visit is shown.

    Raises:
        GtpError: unknown keys, or wrong values; restrictions to some moves.
    """
    options: dict[str, Any] = {}
    if arguments.begins_with_number():
        options["interval"] = _interval(arguments)
    while arguments:
        key = arguments.word()
        if key == "interval":
            options["interval"] = _interval(arguments)
        elif key == "maxmoves":
            options["max_moves"] = max(1, arguments.integer())
        elif key == "minmoves":
            arguments.integer()
        elif key == "rootInfo":
            options["root_info"] = _truth(arguments)
        elif key in UNANSWERED:
            _truth(arguments)
        else:
            raise GtpError(f"{SYNTAX_ERROR}: {key} is not supported")
    return InfoOptions(**options)


def _interval(arguments: Arguments) -> float:
    return max(LEAST_INTERVAL, arguments.integer()) / 100


def _truth(arguments: Arguments) -> bool:
    truth = TRUTHS.get(arguments.word().lower())
    if truth is None:
        raise GtpError(SYNTAX_ERROR)
    return truth


def lz_line(tree: Tree, options: InfoOptions) -> str:
    """Return the visited candidates as `lz-analyze` prints them, most visited first, if any."""
    return " ".join(_infos(tree, options, lambda share: f"{round(10_000 * share)}"))


def kata_line(tree: Tree, options: InfoOptions) -> str:
    """Return the visited candidates as `kata-analyze` prints them; see `lz_line`."""
    infos = _infos(tree, options, lambda share: f"{share:.6g}")
    if options.root_info and infos:
        win_rate = (1 + tree.root_value_to_play) / 2
        infos.append(f"rootInfo visits {tree.num_visits} winrate {win_rate:.6g}")
    return " ".join(infos)


def _infos(tree: Tree, options: InfoOptions, write: Callable[[float], str]) -> list[str]:
    moves = tree.root_moves()
    is_shown = (moves.visits > 0) | (len(moves.points) == 1)  # a sole candidate is never searched
    values = np.where(moves.visits > 0, moves.values_to_play, tree.root_value_to_play)
    num_moves = min(options.max_moves, int(is_shown.sum()))
    return [
        f"info move {point_to_gtp(point)} visits {moves.visits[order]} "
        f"winrate {write((1 + values[order]) / 2)} "
        f"prior {write(moves.priors[order])} order {order} "
        f"pv {' '.join(map(point_to_gtp, tree.principal_variation(point, PV_LENGTH)))}"
        for order, point in enumerate(moves.points[:num_moves].tolist())
    ]
