"""When a pass is considered, and that it is then all there is.

docs/teacher/rules.md, as the tree plays.
"""

import numpy as np
import pytest

from golois.constants import NUM_POINTS, PASS
from golois.games.game import Game
from golois.games.rules import Go
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE, gtp_to_point
from golois.search.tree import Tree
from tests.fake_network import search, uniform

KOMI = 7.5
# Two eyes of two points each, for Black and for White: moves into them are legal and fill no eye.
EYES = ("B18", "C18", "E18", "F18", "B2", "C2", "E2", "F2")
BETWEEN = "K10"  # beside both


def divided_board(*empty: str, to_play: int = BLACK) -> Board:
    """Black fills the upper ten rows and White the lower nine, but for the points named."""
    board, holes = Board(), {gtp_to_point(vertex) for vertex in empty}
    rows = {BLACK: range(190), WHITE: range(190, NUM_POINTS)}
    for colour in (to_play, BLACK + WHITE - to_play):
        for point in sorted(set(rows[colour]) - holes):
            board.play_unchecked(point, colour)
    return board


def candidates(board: Board, komi: float = KOMI) -> set[int]:
    """The moves that a search considers: it visits them all."""
    tree = Tree(board, komi)
    search(tree, 2 * NUM_POINTS, uniform)
    visited = set(np.flatnonzero(tree.visits()).tolist())
    assert len(visited) == tree.num_candidates
    return visited


@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_a_pass_is_all_there_is_when_every_empty_point_is_settled(colour):
    assert candidates(divided_board(*EYES, to_play=colour)) == {PASS}


@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_no_pass_while_one_point_is_not_settled(colour):
    board = divided_board(*EYES, BETWEEN, to_play=colour)
    assert board.settled().reshape(-1).tolist().count(0) == 1
    considered = candidates(board)
    assert gtp_to_point(BETWEEN) in considered and PASS not in considered


@pytest.mark.parametrize("taker", [BLACK, WHITE])
def test_a_pass_is_all_there_is_when_the_rest_is_forbidden(taker):
    board = divided_board(*EYES, "K10", "K9", to_play=taker)
    mine, other = ("K10", "K9") if taker == WHITE else ("K9", "K10")
    board.play_unchecked(gtp_to_point(other), BLACK + WHITE - taker)
    board.play(gtp_to_point(mine), taker)
    assert board.settled().reshape(-1).tolist().count(0) == 2, "the ko"
    assert candidates(board) == {PASS}, "no eye is filled while it can't be taken back"


def test_a_pass_is_all_there_is_when_no_move_is_left():
    board = Board()
    for point in range(1, NUM_POINTS):
        board.play_unchecked(point, BLACK)
    board.play_unchecked(PASS, WHITE)
    assert not board.settled().any()
    assert candidates(board, komi=400) == {PASS}


def test_a_pass_of_ones_own_is_no_pass_of_the_opponents():
    """As after GTP's `play b pass` and `genmove b`: two passes of one colour end nothing."""
    board = Board(5)
    for point in (6, 12, 18):
        board.play_unchecked(point, BLACK)
    board.play_unchecked(25, BLACK)
    board.to_play = BLACK
    game = Game(Go(5, 0.5, passes="arena"), board)
    assert len(game.candidates()) > 1
    board.play_unchecked(25, BLACK)
    assert not Game(Go(5, 0.5, passes="arena"), board).is_over
    board.play_unchecked(25, WHITE)
    assert Game(Go(5, 0.5, passes="arena"), board).is_over


def test_a_pass_answers_a_pass_when_the_score_without_dead_stones_wins():
    board = divided_board(*EYES, "J18", "K18", BETWEEN)
    board.play(gtp_to_point("J18"), WHITE)  # dead: in Black's third eye
    board.play(PASS, WHITE)
    assert board.area()[1, 8] == BLACK
    lead = board.score_black()
    assert candidates(board, lead - 0.5) == {PASS}
    assert PASS not in candidates(board, lead + 0.5)
