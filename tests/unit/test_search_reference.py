"""The native tree against PUCT in plain Python: the same visits, one leaf at a time."""

import numpy as np
import pytest

from benchmarks.search import KOMI, plain_search
from golois.board import Board
from golois.search import SearchOptions, Tree
from golois.shapes import PASS
from tests.fake_network import decided, hashed, search

OPENINGS = ((), (60, 300, 72, 288), (180, 181, 161, 162, 199, 200, 160))
OPTIONS = (
    {},
    {"c_puct": 2.5, "c_puct_log": 0.0, "fpu_reduction": 0.0},
    {"c_puct": 0.3, "c_puct_log": 3.0, "c_puct_base": 20.0, "fpu_reduction": 0.6},
)


@pytest.mark.parametrize("options", OPTIONS, ids=["default", "wide", "growing"])
@pytest.mark.parametrize("opening", OPENINGS, ids=len)
@pytest.mark.parametrize("network", [hashed, decided])
def test_visits_are_those_of_a_plain_search(network, opening, options):
    board = Board()
    for point in opening:
        board.play(point)
    fpu_reduction = options.get("fpu_reduction", 0.2)
    chosen = SearchOptions(**options, root_fpu_reduction=fpu_reduction, random_symmetry=False)
    tree = Tree(board, KOMI, chosen)
    search(tree, 150, network, batch_size=1)

    def evaluate(planes: np.ndarray) -> tuple[np.ndarray, float]:
        policy, value_white = network(planes[None])
        return policy[0], float(value_white[0])

    root = plain_search(board, evaluate, 150, chosen)
    expected = np.zeros(PASS + 1, int)
    for move, child in root.children.items():
        expected[move] = child.visits
    assert tree.visits().tolist() == expected.tolist()
    assert tree.root_value_to_play == pytest.approx(root.value_for(board.to_play), abs=1e-6)
