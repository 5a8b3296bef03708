"""What a game ends in is a target only where it was played out; the course's `end` is not so."""

from collections.abc import Sequence

import numpy as np
import pytest

from golois import getBatch
from golois.data.dataset import Dataset
from golois.go.coords import BLACK, WHITE
from golois.records.packed_file import Record
from golois.records.packing import write_games
from tests.games import record_of

POINTS = (60, 300, 72, 288)


def game(
    played_out: bool, points: Sequence[int] = POINTS, colours: Sequence[int] = (BLACK, WHITE) * 2
) -> Record:
    return record_of(points, colours, played_out=played_out)


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


def test_area_counts_no_dame(packed):
    area = rows(packed).area.reshape(8, 361)
    assert np.flatnonzero(area[0] > 0).tolist() == [60, 72], "empty points reach both colours"
    assert np.flatnonzero(area[0] < 0).tolist() == [288, 300]
    assert not area[4:].any(), "not played out"


def test_area_is_of_the_side_to_move(tmp_path):
    """Black's wall on the third line keeps what is above it; below it White's stone looks on."""
    wall = [2 * 19 + column for column in range(19)]
    write_games([game(True, [*wall, 300], [BLACK] * 19 + [WHITE])], tmp_path / "wall.games")
    dataset = Dataset(tmp_path / "wall.games", validation_fraction=0)
    batch = dataset.rows(np.array([0, 19]), np.zeros(2))
    black = np.zeros((19, 19))
    black[:3] = 1
    black[divmod(300, 19)] = -1
    np.testing.assert_array_equal(batch.area, [black, -black])


def test_a_reply_is_the_opponents_and_on_the_board(packed, tmp_path):
    replies = rows(packed).reply[:4]
    assert [np.flatnonzero(reply).tolist() for reply in replies] == [[300], [72], [288], []]
    record = game(True, [60, 72, 300, 361], [BLACK, BLACK, WHITE, BLACK])
    write_games([record], tmp_path / "odd.games")
    dataset = Dataset(tmp_path / "odd.games", validation_fraction=0)
    replies = dataset.rows(np.arange(3), np.zeros(3)).reply
    assert [np.flatnonzero(reply).tolist() for reply in replies] == [[], [300], []]


def test_the_courses_end_shows_every_game(packed, monkeypatch):
    monkeypatch.chdir(packed.parent)
    shapes = ((19, 19, 31), (361,), (), (19, 19, 2), (19, 19, 1))
    x, policy, value, end, groups = (np.zeros((8, *shape), np.float32) for shape in shapes)
    getBatch(x, policy, value, end, groups, 0)
    np.testing.assert_array_equal(end.sum((1, 2)), [[2, 2]] * 8)
