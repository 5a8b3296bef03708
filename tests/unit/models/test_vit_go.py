"""ViT-Go and the networks it is compared with: what each sees, and what each learns from."""

import keras
import numpy as np
import pytest

import models

pytestmark = pytest.mark.usefixtures("without_graphs")


def layers_of(model: keras.Model, kind: type) -> list[keras.layers.Layer]:
    return [layer for layer in model.layers if isinstance(layer, kind)]


def test_patches_are_those_of_the_padded_board_and_give_it_back():
    """Nine patches of 7x7 points, row by row, of a board of 21x21."""
    planes = 2
    size = 49 * planes
    model = models.build("vit", planes=planes, stem=0, width=size, heads=1, hidden=4, blocks=1)
    (embedding,) = layers_of(model, keras.layers.Conv2D)
    embedding.set_weights([np.eye(size).reshape(7, 7, planes, size), np.zeros(size)])
    board = np.random.default_rng(0).random((1, 19, 19, planes), np.float32)
    (found,) = keras.Model(model.input, embedding.output).predict_on_batch(board)
    padded = np.pad(board[0], ((1, 1), (1, 1), (0, 0)))
    for row in range(3):
        for column in range(3):
            patch = padded[7 * row : 7 * row + 7, 7 * column : 7 * column + 7]
            np.testing.assert_array_equal(found[row, column], patch.ravel())
    again = found.reshape(3, 3, 7, 7, planes).swapaxes(1, 2).reshape(21, 21, planes)
    np.testing.assert_array_equal(again[1:-1, 1:-1], board[0])


def test_a_patch_answers_for_its_own_points():
    model = models.build("vit", blocks=1, width=4, heads=2, hidden=4, policy_token="patches")
    (of_patches,) = [
        layer for layer in layers_of(model, keras.layers.Dense) if layer.output.shape[-1] == 49
    ]
    logits = np.random.default_rng(0).normal(size=(1, 3, 3, 49)).astype(np.float32)
    policy = keras.Model(of_patches.output, model.outputs[0]).predict_on_batch(logits)
    board = logits[0].reshape(3, 3, 7, 7).swapaxes(1, 2).reshape(21, 21)[1:-1, 1:-1]
    expected = np.exp(board) / np.exp(board).sum()
    np.testing.assert_allclose(policy[0].reshape(19, 19), expected, rtol=1e-5)
    (tokens,) = layers_of(model, keras.layers.Concatenate)
    assert tokens.output.shape == (None, 10, 4)


def test_alphago_has_a_bias_for_each_point():
    model = models.build("alphago", num_layers=3, filters=2, value_units=0)
    (by_point,) = [layer for layer in layers_of(model, keras.layers.Dense) if not layer.use_bias]
    assert by_point.count_params() == 361
    bias = np.zeros(361)
    bias[100] = 50
    by_point.set_weights([bias[None]])
    policy = model.predict_on_batch(np.zeros((1, 19, 19, 31), np.float32))
    assert policy[0].argmax() == 100 and policy[0, 100] > 0.999


def test_a_move_of_one_colour_never_trains_the_other_output():
    model = models.build("two_headed", num_layers=3, filters=4, planes=10, value_units=0)
    first, *_, maps = layers_of(model, keras.layers.Conv2D)
    assert first.kernel.shape[2] == 9, "the trunk sees the turn"
    model.compile(keras.optimizers.SGD(1.0), "categorical_crossentropy")
    model.run_eagerly = True
    rng = np.random.default_rng(1)
    for is_black in (1, 0):
        planes = rng.integers(0, 2, (4, 19, 19, 10)).astype(np.float32)
        planes[..., 0] = is_black
        before = maps.get_weights()
        model.train_on_batch(planes, np.eye(361)[rng.integers(0, 361, 4)])
        mine, others = (0, 1) if is_black else (1, 0)
        kernel, bias = (b - a for a, b in zip(before, maps.get_weights(), strict=True))
        assert kernel[..., mine].any()
        assert not kernel[..., others].any() and not bias[others]
