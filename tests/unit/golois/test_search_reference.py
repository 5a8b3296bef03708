"""The native tree against PUCT in plain Python: the same visits, one leaf at a time."""

from functools import partial

import numpy as np
import pytest

from benchmarks.search import KOMI, plain_search
from golois.games.game import Game
from golois.games.rules import Go, Hex, NoGo
from golois.go.board import Board
from golois.search.tree import SearchOptions, Tree
from tests.fake_network import asked_singly, decided, hashed

OPENINGS = ((), (60, 300, 72, 288), (180, 181, 161, 162, 199, 200, 160))
OPTIONS = (
    {},
    pytest.param({"c_puct": 2.5, "c_puct_log": 0.0, "fpu_reduction": 0.0}, marks=pytest.mark.slow),
    {"c_puct": 0.3, "c_puct_log": 3.0, "c_puct_base": 20.0, "fpu_reduction": 0.6},
)
SMALL_GAMES = (
    Go(5, komi=0.5, max_moves=12),
    Go(5, komi=24.0, planes="zero"),
    Go(5, passes="arena"),
    Go(2, komi=1.0),
    NoGo(5),
    NoGo(3),
    Hex(5),
    Hex(3, swap=True),
)


def assert_same_visits(game: Game, tree: Tree, network, options: dict, num_visits: int) -> None:
    evaluate = partial(network, policy_size=game.policy_size)
    tree.search(evaluate, num_visits, batch_size=1)
    root = plain_search(game, asked_singly(evaluate), num_visits, search_options(options))
    expected = np.zeros(game.pass_point + 1, int)
    for move, child in root.children.items():
        expected[move] = child.visits
    assert tree.visits().tolist() == expected.tolist()
    assert tree.root_value_to_play == pytest.approx(root.value_for(game.to_play), abs=1e-6)


def search_options(options: dict) -> SearchOptions:
    fpu_reduction = options.get("fpu_reduction", 0.2)
    return SearchOptions(**options, root_fpu_reduction=fpu_reduction, random_symmetry=False)


@pytest.mark.parametrize("options", OPTIONS, ids=["default", "wide", "growing"])
@pytest.mark.parametrize("opening", OPENINGS, ids=len)
@pytest.mark.parametrize("network", [hashed, decided])
def test_visits_are_those_of_a_plain_search(network, opening, options):
    board = Board()
    for point in opening:
        board.play(point)
    game = Game(Go(19, KOMI, passes="arena"), board)
    tree = Tree(board, KOMI, search_options(options))
    assert_same_visits(game, tree, network, options, 60)


@pytest.mark.parametrize("options", OPTIONS, ids=["default", "wide", "growing"])
@pytest.mark.parametrize("rules", SMALL_GAMES, ids=str)
@pytest.mark.parametrize("network", [hashed, decided])
def test_visits_are_those_of_a_plain_search_in_every_small_game(network, rules, options):
    game = Game(rules)
    for _ in range(3):
        tree = Tree(game, options=search_options(options))
        assert_same_visits(game, tree, network, options, 80)
        if not game.is_over:
            game.play(tree.best_move())
