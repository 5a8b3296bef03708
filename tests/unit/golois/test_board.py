"""The rules, drawn: captures, suicide, ko, superko, area score, every size from 2 to 19."""

import numpy as np
import pytest

from golois.errors import ArgumentError, IllegalMoveError
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE, gtp_to_point, point_to_gtp
from tests.diagrams import drawn, moves_of, set_up, side_by_side
from tests.reference_board import legal_positions
from tests.unit.board_rows import ILLEGAL_ROWS, PLAY_ROWS, SEND_TWO

LEGAL_POSITIONS = {2: 57, 3: 12_675}  # oeis.org/A094777


def row_name(row) -> str:
    return row.name


@pytest.mark.parametrize("row", PLAY_ROWS, ids=row_name)
def test_moves_make_the_drawn_board(row):
    before, after = side_by_side(row.boards)
    board = set_up(before)
    stones_put = int((board.stones() > 0).sum())
    for colour, point in moves_of(row.moves, board.size):
        board.play(point, colour)
        stones_put += point != board.pass_point

    np.testing.assert_array_equal(board.stones(), drawn(after))
    assert stones_put - int((board.stones() > 0).sum()) == row.num_captured
    ko = None if board.ko_point is None else point_to_gtp(board.ko_point, board.size)
    assert ko == row.ko
    assert board.score_black() == row.score_black
    assert board.is_consistent()


@pytest.mark.parametrize("row", ILLEGAL_ROWS, ids=row_name)
def test_illegal_moves_are_refused_in_words_and_change_nothing(row):
    board = set_up(row.before)
    if row.moves:
        for colour, point in moves_of(row.moves, board.size):
            board.play(point, colour)
    [(colour, point)] = moves_of(row.illegal, board.size)
    before = (board.key, board.num_moves, board.to_play, board.ko_point, list(board.moves))

    assert not board.is_legal(point, colour)
    assert not board.legal_moves(colour)[point]
    assert board.refusal(point, colour) == row.reason
    name = {BLACK: "Black", WHITE: "White"}[colour]
    with pytest.raises(IllegalMoveError) as refusal:
        board.play(point, colour)
    assert str(refusal.value) == (
        f"{name} cannot play {row.illegal.split()[1]} as move {board.num_moves + 1}: {row.reason}"
    )
    assert before == (board.key, board.num_moves, board.to_play, board.ko_point, board.moves)


def test_a_ko_binds_only_the_opponent():
    """Filling one's own ko out of turn, as records without passes have it, is legal."""
    board = set_up(". X O .\nX O . O\n. X O .\n. . . .")
    board.play(gtp_to_point("C3", 4), BLACK)
    assert not board.is_legal(board.ko_point, WHITE)
    assert board.is_legal(board.ko_point, BLACK)
    assert board.refusal(board.ko_point, BLACK) == "legal"


def test_a_pass_may_repeat_the_board():
    board = set_up(SEND_TWO)
    key = board.key
    board.play(board.pass_point)
    board.play(board.pass_point)
    assert board.key == key
    assert board.legal_moves()[board.pass_point]


def test_the_turn_can_be_given_without_a_pass():
    board = Board(5)
    board.to_play = WHITE
    assert (board.to_play, board.num_moves) == (WHITE, 0)
    board.play(0)
    assert board.moves == [(WHITE, 0)] and board.to_play == BLACK
    with pytest.raises(ArgumentError, match=r"BLACK \(1\) or WHITE \(2\), not 0"):
        board.to_play = 0


@pytest.mark.parametrize("point", [-1, 10, 10**6])
def test_a_move_off_the_board_is_illegal(point):
    board = Board(3)
    assert not board.is_legal(point)
    with pytest.raises(IllegalMoveError, match=f"play point {point} as move 1: not on the board"):
        board.play(point)


