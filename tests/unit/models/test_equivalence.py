"""Equiv(y), the stabilisers it comes from, and the accuracy that counts equivalent moves as one."""

import numpy as np
import pytest

from golois.constants import BOARD_SIZE, NUM_POINTS
from golois.data.dataset import Dataset
from golois.go.board import Board
from golois.go.coords import gtp_to_point
from golois.go.symmetry import point_table
from models.evaluation.equivalence import (
    collapsed_ranks,
    extended_ranks,
    input_images,
    ko_points,
    rule_images,
    stabilisers,
)
from models.evaluation.metrics import ranks
from tests.data import EMBEDDED_GAMES
from tests.diagrams import board_after, moves_of
from tests.reference_planes import transform

# White has just taken E4, where Black may not play; the same on the right; the same on the axis.
KO = "B D5, W E5, B C4, W F4, B D3, W E3, B E4, W D4"
KO_ON_THE_RIGHT = "B Q5, W P5, B R4, W O4, B Q3, W P3, B P4, W Q4"
KO_ON_THE_AXIS = "B J4, W J5, B L4, W L5, B K3, W K6, B K5, W K4"


def planes_after(*moves: str) -> np.ndarray:
    boards = [board_after(moves_of(text, BOARD_SIZE) if text else ()) for text in moves]
    return np.stack([board.planes(7.5) for board in boards]).astype(np.uint8)


def equivalent_moves(move: int, stabiliser: np.ndarray) -> set[int]:
    """Equiv(y): the images of a point under a stabiliser."""
    return set(point_table()[stabiliser, move].tolist())


def stabiliser_of(moves: str, *, strict: bool = False) -> np.ndarray:
    planes = planes_after(moves)
    return stabilisers(input_images(planes) if strict else rule_images(planes))[0]


@pytest.fixture(scope="module")
def early():
    """Held-out positions of the first moves, as planes and moves."""
    dataset = Dataset(EMBEDDED_GAMES, planes="uint8", threads=1)
    positions = np.arange(dataset.num_positions("validation"))
    positions = positions[dataset.origins(positions, "validation")[1] < 6]
    batch = dataset.rows(positions, np.zeros(len(positions), np.uint8), "validation", ["policy"])
    return batch.planes, batch.policy.argmax(axis=1)


def test_the_empty_board_has_55_different_moves():
    stabiliser = stabiliser_of("")
    assert stabiliser.all()
    orbits = {frozenset(equivalent_moves(move, stabiliser)) for move in range(NUM_POINTS)}
    sizes = [len(orbit) for orbit in orbits]
    assert len(orbits) == 55
    assert {size: size * sizes.count(size) for size in sizes} == {8: 288, 4: 72, 1: 1}


def test_one_stone_on_a_diagonal_leaves_one_mirror():
    """And colours are not swapped."""
    stabiliser = stabiliser_of("B D16")
    assert stabiliser.sum() == 2
    mirrored = {gtp_to_point("Q16"), gtp_to_point("D4")}
    assert equivalent_moves(gtp_to_point("Q16"), stabiliser) == mirrored
    assert stabiliser_of("B D16, W Q4").sum() == 2  # both on one diagonal
    assert stabiliser_of("B D16, W Q16").sum() == 1
    assert stabiliser_of("B D16, B Q16").sum() == 2


def test_the_stabilisers_are_those_found_point_by_point(early):
    planes, _ = early
    found = stabilisers(rule_images(planes))
    for image, stabiliser in zip(planes[::8], found[::8], strict=True):
        own, other = image[..., 11].ravel(), image[..., 12].ravel()
        brute = [
            all(
                (own[p], other[p]) == (own[transform(p, s)], other[transform(p, s)])
                for p in range(NUM_POINTS)
            )
            for s in range(8)
        ]
        assert brute == stabiliser.tolist()
    assert set(found[::8].sum(axis=1)) == {1, 2, 8}


def test_ko_ends_a_symmetry_that_the_stones_have():
    planes = planes_after(f"{KO_ON_THE_RIGHT}, {KO}", KO_ON_THE_AXIS)
    found = rule_images(planes)
    assert stabilisers(found & 3).sum(axis=1).tolist() == [2, 2]
    assert stabilisers(found).sum(axis=1).tolist() == [1, 2]
    forbidden = [np.flatnonzero(points).tolist() for points in ko_points(planes)]
    assert forbidden == [[gtp_to_point("E4")], [gtp_to_point("K5")]]


def test_ko_points_are_the_boards_own():
    dataset = Dataset(EMBEDDED_GAMES, threads=1)
    checked = 0
    for game in range(3):
        record, board = dataset.file[game], Board()
        boards, expected = [], []
        for point, colour in zip(record.points.tolist(), record.colours.tolist(), strict=True):
            boards.append(board.planes(7.5))
            expected.append(board.ko_point)
            board.play(point, colour)
        found = ko_points(np.stack(boards).astype(np.uint8)).reshape(-1, NUM_POINTS)
        assert [int(row.argmax()) if row.any() else None for row in found] == expected
        checked += sum(point is not None for point in expected)
    assert checked > 0


def test_strict_equivalence_is_within_that_of_the_rules(early):
    planes, _ = early
    by_rules, by_input = (stabilisers(images(planes)) for images in (rule_images, input_images))
    assert (by_input <= by_rules).all()
    assert by_input.sum() < by_rules.sum()
    moves = "B D16, W D4, B Q16, W Q4"  # the stones have a mirror, the order they came in has none
    assert stabiliser_of(moves).sum() == 2
    assert stabiliser_of(moves, strict=True).sum() == 1


def test_extended_accuracy_is_plain_or_better_and_plain_without_symmetry(early):
    planes, moves = early
    stabiliser = stabilisers(rule_images(planes))
    trivial = stabiliser.sum(axis=1) == 1
    rng = np.random.default_rng(0)
    for first in range(0, len(moves), 64):
        rows = slice(first, first + 64)
        policy = rng.random((len(moves[rows]), NUM_POINTS), np.float32)
        plain = ranks(policy, moves[rows])
        extended = extended_ranks(policy, moves[rows], stabiliser[rows])
        collapsed = collapsed_ranks(policy, moves[rows], stabiliser[rows])
        assert (extended <= plain).all()
        assert (extended == plain)[trivial[rows]].all()
        assert (collapsed == plain)[trivial[rows]].all()
    assert 0 < trivial.sum() < len(trivial)


def test_an_equivalent_move_counts_and_orbits_add_up():
    stabiliser = stabiliser_of("B D16")[None]
    policy = np.zeros((1, NUM_POINTS), np.float32)
    policy[0, [gtp_to_point(name) for name in ("Q16", "D4", "K10")]] = 0.25, 0.3, 0.45
    move = np.array([gtp_to_point("Q16")])
    assert ranks(policy, move) == [2]
    assert extended_ranks(policy, move, stabiliser) == [1]  # D4 is behind K10 alone
    assert collapsed_ranks(policy, move, stabiliser) == [0]  # 0.55 in all
    alike = np.full((3, NUM_POINTS), 1 / NUM_POINTS, np.float32)  # the lowest point comes first
    assert ranks(alike, np.array([0, 1, 360])).tolist() == [0, 1, 360]
