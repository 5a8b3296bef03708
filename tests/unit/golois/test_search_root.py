"""What a caller may ask of a tree's root, and may ask it to do there."""

import numpy as np
import pytest

from golois.constants import NUM_POINTS, PASS
from golois.errors import ArgumentError
from golois.go.board import Board
from golois.search.tree import SearchOptions, Tree
from tests.fake_network import hashed, search, uniform

KOMI = 7.5


@pytest.mark.parametrize("batch_size", [1, 8])
def test_a_first_move_begins_every_playout_but_the_roots_own(batch_size):
    tree = Tree(Board(), KOMI, seed=4)
    planes = np.empty((batch_size, 19, 19, 31), np.float32)
    for _ in range(40):
        tree.apply(*hashed(planes[: tree.select(planes, first_move=60)]))
    assert tree.visits()[60] == tree.num_visits - 1 >= 39
    assert tree.best_move() == 60
    search(tree, tree.num_visits + 100)
    assert (tree.visits() > 0).sum() > 1


def test_a_first_move_must_be_a_candidate():
    board = Board()
    board.play(60)
    tree = Tree(board, KOMI)
    search(tree, 5)
    planes = np.empty((4, 19, 19, 31), np.float32)
    for move in (60, PASS, -1, PASS + 1):
        with pytest.raises(ArgumentError, match="first.move"):
            tree.select(planes, first_move=move)
        with pytest.raises(ArgumentError, match="first.move"):
            tree.principal_variation(move)
    assert tree.num_visits == 5


def test_root_moves_agree_with_visits_priors_and_values():
    board = Board()
    board.play(60)
    tree = Tree(board, KOMI, SearchOptions(random_symmetry=False))
    assert tree.root_moves().points.size == 0
    search(tree, 300)
    moves = tree.root_moves()
    assert sorted(moves.points) == [point for point in range(NUM_POINTS) if point != 60]
    assert np.array_equal(tree.visits()[moves.points], moves.visits)
    assert np.all(np.diff(moves.visits) <= 0)
    policy, value_white = hashed(board.planes(KOMI)[None])
    assert moves.priors == pytest.approx(policy[0, moves.points] / policy[0, moves.points].sum())
    assert np.array_equal(np.isnan(moves.values_to_play), moves.visits == 0)
    total = np.nansum(moves.values_to_play * moves.visits) + 2 * value_white[0] - 1
    assert tree.root_value_to_play == pytest.approx(total / tree.num_visits)


def test_principal_variation_is_what_the_most_visited_moves_lead_through():
    tree = Tree(Board(), KOMI, seed=5)
    assert tree.principal_variation() == []
    search(tree, 300)
    line = tree.principal_variation()
    second = int(tree.root_moves().points[1])
    assert tree.principal_variation(second)[0] == second
    assert tree.principal_variation(max_length=2) == line[:2]
    unseen = int(tree.root_moves().points[-1])
    assert tree.visits()[unseen] == 0
    assert tree.principal_variation(unseen) == [unseen]
    for move in line:
        assert tree.best_move() == move
        tree.advance(move)
    assert tree.principal_variation() == []


def test_root_noise_is_seeded_and_the_roots_alone():
    def tree_with(seed: int, **options) -> Tree:
        tree = Tree(Board(), KOMI, SearchOptions(random_symmetry=False, **options), seed)
        planes = np.empty((1, 19, 19, 31), np.float32)
        tree.apply(*hashed(planes[: tree.select(planes)]))
        return tree

    def priors(tree: Tree) -> np.ndarray:
        moves = tree.root_moves()
        return moves.priors[np.argsort(moves.points)]

    policy, noisy = priors(tree_with(0)), priors(tree_with(0, root_noise=0.25))
    assert np.array_equal(noisy, priors(tree_with(0, root_noise=0.25)))
    assert not np.array_equal(noisy, priors(tree_with(1, root_noise=0.25)))
    assert noisy.sum() == pytest.approx(1)
    assert (noisy - 0.75 * policy).min() > -1e-6
    warm = priors(tree_with(0, root_policy_temperature=2.0))
    assert warm == pytest.approx(np.sqrt(policy) / np.sqrt(policy).sum(), rel=1e-4)


def test_first_play_urgency_at_the_root_may_differ():
    def num_visited(**options) -> int:
        tree = Tree(Board(), KOMI, SearchOptions(random_symmetry=False, **options))
        search(tree, 200, uniform, batch_size=1)
        return (tree.visits() > 0).sum()

    assert num_visited(root_fpu_reduction=5.0) < num_visited(root_fpu_reduction=0.1)
    assert num_visited(fpu_reduction=5.0) == num_visited(fpu_reduction=0.1) == num_visited()
