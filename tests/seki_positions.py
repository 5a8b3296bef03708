"""Boards with a seki on which all else is settled: whoever fills a shared liberty loses a group.

Shapes at the edge and in the corner are drawn: X and O are in seki, `#` is Black's and `@` White's
living wall. The rest of a board is filled with both colours' living stones. Whole boards are two
chains whose only liberties are the two that they share.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from golois.go.board import Board
from golois.go.coords import BLACK, EMPTY, WHITE, opponent
from golois.go.symmetry import NUM_SYMMETRIES, transform_board

SYMBOLS = {".": EMPTY, "X": BLACK, "O": WHITE, "#": BLACK, "@": WHITE}

SHAPES = {
    "two shared liberties": """
        # O O . X X @
        # O O . X X @
        # # O O X X @
        # # # # @ @ @
        """,
    "two shared liberties apart": """
        # O O . X X @
        # O O O X X @
        # O . X X X @
        # O O X X X @
        # # # @ @ @ @
        """,
    "an eye each": """
        # O . O . X . X @
        # O O O X X X X @
        # # # # @ @ @ @ @
        """,
    "an eye of two points each": """
        # O . . O . X . . X @
        # O O O O X X X X X @
        # # # # # @ @ @ @ @ @
        """,
    "three stones inside": """
        # @ X . O O O . X @ @
        # @ X X X X X X X @ @
        # @ @ @ @ @ @ @ @ @ @
        """,
}
# Sizes, and shares of the board below a shape that are Black's.
SIZES = (7, 9, 11, 13, 19)
SHARES = (0.4, 0.5, 0.6)


@dataclass(frozen=True, eq=False)
class SekiPosition:
    """A board, uint8 [size, size], and its groups in seki, bool [size, size]."""

    name: str
    stones: np.ndarray
    in_seki: np.ndarray

    @property
    def size(self) -> int:
        """The board's side."""
        return len(self.stones)

    @property
    def shape(self) -> str:
        """The name without size and variation."""
        return self.name.split(",")[0].split(" on ")[0]

    def komi(self, to_play: int) -> float:
        """A komi with which a colour wins by half a point if the board stays as it is."""
        return self.board(to_play).score_black() + (-0.5 if to_play == BLACK else 0.5)

    def board(self, to_play: int) -> Board:
        """The board with its stones put down one by one; no order of them captures any."""
        board = Board(self.size)
        for point in np.flatnonzero(self.stones):
            board.play(int(point), int(self.stones.flat[point]))
        board.to_play = to_play
        return board

    def turned(self, symmetry: int) -> "SekiPosition":
        """The same as a symmetry shows it."""
        turn = [transform_board(array, symmetry) for array in (self.stones, self.in_seki)]
        return SekiPosition(self.name, *turn)

    def swapped(self) -> "SekiPosition":
        """The same with the colours swapped."""
        stones = np.where(self.stones == EMPTY, EMPTY, opponent(self.stones)).astype(np.uint8)
        return SekiPosition(f"{self.name}, swapped", stones, self.in_seki)


def seki_positions() -> list[SekiPosition]:
    """All of them, each in one symmetry and once more with the colours swapped."""
    positions = [*drawn_positions(), *whole_boards()]
    turned = [each.turned(i % NUM_SYMMETRIES) for i, each in enumerate(positions)]
    return [either for each in turned for either in (each, each.swapped())]


def drawn_positions() -> Iterator[SekiPosition]:
    """Each shape at the edge and in the corner of each board that has room for it."""
    for name, shape in SHAPES.items():
        rows = [line.split() for line in shape.strip().splitlines()]
        for size in SIZES:
            for place, first in (("edge", 0), ("corner", 1)):
                if len(rows[0]) - first > size or len(rows) + 3 > size:
                    continue
                for share in SHARES if size > SIZES[0] else SHARES[:1]:
                    drawn = [row[first:] for row in rows]
                    yield _filled(f"{name}, {place} of {size}×{size}, {share}", drawn, size, share)


def _filled(name: str, rows: list[list[str]], size: int, share: float) -> SekiPosition:
    """Puts rows at the top left and fills the rest; each colour gets two eyes far from there."""
    whole = [row + ["@"] * (size - len(row)) for row in rows]
    num_left = size - len(rows)
    num_black = round(share * size * num_left)
    number = np.arange(size * num_left).reshape(size, num_left).T  # column by column
    black = number < num_black
    stones = np.array([[SYMBOLS[symbol] for symbol in row] for row in whole], np.uint8)
    in_seki = np.zeros((size, size), bool)
    in_seki[: len(rows)] = np.isin(np.array(whole), ("X", "O"))
    stones = np.concatenate([stones, np.where(black, BLACK, WHITE).astype(np.uint8)])
    for row in (size - 1, size - 3):
        stones[row, [0, size - 1]] = EMPTY
    return SekiPosition(name, stones, in_seki)


def whole_boards() -> Iterator[SekiPosition]:
    """Boards that two chains fill but for two points, where both touch; a border for each seed."""
    for size in range(5, 10):
        for seed in range(12):
            rng = np.random.default_rng((size, seed))
            border = size // 2 + rng.integers(0, 2, size).cumsum() % 2
            stones = np.where(np.arange(size) < border[:, None], BLACK, WHITE).astype(np.uint8)
            for row in rng.choice(size, 2, replace=False):
                stones[row, border[row] - rng.integers(2)] = EMPTY
            yield SekiPosition(f"two chains on {size}×{size}, {seed}", stones, stones != EMPTY)
