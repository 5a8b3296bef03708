"""Networks of the equivariant layers turn with the board: always, exactly, on any size."""

import json
from collections.abc import Iterator

import keras
import numpy as np
import pytest

import models
from golois.kernels.irreps import Fields, count_free, transform_fields
from models.parts.equivariant import EquivariantBatchNormalization, EquivariantConv2D
from models.training.losses import compile_for_training
from tests.integration.intake.small_networks import randomise

MIXED, OTHER = (2, 1, 1, 1, 2, 1), (1, 2, 1, 0, 1, 1)
SMALL = {
    "isn": dict(hidden="2,1,1,1,2", window=5),
    "isn_tower": dict(blocks=2, width=1, global_maps=2, policy_maps=2, value_maps=2),
}
SIZES = (5, 9, 19)


@pytest.fixture
def double_precision() -> Iterator[None]:
    """Layers compute in float64, so that what breaks the symmetry can't pass for rounding."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("float64")
    yield
    keras.config.set_dtype_policy(before)


def random_planes(size: int, rows: int = 4) -> np.ndarray:
    """Planes of chance, but for the first one, the colour: that is the same on all points."""
    rng = np.random.default_rng(size)
    planes = rng.integers(0, 2, (rows, size, size, 31)).astype(np.float32)
    planes[..., 0] = planes[:, :1, :1, 0]
    return planes


def train(model: keras.Model) -> None:
    compile_for_training(model, learning_rate=0.001, value_weight=1)
    model.run_eagerly = True
    size = model.input_shape[1]
    rng = np.random.default_rng(3)
    policy = np.eye(size * size)[rng.integers(0, size * size, 4)]
    model.train_on_batch(random_planes(size), {"policy": policy, "value": rng.random((4, 1))})


def error_of_symmetry(model: keras.Model) -> float:
    """How far the probabilities are from turning with the board, over all eight symmetries."""
    size, rows = model.input_shape[1], 2
    planes = random_planes(size, rows)
    turned = [transform_fields(planes, Fields(T=31), element) for element in range(8)]
    policy, value = (np.asarray(output) for output in model([np.concatenate(turned)]))
    board = policy[:rows].reshape(rows, size, size, 1)
    expected = [transform_fields(board, Fields(T=1), element).ravel() for element in range(8)]
    return max(
        np.abs(policy.ravel() - np.concatenate(expected)).max(),
        np.abs(value.reshape(8, rows) - value[:rows, 0]).max(),
    )


@pytest.mark.parametrize("size", [9, pytest.param(19, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SMALL)
def test_answers_turn_with_the_board_at_the_start_and_after_training(name, size):
    keras.utils.set_random_seed(0)  # some weights round to a little more than others
    model = models.build(name, **SMALL[name], size=size)
    assert error_of_symmetry(model) <= 1e-6
    train(model)
    assert error_of_symmetry(model) <= 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_the_same_weights_play_on_every_size(name, double_precision):
    weights = None
    for size in SIZES:
        model = models.build(name, **SMALL[name], size=size)
        if weights is None:
            randomise(model, np.random.default_rng(0))
            weights = model.get_weights()
        model.set_weights(weights)
        assert model.output_shape[0] == (None, size * size)
        assert error_of_symmetry(model) <= 1e-12


@pytest.mark.parametrize("size", SIZES)
def test_fields_of_every_kind_turn_as_they_should(size, double_precision):
    layer = EquivariantConv2D(MIXED, OTHER, window=5, use_bias=True)
    norm = EquivariantBatchNormalization(OTHER)
    board = np.random.default_rng(4).normal(size=(3, size, size, 17))
    norm(layer(board))
    rng = np.random.default_rng(5)
    for made in (layer, norm):
        made.set_weights([rng.uniform(0.5, 1.5, weight.shape) for weight in made.get_weights()])
    turned = [transform_fields(board, Fields(*MIXED), element) for element in range(8)]
    for training in (False, True):
        answers = np.split(np.asarray(norm(layer(np.concatenate(turned)), training=training)), 8)
        for element, found in enumerate(answers):
            expected = transform_fields(answers[0], Fields(*OTHER), element)
            np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.slow
def test_the_kernel_keeps_its_symmetry_to_the_last_bit_after_training():
    model = models.build("isn_tower", **SMALL["isn_tower"])
    before = [weight.numpy() for weight in model.trainable_weights]
    train(model)
    assert any((a != b.numpy()).any() for a, b in zip(before, model.trainable_weights, strict=True))
    convolutions = [layer for layer in model.layers if isinstance(layer, EquivariantConv2D)]
    assert len(convolutions) == 9
    for layer in convolutions:
        kernel = layer.shared_kernel.expand(layer.weight.numpy())
        for element in range(8):
            # K[gν] = ρ(g) K[ν] ρ(g)⁻¹: both sides of a kernel [rows, columns, in, out] are fields.
            by_input = kernel.transpose(3, 0, 1, 2)
            moved = transform_fields(by_input, layer.input_fields, element)
            identity = np.eye(layer.fields.channels)[:, None, None]
            matrix = transform_fields(identity, layer.fields, element)[:, 0, 0]
            np.testing.assert_array_equal(np.einsum("orci,op->prci", moved, matrix), by_input)


def test_only_free_weights_are_parameters():
    """Hidden units see one another with few of them; the paper's networks have its numbers."""
    layer = EquivariantConv2D(MIXED, OTHER, use_bias=True)
    layer.build((None, 5, 5, 17))
    assert layer.count_params() == count_free(Fields(*MIXED), Fields(*OTHER), 3) + 2
    odd = EquivariantConv2D((3,), (0, 2, 0, 0, 1), use_bias=True)
    assert not np.any(odd(np.zeros((1, 5, 5, 3)))) and odd.count_params() == 3 * (2 + 2)
    norm = EquivariantBatchNormalization(MIXED)
    norm.build((None, 5, 5, 17))
    assert [weight.shape for weight in norm.weights] == [(8,), (3,), (3,), (8,)]
    for fields, free, numbers in (
        ((8, 4, 4, 4, 8), 1_488, 11_664),
        ((16, 8, 8, 8, 16), 5_952, 46_656),
    ):
        layer = EquivariantConv2D(fields, fields)
        layer.build((None, 5, 5, Fields(*fields).channels))
        assert layer.count_params() == free
        assert layer.shared_kernel.index.size == numbers


