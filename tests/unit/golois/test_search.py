"""The search's invariants: visits add up, candidates only, values turn with the colour."""

import threading

import numpy as np
import pytest

from golois.constants import NUM_PLANES, NUM_POINTS, PASS
from golois.errors import ArgumentError, ConcurrentUseError, GoloisError
from golois.games.game import Game
from golois.games.rules import Go
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE, gtp_to_point
from golois.search.tree import SearchOptions, Tree
from tests.fake_network import decided, hashed, search, uniform, white_wins

KOMI = 7.5


def board_of(diagram: str, to_play: int = BLACK) -> Board:
    """A 19×19 board whose top-left corner is drawn; the rest is empty."""
    board = Board()
    for row, line in enumerate(diagram.strip().splitlines()):
        for column, symbol in enumerate(line.split()):
            if symbol in "XO":
                board.play_unchecked(19 * row + column, BLACK if symbol == "X" else WHITE)
    if board.to_play != to_play:
        board.play_unchecked(PASS)
    return board


def filled_board(eyes_black: int, eyes_white: int, to_play: int) -> Board:
    """Black owns the upper ten rows, White the lower nine, each with so many one-point eyes."""
    board = Board()
    holes = {20 + 2 * i for i in range(eyes_black)}
    holes |= {19 * 17 + 1 + 2 * i for i in range(eyes_white)}
    for point in range(NUM_POINTS):
        if point not in holes:
            board.play_unchecked(point, BLACK if point < 190 else WHITE)
    if board.to_play != to_play:
        board.play_unchecked(PASS)
    return board


@pytest.mark.parametrize("num_visits", [1, 2, 9, 100])
@pytest.mark.parametrize("batch_size", [1, 8])
def test_childrens_visits_add_up_to_the_roots(num_visits, batch_size):
    tree = Tree(Board(), KOMI, seed=3)
    search(tree, num_visits, batch_size=batch_size)
    assert tree.num_visits == num_visits
    assert tree.visits().sum() == num_visits - 1


@pytest.mark.parametrize("batch_size", [1, 8, 64])
def test_every_node_adds_up_and_no_playout_is_left_under_way(batch_size):
    tree = Tree(Board(), KOMI, SearchOptions(root_noise=0.25, root_policy_temperature=1.2))
    planes = np.empty((batch_size, 19, 19, 31), np.float32)
    for batch in range(30):
        num_leaves = tree.select(planes, first_move=60 if batch == 3 else None)
        policy, value_white = decided(planes[:num_leaves])
        if batch % 7 == 5:
            value_white[-1] = np.nan
            with pytest.raises(ArgumentError):
                tree.apply(policy, value_white)
        else:
            tree.apply(policy, value_white)
        assert tree.is_consistent()
        if batch % 10 == 9:
            tree.advance(tree.best_move())
            assert tree.is_consistent()


def test_illegal_moves_are_never_visited():
    board = Board()
    rng = np.random.default_rng(1)
    for _ in range(200):
        board.play(rng.choice(np.flatnonzero(board.legal_moves()[:PASS])))
    tree = Tree(board, KOMI)
    search(tree, 600, uniform)
    assert not tree.visits()[~board.legal_moves()].any()


def test_own_true_eye_is_not_filled_but_a_false_one_may_be():
    true_eye = board_of(". X .\nX X .\n. . .")
    false_eye = board_of(". X .\nX O .\n. . .")
    for board, may_fill in ((true_eye, False), (false_eye, True)):
        tree = Tree(board, KOMI)
        search(tree, 800, uniform)
        assert bool(tree.visits()[0]) is may_fill


def test_equal_seeds_give_equal_trees_and_symmetry_depends_on_the_seed():
    def visits(seed):
        tree = Tree(Board(), KOMI, seed=seed)
        search(tree, 200)
        return tree.visits().tolist()

    assert visits(1) == visits(1)
    assert visits(1) != visits(2)


