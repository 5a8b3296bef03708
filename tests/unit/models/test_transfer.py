"""Weights from one network to another: the same answers from a deeper one, or as many as fit."""

import re

import keras
import numpy as np
import pytest

import models
from models.errors import ModelOptionError, SavedNetworkError
from models.training.losses import compile_for_training
from models.training.steps import save_network
from models.training.transfer import load_network, take_weights
from models.training.unpacking import PackedInput
from tests.integration.intake.small_networks import randomise

DEEPER = {
    "resnet": (dict(filters=4), 1, 3),
    "mobilenet": (dict(filters=4, trunk=4, se_position="end"), 1, 2),
    "mixnet": (dict(filters=4, trunk=4), 1, 3),
    "restnet": (dict(filters=4, heads=2), "R", "RR"),
    "nogozero": (dict(filters=4), 1, 2),
    "convnext": (dict(filters=4), 1, 2),
    "eca": (dict(filters=4, trunk=4), 1, 2),
}

# Slow are those whose blocks are a variant of another family's.
VARIANTS = ("mixnet", "nogozero", "convnext", "eca")

pytestmark = pytest.mark.usefixtures("without_graphs")


WIDER = {
    "resnet": (dict(blocks=2), dict(filters=4), dict(filters=7)),
    "nogozero": (dict(blocks=2), dict(filters=4), dict(filters=6)),
    "mobilenet": (
        dict(blocks=1, se_position="expanded"), dict(filters=4, trunk=4), dict(filters=9, trunk=6)
    ),
    "mixnet": (dict(blocks=2), dict(filters=4, trunk=4), dict(filters=6, trunk=8)),
}  # fmt: skip
SLOW = ("resnet", "mixnet")  # whose layers are among those of the others


def planes(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (8, 19, 19, 31)).astype(np.float32)


def randomised(name: str, **options) -> keras.Model:
    network = models.build(name, **options)
    randomise(network, np.random.default_rng(7))
    return network


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in VARIANTS else [])
        for name in DEEPER
    ],
)
def test_a_deeper_network_answers_as_the_shallow_one(name):
    """On other positions than those it was fitted on, too."""
    options, few, many = DEEPER[name]
    shallow = randomised(name, blocks=few, **options)
    deep = models.build(name, blocks=many, **options)
    transfer = take_weights(deep, shallow, planes(0))
    assert transfer.num_taken == len([layer for layer in shallow.layers if layer.weights])
    assert transfer.num_taken < transfer.num_layers and transfer.deviation <= 1e-4
    assert "the outputs are the same" in str(transfer)
    for ours, theirs in zip(deep(planes(1)), shallow(planes(1)), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name in SLOW else []) for name in WIDER],
)
def test_a_wider_network_answers_as_the_narrow_one(name):
    options, few, many = WIDER[name]
    narrow = randomised(name, **options, **few)
    PackedInput(narrow)  # in training other networks call its layers too
    wide = models.build(name, **options, **many)
    transfer = take_weights(wide, narrow, planes(0))
    assert transfer.num_taken == transfer.num_layers and transfer.deviation <= 1e-4
    for ours, theirs in zip(wide(planes(1)), narrow(planes(1)), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


def learn(network: keras.Model, num_batches: int, optimizer: str) -> None:
    compile_for_training(network, learning_rate=0.01, value_weight=1, optimizer=optimizer)
    network.run_eagerly = True
    for _ in range(num_batches):
        network.train_on_batch(planes(2), {"policy": np.eye(361)[:8], "value": np.ones((8, 1))})


@pytest.mark.slow
def test_copies_of_a_channel_part_and_added_blocks_begin_when_they_learn():
    """A zero at the end of a branch still gets a gradient, and then lets one through."""
    options, few, many = WIDER["resnet"]
    wide = models.build("resnet", **options, **many)
    take_weights(wide, randomised("resnet", **options, **few), planes(0))
    kernel = next(layer for layer in wide.layers if layer.weights).kernel
    np.testing.assert_array_equal(kernel[..., 4], kernel[..., 0])
    learn(wide, 1, "sgd")
    assert np.abs(kernel[..., 4] - kernel[..., 0]).max() > 1e-6
    options, few, many = DEEPER["mobilenet"]
    deep = models.build("mobilenet", blocks=many, **options)
    take_weights(deep, randomised("mobilenet", blocks=few, **options), planes(0))
    before = [np.array(weight) for weight in deep.trainable_weights]
    learn(deep, 2, "adam")
    moved = [(old != new).any() for old, new in zip(before, deep.trainable_weights, strict=True)]
    assert np.mean(moved) > 0.9


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("cbam", dict(trunk=4)),
        ("shufflenet", {}),
        pytest.param("restnet", dict(blocks="RT", heads=2), marks=pytest.mark.slow),
    ],
)
def test_layers_that_cannot_be_widened_begin_anew(name, options):
    """Shared ones, channels that change places, attention."""
    few, many = ({**options, "filters": filters} for filters in (8, 12))
    if name != "restnet":
        few, many = dict(few, blocks=1), dict(many, blocks=1)
    transfer = take_weights(models.build(name, **many), randomised(name, **few), planes(0))
    assert transfer.num_taken < transfer.num_layers
    assert "the other layers begin untrained" in str(transfer)


@pytest.mark.slow
def test_a_narrower_network_takes_what_fits():
    keras.utils.clear_session(free_memory=False)
    source = randomised("resnet", blocks=1, filters=6, perspective="white")
    keras.utils.clear_session(free_memory=False)
    narrower = models.build("resnet", blocks=1, filters=4, perspective="white")
    transfer = take_weights(narrower, source, planes(0))
    assert 0 < transfer.num_taken < transfer.num_layers
    assert re.match(r"\d+ of \d+ layers taken; the other layers begin untrained", str(transfer))
    value = [net.get_layer("value").get_weights() for net in (narrower, source)]
    np.testing.assert_array_equal(value[0][0], value[1][0])


@pytest.mark.slow
def test_a_network_alike_is_taken_whole(tmp_path):
    """And of one with more outputs what both have."""
    whole, path = randomised("resnet", blocks=1, filters=4), tmp_path / "net.h5"
    trunk = whole.get_layer("value").input
    score = keras.layers.Dense(1, name="score")(trunk)
    by_name = dict(zip(whole.output_names, whole.outputs, strict=True))
    more = keras.Model(whole.inputs, [score, by_name["value"], by_name["policy"]])
    for source in (whole, more):
        save_network(path, source)
        network = models.build("resnet", blocks=1, filters=4)
        transfer = take_weights(network, load_network(str(path), "--init-from"), planes(0))
        assert transfer.num_taken == transfer.num_layers and transfer.deviation == 0


@pytest.mark.slow
def test_networks_that_answer_otherwise_are_refused_in_words(tmp_path):
    path = tmp_path / "net.h5"
    whole = models.build("resnet", blocks=1, filters=4)
    for network, words in (
        (
            keras.Model(whole.inputs, whole.outputs[:1]),
            "an output value of 1 numbers in .* in --init-from",
        ),
        (
            models.build("vit", planes=10, blocks=1, width=8, hidden=8),
            "expected one input .* in --init-from: got",
        ),
        (
            keras.Sequential([keras.Input((19, 19, 31)), keras.layers.Flatten()]),
            "an output policy of 361 numbers",
        ),
    ):
        save_network(path, network)
        with pytest.raises(ModelOptionError, match=words):
            load_network(str(path), "--init-from")
    path.write_text("no network")
    with pytest.raises(SavedNetworkError, match="cannot open a network from .*net.h5"):
        load_network(str(path), "--init-from")
