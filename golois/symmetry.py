"""The eight symmetries of the board, for planes, policies and points together.

Symmetry s moves point (row, column) to, with n = 18:

| s | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
|---|---|---|---|---|---|---|---|---|
| | (r, c) | (n−r, c) | (r, n−c) | (n−r, n−c) | (c, r) | (n−c, r) | (c, n−r) | (n−c, n−r) |
"""

from functools import cache

import numpy as np

from golois.native import buffer, check, lib
from golois.shapes import NUM_POINTS

NUM_SYMMETRIES = 8
INVERSE = (0, 1, 2, 3, 4, 6, 5, 7)


@cache
def point_table() -> np.ndarray:
    """Where each symmetry moves each point: int16 [8, 361], read-only."""
    table = np.empty((NUM_SYMMETRIES, NUM_POINTS), np.int16)
    check(lib.golois_symmetry_table(buffer(table, "int16_t[]"), table.size))
    table.setflags(write=False)
    return table


def transform_board(array: np.ndarray, symmetry: int) -> np.ndarray:
    """A copy of a board-shaped array as the symmetry shows it.

    Args:
        array: [19, 19, …], such as planes or ownership of one position.
        symmetry: 0 … 7.
    """
    flat = array.reshape(NUM_POINTS, -1)
    moved = np.empty_like(flat)
    moved[point_table()[symmetry]] = flat
    return moved.reshape(array.shape)


def transform_point(point: int, symmetry: int) -> int:
    """Where the symmetry moves a point 0 … 360; a pass stays."""
    if point == NUM_POINTS:
        return point
    return int(point_table()[symmetry][point])
