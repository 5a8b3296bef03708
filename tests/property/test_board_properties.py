"""The native board equals the slow one after every move, whatever is played."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golois.errors import IllegalMoveError
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE
from tests.data import GOLDEN_FOLDERS
from tests.random_games import chosen_move, fighting_game
from tests.reference_board import ReferenceBoard, all_chains
from tests.reference_life import score_black
from tests.reference_planes import read_golden_games

CHOICES = st.lists(st.integers(0, 10**6), max_size=60)


class Pair:
    """A native board and the reference, given the same moves."""

    def __init__(self, size: int):
        self.native = Board(size)
        self.reference = ReferenceBoard(size)
        self.stones_of_key = {self.native.key: self.reference.stones}

    def play(self, point: int, colour: int) -> None:
        self.native.play(point, colour)
        self.reference.play(point, colour)

    def check_position(self) -> None:
        """Everything that a position shows, but which moves are legal."""
        native, reference = self.native, self.reference
        assert native.stones().reshape(-1).tolist() == list(reference.stones)
        assert native.num_liberties().reshape(-1).tolist() == liberties_of(reference)
        assert native.ko_point == reference.ko_point
        assert native.to_play == reference.to_play
        assert native.moves == reference.moves and native.num_moves == len(reference.moves)
        assert native.score_black() == score_black(reference.stones, reference.size)
        assert native.is_consistent()
        assert self.stones_of_key.setdefault(native.key, reference.stones) == reference.stones
        assert len(set(self.stones_of_key.values())) == len(self.stones_of_key)

    def check_legality(self) -> None:
        """Which moves are legal, for both colours, and why the others are not."""
        for colour in (BLACK, WHITE):
            reasons = [
                self.reference.why_illegal(point, colour)
                for point in range(self.reference.pass_point + 1)
            ]
            legal = [reason is None for reason in reasons]
            assert self.native.legal_moves(colour).tolist() == legal
            for point, reason in enumerate(reasons):
                assert self.native.is_legal(point, colour) == (reason is None)
                if reason:
                    with pytest.raises(IllegalMoveError, match=f": {reason}$"):
                        self.native.play(point, colour)


def liberties_of(board: ReferenceBoard) -> list[int]:
    """The number of liberties of each point's chain, 0 on empty points."""
    num_liberties = [0] * len(board.stones)
    for chain in all_chains(board.stones, board.size):
        for point in chain.points:
            num_liberties[point] = len(chain.liberties)
    return num_liberties


def check_chosen_game(size: int, choices: list[int]) -> None:
    pair = Pair(size)
    for number in choices:
        colour, point = chosen_move(pair.reference, number)
        pair.play(point, colour)
        pair.check_position()
        pair.check_legality()


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), CHOICES)
def test_any_small_game(size, choices):
    check_chosen_game(size, choices)


@pytest.mark.slow
@settings(max_examples=2000, deadline=None)
@given(st.integers(2, 7), CHOICES)
def test_any_small_game_thoroughly(size, choices):
    check_chosen_game(size, choices)


@pytest.mark.parametrize(
    ("seed", "size", "num_moves"),
    [(1, 7, 150), pytest.param(2, 9, 150, marks=pytest.mark.slow), (3, 5, 200)],
)
def test_fights_on_small_boards(seed, size, num_moves):
    pair = Pair(size)
    for colour, point in fighting_game(seed, num_moves, size):
        pair.play(point, colour)
        pair.check_position()
        pair.check_legality()


def check_large_game(moves: list[tuple[int, int]], legality_every: int) -> None:
    pair = Pair(19)
    for number, (colour, point) in enumerate(moves):
        pair.play(point, colour)
        pair.check_position()
        if number % legality_every == 0:
            pair.check_legality()


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_fights_on_the_full_board(seed):
    check_large_game(list(fighting_game(seed, 120)), legality_every=20)


@pytest.mark.parametrize("game", [pytest.param(0, marks=pytest.mark.slow), 31])
def test_real_games(game):
    games = read_golden_games(GOLDEN_FOLDERS[0] / "games.data")
    check_large_game(list(games[game % len(games)].moves), legality_every=100)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 60))
def test_fights_on_the_full_board_thoroughly(seed):
    check_large_game(list(fighting_game(seed, 500)), legality_every=5)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 5), CHOICES, CHOICES)
def test_a_key_knows_nothing_of_the_way(size, choices, others):
    """Two games that end on the same stones have the same key, and only those."""
    boards = []
    for numbers in (choices, others):
        reference, native = ReferenceBoard(size), Board(size)
        for number in numbers:
            colour, point = chosen_move(reference, number)
            reference.play(point, colour)
            native.play(point, colour)
        rebuilt = Board(size)
        for point, colour in enumerate(reference.stones):
            if colour:
                rebuilt.play(point, colour)
        assert rebuilt.key == native.key
        boards.append(native)
    same_stones = np.array_equal(boards[0].stones(), boards[1].stones())
    assert (boards[0].key == boards[1].key) == same_stones
