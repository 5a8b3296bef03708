"""Ownership is a target only of games that were played out; the course's `end` is of every game."""

import numpy as np
import pytest

from golois import getBatch
from golois.coords import BLACK, WHITE
from golois.dataset import Dataset
from golois.packing import write_games
from golois.records import Record

POINTS = np.array([60, 300, 72, 288], np.uint16)


def game(played_out: bool) -> Record:
    return Record(
        komi=7.5,
        rules="",
        result="B+R",
        points=POINTS,
        colours=np.array([BLACK, WHITE] * 2, np.uint8),
        values=np.full(len(POINTS), np.nan, np.float32),
        source="",
        played_out=played_out,
    )


@pytest.fixture
def packed(tmp_path):
    """Positions 0 … 3 are of a game that was played out, 4 … 7 of the same one that was not."""
    write_games([game(True), game(False)], tmp_path / "games.data")
    return tmp_path / "games.data"


def rows(packed, **options):
    dataset = Dataset(packed, validation_fraction=0, **options)
    return dataset.rows(np.arange(8), np.zeros(8))


def test_games_not_played_out_are_masked(packed):
    batch = rows(packed)
    np.testing.assert_array_equal(batch.ownership_known, [1, 1, 1, 1, 0, 0, 0, 0])
    assert batch.ownership_known.dtype == np.float32
    np.testing.assert_array_equal(batch.ownership.sum((1, 2)), [[2, 2]] * 4 + [[0, 0]] * 4)


def test_all_ownership_shows_the_last_stones_and_keeps_the_mask(packed):
    batch = rows(packed, all_ownership=True)
    np.testing.assert_array_equal(batch.ownership_known, [1, 1, 1, 1, 0, 0, 0, 0])
    np.testing.assert_array_equal(batch.ownership[4:], batch.ownership[:4])
    black, white = batch.ownership[0].reshape(361, 2).T
    assert np.flatnonzero(black).tolist() == [60, 72] and set(np.flatnonzero(white)) == {288, 300}


def test_the_courses_end_shows_every_game(packed, monkeypatch):
    monkeypatch.chdir(packed.parent)
    shapes = ((19, 19, 31), (361,), (), (19, 19, 2), (19, 19, 1))
    x, policy, value, end, groups = (np.zeros((8, *shape), np.float32) for shape in shapes)
    getBatch(x, policy, value, end, groups, 0)
    np.testing.assert_array_equal(end.sum((1, 2)), [[2, 2]] * 8)
