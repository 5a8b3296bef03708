"""Planes of other sets, against the rules played slowly."""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from golois.data.batch import unpack_planes
from golois.data.dataset import Dataset
from golois.data.mixture import Mixture
from golois.errors import ArgumentError
from golois.go.board import Board
from golois.planes.derived import FEATURE_SETS, derived_planes, num_planes
from tests.data import EMBEDDED_GAMES
from tests.random_games import fighting_game
from tests.reference_board import BLACK, EMPTY, WHITE, ReferenceBoard, chain_at, opponent

NUM_POINTS = 361
KOMI = 7.5


def slow_planes(board: ReferenceBoard, name: str) -> np.ndarray:
    """A set's planes of a game in progress, `[19, 19, planes]`, by the rules."""
    return np.stack([plane.reshape(19, 19) for plane in SLOW[name](board)], axis=-1)


@cache
def reasons_of(board: ReferenceBoard) -> list[str | None]:
    """Why each point can't be played, if it can't; boards that are kept here change no more."""
    return [board.why_illegal(point) for point in range(NUM_POINTS)]


def vit(board: ReferenceBoard) -> list[np.ndarray]:
    stones = np.array(board.stones)
    forbidden = [reason in ("occupied", "suicide", "ko") for reason in reasons_of(board)]
    recent = np.zeros((4, NUM_POINTS + 1))
    for age, (_, point) in enumerate(board.moves[:-5:-1]):
        recent[age, point] = 1
    turn = np.full(NUM_POINTS, board.to_play == BLACK)
    ones = np.ones(NUM_POINTS)
    return [stones == BLACK, stones == WHITE, np.array(forbidden), turn, ones, stones == EMPTY,
            *recent[:, :NUM_POINTS]]  # fmt: skip


def two_headed(board: ReferenceBoard) -> list[np.ndarray]:
    black, white, invalid, turn, *others = vit(board)
    return [turn, black, white, invalid, *others]


def liberties(board: ReferenceBoard) -> list[np.ndarray]:
    """The last four planes of "liberties"."""
    planes = np.zeros((4, NUM_POINTS))
    for point, colour in enumerate(board.stones):
        if colour != EMPTY:
            chain = chain_at(board.stones, 19, point)
            if len(chain.liberties) <= 2:
                plane = 2 * (colour != board.to_play) + len(chain.liberties) - 1
                planes[plane, list(chain.liberties)] = 1
    return list(planes)


SLOW = {"vit": vit, "two_headed": two_headed, "liberties": liberties}


def positions() -> list[tuple[ReferenceBoard, np.ndarray]]:
    """Some 100 positions of fights and of kos, with passes and moves out of turn, and their 31
    planes."""
    found = []
    rng = np.random.default_rng(0)
    for seed in range(6):
        slow, fast = ReferenceBoard(), Board()
        moves = ko_fight(rng) if seed % 2 else fighting_game(seed, 120)
        for number, (colour, point) in enumerate(moves):
            if rng.integers(0, 20) == 0 and seed % 2 == 0:
                point = slow.pass_point
            elif rng.integers(0, 40) == 0:
                colour = opponent(colour)
            if slow.why_illegal(point, colour):
                continue
            slow.play(point, colour)
            fast.play(point, colour)
            if number > 1 and (number % 5 == 0 or slow.ko_point is not None):
                found.append((slow_copy(slow), fast.planes(KOMI)))
    return found


def ko_fight(rng) -> Iterator[tuple[int, int]]:
    """A ko taken back and forth, at each place and at the edge, with moves far away between."""
    for row in (1, 5, 9):
        column = int(rng.integers(0, 14))
        around = [(-1, 0), (1, 0), (0, -1)]
        for down, right in around:
            if column + right >= 0:
                yield BLACK, 19 * (row + down) + column + right
            yield WHITE, 19 * (row + down) + column + 1 - right
        for number in range(6):
            colour, taken = (WHITE, BLACK)[number % 2], number % 2
            yield colour, 19 * row + column + taken
            yield opponent(colour), int(rng.integers(19 * 13, NUM_POINTS + 1))
            yield colour, int(rng.integers(19 * 13, NUM_POINTS))


def slow_copy(board: ReferenceBoard) -> ReferenceBoard:
    copy = ReferenceBoard()
    copy.__dict__ |= {**vars(board), "moves": list(board.moves), "history": list(board.history)}
    return copy


@pytest.fixture(scope="module")
def shown() -> list[tuple[ReferenceBoard, np.ndarray]]:
    return positions()


@pytest.mark.slow
def test_the_positions_are_of_every_kind(shown):
    """Ko, suicide and passes occur, so that the comparison below means something."""
    reasons = [set(reasons_of(board)) for board, _ in shown]
    assert len(shown) >= 100
    assert sum("ko" in found for found in reasons) >= 5
    assert sum("suicide" in found for found in reasons) >= 5
    assert sum(any(p == NUM_POINTS for _, p in board.moves[-4:]) for board, _ in shown) >= 5
    assert sum(board.to_play == opponent(board.moves[-2][0]) for board, _ in shown[1:]) >= 5


@pytest.mark.parametrize("name", SLOW)
def test_planes_are_those_of_the_rules(name, shown):
    planes = derived_planes(np.stack([planes for _, planes in shown]), name)
    assert planes.dtype == np.uint8 and planes.shape[-1] == num_planes(name)
    for (board, _), found in zip(shown, planes, strict=True):
        expected = slow_planes(board, name)
        np.testing.assert_array_equal(found[..., -expected.shape[-1] :], expected)


def test_liberties_come_behind_the_course_planes(shown):
    course = np.stack([planes for _, planes in shown[:5]])
    np.testing.assert_array_equal(derived_planes(course, "liberties")[..., :31], course)
    np.testing.assert_array_equal(derived_planes(course, "course"), course)


def test_the_first_position_of_a_game():
    planes = derived_planes(Board().planes(KOMI)[None], "vit")[0]
    assert planes.sum(axis=(0, 1)).tolist() == [0, 0, 0, 361, 361, 361, 0, 0, 0, 0]


@pytest.mark.parametrize("planes", ["float32", "uint8", "bits"])
def test_a_dataset_shows_a_set_in_every_format(planes):
    course = Dataset(EMBEDDED_GAMES, seed=3, planes="uint8").sample(8, 2)
    batch = Dataset(EMBEDDED_GAMES, seed=3, planes=planes, features="vit").sample(8, 2)
    found = unpack_planes(batch.planes, 10) if planes == "bits" else batch.planes
    np.testing.assert_array_equal(found, derived_planes(course.planes, "vit"))
    np.testing.assert_array_equal(batch.policy, course.policy)


def test_what_does_not_fit_is_said():
    with pytest.raises(ArgumentError, match="must be one of course, zero, vit, .*, not 'nature'"):
        Dataset(EMBEDDED_GAMES, features="nature")
    with pytest.raises(ArgumentError, match=r"expected planes \[B, 19, 19, 31\]: got"):
        derived_planes(np.zeros((1, 19, 19, 30)), "vit")
    both = [(Dataset(EMBEDDED_GAMES, features=name), 1.0) for name in ("vit", "course")]
    with pytest.raises(ArgumentError, match="need the same set of features, not course, vit"):
        Mixture(both)
    assert {name: num_planes(name) for name in FEATURE_SETS} == {
        "course": 31, "vit": 10, "two_headed": 10, "liberties": 35
    }  # fmt: skip
