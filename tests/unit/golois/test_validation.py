"""Which positions are held out for `getValidation`: how many games, and the same everywhere."""

import hashlib

import numpy as np
import pytest

from golois.course.validation import choose_positions, games_of, most_games
from golois.errors import ArgumentError
from golois.records.packed_file import GameFile
from tests.data import EMBEDDED_GAMES

NOTHING = np.empty(0, np.int64)


@pytest.fixture(scope="module")
def embedded() -> np.ndarray:
    return GameFile.open(EMBEDDED_GAMES).rows["num_positions"].astype(np.int64)


def digest(positions: np.ndarray) -> str:
    return hashlib.sha256(positions.astype("<i8").tobytes()).hexdigest()[:16]


@pytest.mark.parametrize(
    ("num_rows", "num_games", "words"),
    [
        (8, 8, "c81a6920d6a15701"),
        (512, 512, "dc6ad9f38b7e53c1"),
        (1624, 1624, "58e6dea0ae0a30f0"),
        (2029, 397, "1f4c1e8fa2481cc0"),
        (10_000, 405, "d7cc8587bbe5fb6c"),
        (100_000, 405, "6e46f969fdaa3748"),
    ],
)
def test_the_choice_out_of_the_embedded_games(embedded, num_rows, num_games, words):
    chosen = choose_positions(embedded, num_rows, NOTHING)
    assert len(np.unique(chosen)) == num_rows and chosen.max() < embedded.sum()
    assert len(games_of(embedded, chosen)) == num_games
    assert digest(chosen) == words


def test_no_more_than_a_fifth_of_the_games_gives_several_positions(embedded):
    assert most_games(embedded) == 1624 == len(embedded) - len(embedded) // 5
    for num_rows in (1625, 3000, 50_000):
        games = games_of(embedded, choose_positions(embedded, num_rows, NOTHING))
        assert len(games) <= len(embedded) // 5


@pytest.mark.parametrize(("fewer", "more"), [(8, 512), (2000, 10_000), (10_000, 100_000)])
def test_a_choice_of_fewer_begins_a_choice_of_more(embedded, fewer, more):
    kept = choose_positions(embedded, fewer, NOTHING)
    anew = choose_positions(embedded, more, NOTHING)
    np.testing.assert_array_equal(anew[:fewer], kept)
    np.testing.assert_array_equal(choose_positions(embedded, more, kept), anew)


def test_an_earlier_choice_stays_as_far_as_its_games_may_be_held_out(embedded):
    few, many = (choose_positions(embedded, size, NOTHING) for size in (100, 1000))
    of_few, of_many = (choose_positions(embedded, 5000, kept) for kept in (few, many))
    np.testing.assert_array_equal(of_few[:100], few)
    np.testing.assert_array_equal(of_many[:405], many[:405])
    for chosen in of_few, of_many:
        assert len(np.unique(chosen)) == 5000
        assert len(games_of(embedded, chosen)) <= 405


def test_a_choice_of_somebody_else_is_extended_by_other_games():
    num_positions = np.full(100, 10)
    kept = np.array([995, 5, 15])
    chosen = choose_positions(num_positions, 50, kept)
    np.testing.assert_array_equal(chosen[:3], kept)
    assert len(games_of(num_positions, chosen)) == 50


def test_games_without_positions_are_never_chosen():
    num_positions = np.tile([0, 7, 0, 0], 10)
    for num_rows in (8, 14):
        chosen = choose_positions(num_positions, num_rows, NOTHING)
        assert (num_positions[games_of(num_positions, chosen)] == 7).all()
        assert sorted(set(chosen)) == sorted(chosen)
    assert chosen.max() < 70


@pytest.mark.parametrize(("num_games", "most"), [(10, 14), (4, 3), (1, 0)])
def test_too_many_rows_are_refused(num_games, most):
    num_positions = np.full(num_games, 7)
    assert len(choose_positions(num_positions, most, NOTHING)) == most
    with pytest.raises(ArgumentError, match=f"expected at most {most} rows .* got {most + 1};"):
        choose_positions(num_positions, most + 1, NOTHING)