def test_colour_swap_negates_the_value():
    """The same shape with colours exchanged, and an evaluator that exchanges its answer."""

    def colour_blind(planes):
        priors, values = hashed(planes[..., 5:21])  # liberties and stones: own, then the opponent's
        black_to_play = planes[:, 0, 0, 0] == 1
        return priors, np.where(black_to_play, 1 - values, values)

    options = SearchOptions(random_symmetry=False)
    values = []
    for moves in ((60, 61, 62), (PASS, 60, 61, 62)):
        board = Board()
        for move in moves:
            board.play(move)
        tree = Tree(board, 0.0, options)
        search(tree, 150, colour_blind, batch_size=1)
        values.append((board.to_play, tree.root_value_to_play, tree.visits().tolist()))
    (first, value_first, visits_first), (second, value_second, visits_second) = values
    assert {first, second} == {BLACK, WHITE}
    assert value_first == pytest.approx(value_second)  # each from its own side
    assert visits_first == visits_second


def test_value_is_for_the_side_to_move():
    black_to_play, white_to_play = Board(), Board()
    white_to_play.play(72)
    for board, expected in ((black_to_play, -0.8), (white_to_play, 0.8)):
        tree = Tree(board, KOMI)
        search(tree, 50, white_wins)
        assert tree.root_value_to_play == pytest.approx(expected)


def test_uniform_evaluations_spread_the_visits():
    tree = Tree(Board(), KOMI, SearchOptions(fpu_reduction=0.0, root_fpu_reduction=0.0))
    search(tree, 1 + 2 * NUM_POINTS, uniform)
    assert tree.visits()[:NUM_POINTS].min() >= 1
    assert tree.visits().max() <= 3


STAR = gtp_to_point("Q16")


def likes_the_star(planes):
    policy, value = uniform(planes)
    policy[:] = 0.1 / NUM_POINTS
    policy[:, STAR] = 0.9
    return policy, value


def test_a_strong_prior_is_followed_and_a_bad_value_abandoned():
    tree = Tree(Board(), KOMI, SearchOptions(random_symmetry=False))
    search(tree, 20, likes_the_star)
    assert tree.best_move() == STAR

    def but_it_loses(planes):
        policy, value = likes_the_star(planes)
        points = planes.reshape(-1, NUM_POINTS, NUM_PLANES)
        black_to_play, own, opponents = points[:, STAR, [0, 11, 12]].T
        value[np.where(black_to_play, own, opponents) > 0] = 1.0
        return policy, value

    tree = Tree(Board(), KOMI, SearchOptions(random_symmetry=False))
    search(tree, 200, but_it_loses)
    assert tree.best_move() != STAR


def test_a_batch_leaves_a_good_move_most_of_the_visits_that_it_has_one_at_a_time():
    """A whole virtual loss for each playout under way would send many of them elsewhere."""

    def visits_of_the_star(**settings) -> int:
        batch_size = settings.pop("batch_size")
        tree = Tree(Board(), KOMI, SearchOptions(random_symmetry=False, **settings))
        search(tree, 40, likes_the_star, batch_size)
        return tree.visits()[STAR]

    assert visits_of_the_star(batch_size=1) == 39
    assert visits_of_the_star(batch_size=8) >= 30
    assert visits_of_the_star(batch_size=8, virtual_loss=1.0) < 25


def test_only_a_pass_is_left_when_just_eyes_are():
    tree = Tree(filled_board(2, 2, BLACK), KOMI)
    assert tree.num_candidates == 0
    search(tree, 10, uniform)
    assert tree.num_candidates == 1
    assert tree.best_move() == PASS


def test_a_pass_answers_a_pass_when_the_area_wins():
    board = Board()
    for point in range(0, 190, 2):
        board.play_unchecked(point, BLACK)
    board.play_unchecked(PASS, WHITE)
    tree = Tree(board, KOMI)
    search(tree, 10, uniform)
    assert tree.best_move() == PASS
    assert tree.root_value_to_play == pytest.approx(0.9)  # nine sure wins and one even evaluation


def test_finished_game_needs_no_evaluation():
    board = Board()
    board.play(PASS), board.play(PASS)
    tree = Tree(board, KOMI)
    planes = np.empty((4, 19, 19, 31), np.float32)
    assert tree.select(planes) == 0
    assert tree.num_visits == 4
    assert tree.root_value_to_play == -1.0  # Black is to move and komi decides


