"""Which networks are copies of each other, by their manifests."""

import numpy as np
import pytest

from tournament.league.likeness import NEARLY_ALIKE, are_alike, distance

RNG = np.random.default_rng(0)
ANSWERS = RNG.uniform(0.01, 0.9, 64).tolist()


def changed(by: float) -> list[float]:
    return [number * (1 + by) for number in ANSWERS]


def test_a_distance_is_none_only_to_itself():
    assert distance(ANSWERS, ANSWERS) == 0
    assert distance(ANSWERS, changed(0.1)) == distance(changed(0.1), ANSWERS) > 0.09


def test_a_move_that_nobody_would_play_is_no_difference():
    assert distance([1e-9, 0.5], [1e-5, 0.5]) == 0


@pytest.mark.parametrize(("share", "alike"), [(0.0, True), (0.5, True), (2.0, False)])
def test_networks_that_answer_nearly_alike_are(share, alike):
    answers = changed(share * NEARLY_ALIKE)
    assert are_alike({"answers": ANSWERS}, {"answers": answers}) is alike


def test_equal_artefacts_are_alike_without_answers():
    assert are_alike({"onnx_sha256": "a"}, {"onnx_sha256": "a", "answers": ANSWERS})
    assert not are_alike({"onnx_sha256": "a"}, {"onnx_sha256": "b", "answers": ANSWERS})
    assert are_alike({"sha256": "a"}, {"sha256": "a"}) and not are_alike({}, {})


def test_answers_to_other_questions_say_nothing():
    assert not are_alike({"answers": ANSWERS}, {"answers": ANSWERS[:-2]})
