"""What a search has found, as `lz-analyze`, `kata-analyze` and KataGo's JSON tell it.

Numbers are the side to move's. Leela Zero's are whole: a win rate of 10000 is certain.
Sources: Leela Zero 0.17 (lz-analyze); KataGo, docs/GTP_Extensions.md (kata-analyze).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from golois.constants import NUM_POINTS
from golois.go.coords import point_to_gtp
from golois.search.tree import Tree
from tournament.gtp.protocol import SYNTAX_ERROR, Arguments, GtpError
from tournament.players.search import shown_moves

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

    Keys that the networks cannot answer are ignored, and so is minmoves: every visited candidate is
    shown. Unknown keys, wrong values and restrictions to some moves raise a GtpError.
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


@dataclass(frozen=True)
class MoveInfo:
    """A candidate with a visit, as a GTP vertex.

    order: from 0, the most visited first.
    prior: its share of the network's policy over the candidates, 0 … 1.
    value_to_play: mean value for the root's side to move, −1 … 1.
    line: how the search expects play to go on, this move included, as vertices.
    """

    vertex: str
    order: int
    num_visits: int
    prior: float
    value_to_play: float
    line: list[str]


def move_infos(tree: Tree, max_moves: int = NUM_POINTS + 1) -> list[MoveInfo]:
    """Return the candidates of `shown_moves`; none before the first evaluation."""
    moves = shown_moves(tree, max_moves)
    columns = zip(
        moves.points.tolist(),
        moves.visits.tolist(),
        moves.priors.tolist(),
        moves.values_to_play.tolist(),
        strict=True,
    )
    return [
        MoveInfo(
            point_to_gtp(point), order, num_visits, prior, value,
            [point_to_gtp(one) for one in tree.principal_variation(point, PV_LENGTH)],
        )
        for order, (point, num_visits, prior, value) in enumerate(columns)
    ]


def lz_line(tree: Tree, options: InfoOptions) -> str:
    """Return the candidates as `lz-analyze` prints them, most visited first, if any."""
    return " ".join(_infos(tree, options, lambda share: f"{round(10_000 * share)}"))


def kata_line(tree: Tree, options: InfoOptions) -> str:
    """Return the candidates as `kata-analyze` prints them; see `lz_line`."""
    infos = _infos(tree, options, lambda share: f"{share:.6g}")
    if options.root_info and infos:
        win_rate = (1 + tree.root_value_to_play) / 2
        infos.append(f"rootInfo visits {tree.num_visits} winrate {win_rate:.6g}")
    return " ".join(infos)


def _infos(tree: Tree, options: InfoOptions, write: Callable[[float], str]) -> list[str]:
    return [
        f"info move {info.vertex} visits {info.num_visits} "
        f"winrate {write((1 + info.value_to_play) / 2)} "
        f"prior {write(info.prior)} order {info.order} pv {' '.join(info.line)}"
        for info in move_infos(tree, options.max_moves)
    ]
