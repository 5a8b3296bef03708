"""What raw outputs of a KataGo network mean: by version, for White, over symmetries."""

from types import SimpleNamespace

import numpy as np
import pytest

from golois.go.symmetry import NUM_SYMMETRIES, transform_board, transform_point
from golois.katago.answers import Positions, answer, answers_of, turned_back
from golois.katago.network import Multipliers
from tests.katago_files import random_inputs


def network(version: int):
    """What answers depend on."""
    return SimpleNamespace(version=version, multipliers=Multipliers(1, 2, 3, 4, 5, 0.25, 9.0))


def positions(count: int = 2, white: bool = True, simple_ko: bool = False) -> Positions:
    planes, global_inputs = random_inputs(count)
    legal = np.random.default_rng(1).random((count, 362)) < 0.7
    legal[:, 361] = True
    both = np.full(count, white), np.full(count, simple_ko)
    return Positions(planes, global_inputs, legal, *both)


def raw_outputs(count: int = 2, channels: int = 2, scores: int = 6) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(2)
    shapes = {"policy": (362, channels), "value": (3,), "score": (scores,), "ownership": (361,)}
    return {name: rng.normal(0, 1, (count, *s)).astype(np.float32) for name, s in shapes.items()}


def softplus(x: float) -> float:
    return float(np.log(1 + np.exp(x)))


def test_the_policy_is_of_legal_moves_and_optimism_leads_from_one_to_the_other():
    raw, given = raw_outputs(), positions()
    for optimism, logits in (
        (0.0, raw["policy"][..., 0]),
        (1.0, raw["policy"][..., 1]),
        (0.2, 0.8 * raw["policy"][..., 0] + 0.2 * raw["policy"][..., 1]),
    ):
        policy = answers_of(network(12), raw, given, optimism).policy
        powers = np.exp(logits.astype(np.float64)) * given.legal
        np.testing.assert_allclose(policy, powers / powers.sum(1, keepdims=True), atol=1e-6)
        assert policy.dtype == np.float32 and (policy[~given.legal] == 0).all()


def test_one_policy_knows_no_optimism():
    raw, given = raw_outputs(channels=1, scores=4), positions()
    plain = answers_of(network(8), raw, given).policy
    np.testing.assert_array_equal(answers_of(network(8), raw, given, 1.0).policy, plain)


def test_only_a_simple_ko_leaves_no_result():
    raw = {**raw_outputs(1), "value": np.log([[0.5, 0.3, 0.2]]).astype(np.float32)}
    super_ko = answers_of(network(15), raw, positions(1))
    np.testing.assert_allclose(super_ko.white_wins, 0.625, atol=1e-6)
    np.testing.assert_allclose(super_ko.black_wins, 0.375, atol=1e-6)
    assert super_ko.no_result == 0
    simple = answers_of(network(15), raw, positions(1, simple_ko=True))
    np.testing.assert_allclose(simple.white_wins, 0.5, atol=1e-6)
    np.testing.assert_allclose(simple.no_result, 0.2, atol=1e-6)


def test_scores_are_points_and_no_result_counts_as_zero():
    raw = {**raw_outputs(1), "value": np.log([[0.5, 0.3, 0.2]]).astype(np.float32)}
    raw["score"] = np.array([[1.5, 0.5, -0.5, 0.25, 0, 0]], np.float32)
    sure = answers_of(network(15), raw, positions(1))
    np.testing.assert_allclose(sure.score_mean, 3.0, rtol=1e-6)
    np.testing.assert_allclose(sure.score_deviation, 3 * softplus(0.5), rtol=1e-6)
    np.testing.assert_allclose(sure.lead, -2.0, rtol=1e-6)
    np.testing.assert_allclose(sure.time_left, 5 * softplus(0.25), rtol=1e-6)
    simple = answers_of(network(15), raw, positions(1, simple_ko=True))
    np.testing.assert_allclose(simple.score_mean, 0.8 * 3.0, rtol=1e-5)
    np.testing.assert_allclose(simple.lead, 0.8 * -2.0, rtol=1e-5)
    square = simple.score_deviation**2 + simple.score_mean**2
    np.testing.assert_allclose(square, 0.8 * (sure.score_deviation**2 + 9), rtol=1e-5)


