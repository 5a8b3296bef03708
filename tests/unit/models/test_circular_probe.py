"""Rings around enemy stones, proved or in a race; marks of SGF files; errors on a marked group."""

import numpy as np
import pytest

from golois.go.board import Board
from golois.go.coords import BLACK, EMPTY, WHITE, gtp_to_point, opponent
from models.errors import EvaluationError
from models.evaluation.probes import races
from models.evaluation.probes.circular import (
    generated_rings,
    marked_mse,
    probe_circles,
    read_marked_sgf,
)
from models.evaluation.probes.races import NotRead, Ring, generated_races, is_saved
from models.evaluation.symmetric import Outputs

MARKED = "(;FF[4]GM[1]SZ[19]KM[6.5];B[aa];W[ba];B[dd]POS[aa]\n[dd]CO[{owner}])"


class Oracle:
    """A network that gives every point to whoever has the turn, by so much."""

    title = "oracle"

    def __init__(self, ownership: float | None):
        self.has_ownership = ownership is not None
        self._ownership = ownership

    def predict(self, planes: np.ndarray) -> Outputs:
        ownership = np.full((len(planes), 361), self._ownership, np.float32)
        return Outputs(np.zeros((len(planes), 361)), np.zeros(len(planes)), ownership)


@pytest.fixture(scope="module")
def rings():
    return list(generated_rings(24, seed=0))


def test_the_error_is_of_the_marked_points_alone():
    ownership = np.zeros(361)
    ownership[[3, 4, 5]] = 1.0, -1.0, 0.5
    points = np.array([3, 4, 5])
    assert marked_mse(ownership, points, BLACK) == pytest.approx((0 + 4 + 0.25) / 3)
    assert marked_mse(ownership, points, WHITE) == pytest.approx((4 + 0 + 2.25) / 3)
    assert marked_mse(-np.ones(361), points, BLACK) == 4
    assert marked_mse(-np.ones(361), points, WHITE) == 0


def assert_encircles(ring: Ring) -> None:
    """The ring is a rectangle of one colour with enemy stones inside."""
    stones = ring.board.stones()
    (colour,) = set(stones.flat[ring.points].tolist())
    rows, columns = ring.points // 19, ring.points % 19
    inside = stones[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    assert (inside[1:-1, 1:-1] == opponent(colour)).any()
    sides = (inside[0], inside[-1], inside[:, 0], inside[:, -1])
    assert all((side == colour).all() for side in sides)
    assert ring.board.is_consistent()


def test_every_ring_is_one_chain_around_enemy_stones_whose_fate_is_proved(rings):
    for ring in rings:
        assert_encircles(ring)
        assert (ring.board.settled().flat[ring.points] == ring.owner).all()


def test_rings_are_different_and_of_all_kinds(rings):
    assert len({ring.board.key for ring in rings}) == len(rings) == 24
    kinds = [(ring.board.stones().flat[ring.points[0]], ring.owner) for ring in rings]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        (colour, owner): 6 for colour in (BLACK, WHITE) for owner in (BLACK, WHITE)
    }
    again = next(generated_rings(1, seed=0))
    assert again.board.key == rings[0].board.key
    assert next(generated_rings(1, seed=1)).board.key != rings[0].board.key


@pytest.mark.parametrize(("owner", "colour"), [("B", BLACK), ("W", WHITE)])
def test_marks_of_a_file_are_read(tmp_path, owner, colour):
    path = tmp_path / "ring.sgf"
    path.write_text(MARKED.format(owner=owner))
    position = read_marked_sgf(path)
    assert position.points.tolist() == [0, gtp_to_point("D16")]
    assert (position.owner, position.komi, position.name) == (colour, 6.5, "ring.sgf")
    assert position.board.to_play == WHITE


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (MARKED.format(owner="X"), "CO[B] or CO[W]"),
        ("(;FF[4]GM[1]SZ[19];B[aa]CO[B])", "it has 0 points"),
        ("(;FF[4]GM[1]SZ[19];B[aa]POS[zz]CO[B])", "is not an SGF point"),
        ("(;FF[4]GM[1]SZ[19];B[aa]POS[tt]CO[B])", "has a pass"),
        ("(;FF[4]GM[1]SZ[9];B[aa]POS[aa]CO[B])", "19"),
        ("POS[aa]CO[B]", "ring.sgf: there is no game tree of SGF"),
    ],
)
def test_other_files_are_refused(tmp_path, text, words):
    path = tmp_path / "ring.sgf"
    path.write_text(text)
    with pytest.raises(EvaluationError) as error:
        read_marked_sgf(path)
    assert words in str(error.value)


def test_ownership_is_turned_to_blacks_side(rings):
    for ring, row in zip(rings, probe_circles(Oracle(0.5), rings), strict=True):
        assert row["mean"] == (0.5 if ring.board.to_play == BLACK else -0.5)
        assert row["mse"] == (0.25 if ring.board.to_play == ring.owner else 2.25)
    with pytest.raises(EvaluationError, match="has no output named ownership"):
        probe_circles(Oracle(None), [])


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


@pytest.mark.slow
def test_every_race_is_one_chain_around_enemy_stones_that_no_rule_settles(drawn):
    for ring in drawn:
        assert_encircles(ring)
        assert (ring.board.settled().flat[ring.points] == EMPTY).all()


@pytest.mark.slow
def test_the_turn_decides_half_of_them(drawn, monkeypatch):
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
    monkeypatch.setattr(races, "is_saved", lambda ring, mover: False)  # a drawing read by nobody
    first, again, other = (next(generated_races(1, seed)).board.key for seed in (0, 0, 1))
    assert first == again != other


def test_what_cannot_be_read_out_is_not_marked(monkeypatch):
    monkeypatch.setattr(races, "MAX_BOARDS", 1)
    with pytest.raises(NotRead):
        is_saved(ring_of(SEKI), WHITE)
