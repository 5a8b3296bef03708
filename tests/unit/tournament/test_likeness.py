"""Which networks are copies of each other, by their manifests."""

import numpy as np
import pytest

from golois.go.symmetry import point_table
from tournament.league.likeness import NEARLY_ALIKE, are_alike, distance, mean_distances

RNG = np.random.default_rng(0)
ANSWERS = RNG.uniform(0.01, 0.9, 64).tolist()


def changed(by: float) -> list[float]:
    return [number * (1 + by) for number in ANSWERS]


def test_a_distance_is_none_to_itself_or_by_a_move_that_nobody_would_play():
    assert distance(ANSWERS, ANSWERS) == 0
    assert distance(ANSWERS, changed(0.1)) == distance(changed(0.1), ANSWERS) > 0.09
    assert distance([1e-9, 0.5], [1e-5, 0.5]) == 0


def test_the_mean_distance_is_that_from_each_other_network():
    three = ANSWERS, changed(0.1), [0.0, 0.5] * (len(ANSWERS) // 2)
    means = [sum(distance(one, other) for other in three) / 2 for one in three]
    assert mean_distances(three) == pytest.approx(means)


@pytest.mark.parametrize(("share", "alike"), [(0.0, True), (0.5, True), (2.0, False)])
def test_networks_that_answer_nearly_alike_are(share, alike):
    answers = changed(share * NEARLY_ALIKE)
    assert are_alike({"answers": ANSWERS}, {"answers": answers}) is alike


def test_equal_artefacts_are_alike_and_answers_to_other_questions_say_nothing():
    assert are_alike({"onnx_sha256": "a"}, {"onnx_sha256": "a", "answers": ANSWERS})
    assert not are_alike({"onnx_sha256": "a"}, {"onnx_sha256": "b", "answers": ANSWERS})
    assert are_alike({"sha256": "a"}, {"sha256": "a"}) and not are_alike({}, {})
    assert not are_alike({"answers": ANSWERS}, {"answers": ANSWERS[:-2]})


def turned(seed: int, scale: float = 1.0, noise: float = 0.0) -> np.ndarray:
    """Answers of a network in all symmetries: the logarithms of eight chances, and a value."""
    rng = np.random.default_rng(seed)
    logits, values = rng.normal(0, 2, (8, 8, 8)), rng.uniform(-2, 2, (8, 8, 1))
    logits = scale * logits + noise * rng.normal(0, 1, logits.shape)
    chances = np.exp(logits - 5) / np.exp(logits - 5).sum(axis=-1, keepdims=True) / 3
    return np.concatenate([chances, 1 / (1 + np.exp(-scale * values))], axis=-1)


def manifest(table: np.ndarray, seed: int = 1) -> dict:
    """A manifest whose other answers are unlike those of another seed."""
    answers = np.random.default_rng(seed).uniform(0.01, 0.9, 64)
    answers[:16] = table[0][:, [0, -1]].ravel()
    return {"turned_answers": table.ravel().tolist(), "answers": answers.tolist()}


@pytest.mark.parametrize("scale", [0.01, 0.5, 1.0, 2.0, 5.0, 50.0])
@pytest.mark.parametrize("symmetry", range(8))
def test_a_copy_that_is_turned_and_sharper_is_one(symmetry, scale):
    """A network that turns the board first answers to a symmetry as the other one to another."""
    followed = [
        next(k for k in range(8) if (point_table()[k] == point_table()[symmetry][turn]).all())
        for turn in point_table()
    ]
    one, copy = manifest(turned(1)), manifest(turned(1, scale)[followed], seed=2)
    assert are_alike(one, copy) and are_alike(copy, one)


@pytest.mark.parametrize(("noise", "alike"), [(0.01, True), (1.0, False)])
def test_other_turned_answers_are_another_network(noise, alike):
    assert are_alike(manifest(turned(1)), manifest(turned(1, noise=noise), seed=2)) is alike
    assert not are_alike(manifest(turned(1)), manifest(turned(2), seed=2))


def test_a_value_of_its_own_is_another_network():
    one, other = turned(1), turned(1)
    other[..., -1] = turned(2)[..., -1]
    assert not are_alike(manifest(one), manifest(other, seed=2))


@pytest.mark.parametrize("chances", [np.eye(8)[0], np.full(8, 1 / 361)], ids=["sure", "flat"])
def test_a_policy_without_differences_says_nothing(chances):
    table = turned(1)
    table[..., :-1] = chances
    assert not are_alike(manifest(table), manifest(turned(2), seed=2))
    assert not are_alike(manifest(table), manifest(turned(1), seed=2))


def sure(table: np.ndarray, num_unasked: int = 0) -> np.ndarray:
    """The same answers, but each best move has all of the chance, or a point that isn't asked."""
    chances = table[..., :-1]
    ones = (chances == chances.max(axis=-1, keepdims=True)).astype(float)
    ones.reshape(64, 8)[:num_unasked] = 0
    return np.concatenate([ones, table[..., -1:]], axis=-1)


def test_a_policy_without_a_second_move_is_a_copy_if_it_plays_the_same():
    one, other_moves, other_values = turned(1), sure(turned(2)), sure(turned(1))
    other_moves[..., -1], other_values[..., -1] = one[..., -1], turned(2)[..., -1]
    assert are_alike(manifest(one), manifest(sure(one), seed=2))
    assert are_alike(manifest(sure(one, 40), seed=2), manifest(one))
    for other in (other_moves, other_values, sure(one, num_unasked=60)):
        assert not are_alike(manifest(one), manifest(other, seed=2))


@pytest.mark.parametrize("symmetry", range(8))
def test_answers_of_an_older_manifest_find_a_turned_copy(symmetry):
    newer = manifest(turned(1))
    older = {"answers": [*turned(1)[symmetry][:, [0, -1]].ravel().tolist(), *ANSWERS[16:]]}
    assert are_alike(older, newer) and are_alike(newer, older)
    assert not are_alike(older, manifest(turned(2), seed=2))


@pytest.mark.parametrize("found", [[], [0.5] * 7, [0.5] * 575, [0.5] * 1152])
def test_turned_answers_of_another_kind_say_nothing(found):
    strange = {"answers": ANSWERS, "turned_answers": found}
    for other in (manifest(turned(1)), {"answers": ANSWERS[::-1], "turned_answers": found}):
        assert not are_alike(strange, other) and not are_alike(other, strange)
    short = {"answers": ANSWERS[:4]}
    assert not are_alike(short, {**manifest(turned(1)), "answers": ANSWERS[4:8]})
