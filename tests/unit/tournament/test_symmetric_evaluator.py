import numpy as np
import pytest

from golois.go.board import Board
from golois.go.symmetry import INVERSE, NUM_SYMMETRIES, point_table
from tests.fake_arena import FakeEvaluator
from tests.fake_network import hashed
from tests.random_games import fighting_game
from tournament.networks.evaluator import SymmetricEvaluator


@pytest.fixture
def board() -> Board:
    played = Board()
    for colour, point in fighting_game(seed=5, num_moves=90):
        played.play(point, colour)
    return played


def test_rows_of_a_batch_are_each_the_mean_of_eight_answers_turned_back(board):
    answers = [hashed(board.planes(7.5, symmetry)[None]) for symmetry in range(NUM_SYMMETRIES)]
    assert len({policy.tobytes() for policy, _ in answers}) == NUM_SYMMETRIES
    policy, value = SymmetricEvaluator(FakeEvaluator()).evaluate(board.planes(7.5)[None])
    expected = np.zeros(361)
    for symmetry, (turned, _) in enumerate(answers):
        where = point_table()[INVERSE[symmetry]]
        expected[where] += turned[0].astype(np.float64) / NUM_SYMMETRIES
    np.testing.assert_allclose(policy[0], expected, rtol=1e-6)
    np.testing.assert_allclose(value[0], np.mean([value for _, value in answers]), rtol=1e-6)
    rows = np.stack([board.planes(7.5), Board().planes(7.5), board.planes(0.5)])
    evaluator = SymmetricEvaluator(FakeEvaluator(batch_size=4))
    together = evaluator.evaluate(rows)
    for row in range(3):
        for answer, expected in zip(evaluator.evaluate(rows[row : row + 1]), together, strict=True):
            np.testing.assert_array_equal(answer[0], expected[row])


@pytest.mark.parametrize("batch_size", [1, 3, 8])
def test_whatever_the_network_a_turned_position_gets_the_turned_answer(board, batch_size):
    evaluator = SymmetricEvaluator(FakeEvaluator(batch_size=batch_size))
    policy, value = evaluator.evaluate(board.planes(7.5)[None])
    for symmetry in range(NUM_SYMMETRIES):
        turned_policy, turned_value = evaluator.evaluate(board.planes(7.5, symmetry)[None])
        expected = policy[:, point_table()[INVERSE[symmetry]]]
        np.testing.assert_allclose(turned_policy, expected, atol=1e-7, rtol=0)
        np.testing.assert_allclose(turned_value, value, atol=1e-7, rtol=0)
