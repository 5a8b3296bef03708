"""Writes openings with a circular pattern, for `selfplay.py attack`.

python -m data.make_circular_openings > data/circular_openings.txt
"""

import sys
from collections.abc import Iterator

import numpy as np

from golois.constants import BOARD_SIZE
from golois.go.board import Board
from golois.go.coords import BLACK, EMPTY, WHITE, point_to_gtp

COUNT = 24
INSIDE_SHARE, WALL_SHARE = 0.75, 0.6
FAR_STONES = 8
FEWEST_EXITS, MOST_EXITS = 3, 8
"""Liberties of the ring outside."""

HEADER = f"""\
# {COUNT} openings, one a line: moves on 19×19 as GTP points, Black first, and Black is to move.
# A black chain goes around white stones, and White has begun to go around it. Whether it lives is
# open: no stone of it, or within it, is settled (Board.settled). White is the attacker. They are
# for the question of ResTNet's table 7, whose own openings are games of the cyclic adversary.
# Written by python -m data.make_circular_openings."""


def openings() -> Iterator[list[int]]:
    """Draw openings without end."""
    rng = np.random.default_rng(0)
    while True:
        stones, is_ring = _drawn(rng)
        moves = _alternating(rng, stones)
        board = _played(moves)
        if board is not None and _is_open(board, is_ring):
            yield moves


def _drawn(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Stones, uint8 [19, 19], as many black as white ones; and which are the ring's."""
    height, width = rng.integers((3, 3), (6, 7))
    top, left = rng.integers((2, 2), (18 - height, 18 - width))
    stones = np.zeros((BOARD_SIZE, BOARD_SIZE), np.uint8)
    is_near = np.zeros_like(stones, bool)
    is_near[max(0, top - 4) : top + height + 4, max(0, left - 4) : left + width + 4] = True

    wall = stones[top - 2 : top + height + 2, left - 2 : left + width + 2]
    wall[...] = np.where(rng.random(wall.shape) < WALL_SHARE, WHITE, EMPTY)
    ring = stones[top - 1 : top + height + 1, left - 1 : left + width + 1]
    ring[...] = BLACK
    is_ring = stones == BLACK
    inside = stones[top : top + height, left : left + width]
    inside[...] = np.where(rng.random(inside.shape) < INSIDE_SHARE, WHITE, EMPTY)
    is_ring &= stones == BLACK

    counts = {colour: np.count_nonzero(stones == colour) for colour in (BLACK, WHITE)}
    far = rng.permutation(np.flatnonzero(~is_near)).tolist()
    for colour, count in counts.items():
        for _ in range(FAR_STONES + max(counts.values()) - count):
            stones.flat[far.pop()] = colour
    return stones, is_ring


def _alternating(rng: np.random.Generator, stones: np.ndarray) -> list[int]:
    """The stones as moves, Black first, otherwise in random order."""
    black, white = (rng.permutation(np.flatnonzero(stones == one)) for one in (BLACK, WHITE))
    return np.column_stack((black, white)).ravel().tolist()


def _played(moves: list[int]) -> Board | None:
    """The board after them; None where one is not legal or captures."""
    board = Board()
    for move in moves:
        if not board.is_legal(move):
            return None
        board.play_unchecked(move)
    return board if np.count_nonzero(board.stones()) == len(moves) else None


def _is_open(board: Board, is_ring: np.ndarray) -> bool:
    """Whether the ring and what it surrounds may live or die, and the ring can still get out."""
    rows, columns = np.nonzero(is_ring)
    is_within = np.zeros_like(is_ring)
    is_within[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1] = True
    around = np.pad(is_ring, 1)
    is_beside = around[:-2, 1:-1] | around[2:, 1:-1] | around[1:-1, :-2] | around[1:-1, 2:]
    exits = np.count_nonzero(is_beside & ~is_within & (board.stones() == EMPTY))
    is_settled = (board.settled() != EMPTY) & is_within
    return FEWEST_EXITS <= exits <= MOST_EXITS and not is_settled.any()


def main() -> int:
    """Prints the openings."""
    print(HEADER)
    for _, moves in zip(range(COUNT), openings(), strict=False):
        print(*map(point_to_gtp, moves))
    return 0


if __name__ == "__main__":
    sys.exit(main())
