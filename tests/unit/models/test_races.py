"""Rings in a race: known cases by hand, and what holds of every generated one."""

import numpy as np
import pytest

from golois.go.board import Board
from golois.go.coords import BLACK, EMPTY, WHITE, opponent
from models.evaluation.probes import races
from models.evaluation.probes.races import NotRead, Ring, generated_races, is_saved

# X is the ring, a is empty outside of it and b inside; all else is White's and lives.
ONE_LIBERTY = ("OOOOOOO", "OXXXXXO", "OXObOXO", "OXOOOXO", "OXXXXXO", "OOOOOOO")
ONE_OUTSIDE = ("OOaOOOO", *ONE_LIBERTY[1:])
# White fills a liberty inside, Black takes five stones, and White plays in their middle.
FIVE_INSIDE = ("OOaOOOO", "OXXXXXO", "OXbOOXO", "OXOObXO", "OXXXXXO", "OOOOOOO")
# The same with seven stones, in whose place Black lives: neither side may begin.
SEKI = ("OOaOOOOO", "OXXXXXXO", "OXbOOOXO", "OXOOObXO", "OXXXXXXO", "OOOOOOOO")


NUM_DRAWN = 8


def ring_of(drawing: tuple[str, ...]) -> Ring:
    """The ring of a drawing on White's board, which has two eyes in the corner."""
    letters = np.full((19, 19), "O")
    letters[0, [0, 2]] = "."
    letters[5 : 5 + len(drawing), 5 : 5 + len(drawing[0])] = [list(row) for row in drawing]
    board = Board()
    for colour, letter in ((BLACK, "X"), (WHITE, "O")):
        for point in np.flatnonzero(letters == letter).tolist():
            board.play(point, colour)
    assert board.num_moves == (board.stones() != EMPTY).sum()
    inside = np.zeros((19, 19), bool)
    inside[7:9, 7 : 3 + len(drawing[0])] = True
    return Ring(board, np.flatnonzero(letters == "X"), np.flatnonzero(inside | (letters == "a")))


@pytest.mark.parametrize(
    ("drawing", "by_owner", "by_enemy"),
    [
        (ONE_LIBERTY, True, False),
        (ONE_OUTSIDE, True, True),
        (FIVE_INSIDE, True, False),
        (SEKI, True, True),
    ],
)
def test_fates_by_hand(drawing, by_owner, by_enemy):
    ring = ring_of(drawing)
    assert is_saved(ring, BLACK) is by_owner
    assert is_saved(ring, WHITE) is by_enemy


@pytest.fixture(scope="module")
def drawn():
    return list(generated_races(NUM_DRAWN, seed=0))


def test_no_rule_settles_a_race(drawn):
    for ring in drawn:
        assert (ring.board.settled().flat[ring.points] == EMPTY).all()
        assert ring.board.is_consistent()


def test_every_race_is_one_chain_around_enemy_stones(drawn):
    for ring in drawn:
        stones = ring.board.stones()
        (colour,) = set(stones.flat[ring.points].tolist())
        rows, columns = ring.points // 19, ring.points % 19
        inside = stones[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
        assert (inside[1:-1, 1:-1] == opponent(colour)).any()
        assert all((side == colour).all() for side in (inside[0], inside[-1]))
        assert all((side == colour).all() for side in (inside[:, 0], inside[:, -1]))


def test_the_turn_decides_half_of_them(drawn):
    fates = []
    for ring in drawn:
        colour = int(ring.board.stones().flat[ring.points[0]])
        fates.append((ring.name.split(", ")[1], ring.board.to_play == colour, ring.owner == colour))
    assert {fate for fate in fates if fate[0] == "for the first to move"} == {
        ("for the first to move", True, True),
        ("for the first to move", False, False),
    }
    assert all(is_kept is (fate == "safe") for fate, _, is_kept in fates if fate[0] in "ts")
    assert len(fates) == len({ring.board.key for ring in drawn}) == NUM_DRAWN


def test_races_are_drawn_by_seed(drawn):
    assert next(generated_races(1, seed=0)).board.key == drawn[0].board.key
    assert next(generated_races(1, seed=1)).board.key != drawn[0].board.key


def test_what_cannot_be_read_out_is_not_marked(monkeypatch):
    monkeypatch.setattr(races, "MAX_BOARDS", 1)
    with pytest.raises(NotRead):
        is_saved(ring_of(SEKI), WHITE)
