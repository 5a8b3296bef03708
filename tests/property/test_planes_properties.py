"""The native planes equal the slow ones on positions of every kind, under every symmetry."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golois.data.dataset import Dataset
from golois.go.board import Board
from golois.go.symmetry import NUM_SYMMETRIES
from golois.records.packed_file import GameFile
from tests import reference_planes
from tests.data import EMBEDDED_GAMES
from tests.diagrams import board_after
from tests.random_games import chosen_move, fighting_game
from tests.reference_board import ReferenceBoard
from tests.reference_planes import GamePosition, transform, transformed

Moves = list[tuple[int, int]]
LADDER_PLANES = slice(1, 5)


def check_game(moves: Moves, every: int, komi: float = 7.5) -> None:
    """Compares the planes of every so many positions of a game."""
    board = Board()
    states = GamePosition.after(moves).states[::-1]
    for number, (colour, point) in enumerate(moves):
        board.play(point, colour)
        if number % every == 0:
            position = GamePosition(states[: number + 2][::-1], board.to_play)
            expected = reference_planes.planes(position, komi)
            differing = np.argwhere((board.planes(komi) != expected).any((0, 1)))
            assert differing.size == 0, f"planes {differing.ravel()} after move {number + 1}"


def embedded_game(index: int) -> Moves:
    record = GameFile.open(EMBEDDED_GAMES)[index]
    return list(zip(record.colours.tolist(), record.points.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(2))
def test_fights_show_the_same_planes(seed):
    check_game(list(fighting_game(seed, 150)), every=5)


@pytest.mark.parametrize("index", [3, 500, 1999])
def test_embedded_games_show_the_same_planes(index):
    check_game(embedded_game(index), every=12, komi=6.5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 140))
def test_fights_show_the_same_planes_thoroughly(seed):
    check_game(list(fighting_game(seed, 400)), every=2)


@pytest.mark.slow
@pytest.mark.parametrize("index", range(0, 2000, 50))
def test_embedded_games_show_the_same_planes_thoroughly(index):
    check_game(embedded_game(index), every=2)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 10**6), max_size=8), st.sampled_from([0.5, 3.5, 5.5, 6.5, 9.5]))
def test_history_with_passes_and_moves_out_of_turn(choices, komi):
    board = ReferenceBoard()
    for number in choices:
        colour, point = chosen_move(board, number)
        board.play(board.pass_point if number % 3 == 0 else point, colour)
    expected = reference_planes.planes(GamePosition.after(board.moves), komi)
    np.testing.assert_array_equal(board_after(board.moves).planes(komi), expected)


@pytest.mark.parametrize("komi", [-7.5, -0.5, 0, 0.5, 1, 3.5, 7.0, 7.5, 9.5, 10, 10.5, 375.5])
def test_komi_is_the_plane_of_its_whole_part(komi):
    expected = reference_planes.planes(GamePosition.after([]), komi)
    np.testing.assert_array_equal(Board().planes(komi), expected)


def test_a_symmetry_moves_every_plane():
    board = board_after(list(fighting_game(5, 120)))
    plain = board.planes(7.5)
    for symmetry in range(NUM_SYMMETRIES):
        np.testing.assert_array_equal(board.planes(7.5, symmetry), transformed(plain, symmetry))


@pytest.mark.parametrize("symmetry", range(NUM_SYMMETRIES))
def test_the_moved_game_shows_the_moved_planes(symmetry):
    """But for the ladder planes: the reader's budget and its ties follow the scan order."""
    game = list(fighting_game(6, 120))
    moved = board_after([(colour, transform(point, symmetry)) for colour, point in game])
    shown, expected = moved.planes(7.5), board_after(game).planes(7.5, symmetry)
    others = np.delete(np.arange(shown.shape[-1]), LADDER_PLANES)
    np.testing.assert_array_equal(shown[..., others], expected[..., others])


def test_a_batch_moves_planes_and_targets_together():
    dataset = Dataset(EMBEDDED_GAMES, validation_fraction=0)
    positions = np.arange(0, 200_000, 25_000)
    plain = dataset.rows(positions, np.zeros(len(positions)))
    for symmetry in range(NUM_SYMMETRIES):
        turned = dataset.rows(positions, np.full(len(positions), symmetry))
        for name in ("planes", "policy", "ownership", "groups"):
            for before, after in zip(getattr(plain, name), getattr(turned, name), strict=True):
                np.testing.assert_array_equal(after, transformed(before, symmetry), err_msg=name)
        np.testing.assert_array_equal(turned.value_white, plain.value_white)
