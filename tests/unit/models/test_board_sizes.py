"""Networks for boards of any size, with a pass and without; weights from one size to another."""

from types import SimpleNamespace

import keras
import numpy as np
import pytest

import models
from models.errors import ModelOptionError
from models.training.auxiliary import with_auxiliary_heads
from models.training.losses import compile_for_training
from models.training.steps import train_batch
from models.training.transfer import take_weights
from models.training.unpacking import PackedInput
from tests.integration.intake.small_networks import outputs_of, randomise

pytestmark = pytest.mark.usefixtures("without_graphs")

SMALL = {
    "resnet": dict(blocks=1, filters=4),
    "restnet": dict(blocks="RT", filters=4, heads=2),
    "nogozero": dict(blocks=2, filters=4),
}
BOARDS = {
    "Go 5": dict(size=5, planes=18, moves=26),
    "NoGo 9": dict(size=9, planes=21, moves=81),
    "Hex 11": dict(size=11, planes=4, moves=121),
}


def randomised(name: str, **options) -> keras.Model:
    network = models.build(name, **{**SMALL[name], **options})
    randomise(network, np.random.default_rng(7))
    return network


# Each network and each board once; the other pairs are slow.
PAIRS = [
    pytest.param(board, name, marks=pytest.mark.slow if number != place else [])
    for number, board in enumerate(BOARDS)
    for place, name in enumerate(SMALL)
]


@pytest.mark.slow
@pytest.mark.parametrize(("board", "name"), PAIRS)
def test_a_network_answers_on_any_board(name, board):
    options = BOARDS[board]
    network = randomised(name, **options)
    assert network.input_shape[1:] == (options["size"], options["size"], options["planes"])
    policy, value = outputs_of(network, np.ones((2, *network.input_shape[1:]), np.float32))
    assert policy.shape == (2, options["moves"]) and value.shape == (2, 1)
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-5)


def test_further_heads_are_those_of_the_board():
    network = randomised("nogozero", **BOARDS["NoGo 9"], multitask=True)
    assert network.output_names == ["policy", "value", "dominion", "score"]
    assert [tuple(output.shape[1:]) for output in network.outputs] == [(81,), (1,), (81,), (1,)]
    network = randomised("resnet", **BOARDS["Go 5"])
    whole = with_auxiliary_heads(network, ["ownership", "reply"])
    assert [tuple(output.shape[1:]) for output in whole.outputs[2:]] == [(25,), (25,)]
    added = set(whole.layers) - set(network.layers)
    assert not [layer for layer in added if isinstance(layer, keras.layers.Reshape)]


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_pass_is_a_logit_of_the_channels_means(name):
    """It costs a weight for each channel and a bias, and moves no logit of a point."""
    plain = models.build(name, **SMALL[name], size=5, planes=18)
    network = randomised(name, size=5, planes=18, moves=26)
    assert network.count_params() == plain.count_params() + SMALL[name]["filters"] + 1
    (joined,) = [
        layer.output
        for layer in network.layers
        if isinstance(layer, keras.layers.Concatenate) and layer.output.shape == (None, 26)
    ]
    pass_layer = joined._keras_history.operation.input[1]._keras_history.operation
    trunk = pass_layer.input._keras_history.operation.input
    planes = np.random.default_rng(1).random((3, 5, 5, 18), np.float32)
    maps, logits = outputs_of(keras.Model(network.input, [trunk, joined]), planes)
    kernel, bias = pass_layer.get_weights()
    expected = maps.mean(axis=(1, 2)) @ kernel + bias
    np.testing.assert_allclose(logits[:, 25:], expected, atol=1e-5)
    assert np.ptp(expected) > 0


@pytest.mark.parametrize(("name", "moves"), [*((name, 361) for name in SMALL), ("resnet", 24)])
def test_other_numbers_of_moves_are_refused_in_words(name, moves):
    """Without a number there is a move for each point."""
    with pytest.raises(ModelOptionError, match=f"moves must be 25, or 26 with a pass, not {moves}"):
        models.build(name, **SMALL[name], size=5, moves=moves)
    network = models.build(name, **SMALL[name], size=7, planes=4)
    assert network.get_layer("policy").output.shape == (None, 49)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["resnet", "nogozero"])
def test_weights_of_a_small_board_load_into_a_larger_one(name):
    small, large = (randomised(name, size=size, planes=18, moves=size**2 + 1) for size in (5, 7))
    transfer = take_weights(large, small, np.zeros((1, 7, 7, 18), np.float32))
    assert transfer.num_taken == transfer.num_layers and transfer.deviation is None
    for ours, theirs in zip(large.get_weights(), small.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert outputs_of(large, np.ones((1, 7, 7, 18), np.float32))[0].shape == (1, 50)


def test_layers_of_one_size_begin_anew():
    """Those of attention's displacements, and the hidden layers over all points."""
    small, large = (randomised("restnet", size=size, planes=4) for size in (5, 7))
    before = [weight.copy() for weight in large.get_weights()]
    transfer = take_weights(large, small, np.zeros((1, 7, 7, 4), np.float32))
    assert transfer.num_taken == transfer.num_layers - SMALL["restnet"]["heads"]
    assert str(transfer).endswith("layers taken from a network for another board")
    kept = [
        weight.shape
        for weight, old in zip(large.get_weights(), before, strict=True)
        if np.array_equal(weight, old)
    ]
    assert kept == [(1, 13 * 13)] * SMALL["restnet"]["heads"]


def test_another_network_for_another_board_is_refused_in_words():
    resnet, nogozero = randomised("resnet", size=7), randomised("nogozero", size=5)
    with pytest.raises(ModelOptionError, match="another board must have the same layers"):
        take_weights(resnet, nogozero, np.zeros((1, 7, 7, 31), np.float32))


@pytest.mark.slow
def test_a_batch_of_any_board_and_policy_is_trained_on():
    """From packed planes to the loss, which is the cross-entropy with 26 smoothed numbers."""
    rng = np.random.default_rng(5)
    planes = rng.integers(0, 2, (4, 5, 5, 18)).astype(np.uint8)
    policy = rng.dirichlet(np.ones(26), 4).astype(np.float32)
    value = rng.random(4).astype(np.float32)
    bits = np.packbits(planes.reshape(4, -1), axis=1)
    batch = SimpleNamespace(planes=bits, policy=policy, value_white=value)
    network = randomised("resnet", **BOARDS["Go 5"])
    model = PackedInput(network)
    for ours, theirs in zip(
        outputs_of(network, planes.astype(np.float32)), model(bits).values(), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    compile_for_training(model, learning_rate=0.01, value_weight=1, label_smoothing=0.1)
    model.run_eagerly = True
    before = network.get_weights()
    found = train_batch(model, batch)["policy_loss"]
    again = models.build("resnet", **SMALL["resnet"], **BOARDS["Go 5"])
    again.set_weights(before)
    chances = np.asarray(again(planes.astype(np.float32), training=True)[0], np.float64)
    smooth = 0.9 * policy + 0.1 / 26
    assert found == pytest.approx(-(smooth * np.log(chances)).sum(axis=1).mean(), rel=1e-4)
    moved = [(a != b).any() for a, b in zip(before, network.get_weights(), strict=True)]
    assert np.mean(moved) > 0.8
