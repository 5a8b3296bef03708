"""What a request asks: a position of a game, and how long to think about it."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from golois.constants import NUM_POINTS, PASS
from golois.go.coords import BLACK, WHITE
from golois.sgf.reading import SgfGame
from tournament.errors import RequestError
from tournament.players.limits import MAX_VISITS, Limits

MAX_MOVES = 2_000
MAX_NAME = 200
MAX_SECONDS = 600
TEXTS = ("black", "white", "date", "result", "rules")


@dataclass(frozen=True)
class Asked:
    """A position after `ply` moves of a game, whose moves may be illegal; komi is for White."""

    game: SgfGame
    komi: float
    ply: int
    fields: Mapping[str, Any]

    def number(self, name: str, end: int) -> int:
        """Return a field's whole number, 0 … `end` − 1; raise RequestError for anything else."""
        return _whole(self.fields.get(name), name, end)

    def limits(self) -> Limits:
        """Return a limit by `seconds` or `visits`; raise RequestError unless one is in range."""
        seconds, visits = self.fields.get("seconds"), self.fields.get("visits")
        if (seconds is None) == (visits is None):
            raise RequestError("a search needs either seconds or visits")
        if seconds is not None:
            seconds = _number(seconds, "seconds")
            if not 0 < seconds <= MAX_SECONDS:
                raise RequestError(f"a move takes more than 0 and up to {MAX_SECONDS} seconds")
            return Limits(seconds=seconds)
        if _whole(visits, "visits", MAX_VISITS + 1) < 1:
            raise RequestError(f"a move takes 1 to {MAX_VISITS} visits")
        return Limits(visits=visits)


def read_asked(body: bytes) -> Asked:
    """Return what a request's JSON asks; raise RequestError if it is no JSON or lacks a game."""
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError) as error:  # also of UTF-8
        raise RequestError(f"the request is not JSON: {error}") from error
    if not isinstance(fields, dict) or not isinstance(fields.get("game"), dict):
        raise RequestError("the request has no game")
    game = fields["game"]
    komi = _number(game.get("komi"), "komi")
    if abs(komi) > NUM_POINTS:
        raise RequestError(f"komi must be from {-NUM_POINTS} to {NUM_POINTS}")
    set_up, moves = (_stones(game, name) for name in ("set_up", "moves"))
    if any(point == PASS for _, point in set_up):
        raise RequestError("set_up must not have passes")
    texts = {name: _text(game.get(name, ""), name) for name in TEXTS}
    to_play = None if game.get("to_play") is None else _colour(game["to_play"])
    ply = _whole(fields.get("ply"), "ply", len(moves) + 1)
    return Asked(SgfGame(komi, set_up, moves, to_play=to_play, **texts), komi, ply, fields)


def _stones(game: Mapping[str, Any], name: str) -> tuple[tuple[int, int], ...]:
    listed = game.get(name)
    if not isinstance(listed, list) or len(listed) > MAX_MOVES:
        raise RequestError(f"{name} must be a list of up to {MAX_MOVES} moves")
    for move in listed:
        if not isinstance(move, list) or len(move) != 2:
            raise RequestError(f"a move of {name} must be a colour and a point")
        _colour(move[0])
        _whole(move[1], "a point", PASS + 1)
    return tuple((colour, point) for colour, point in listed)


def _colour(value: Any) -> int:
    colour = _whole(value, "a colour", WHITE + 1)
    if colour < BLACK:
        raise RequestError(f"a colour must be {BLACK} (Black) or {WHITE} (White)")
    return colour


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or len(value) > MAX_NAME:
        raise RequestError(f"{name} must be text of up to {MAX_NAME} letters")
    return " ".join(value.split())


def _number(value: Any, name: str) -> float:
    # JSON has whole numbers that no float holds, and NaN.
    is_number = isinstance(value, int | float) and abs(value) <= sys.float_info.max
    if isinstance(value, bool) or not is_number:
        raise RequestError(f"{name} must be a number")
    return float(value)


def _whole(value: Any, name: str, end: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < end:
        raise RequestError(f"{name} must be a whole number from 0 to {end - 1}")
    return value
