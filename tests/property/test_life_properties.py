"""The native core settles what the slow definition settles, on boards of every size."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golois.go.board import Board
from golois.go.coords import BLACK, WHITE
from tests.reference_board import neighbours
from tests.reference_life import settled_points


def game_without_filled_eyes(size: int, num_rounds: int, seed: int) -> Board:
    """A random game in which nobody plays between own stones, so that chains come to live."""
    board, rng = Board(size), random.Random(seed)
    points = list(range(size * size))
    for _ in range(num_rounds):
        rng.shuffle(points)
        for point in points:
            stones = board.stones().reshape(-1)
            own = all(stones[near] == board.to_play for near in neighbours(point, size))
            if not own and board.is_legal(point):
                board.play(point)
    return board


def check(board: Board) -> None:
    stones = tuple(board.stones().reshape(-1).tolist())
    expected = np.zeros(len(stones), np.uint8)
    for colour in (BLACK, WHITE):
        settled = sorted(settled_points(stones, board.size, colour))
        assert not expected[settled].any()
        expected[settled] = colour
    np.testing.assert_array_equal(board.settled().reshape(-1), expected)


SIZES, ROUNDS, SEEDS = st.integers(2, 19), st.integers(1, 6), st.integers(0, 10**6)


@settings(max_examples=50, deadline=None)
@given(SIZES, ROUNDS, SEEDS)
def test_settled_points(size, num_rounds, seed):
    check(game_without_filled_eyes(size, num_rounds, seed))


@pytest.mark.slow
@settings(max_examples=2000, deadline=None)
@given(SIZES, ROUNDS, SEEDS)
def test_settled_points_thoroughly(size, num_rounds, seed):
    check(game_without_filled_eyes(size, num_rounds, seed))