def test_answers_are_whites():
    raw = raw_outputs()
    white, black = (answers_of(network(15), raw, positions(2, x, True)) for x in (True, False))
    for name in ("lead", "score_mean", "ownership"):
        np.testing.assert_array_equal(vars(white)[name], -vars(black)[name])
    np.testing.assert_array_equal(white.white_wins, black.black_wins)
    for name in ("policy", "no_result", "score_deviation", "time_left", "value_error"):
        np.testing.assert_array_equal(vars(white)[name], vars(black)[name])
    np.testing.assert_allclose(white.ownership, np.tanh(raw["ownership"]), atol=1e-6)


@pytest.mark.parametrize(
    ("version", "value", "score"),
    [
        (9, softplus(0.6), 10 * softplus(-0.8)),
        (10, 0.5 * softplus(0.6) ** 0.5, 3 * softplus(-0.8) ** 0.5),
        (13, 0.5 * softplus(0.6) ** 0.5, 3 * softplus(-0.8) ** 0.5),
        (14, 0.5 * softplus(0.3), 3 * softplus(-0.4)),
        (17, 0.5 * softplus(0.3), 3 * softplus(-0.4)),
    ],
)
def test_errors_follow_the_version(version, value, score):
    raw = raw_outputs(1)
    raw["score"][0, 4:] = 0.6, -0.8
    found = answers_of(network(version), raw, positions(1))
    np.testing.assert_allclose(found.value_error, value, rtol=1e-6)
    np.testing.assert_allclose(found.score_error, score, rtol=1e-6)


def test_version_8_knows_no_errors():
    found = answers_of(network(8), raw_outputs(channels=1, scores=4), positions())
    assert found.time_left is found.value_error is found.score_error is None


def echo(planes: np.ndarray, global_inputs: np.ndarray) -> dict[str, np.ndarray]:
    """A network that says plane 3 and is the same under all symmetries."""
    flat = planes[..., 3].reshape(len(planes), 361)
    policy = np.repeat(np.column_stack([flat, global_inputs[:, 0]])[..., np.newaxis], 2, axis=2)
    numbers = global_inputs[:, :3], global_inputs[:, :6]
    return {"policy": policy, "value": numbers[0], "score": numbers[1], "ownership": flat}


def test_views_are_turned_back():
    given = positions()
    straight = answer(echo, network(15), given)
    for symmetry in range(NUM_SYMMETRIES):
        turned = answer(echo, network(15), given, [symmetry])
        for name, found in vars(turned).items():
            np.testing.assert_array_equal(found, vars(straight)[name])
    eight = answer(echo, network(15), given, range(NUM_SYMMETRIES))
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
        answer(record, network(15), positions(1), [symmetry])
        np.testing.assert_array_equal(shown[-1][0], transform_board(planes[0], symmetry))
        back = turned_back(raw, symmetry)
        for point in (0, 18, 40, 360, 361):
            shown_at = transform_point(point, symmetry)
            assert back["policy"][0, point, 1] == raw["policy"][0, shown_at, 1]


def test_the_mean_is_of_probabilities():
    raw = raw_outputs(1)
    found = answer(lambda planes, _: raw, network(15), positions(1), (0, 3))
    each = [answer(lambda planes, _: raw, network(15), positions(1), (s,)) for s in (0, 3)]
    np.testing.assert_allclose(found.policy, (each[0].policy + each[1].policy) / 2, atol=1e-7)
    assert abs(found.policy - each[0].policy).max() > 1e-4
    without = answer(lambda *_: raw_outputs(1, 1, 4), network(8), positions(1), (0, 3))
    assert without.value_error is None
