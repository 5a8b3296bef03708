"""What raw outputs of a KataGo network mean: for White, over symmetries."""

from types import SimpleNamespace

import numpy as np

from golois.go.symmetry import NUM_SYMMETRIES, transform_board, transform_point
from golois.katago.answers import answer, answers_of, turned_back
from golois.katago.inputs import Inputs
from tests.katago_files import random_inputs

NETWORK = SimpleNamespace(lead=4)
"""What answers depend on."""


def positions(count: int = 2, white: bool = True) -> Inputs:
    planes, global_inputs = random_inputs(count)
    legal = np.random.default_rng(1).random((count, 362)) < 0.7
    legal[:, 361] = True
    return Inputs(planes, global_inputs, legal, np.full(count, white))


def raw_outputs(count: int = 2) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(2)
    shapes = {"policy": (362, 2), "value": (3,), "score": (6,), "ownership": (361,)}
    return {name: rng.normal(0, 1, (count, *s)).astype(np.float32) for name, s in shapes.items()}


def test_the_policy_is_the_plain_one_of_legal_moves():
    raw, given = raw_outputs(), positions()
    policy = answers_of(NETWORK, raw, given).policy
    powers = np.exp(raw["policy"][..., 0].astype(np.float64)) * given.legal
    np.testing.assert_allclose(policy, powers / powers.sum(1, keepdims=True), atol=1e-6)
    assert policy.dtype == np.float32 and (policy[~given.legal] == 0).all()


def test_no_game_ends_without_a_result_and_the_lead_is_in_points():
    raw = {**raw_outputs(1), "value": np.log([[0.5, 0.3, 0.2]]).astype(np.float32)}
    raw["score"] = np.array([[1.5, 0.5, -0.5, 0.25, 0, 0]], np.float32)
    found = answers_of(NETWORK, raw, positions(1))
    np.testing.assert_allclose(found.white_wins, 0.625, atol=1e-6)
    np.testing.assert_allclose(found.lead, -2.0, rtol=1e-6)


def test_answers_are_whites():
    raw = raw_outputs()
    white, black = (answers_of(NETWORK, raw, positions(2, x)) for x in (True, False))
    np.testing.assert_array_equal(white.policy, black.policy)
    np.testing.assert_array_equal(white.lead, -black.lead)
    np.testing.assert_array_equal(white.ownership, -black.ownership)
    np.testing.assert_allclose(white.white_wins, 1 - black.white_wins, atol=1e-6)
    np.testing.assert_allclose(white.ownership, np.tanh(raw["ownership"]), atol=1e-6)


def echo(planes: np.ndarray, global_inputs: np.ndarray) -> dict[str, np.ndarray]:
    """A network that says plane 3 and is the same under all symmetries."""
    flat = planes[..., 3].reshape(len(planes), 361)
    policy = np.repeat(np.column_stack([flat, global_inputs[:, 0]])[..., np.newaxis], 2, axis=2)
    numbers = global_inputs[:, :3], global_inputs[:, :6]
    return {"policy": policy, "value": numbers[0], "score": numbers[1], "ownership": flat}


def test_views_are_turned_back():
    given = positions()
    straight = answer(echo, NETWORK, given)
    for symmetry in range(NUM_SYMMETRIES):
        turned = answer(echo, NETWORK, given, [symmetry])
        for found, expected in zip(turned, straight, strict=True):
            np.testing.assert_array_equal(found, expected)
    eight = answer(echo, NETWORK, given, range(NUM_SYMMETRIES))
    np.testing.assert_allclose(eight.policy, straight.policy, atol=1e-7)
    np.testing.assert_allclose(eight.ownership, straight.ownership, atol=1e-7)


def test_a_view_is_what_the_boards_symmetry_shows():
    planes, _ = random_inputs(1)
    shown = []
    raw = raw_outputs(1)

    def record(turned, global_inputs):
        shown.append(turned)
        return raw

    for symmetry in range(NUM_SYMMETRIES):
        answer(record, NETWORK, positions(1), [symmetry])
        np.testing.assert_array_equal(shown[-1][0], transform_board(planes[0], symmetry))
        back = turned_back(raw, symmetry)
        for point in (0, 18, 40, 360, 361):
            shown_at = transform_point(point, symmetry)
            assert back["policy"][0, point, 1] == raw["policy"][0, shown_at, 1]


def test_the_mean_is_of_probabilities():
    raw = raw_outputs(1)
    found = answer(lambda planes, _: raw, NETWORK, positions(1), (0, 3))
    each = [answer(lambda planes, _: raw, NETWORK, positions(1), (s,)) for s in (0, 3)]
    np.testing.assert_allclose(found.policy, (each[0].policy + each[1].policy) / 2, atol=1e-7)
    assert abs(found.policy - each[0].policy).max() > 1e-4
