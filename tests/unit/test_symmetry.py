"""The eight symmetries are the group of the square, and numbered as the course numbers them."""

from itertools import product

import numpy as np
import pytest

from golois.shapes import NUM_POINTS, PASS
from golois.symmetry import (
    INVERSE,
    NUM_SYMMETRIES,
    compose,
    point_table,
    transform_board,
    transform_point,
    transform_policy,
)
from tests import reference_planes

ALL = range(NUM_SYMMETRIES)


@pytest.mark.parametrize("symmetry", ALL)
def test_points_go_where_the_course_sends_them(symmetry):
    expected = [reference_planes.transform(point, symmetry) for point in range(NUM_POINTS)]
    assert point_table()[symmetry].tolist() == expected
    assert [transform_point(point, symmetry) for point in range(NUM_POINTS)] == expected


def test_where_the_second_point_of_the_top_row_goes():
    assert point_table()[:, 1].tolist() == [1, 343, 17, 359, 19, 323, 37, 341]


def test_they_differ_and_each_is_a_permutation():
    table = point_table()
    assert len({row.tobytes() for row in table}) == NUM_SYMMETRIES
    np.testing.assert_array_equal(np.sort(table, 1), np.tile(np.arange(NUM_POINTS), (8, 1)))


def test_the_table_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        point_table()[0, 0] = 1


def test_compose_and_inverse_are_those_of_a_group():
    table = point_table()
    for first, second in product(ALL, ALL):
        both = compose(first, second)
        np.testing.assert_array_equal(table[both], table[second][table[first]])
    for symmetry in ALL:
        assert compose(symmetry, INVERSE[symmetry]) == compose(INVERSE[symmetry], symmetry) == 0
        assert compose(0, symmetry) == compose(symmetry, 0) == symmetry


def test_a_pass_stays_a_pass():
    assert [transform_point(PASS, symmetry) for symmetry in ALL] == [PASS] * 8


@pytest.mark.parametrize("symmetry", ALL)
def test_boards_policies_and_points_move_together(symmetry):
    rng = np.random.default_rng(symmetry)
    board = rng.random((19, 19, 3), np.float32)
    moved = transform_board(board, symmetry)
    np.testing.assert_array_equal(moved, reference_planes.transformed(board, symmetry))
    np.testing.assert_array_equal(transform_board(moved, INVERSE[symmetry]), board)

    policies = rng.random((4, NUM_POINTS), np.float32)
    turned = transform_policy(policies, symmetry)
    assert turned[2, transform_point(77, symmetry)] == policies[2, 77]
    as_board = transform_board(policies[2].reshape(19, 19), symmetry)
    np.testing.assert_array_equal(turned[2], as_board.reshape(-1))