def test_the_papers_networks_have_its_numbers_of_weights():
    form = dict(preset="paper", planes=14, heads="none", use_bias=False, size=9)
    assert models.build("isn", **form).count_params() == 714
    assert models.build("isn", **form, maps=1).count_params() == 342
    assert models.build("isn", **{**form, "use_bias": True}).count_params() == 714 + 4 + 7


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_the_recurrent_network_is_that_of_its_formula(steps, double_precision):
    """H = tanh(B + V I), then so many times tanh(B + V I + W H); computed point by point."""
    size = 5
    form = dict(hidden="2,1,1,1,2", window=3, maps=3, heads="none", size=size, steps=steps)
    model = models.build("isn", **form, planes=4)
    randomise(model, np.random.default_rng(7))
    layers = [layer for layer in model.layers if isinstance(layer, EquivariantConv2D)]
    kernels = {
        (layer.input_fields.channels, layer.fields.channels): (
            layer.shared_kernel.expand(layer.weight.numpy()),
            layer.shared_bias.expand(layer.bias.numpy()) if layer.use_bias else 0.0,
        )
        for layer in layers
    }
    assert len(layers) == len(kernels) == 3 + (steps > 0)

    def convolved(board: np.ndarray, channels: int) -> np.ndarray:
        kernel, bias = kernels[board.shape[-1], channels]
        wide = np.pad(board, ((1, 1), (1, 1), (0, 0)))
        found = np.zeros((size, size, channels)) + bias
        for row, column, down, right in np.ndindex(size, size, 3, 3):
            found[row, column] += wide[row + down, column + right] @ kernel[down, right]
        return found

    board = np.random.default_rng(8).integers(0, 2, (size, size, 4)).astype(float)
    hidden = np.tanh(convolved(board, 9))
    for _ in range(steps):
        hidden = np.tanh(convolved(board, 9) + convolved(hidden, 9))
    expected = 1 / (1 + np.exp(-convolved(hidden, 3) - convolved(board, 3)))
    np.testing.assert_allclose(model(board[None])[0], expected, atol=1e-6)


