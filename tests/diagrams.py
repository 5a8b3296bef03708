"""Boards drawn in tests: `.` empty, `X` Black, `O` White, row 0 on top, spaces as one likes."""

from collections.abc import Iterable

import numpy as np

from golois.go.board import Board
from golois.go.coords import BLACK, WHITE, gtp_to_point

COLOURS = {".": 0, "X": BLACK, "O": WHITE}
LETTERS = {"B": BLACK, "W": WHITE}


def drawn(diagram: str) -> np.ndarray:
    """The stones of a diagram: uint8 [size, size]."""
    rows = [[COLOURS[symbol] for symbol in line.split()] for line in diagram.strip().splitlines()]
    return np.array(rows, np.uint8)


def side_by_side(diagrams: str) -> tuple[str, str]:
    """Two diagrams that are drawn beside each other, a `|` between them."""
    halves = [line.split("|") for line in diagrams.strip().splitlines()]
    return "\n".join(left for left, _ in halves), "\n".join(right for _, right in halves)


def set_up(diagram: str) -> Board:
    """A board with the drawn stones, put down one by one without a capture."""
    stones = drawn(diagram)
    board = Board(len(stones))
    for colour in (BLACK, WHITE):
        for point in np.flatnonzero(stones == colour):
            board.play(int(point), colour)
    return board


def board_after(moves: Iterable[tuple[int, int]]) -> Board:
    """The board of 19×19 after moves (colour, point)."""
    board = Board()
    for colour, point in moves:
        board.play(point, colour)
    return board


def moves_of(text: str, size: int) -> list[tuple[int, int]]:
    """Moves (colour, point) of a text such as `B C3, W pass`."""
    moves = []
    for move in text.split(","):
        colour, vertex = move.split()
        moves.append((LETTERS[colour], gtp_to_point(vertex, size)))
    return moves
