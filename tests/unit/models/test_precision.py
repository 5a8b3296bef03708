"""Networks in other arithmetic, and what is handed in of them."""

import keras
import numpy as np
import pytest

import models
from golois.data.dataset import Dataset
from models.contract import check_submittable
from models.training.checkpoint import RunState, load_checkpoint, save_checkpoint
from models.training.losses import compile_for_training
from models.training.precision import with_precision
from models.training.steps import build_variables
from models.training.unpacking import PackedInput
from tests.data import EMBEDDED_GAMES


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mixnet", "restnet"])
def test_there_and_back_is_the_same_network(name):
    options = {"mixnet": dict(blocks=1, filters=4, trunk=4), "restnet": dict(blocks="T", filters=4)}
    network = models.build(name, **options[name])
    half = with_precision(network, "mixed_bfloat16")
    kinds = {layer.compute_dtype for layer in half.layers if layer.name not in half.output_names}
    assert "bfloat16" in kinds
    assert {weight.dtype for weight in half.weights} == {"float32"}
    planes = np.random.default_rng(0).integers(0, 2, (2, 19, 19, 31)).astype(np.float32)
    answers = [half(planes), network(planes)]
    for ours, theirs in zip(*answers, strict=True):
        assert ours.dtype == "float32"
        np.testing.assert_allclose(ours, theirs, atol=0.02)
    back = with_precision(half, "float32")
    assert {layer.compute_dtype for layer in back.layers} == {"float32"}
    assert check_submittable(back) == []
    assert [layer.name for layer in back.layers] == [layer.name for layer in network.layers]
    for ours, theirs in zip(back(planes), answers[1], strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert with_precision(network, "float32") is network


@pytest.mark.slow
def test_nested_networks_compute_like_the_others_and_functions_as_they_are_given():
    board = keras.Input((19, 19, 8))
    tower = keras.Sequential([keras.layers.Conv2D(8, 3, padding="same")], name="tower")
    block = keras.Model(board, keras.layers.Add()([board, tower(board)]), name="block")
    planes = keras.Input((19, 19, 31), name="planes")
    x = keras.layers.Conv2D(8, 1)(planes)
    x = keras.layers.Flatten()(block(block(x)))
    policy = keras.layers.Dense(361, "softmax", name="policy")(x)
    value = keras.layers.Dense(1, "sigmoid", name="value")(x[:, :64])
    network = keras.Model(planes, [policy, value])
    half = with_precision(network, "mixed_bfloat16")
    assert half.get_layer("block").get_layer("tower").layers[0].compute_dtype == "bfloat16"
    assert {weight.dtype for weight in half.weights} == {"float32"}
    back = with_precision(half, "float32")
    assert with_precision(back, "float32") is back
    positions = np.random.default_rng(0).integers(0, 2, (2, 19, 19, 31)).astype(np.float32)
    np.testing.assert_allclose(half(positions)[0], network(positions)[0], atol=0.02)
    np.testing.assert_array_equal(back(positions)[0], network(positions)[0])


def half_trained() -> PackedInput:
    network = models.build("resnet", blocks=1, filters=4)
    model = PackedInput(network, precision="mixed_float16")
    compile_for_training(model, learning_rate=0.1, value_weight=1)
    return model


@pytest.mark.slow
def test_a_restored_run_of_a_scaled_loss_keeps_its_scale_and_can_be_saved_again(tmp_path):
    batch = Dataset(EMBEDDED_GAMES, planes="bits").sample(2, 0)
    begun = half_trained()
    build_variables(begun, batch)
    begun.optimizer.dynamic_scale.assign(64.0)
    save_checkpoint(tmp_path / "first.npz", begun, RunState())
    resumed = half_trained()
    load_checkpoint(tmp_path / "first.npz", resumed)
    build_variables(resumed, batch)
    assert float(resumed.optimizer.dynamic_scale) == 64.0
    save_checkpoint(tmp_path / "second.npz", resumed, RunState())
    load_checkpoint(tmp_path / "second.npz", half_trained())
