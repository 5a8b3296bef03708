"""One game of SGF as its author wrote it: names, komi, set-up stones and moves."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from golois.constants import KOMI_UNKNOWN
from golois.errors import DataFormatError
from golois.go.board import Board
from golois.native import buffer, ffi, last_error, lib
from golois.sgf.text import to_utf8

TEXTS = ("black", "white", "date", "result", "rules")  # in the order of golois_sgf_text


@dataclass(frozen=True)
class SgfGame:
    """The main line of a game tree on 19×19 points; whether its moves are legal shows in `replay`.

    `komi` is points for White, None where the file names none. `set_up` and `moves` are (colour,
    point), 361 for a pass. Texts are the file's own words, or empty. `to_play` is whose turn it is
    after the last move, where the file says so (`PL`).
    """

    komi: float | None
    set_up: tuple[tuple[int, int], ...]
    moves: tuple[tuple[int, int], ...]
    black: str
    white: str
    date: str
    result: str
    rules: str
    to_play: int | None = None

    def replay(self, num_moves: int | None = None) -> Board:
        """The board after so many moves, all for None; IllegalMoveError: our rules forbid one."""
        board = Board()
        played = len(self.moves) if num_moves is None else num_moves
        for colour, point in (*self.set_up, *self.moves[:played]):
            board.play(point, colour)
        self._give_turn(board, played)
        return board

    def boards(self, first: int = 0) -> Iterator[Board]:
        """The board after `first` moves and each later move, always the same object to copy."""
        board = self.replay(first)
        yield board
        for number, (colour, point) in enumerate(self.moves[first:], start=first + 1):
            board.play(point, colour)
            self._give_turn(board, number)
            yield board

    def _give_turn(self, board: Board, played: int) -> None:
        """Let the mover of the next move play; the file may say who it is where there is none."""
        to_play = self.moves[played][0] if played < len(self.moves) else self.to_play
        if to_play is not None:
            board.to_play = to_play


def read_sgf(data: bytes) -> SgfGame:
    """The first game of an SGF file in any encoding; variations and markup are skipped.

    Raises DataFormatError: no game of Go on 19×19 points, a damaged game, or a board that is set up
    again or emptied after the first move. docs/maintainer/formats.md has the properties.
    """
    text = to_utf8(data)
    handle = lib.golois_sgf_read(ffi.from_buffer("uint8_t[]", text), len(text))
    if handle == ffi.NULL:
        raise DataFormatError(last_error())
    handle = ffi.gc(handle, lib.golois_sgf_destroy)
    set_up, moves = _moves(handle)
    quarters = lib.golois_sgf_komi_quarters(handle)
    texts = {name: _text(handle, index) for index, name in enumerate(TEXTS)}
    return SgfGame(
        komi=None if quarters == KOMI_UNKNOWN else quarters / 4,
        set_up=set_up,
        moves=moves,
        to_play=lib.golois_sgf_to_play(handle) or None,
        **texts,
    )


def _moves(handle) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    num_moves = lib.golois_sgf_num_moves(handle)
    points = np.empty(num_moves, np.uint16)
    colours, is_set_up = np.empty((2, num_moves), np.uint8)
    lib.golois_sgf_moves(
        handle,
        buffer(points, "uint16_t[]"),
        buffer(colours, "uint8_t[]"),
        buffer(is_set_up, "uint8_t[]"),
        num_moves,
    )
    num_set_up = int(is_set_up.sum())
    if is_set_up[num_set_up:].any():
        raise DataFormatError("set-up stones after the first move are not supported")
    moves = tuple(zip(colours.tolist(), points.tolist(), strict=True))
    return moves[:num_set_up], moves[num_set_up:]


def _text(handle, index: int) -> str:
    text = ffi.string(lib.golois_sgf_text(handle, index)).decode(errors="replace")
    return " ".join(text.split())
