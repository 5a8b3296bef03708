"""Chains and neighbours, by the slow oracle and in words."""

import random

import pytest

from golois.go.chains import all_chains, chain_of, neighbours
from tests import reference_board as reference


def test_corners_sides_and_the_middle_have_two_to_four_neighbours():
    beside = neighbours(3)
    assert set(beside[0]) == {1, 3} and set(beside[8]) == {5, 7}
    assert set(beside[5]) == {2, 4, 8}
    assert set(beside[4]) == {1, 3, 5, 7}


def test_a_chain_is_found_from_any_of_its_stones():
    stones = [
        1, 1, 0,
        2, 1, 2,
        0, 0, 2,
    ]  # fmt: skip
    for stone in (0, 1, 4):
        assert chain_of(stones, stone) == ({0, 1, 4}, {2, 7})
    assert chain_of(stones, 3) == ({3}, {6})


@pytest.mark.parametrize("size", [1, 2, 5, 9, 19])
def test_all_chains_are_those_of_the_oracle(size):
    rng = random.Random(size)
    for _ in range(20):
        stones = rng.choices((0, 1, 2), k=size * size)
        expected = reference.all_chains(tuple(stones), size)
        assert list(all_chains(stones)) == [(c.points, c.liberties) for c in expected]
