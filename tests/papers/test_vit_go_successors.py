"""The networks that ViT-Go names as future work, in Keras and after the intake."""

from pathlib import Path

import keras
import numpy as np
import pytest

import models
from golois.games.game import Game
from golois.games.rules import Go
from models.contract import INPUT_SHAPE, check_submittable
from tournament.intake.own_network import bake_own_network
from tournament.networks.evaluator import NetworkEvaluator

PAPER = Path(__file__).parents[2] / "papers" / "vit_go"


def built(name, **options):
    return models.build(f"{PAPER / name}.py:build", **options)


@pytest.mark.parametrize("name", ["swin", "pvt"])
def test_a_network_of_the_budget_can_be_handed_in(name):
    assert check_submittable(built(name)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "blocks"), [("swin", 2), ("pvt", 1)])
def test_the_intake_computes_what_keras_computes(name, blocks, tmp_path):
    network = built(name, blocks=blocks, width=4, heads=2, hidden=4, stem=4)
    network.save(tmp_path / "net.h5", include_optimizer=False)
    game = Game(Go(19, passes="arena", planes="course"))
    artefact = bake_own_network(tmp_path / "net.h5", game)
    planes = np.random.default_rng(0).random((3, *INPUT_SHAPE), np.float32).round()
    expected = [np.asarray(output) for output in network(planes, training=False)]
    policy, value = NetworkEvaluator(artefact.read_bytes(), 3).evaluate(planes)
    np.testing.assert_allclose(policy, expected[0], atol=1e-5)
    np.testing.assert_allclose(value, expected[1][:, 0], atol=1e-5)


def test_swin_sees_beyond_a_window_in_two_blocks_and_pvt_in_one():
    """What a stone in a corner changes in the opposite one, past the stem's convolutions."""
    for name, blocks, reaches in (("swin", 1, False), ("swin", 2, True), ("pvt", 1, True)):
        network = built(name, blocks=blocks, width=4, heads=2, hidden=4, stem=4)
        logits = keras.Model(network.inputs, network.get_layer("policy").input)
        planes = np.zeros((2, *INPUT_SHAPE), np.float32)
        planes[1, 9, 9] = 1
        far = np.abs(np.diff(np.asarray(logits(planes)), axis=0)).reshape(19, 19)[2, 2]
        assert (far > 0) == reaches