def test_the_recurrent_network_turns_with_the_board(double_precision):
    model = models.build("isn", hidden="2,1,1,1,2", window=3, steps=3, size=5)
    randomise(model, np.random.default_rng(0))
    assert error_of_symmetry(model) <= 1e-12


def test_every_number_of_the_kernel_is_drawn_as_wide():
    """By He's rule: 2 over the numbers that reach a channel and aren't zero."""
    layer = EquivariantConv2D((40,), (20, 20, 20, 0, 20, 20))
    layer.build((None, 5, 5, 40))
    kernel = layer.shared_kernel.expand(layer.weight.numpy())
    for channel in (0, 20, 40, 60, 100):  # T, S, D, F and R
        group = kernel[..., channel : channel + 20]
        reached = (group != 0).sum() / 20
        assert np.std(group[group != 0]) == pytest.approx(np.sqrt(2 / reached), rel=0.1)


@pytest.mark.slow
def test_fields_are_normalised_together_and_only_some_shifted():
    rng = np.random.default_rng(6)
    board = rng.normal(3.0, rng.uniform(1, 5, 17), (64, 5, 5, 17)).astype(np.float32)
    norm = EquivariantBatchNormalization(MIXED)
    out = np.asarray(norm(board, training=True))
    of_channel = Fields(*MIXED).field_of_channel()
    for field in range(8):
        alike = of_channel == field
        given, found = board[..., alike], out[..., alike]
        mean = given.mean() if field in (0, 1, 7) else 0.0
        deviation = np.sqrt(np.square(given - mean).mean())
        np.testing.assert_allclose(found, (given - mean) / deviation, atol=2e-3)
    for _ in range(100):
        norm(board, training=True)
    np.testing.assert_allclose(norm(board), out, atol=1e-2)
    norm.trainable = False
    before = norm.get_weights()
    norm(board, training=True)
    for a, b in zip(before, norm.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("layer", [
    EquivariantConv2D(MIXED, OTHER, window=5, use_bias=True, name="c"),
    EquivariantBatchNormalization(OTHER, epsilon=0.01, name="n"),
], ids=["conv", "norm"])  # fmt: skip
def test_the_config_is_plain_json_and_builds_the_same_layer(layer):
    written = json.dumps(keras.saving.serialize_keras_object(layer))
    again = keras.saving.deserialize_keras_object(json.loads(written))
    assert again.get_config() == layer.get_config()
    assert type(again) is type(layer) and again.fields == Fields(*OTHER)


@pytest.mark.parametrize(("make", "words"), [
    (lambda: EquivariantConv2D((31,), (1,), window=4), "window must be one of .*, not 4"),
    (lambda: EquivariantConv2D((30,), (1,)).build((None, 9, 9, 31)), "the 30 channels of Fields"),
    (lambda: EquivariantConv2D((31,), (0, 0, 0, 1)).build((None, 9, 9, 31)), "cannot connect"),
    (lambda: EquivariantBatchNormalization((3,)).build((None, 9, 9, 4)), "the 3 channels"),
    (lambda: models.build("isn", hidden="4,2,2"), "whole numbers such as 4,2,2,0,2, not '4,2,2'"),
    (lambda: models.build("isn", hidden="4,2,2,0,-2"), "five whole numbers"),
    (lambda: models.build("isn", hidden="0,0,0,0,0"), "cannot connect"),
    (lambda: models.build("isn_tower", width=0), "cannot connect"),
])  # fmt: skip
def test_wrong_fields_are_said_in_words(make, words):
    with pytest.raises(ValueError, match=words):
        make()
