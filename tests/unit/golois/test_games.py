"""What one of Go, NoGo and Hex has alone, and what callers get wrong; all of them: the contract."""

import random

import numpy as np
import pytest

from golois.errors import ArgumentError, ArgumentTypeError, GoloisError, IllegalMoveError
from golois.games.game import Game, after_moves
from golois.games.rules import Go, Hex, NoGo
from golois.go.board import Board
from golois.go.coords import BLACK, EMPTY, WHITE
from golois.go.symmetry import point_table
from tests.data import examples_of


def test_shapes_are_those_of_the_rules():
    for rules, planes, policy_size in (
        (Go(5), 31, 26),
        (Go(5, passes="arena"), 31, 25),
        (Go(9, planes="zero"), 18, 82),
        (Go(19, passes="arena"), 31, 361),
        (NoGo(9), 21, 81),
        (NoGo(4, planes="zero"), 18, 16),
        (Hex(11), 4, 121),
    ):
        game = Game(rules)
        assert game.planes_shape == (rules.size, rules.size, planes)
        assert game.policy_size == policy_size and game.pass_point == rules.size**2
        assert game.planes().shape == game.planes_shape and game.planes().dtype == np.float32


@pytest.mark.parametrize("size", [2, 5, 13, 19])
def test_a_board_has_the_planes_of_its_game(size):
    game, rng = Game(Go(size, komi=6.5)), random.Random(size)
    for _ in range(size * size // 2):
        game.play(rng.choice(game.candidates()))
        if game.is_over:
            break
        np.testing.assert_array_equal(game.board().planes(6.5, 5), game.planes(5))


def test_the_examples_of_the_page_run(capsys):
    [search] = examples_of("student/selfplay.md", "Games in Python")
    [selfplay] = examples_of("student/selfplay.md", "Games of a network against itself")
    exec(search, {})
    assert capsys.readouterr().out.endswith(" 25 (5, 5, 21)\n")
    exec(selfplay, {})
    lines = capsys.readouterr().out.splitlines()
    assert sorted(int(line.split()[0]) for line in lines if line[0].isdigit()) == list(range(8))


def test_go_ends_by_passes_by_the_limit_and_by_nothing_else():
    game = Game(Go(3, komi=1.5, max_moves=3))
    for move in (4, 9):
        assert game.winner is None
        game.play(move)
    assert not game.is_over
    game.play(9)
    assert game.is_over and game.winner == BLACK and game.outcome_white == 0.0
    game.take_back()
    game.play(0)
    assert game.is_over and game.moves == [(BLACK, 4), (WHITE, 9), (BLACK, 0)]
    drawn = Game(Go(2, komi=0.0))
    for _ in range(2):
        drawn.play(4)
    assert drawn.winner == EMPTY and drawn.outcome_white == 0.5


def test_a_free_pass_is_there_where_the_arena_has_none():
    free, arena = Game(Go(5), Board(5)), Game(Go(5, passes="arena"), Board(5))
    assert set(free.candidates()) - set(arena.candidates()) == {25}
    assert arena.is_legal(25)
    board = Board(5)
    for point in (0, 6, 24):
        board.play(point)
    game = Game(Go(5), board)
    assert game.moves == board.moves and game.num_moves == 3 and game.to_play == WHITE
    assert game.board().moves == board.moves and str(game) == str(board)
    with pytest.raises(GoloisError, match="no move to take back"):
        game.take_back()


def test_the_swap_makes_the_stone_whites_on_the_other_side_of_the_long_diagonal():
    game = Game(Hex(4, swap=True))
    game.play(6)  # row 1, column 2
    assert game.is_legal(6)
    game.play(6)
    assert game.stones().reshape(-1).tolist() == [WHITE if p == 9 else EMPTY for p in range(16)]
    assert game.to_play == BLACK and game.is_legal(6) and not game.is_legal(9)
    game.take_back()
    assert game.stones()[1, 2] == BLACK and game.to_play == WHITE
    game.play(9)
    assert not game.is_legal(9) and not game.is_legal(6)
    assert not Game(Hex(4)).copy().is_over


@pytest.mark.parametrize(
    ("rules", "moves", "refused", "message"),
    [
        (Go(5), [0], 0, "White cannot play A5 as move 2: occupied"),
        (Go(5), [], 26, "Black cannot play point 26 as move 1: not on the board"),
        (Go(5), [25, 25], 3, "Black cannot play D5 as move 3: the game is over"),
        (NoGo(3), [0, 1, 8], 3, "White cannot play A2 as move 4: it captures"),
        (NoGo(3), [1, 8, 3], 0, "White cannot play A3 as move 4: suicide"),
        (NoGo(3), [], 9, "Black cannot play pass as move 1: there is no pass"),
        (Hex(5), [], 25, "Black cannot play pass as move 1: there is no pass"),
        (Hex(5), [7], 7, "White cannot play C4 as move 2: occupied"),
        (Hex(5, swap=True), [7, 8], 7, "Black cannot play C4 as move 3: occupied"),
        (Hex(2), [0, 2, 1], 3, "White cannot play B1 as move 4: the game is over"),
        (Hex(5), [], -1, "Black cannot play point -1 as move 1: not on the board"),
        (Hex(5), [], 2**40, "Black cannot play point 1099511627776 as move 1: not on the board"),
    ],
)
def test_an_illegal_move_is_refused_in_words_and_changes_nothing(rules, moves, refused, message):
    game = after_moves(rules, moves)
    before = (game.key, game.to_play, game.moves.copy())
    assert not game.is_legal(refused)
    with pytest.raises(IllegalMoveError, match=f"^{message}$"):
        game.play(refused)
    assert (game.key, game.to_play, game.moves) == before


@pytest.mark.parametrize("kind", [Go, NoGo, Hex])
@pytest.mark.parametrize("size", [-1, 0, 1, 20])
def test_a_size_out_of_range_is_refused(kind, size):
    with pytest.raises(ArgumentError, match=f"^a board's size must be from 2 to 19, not {size}$"):
        Game(kind(size))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Go(9, passes="none"), "passes must be one of free, arena, not 'none'"),
        (lambda: Go(9, planes="nogo"), "planes must be one of course, zero, katago, not 'nogo'"),
        (lambda: NoGo(9, planes="course"), "planes must be one of nogo, zero, not 'course'"),
        (lambda: Go(9, komi=float("nan")), "komi must be a number of points, not nan"),
        (lambda: Go(9, max_moves=0), "max_moves must be 1 or more, or None, not 0"),
        (lambda: Game(Go(9), Board(5)), "the board has size 5, and the rules 9"),
        (lambda: Game(Hex(9), Board(9)), "only a game of Go can begin with a board"),
        (lambda: Game(Hex(3)).board(), "Hex isn't played on a Go board"),
        (lambda: Game(Go(2)).winning_moves(), "only NoGo and Hex can be solved"),
        (lambda: Game(Hex(5)).winning_moves(100), "took more than 100 positions"),
        (lambda: point_table(1), "a board's size must be from 2 to 19, not 1"),
    ],
)
def test_wrong_arguments_are_refused_in_words(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_a_games_name_is_no_rules():
    with pytest.raises(ArgumentTypeError, match=r"rules must be Go\(size\), .*, not 'go'"):
        Game("go")


def test_what_a_game_does_not_have_yet_is_refused():
    game = Game(Hex(3))
    with pytest.raises(GoloisError, match="the game isn't over"):
        game.outcome_white  # noqa: B018
    with pytest.raises(GoloisError, match="no move to take back"):
        game.take_back()


def test_a_game_is_drawn_as_it_lies():
    game = Game(Hex(3))
    for point in (4, 2):
        game.play(point)
    assert str(game) == " 3 . . O\n  2 . X .\n   1 . . .\n      A B C"
