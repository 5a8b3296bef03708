"""Weights from one network to another: the same answers from a deeper one, or as many as fit."""

import re
from pathlib import Path

import numpy as np
import pytest

from models.errors import ModelOptionError, SavedNetworkError
from models.training.quiet import import_keras_quietly

import_keras_quietly()

import keras  # noqa: E402

import models  # noqa: E402
from models.training.losses import compile_for_training  # noqa: E402
from models.training.steps import save_network  # noqa: E402
from models.training.transfer import load_network, take_weights  # noqa: E402
from models.training.unpacking import PackedInput  # noqa: E402
from tests.integration.intake.small_networks import randomise  # noqa: E402

DEEPER = {
    "resnet": (dict(filters=4), 1, 3),
    "mobilenet": (dict(filters=4, trunk=4, se_position="end"), 1, 2),
    "mixnet": (dict(filters=4, trunk=4), 1, 3),
    "restnet": (dict(filters=4, heads=2), "R", "RR"),
    "nogozero": (dict(filters=4), 1, 2),
    "convnext": (dict(filters=4), 1, 2),
    "eca": (dict(filters=4, trunk=4), 1, 2),
}

pytestmark = pytest.mark.usefixtures("without_graphs")


WIDER = {
    "resnet": (dict(blocks=2), dict(filters=4), dict(filters=7)),
    "nogozero": (dict(blocks=2), dict(filters=4), dict(filters=6)),
    "mobilenet": (
        dict(blocks=1, se_position="expanded"), dict(filters=4, trunk=4), dict(filters=9, trunk=6)
    ),
    "mixnet": (dict(blocks=2), dict(filters=4, trunk=4), dict(filters=6, trunk=8)),
}  # fmt: skip


def planes(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (8, 19, 19, 31)).astype(np.float32)


def randomised(name: str, **options) -> keras.Model:
    network = models.build(name, **options)
    randomise(network, np.random.default_rng(7))
    return network


# Slow are those whose blocks are a variant of another family's.
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in ("mixnet", "eca") else [])
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


@pytest.mark.parametrize("name", WIDER)
def test_a_wider_network_answers_as_the_narrow_one(name):
    options, few, many = WIDER[name]
    narrow = randomised(name, **options, **few)
    PackedInput(narrow)  # in training other networks call its layers too
    wide = models.build(name, **options, **many)
    transfer = take_weights(wide, narrow, planes(0))
    assert transfer.num_taken == transfer.num_layers and transfer.deviation <= 1e-4
    for ours, theirs in zip(wide(planes(1)), narrow(planes(1)), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_copies_of_a_channel_part_when_they_learn():
    options, few, many = WIDER["resnet"]
    wide = models.build("resnet", **options, **many)
    take_weights(wide, randomised("resnet", **options, **few), planes(0))
    kernel = next(layer for layer in wide.layers if layer.weights).kernel
    np.testing.assert_array_equal(kernel[..., 4], kernel[..., 0])
    compile_for_training(wide, learning_rate=0.01, value_weight=1, optimizer="sgd")
    wide.run_eagerly = True
    wide.train_on_batch(planes(2), {"policy": np.eye(361)[:8], "value": np.ones((8, 1))})
    assert np.abs(kernel[..., 4] - kernel[..., 0]).max() > 1e-6


def test_added_blocks_can_learn():
    """A zero at the end of a branch still gets a gradient, and then lets one through."""
    options, few, many = DEEPER["mobilenet"]
    deep = models.build("mobilenet", blocks=many, **options)
    take_weights(deep, randomised("mobilenet", blocks=few, **options), planes(0))
    compile_for_training(deep, learning_rate=0.01, value_weight=1)
    deep.run_eagerly = True
    before = [np.array(weight) for weight in deep.trainable_weights]
    for _ in range(2):
        deep.train_on_batch(planes(2), {"policy": np.eye(361)[:8], "value": np.ones((8, 1))})
    moved = [(old != new).any() for old, new in zip(before, deep.trainable_weights, strict=True)]
    assert np.mean(moved) > 0.9


@pytest.mark.parametrize(
    ("name", "options"),
    [("cbam", dict(trunk=4)), ("shufflenet", {}), ("restnet", dict(blocks="RT", heads=2))],
)
def test_layers_that_cannot_be_widened_begin_anew(name, options):
    """Shared ones, channels that change places, attention."""
    few, many = ({**options, "filters": filters} for filters in (8, 12))
    if name != "restnet":
        few, many = dict(few, blocks=1), dict(many, blocks=1)
    transfer = take_weights(models.build(name, **many), randomised(name, **few), planes(0))
    assert transfer.num_taken < transfer.num_layers
    assert "the other layers begin untrained" in str(transfer)


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


def test_a_network_alike_is_taken_whole(tmp_path):
    source = randomised("resnet", blocks=1, filters=4)
    save_network(tmp_path / "net.h5", source)
    network = models.build("resnet", blocks=1, filters=4)
    saved = load_network(str(tmp_path / "net.h5"), "--init-from")
    transfer = take_weights(network, saved, planes(0))
    assert transfer.num_taken == transfer.num_layers and transfer.deviation == 0


def test_a_network_with_more_outputs_gives_what_both_have(tmp_path):
    whole = randomised("resnet", blocks=1, filters=4)
    trunk = whole.get_layer("value").input
    score = keras.layers.Dense(1, name="score")(trunk)
    by_name = dict(zip(whole.output_names, whole.outputs, strict=True))
    outputs = [score, by_name["value"], by_name["policy"]]
    save_network(tmp_path / "net.h5", keras.Model(whole.inputs, outputs))
    network = models.build("resnet", blocks=1, filters=4)
    saved = load_network(str(tmp_path / "net.h5"), "--init-from")
    assert take_weights(network, saved, planes(0)).deviation == 0


def test_networks_that_answer_otherwise_are_refused_in_words(tmp_path):
    whole = models.build("resnet", blocks=1, filters=4)
    one = keras.Model(whole.inputs, whole.outputs[:1])
    path = str(tmp_path / "net.h5")
    save_network(Path(path), one)
    with pytest.raises(ModelOptionError, match="an output value of 1 numbers in .* in --init-from"):
        load_network(path, "--init-from")
    save_network(Path(path), models.build("vit", planes=10, blocks=1, width=8, hidden=8))
    with pytest.raises(ModelOptionError, match="expected one input .* in --init-from: got"):
        load_network(path, "--init-from")
    flat = keras.Sequential([keras.Input((19, 19, 31)), keras.layers.Flatten()])
    save_network(Path(path), flat)
    with pytest.raises(ModelOptionError, match="an output policy of 361 numbers"):
        load_network(path, "--init-from")


def test_what_cannot_be_loaded_is_said_in_words(tmp_path):
    (tmp_path / "bad.h5").write_text("no network")
    with pytest.raises(SavedNetworkError, match="cannot open a network from .*bad.h5"):
        load_network(str(tmp_path / "bad.h5"), "--init-from")
