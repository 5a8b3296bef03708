"""Rings around enemy stones, the marks of SGF files, and the error on a marked group."""

import numpy as np
import pytest

from golois.go.coords import BLACK, WHITE, gtp_to_point, opponent
from models.errors import EvaluationError
from models.evaluation.probes.circular import (
    generated_rings,
    marked_mse,
    probe_circles,
    read_marked_sgf,
)
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


def test_every_ring_is_one_chain_around_enemy_stones(rings):
    for ring in rings:
        stones = ring.board.stones()
        (colour,) = set(stones.flat[ring.points])
        rows, columns = ring.points // 19, ring.points % 19
        inside = stones[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
        assert (inside == opponent(colour)).any()
        sides = (inside[0], inside[-1], inside[:, 0], inside[:, -1])
        assert all((side == colour).all() for side in sides)
        assert ring.board.is_consistent()


def test_the_fate_of_every_ring_is_proved(rings):
    for ring in rings:
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


def test_a_network_without_ownership_is_told_so():
    with pytest.raises(EvaluationError, match="has no output named ownership"):
        probe_circles(Oracle(None), [])
