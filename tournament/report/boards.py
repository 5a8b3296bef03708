"""The boards that a site shows of games, kept in a file so that no later build draws them again."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from golois.errors import GoloisError
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE, point_to_gtp
from golois.sgf.reading import read_sgf


class Drawn(NamedTuple):
    """A board after a move.

    move: as GTP writes it, such as `Q16`.
    black, white: the stones as the path of an SVG, one unit a point, the top left one at (1, 1).
    last: column and row of the move on the same scale; None for a pass.
    """

    move: str
    black: str
    white: str
    last: tuple[int, int] | None


class Boards:
    """Draws boards, unless the file at `path` keeps them with the same stamp.

    Args:
        sgf: gives a game by its id.
        path: None: nothing is kept.
        stamp: what a board depends on besides the game.
    """

    def __init__(
        self, sgf: Callable[[str], str], path: Path | None = None, stamp: str = ""
    ) -> None:
        self._sgf, self._stamp = sgf, stamp
        self._kept: dict[str, list] = {}
        self._shown: dict[str, Drawn | None] = {}
        with suppress(OSError, ValueError, TypeError):  # missing, or damaged
            kept_with, kept = json.loads(path.read_bytes()) if path else ("", {})
            self._kept = kept if kept_with == stamp else {}

    def after(self, game_id: str, ply: int) -> Drawn | None:
        """Return the board after a move; None if somebody has changed the game's file."""
        key = f"{game_id} {ply}"
        if key not in self._shown:
            kept = self._kept.get(key)
            drawn = Drawn(*kept) if kept else _drawn(self._sgf(game_id), ply)
            self._shown[key] = drawn
        return self._shown[key]

    def content(self) -> bytes:
        """Return what the file keeps: the boards that this build has shown."""
        shown = {key: drawn for key, drawn in self._shown.items() if drawn is not None}
        return json.dumps([self._stamp, shown]).encode()


def _drawn(sgf: str, ply: int) -> Drawn | None:
    try:
        read = read_sgf(sgf.encode())
        _, point = read.moves[ply - 1]
        board = read.replay(ply)
    except (GoloisError, IndexError):
        return None
    row, column = divmod(point, board.size)
    last = None if point == board.pass_point else (column + 1, row + 1)
    return Drawn(point_to_gtp(point), _path(board, BLACK), _path(board, WHITE), last)


def _path(board: Board, colour: int) -> str:
    rows, columns = (board.stones() == colour).nonzero()
    places = zip(rows.tolist(), columns.tolist(), strict=True)
    return "".join(f"M{column + 1} {row + 1}h0" for row, column in places)