@pytest.mark.parametrize("size", range(2, 20))
def test_every_size_captures_in_its_corners(size):
    board = Board(size)
    assert board.stones().shape == (size, size)
    assert board.pass_point == size * size
    assert board.legal_moves().all() and board.legal_moves().size == size * size + 1
    last = size * size - 1
    board.play(last, WHITE)
    board.play(last - 1, BLACK)
    board.play(last - size, BLACK)
    assert board.stones().reshape(-1)[last] == 0
    assert board.score_black() == size * size
    assert board.is_consistent()


@pytest.mark.parametrize("size", [-1, 0, 1, 20, 1000])
def test_other_sizes_are_refused(size):
    with pytest.raises(ArgumentError, match=f"size must be from 2 to 19, not {size}"):
        Board(size)


@pytest.mark.parametrize("colour", [0, 3, -1])
def test_other_colours_are_refused(colour):
    with pytest.raises(ArgumentError, match="colour must be BLACK .* or WHITE"):
        Board(5).play(0, colour)


def reachable_boards(size: int) -> dict[bytes, int]:
    """The key of every board that moves reach from the empty one."""
    start = Board(size)
    keys, todo = {start.stones().tobytes(): start.key}, [start]
    while todo:
        board = todo.pop()
        for colour in (BLACK, WHITE):
            for point in np.flatnonzero(board.legal_moves(colour)[:-1]):
                after = board.copy()
                after.play(int(point), colour)
                if after.stones().tobytes() not in keys:
                    keys[after.stones().tobytes()] = after.key
                    todo.append(after)
    return keys


@pytest.mark.parametrize(("size", "count"), LEGAL_POSITIONS.items())
def test_moves_reach_every_legal_position_and_no_other(size, count):
    keys = reachable_boards(size)
    assert len(keys) == count
    assert len(set(keys.values())) == count
    if size == 2:
        assert set(keys) == {bytes(stones) for stones in legal_positions(size)}


def test_a_copy_is_independent():
    board = set_up("X O .\n. . .\n. . .")
    copy = board.copy()
    copy.play(gtp_to_point("A2", 3), WHITE)
    assert board.stones()[0, 0] == BLACK and copy.stones()[0, 0] == 0
    assert board.num_moves == 2 == len(board.moves)
    assert copy.num_moves == 3 == len(copy.moves)
    board.play(gtp_to_point("C1", 3))
    assert copy.stones()[2, 2] == 0


def test_a_copy_remembers_earlier_boards():
    board = set_up(SEND_TWO)
    for colour, point in moves_of("W A4, B C4", 4):
        board.play(point, colour)
    assert not board.copy().is_legal(gtp_to_point("B4", 4), WHITE)


def test_play_unchecked_is_play_for_legal_moves():
    checked, unchecked = set_up(SEND_TWO), set_up(SEND_TWO)
    for colour, point in moves_of("W A4, B C4", 4):
        checked.play(point, colour)
        unchecked.play_unchecked(point, colour)
    assert checked.key == unchecked.key and checked.moves == unchecked.moves
    np.testing.assert_array_equal(checked.legal_moves(), unchecked.legal_moves())


def test_sides_alternate_from_black():
    board = Board(5)
    sides = []
    for point in (0, board.pass_point, 1):
        sides.append(board.to_play)
        board.play(point)
    assert sides == [BLACK, WHITE, BLACK]
    assert board.moves == [(BLACK, 0), (WHITE, 25), (BLACK, 1)]
    board.play(2, BLACK)
    assert board.to_play == WHITE


def test_liberties_and_owners_of_every_point():
    board = set_up(". X O .\nX X O .\n. . . .\n. . . .")
    np.testing.assert_array_equal(
        board.num_liberties(), [[0, 3, 3, 0], [3, 3, 3, 0], [0] * 4, [0] * 4]
    )
    np.testing.assert_array_equal(board.area(), [[1, 1, 2, 0], [1, 1, 2, 0], [0] * 4, [0] * 4])


def test_a_board_draws_itself():
    board = set_up("X . .\n. O .\n. . .")
    assert str(board) == " 3 X . .\n 2 . O .\n 1 . . .\n   A B C"
