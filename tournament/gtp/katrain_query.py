"""Questions in the JSON of KataGo's analysis engine, as KaTrain asks them.

Source: KataGo, docs/Analysis_Engine.md.
"""

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from golois.board import Board
from golois.coords import BLACK, WHITE, gtp_to_point, opponent
from golois.errors import ArgumentError, IllegalMoveError
from golois.shapes import BOARD_SIZE
from tournament.errors import TournamentError
from tournament.gtp.protocol import COLOURS
from tournament.gtp.thinking import MAX_VISITS

REPORTED_AS = {"BLACK": BLACK, "WHITE": WHITE, "SIDETOMOVE": None}
MOST_SHOWN = 60  # letters of a wrong value


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


def read_asked(line: str) -> dict[str, Any]:
    """Return the JSON object in a line.

    Raises:
        QueryError: there is none.
    """
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise QueryError(f"expected JSON: {error}") from error
    if not isinstance(asked, dict) or "id" not in asked:
        raise QueryError("expected a JSON object with an id")
    return asked


def read_queries(asked: dict[str, Any]) -> Iterator[Query]:
    """Return the positions that a query asks about, in its order.

    The rules are those of docs/rules.md, whatever it asks for; ownership is not known.

    Raises:
        QueryError: something is missing, of the wrong kind or not supported; the text names the
            field.
    """
    sizes = (_field(asked, "boardXSize"), _field(asked, "boardYSize"))
    if sizes != (BOARD_SIZE, BOARD_SIZE):
        raise _wrong(f"a board of {BOARD_SIZE}×{BOARD_SIZE} points", "×".join(map(_shown, sizes)))
    if asked.get("avoidMoves") or asked.get("allowMoves"):
        raise QueryError("avoidMoves and allowMoves are not supported")
    set_up = _moves(asked, "initialStones", [])
    moves = _moves(asked, "moves")
    first = _colour(asked.get("initialPlayer") or "b", "initialPlayer")
    settings = asked.get("overrideSettings", {})
    if not isinstance(settings, dict):
        raise _wrong("overrideSettings as a JSON object", settings)
    for turn in _turns(asked, len(moves)):
        yield Query(
            id=_id(asked),
            turn=turn,
            board=_board(set_up, moves, first, turn),
            komi=_komi(asked),
            max_visits=min(MAX_VISITS, max(1, _whole(asked, "maxVisits", 500))),
            max_seconds=_number(settings, "maxTime", math.inf),
            report_every=_number(asked, "reportDuringSearchEvery", math.inf),
            priority=_whole(asked, "priority", 0),
            reported_as=_reported_as(settings),
            includes_policy=_truth(asked, "includePolicy", False),
        )


def _field(fields: dict[str, Any], name: str, default: object = None) -> Any:
    """Return a field; without a default it must be there."""
    if name not in fields and default is None:
        raise QueryError(f"{name} is missing")
    return fields.get(name, default)


def _shown(value: object) -> str:
    is_json = not isinstance(value, str | float)
    text = json.dumps(value, ensure_ascii=False) if is_json else str(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def _wrong(expected: str, value: object) -> QueryError:
    return QueryError(f"expected {expected}: got {_shown(value)}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _number(fields: dict[str, Any], name: str, default: float | None = None) -> float:
    """Return a number, which may be infinite: JSON has whole numbers that no float holds."""
    value = _field(fields, name, default)
    if not _is_number(value):
        raise _wrong(f"a number as {name}", value)
    return float(value) if abs(value) <= sys.float_info.max else math.copysign(math.inf, value)


def _komi(asked: dict[str, Any]) -> float:
    value = _field(asked, "komi")
    if not _is_number(value) or abs(value) > sys.float_info.max:
        raise _wrong("a finite komi", value)
    return float(value)


def _whole(fields: dict[str, Any], name: str, default: int) -> int:
    value = _field(fields, name, default)
    if not _is_number(value) or value % 1:
        raise _wrong(f"a whole number as {name}", value)
    return int(value)


def _truth(fields: dict[str, Any], name: str, default: bool) -> bool:
    value = _field(fields, name, default)
    if not isinstance(value, bool):
        raise _wrong(f"true or false as {name}", value)
    return value


def _id(asked: dict[str, Any]) -> str:
    if not isinstance(asked["id"], str | int):
        raise _wrong("text as id", asked["id"])
    return str(asked["id"])


def _colour(value: object, name: str) -> int:
    colour = COLOURS.get(value.lower()) if isinstance(value, str) else None
    if colour is None:
        raise _wrong(f"B or W as a colour in {name}", value)
    return colour


def _moves(
    asked: dict[str, Any], name: str, default: list[Any] | None = None
) -> list[tuple[int, int]]:
    """Return colours and points."""
    listed = _field(asked, name, default)
    if not isinstance(listed, list):
        raise _wrong(f'{name} as a list such as [["B", "Q16"]]', listed)
    for move in listed:
        if not isinstance(move, list) or len(move) != 2 or not isinstance(move[1], str):
            raise _wrong(f'moves such as ["B", "Q16"] in {name}', move)
    try:
        return [(_colour(colour, name), gtp_to_point(vertex)) for colour, vertex in listed]
    except ArgumentError as error:
        raise QueryError(f"Illegal move: {error}") from error


def _turns(asked: dict[str, Any], num_moves: int) -> list[int]:
    turns = _field(asked, "analyzeTurns", [num_moves])
    if not isinstance(turns, list):
        raise _wrong("analyzeTurns as a list of whole numbers", turns)
    for turn in turns:
        if not isinstance(turn, int) or isinstance(turn, bool):
            raise _wrong("whole numbers in analyzeTurns", turn)
        if not 0 <= turn <= num_moves:
            raise _wrong(f"a turn from 0 to {num_moves}", turn)
    return turns


def _reported_as(settings: dict[str, Any]) -> int | None:
    name = "reportAnalysisWinratesAs"
    value = _field(settings, name, "BLACK")
    if not isinstance(value, str) or value.upper() not in REPORTED_AS:
        raise _wrong(f"{', '.join(REPORTED_AS)} as {name}", value)
    return REPORTED_AS[value.upper()]


def _board(
    set_up: list[tuple[int, int]], moves: list[tuple[int, int]], first: int, turn: int
) -> Board:
    board = Board()
    try:
        for colour, point in set_up + moves[:turn]:
            board.play(point, colour)
    except IllegalMoveError as error:
        raise QueryError(f"Illegal move: {error}") from error
    if turn < len(moves):
        board.to_play = moves[turn][0]
    else:
        board.to_play = opponent(moves[-1][0]) if moves else first
    return board
