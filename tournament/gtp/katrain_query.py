"""Questions in the JSON of KataGo's analysis engine, as KaTrain asks them.

Source: KataGo, docs/Analysis_Engine.md.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from golois.board import Board
from golois.coords import BLACK, WHITE, gtp_to_point, opponent
from golois.errors import GoloisError
from golois.shapes import BOARD_SIZE
from tournament.errors import TournamentError
from tournament.gtp.protocol import COLOURS
from tournament.gtp.thinking import MAX_VISITS

REPORTED_AS = {"BLACK": BLACK, "WHITE": WHITE, "SIDETOMOVE": None}


class QueryError(TournamentError):
    """A question that cannot be answered; the asker gets the text."""


@dataclass(frozen=True)
class Query:
    """One position to search.

    id: the asker's.
    turn: moves before the position.
    board: the position, with the turn given.
    komi: points for White.
    max_visits: of the search, at most MAX_VISITS.
    max_seconds: of wall time, infinite for no limit.
    report_every: wall seconds between answers while it runs; infinite for none.
    priority: the larger goes first.
    reported_as: whose chances are told, None for the side to move's.
    includes_policy: whether the policy is told as well.
    """

    id: str
    turn: int
    board: Board
    komi: float
    max_visits: int
    max_seconds: float
    report_every: float
    priority: int
    reported_as: int | None
    includes_policy: bool


def read_queries(asked: dict) -> Iterator[Query]:
    """Return the positions that a query asks about, in its order.

    The rules are those of docs/rules.md, whatever it asks for; ownership is not known.

    Raises:
        QueryError: something is missing, of the wrong kind or not supported.
    """
    try:
        yield from _queries(asked)
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, GoloisError):
            raise QueryError(f"Illegal move: {error}") from error
        raise QueryError(f"{type(error).__name__}: {error}") from error


def _queries(asked: dict) -> Iterator[Query]:
    if (asked["boardXSize"], asked["boardYSize"]) != (BOARD_SIZE, BOARD_SIZE):
        raise QueryError(f"expected a board of {BOARD_SIZE}×{BOARD_SIZE} points")
    if asked.get("avoidMoves") or asked.get("allowMoves"):
        raise QueryError("avoidMoves and allowMoves are not supported")
    komi = float(asked["komi"])
    if not math.isfinite(komi):
        raise QueryError(f"expected a finite komi: got {komi}")
    moves = [(COLOURS[colour.lower()], gtp_to_point(move)) for colour, move in asked["moves"]]
    settings = asked.get("overrideSettings", {})
    for turn in asked.get("analyzeTurns", [len(moves)]):
        yield Query(
            id=str(asked["id"]),
            turn=int(turn),
            board=_board(asked, moves, int(turn)),
            komi=komi,
            max_visits=min(MAX_VISITS, max(1, int(asked.get("maxVisits", 500)))),
            max_seconds=float(settings.get("maxTime", math.inf)),
            report_every=float(asked.get("reportDuringSearchEvery", math.inf)),
            priority=int(asked.get("priority", 0)),
            reported_as=REPORTED_AS[settings.get("reportAnalysisWinratesAs", "BLACK").upper()],
            includes_policy=bool(asked.get("includePolicy", False)),
        )


def _board(asked: dict, moves: list[tuple[int, int]], turn: int) -> Board:
    if not 0 <= turn <= len(moves):
        raise QueryError(f"expected a turn from 0 to {len(moves)}: got {turn}")
    board = Board()
    for colour, vertex in asked.get("initialStones", []):
        board.play(gtp_to_point(vertex), COLOURS[colour.lower()])
    for colour, point in moves[:turn]:
        board.play(point, colour)
    if turn < len(moves):
        board.to_play = moves[turn][0]
    elif moves:
        board.to_play = opponent(moves[-1][0])
    else:
        board.to_play = COLOURS[str(asked.get("initialPlayer") or "b").lower()]
    return board
