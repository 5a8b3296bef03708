"""Unconditional life, drawn: what is settled, what only looks so, and how the score counts it."""

from dataclasses import dataclass
from itertools import islice

import numpy as np
import pytest

from golois.go.board import Board
from golois.go.coords import BLACK, EMPTY
from golois.records.packed_file import GameFile
from tests.data import EMBEDDED_GAMES
from tests.diagrams import drawn, set_up, side_by_side
from tests.reference_board import Stones, legal_positions
from tests.reference_life import attacks, capturable_points, living_stones, settled_points


@dataclass(frozen=True)
class Row:
    """A board beside the owners of its settled points, and Black's score without komi."""

    name: str
    boards: str
    score_black: int


ROWS = (
    Row(
        "three chains live by the two eyes that they share",
        """
        . X O . .  |  X X . . .
        X . X O .  |  X X X . .
        X X X O .  |  X X X . .
        O O O O .  |  . . . . .
        . . . . .  |  . . . . .
        """,
        8 - 17,
    ),
    Row(
        "the second eye is false",
        """
        . X X O .  |  . . . . .
        X O . O .  |  . . . . .
        X X X O .  |  . . . . .
        O O O O .  |  . . . . .
        . . . . .  |  . . . . .
        """,
        7 - 17,
    ),
    Row(
        "four points in a row become two eyes only by an answer",
        """
        . . . . X O  |  . . . . . .
        X X X X X O  |  . . . . . .
        O O O O O O  |  . . . . . .
        . . . . . .  |  . . . . . .
        . . . . . .  |  . . . . . .
        . . . . . .  |  . . . . . .
        """,
        10 - 26,
    ),
    Row(
        "the inner chains are in seki, the outer ones live",
        """
        . X O . X O .  |  X X . . . O O
        X X O . X O O  |  X X . . . O O
        . X O O X O .  |  X X . . . O O
        X X X X O O O  |  X X X X O O O
        O O O O O O O  |  O O O O O O O
        O . O O O . O  |  O O O O O O O
        O O O O O O O  |  O O O O O O O
        """,
        13 - 34,
    ),
    Row(
        "enemy stones in an eye are dead, those in the open are not",
        """
        . X . . O O X  |  X X X X X X X
        X X X X X X X  |  X X X X X X X
        . . . . X O O  |  X X X X X . .
        X X X X X O .  |  X X X X X . .
        O O O O O O O  |  . . . . . . .
        . . . . . . .  |  . . . . . . .
        . . . . . . .  |  . . . . . . .
        """,
        24 - 25,
    ),
    Row(
        "a room where one point touches no living stone has no place for two eyes",
        """
        O . X . X O  |  X X X X X O
        . . X X X O  |  X X X X X O
        X X X . X O  |  X X X X X O
        O O X X X O  |  O O X X X O
        . O O O O O  |  O O O O O O
        O . O . O O  |  O O O O O O
        """,
        18 - 18,
    ),
    Row(
        "in a larger room the opponent might live, or does",
        """
        . X . X . . .  |  X X X X . . .
        X X X X . . .  |  X X X X . . .
        X X X X . . .  |  X X X X . . .
        X X X X X X X  |  X X X X X X X
        . X O O O O O  |  X X O O O O O
        X X O . O . O  |  X X O O O O O
        . X O O O O O  |  X X O O O O O
        """,
        34 - 15,
    ),
    Row(
        "a room full of enemy stones can be an eye, and still nobody's",
        """
        O O . X .  |  . . . X X
        O O . X X  |  . . . X X
        . . . X .  |  . . . X X
        X X X X X  |  X X X X X
        . X . X .  |  X X X X X
        """,
        16 - 4,
    ),
    Row(
        "the board drawn in docs/teacher/rules.md",
        """
        . X . X O .  |  X X X X . .
        X X X X O .  |  X X X X . .
        . O X O O .  |  X X X . . .
        X X X O . .  |  X X X . . .
        O O O O . .  |  . . . . . .
        . . . . . .  |  . . . . . .
        """,
        14 - 22,
    ),
    Row(
        "an empty board, which no stone borders, is nobody's",
        """
        . . .  |  . . .
        . . .  |  . . .
        . . .  |  . . .
        """,
        0,
    ),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_is_settled_and_how_it_counts(row):
    stones, settled = side_by_side(row.boards)
    board = set_up(stones)
    np.testing.assert_array_equal(board.settled(), drawn(settled))
    assert board.score_black() == row.score_black


def settled_by_native(stones: Stones, size: int) -> set[int]:
    """Black's settled points as the core sees them."""
    board = Board(size)
    for point, colour in enumerate(stones):
        if colour != EMPTY:
            board.play_unchecked(point, colour)
    return set(np.flatnonzero(board.settled() == BLACK).tolist())


@pytest.mark.parametrize(
    ("step", "expected"), [(8, 106), pytest.param(1, 883, marks=pytest.mark.slow)]
)
def test_bensons_theorem_on_every_board_of_nine_points(step, expected):
    """A chain lives by the definition if and only if nobody can take it though it never answers."""
    num_living = 0
    for stones in islice(legal_positions(3), 0, None, step):
        own = {point for point, stone in enumerate(stones) if stone == BLACK}
        living = living_stones(stones, 3, BLACK)
        assert living == own - capturable_points(stones, 3, BLACK)
        assert settled_by_native(stones, 3) == settled_points(stones, 3, BLACK)
        num_living += bool(living)
    assert num_living == expected


def test_what_is_settled_stays_so_though_the_colour_never_answers():
    for stones in islice(legal_positions(3), 0, None, 4):
        settled = settled_points(stones, 3, BLACK)
        if settled:
            for after, _ in attacks(stones, 3, BLACK):
                assert settled <= settled_points(after, 3, BLACK)


def test_the_score_is_the_result_of_every_embedded_game():
    """KataGo took dead stones off by the same rule; without it 912 games come out right."""
    for record in GameFile.open(EMBEDDED_GAMES):
        board = Board()
        for point, colour in zip(record.points.tolist(), record.colours.tolist(), strict=True):
            board.play_unchecked(point, colour)
        lead_black = board.score_black() - record.komi
        assert f"{'B' if lead_black > 0 else 'W'}+{abs(lead_black):g}" == record.result
