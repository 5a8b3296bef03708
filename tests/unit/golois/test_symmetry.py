"""The eight symmetries are the group of the square, and numbered as the course numbers them."""

from itertools import product

import numpy as np
import pytest

from golois.constants import NUM_POINTS, PASS
from golois.go.symmetry import (
    INVERSE,
    NUM_SYMMETRIES,
    point_table,
    transform_board,
    transform_point,
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


def test_they_are_a_group_with_these_inverses():
    table = point_table()
    known = {row.tobytes() for row in table}
    for first, second in product(ALL, ALL):
        assert table[second][table[first]].tobytes() in known
    for symmetry in ALL:
        np.testing.assert_array_equal(
            table[INVERSE[symmetry]][table[symmetry]], np.arange(NUM_POINTS)
        )


def test_a_pass_stays_a_pass():
    assert [transform_point(PASS, symmetry) for symmetry in ALL] == [PASS] * 8


@pytest.mark.parametrize("symmetry", ALL)
def test_boards_and_points_move_together(symmetry):
    rng = np.random.default_rng(symmetry)
    board = rng.random((19, 19, 3), np.float32)
    moved = transform_board(board, symmetry)
    np.testing.assert_array_equal(moved, reference_planes.transformed(board, symmetry))
    np.testing.assert_array_equal(transform_board(moved, INVERSE[symmetry]), board)
    flat, turned = (array.reshape(NUM_POINTS, 3) for array in (board, moved))
    np.testing.assert_array_equal(turned[transform_point(77, symmetry)], flat[77])