def test_advance_keeps_the_subtree_and_equals_a_search_from_there():
    tree = Tree(Board(), KOMI, seed=5)
    search(tree, 300)
    move = tree.best_move()
    visits_below = tree.visits()[move]
    tree.advance(move)
    assert tree.num_visits == visits_below
    assert tree.visits().sum() == visits_below - 1
    search(tree, 400)
    assert tree.num_visits == 400


def test_advance_to_an_unseen_move_starts_anew_and_refuses_illegal_ones():
    tree = Tree(Board(), KOMI)
    tree.advance(100)
    assert tree.num_visits == 0
    with pytest.raises(ArgumentError, match="the move is not legal"):
        tree.advance(100)
    search(tree, 10)
    assert tree.num_visits == 10
    for move in (PASS, PASS, 101):  # a game may go on after two passes
        tree.advance(move)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("nan prior", "policy is not 0 or more"),
        ("negative prior", "policy is not 0 or more"),
        ("infinite prior", "the policy must sum to 1, not inf"),
        ("half a policy", "the policy must sum to 1, not 0.5"),
        ("nan value", "the value must be from 0 to 1"),
        ("large value", "the value must be from 0 to 1, not 1.5"),
        ("rows", "the leaves need 1 evaluations, not 2"),
    ],
)
def test_invalid_evaluations_are_refused_and_forgotten(bad, reason):
    tree = Tree(Board(), KOMI)
    planes = np.empty((1, 19, 19, 31), np.float32)
    policy, value = uniform(planes[: tree.select(planes)])
    if bad == "nan prior":
        policy[0, 7] = np.nan
    elif bad == "negative prior":
        policy[0, 7] = -0.1
    elif bad == "infinite prior":
        policy[0, 7] = np.inf
    elif bad == "half a policy":
        policy /= 2
    elif bad == "rows":
        policy, value = np.repeat(policy, 2, 0), np.repeat(value, 2)
    else:
        value[0] = np.nan if bad == "nan value" else 1.5
    with pytest.raises(ArgumentError, match=reason):
        tree.apply(policy, value)
    assert tree.num_visits == 0
    search(tree, 20)
    assert tree.visits().sum() == 19


def test_wrong_use_is_refused_in_words():
    tree, planes = Tree(Board(), KOMI), np.zeros((1, 19, 19, 31), np.float32)
    with pytest.raises(GoloisError, match="search before best_move"):
        tree.best_move()
    for words, call in (
        ("float32 planes", lambda: tree.select(planes.astype(np.float64))),
        ("a tree of a board needs komi", lambda: Tree(Board(9))),
        ("a game has a komi of its own", lambda: Tree(Game(Go(9)), KOMI)),
        ("batch_size must be 1 or more", lambda: tree.search(hashed, 10, batch_size=0)),
    ):
        with pytest.raises(ArgumentError, match=words):
            call()
    for name, value, words in (
        ("c_puct", -1, ""),
        ("root_fpu_reduction", np.inf, ""),
        ("cache_positions", -1, "from 0 to 2147483647"),
        ("cache_positions", 2**31, "from 0 to 2147483647"),
        ("c_puct_base", 0, "a finite number above 0"),
        ("root_policy_temperature", 0, "a finite number above 0"),
        ("root_noise_concentration", 0, "a finite number above 0"),
        ("root_noise", 1.5, "from 0 to 1"),
    ):
        with pytest.raises(ArgumentError, match=f"{name} must be {words}"):
            SearchOptions(**{name: value})
    tree.select(planes)
    with pytest.raises(GoloisError, match=r"call apply\(\)"):
        tree.select(planes)


def test_a_second_thread_is_refused():
    tree = Tree(Board(), KOMI)
    search(tree, 2000, uniform)
    refusals = []

    def keep_asking():
        for _ in range(3000):
            try:
                tree.visits()
            except ConcurrentUseError:
                refusals.append(True)
                return

    planes = np.empty((2000, 19, 19, 31), np.float32)
    thread = threading.Thread(target=keep_asking)
    thread.start()
    while thread.is_alive() and not refusals:
        try:
            tree.apply(*uniform(planes[: tree.select(planes)]))
        except ConcurrentUseError:
            refusals.append(True)
            break
    thread.join()
    assert refusals
