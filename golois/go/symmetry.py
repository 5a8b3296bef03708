"""The eight symmetries of the board, for planes, policies and points together.

Symmetry s moves point (row, column) to, with n the last row and column, 18 on 19×19:

| s | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
|---|---|---|---|---|---|---|---|---|
| | (r, c) | (n−r, c) | (r, n−c) | (n−r, n−c) | (c, r) | (n−c, r) | (c, n−r) | (n−c, n−r) |
"""

from functools import cache

import numpy as np

from golois.constants import BOARD_SIZE, NUM_POINTS
from golois.errors import require_range
from golois.native import buffer, check, lib

NUM_SYMMETRIES = 8
HALF_TURN = 3
INVERSE = (0, 1, 2, 3, 4, 6, 5, 7)


@cache
def point_table(size: int = BOARD_SIZE) -> np.ndarray:
    """Where each symmetry moves each point: int16 [8, size²], read-only; size 2 … 19."""
    require_range("a board's size", size, 2, BOARD_SIZE)
    table = np.empty((NUM_SYMMETRIES, size * size), np.int16)
    check(lib.golois_symmetry_table(size, buffer(table, "int16_t[]"), table.size))
    table.setflags(write=False)
    return table


def transform_board(array: np.ndarray, symmetry: int) -> np.ndarray:
    """A copy of a board-shaped array [n, n, …], such as planes, as symmetry 0 … 7 shows it."""
    flat = array.reshape(len(array) ** 2, -1)
    moved = np.empty_like(flat)
    moved[point_table(len(array))[symmetry]] = flat
    return moved.reshape(array.shape)


def view(planes: np.ndarray, symmetry: int) -> np.ndarray:
    """Show positions `[B, n, n, …]` under a symmetry: a copy."""
    table = point_table(planes.shape[1])
    flat = planes.reshape(len(planes), table.shape[1], -1)
    return flat[:, table[INVERSE[symmetry]]].reshape(planes.shape)


def transform_point(point: int, symmetry: int) -> int:
    """Where the symmetry moves a point 0 … 360; a pass stays."""
    if point == NUM_POINTS:
        return point
    return int(point_table()[symmetry][point])
