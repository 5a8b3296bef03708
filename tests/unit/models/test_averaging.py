"""Averaged weights and the statistics that go with them, against plain NumPy."""

from types import SimpleNamespace

import keras
import numpy as np
import pytest

from models.parts.equivariant import EquivariantBatchNormalization
from models.training.averaging import STATISTICS_BATCHES, add_to_mean, averaged, measure_statistics
from models.training.checkpoint import RunState
from models.training.optimizers import make_optimizer
from models.training.run_folder import TrainingFolder

DECAY = 0.8
ROWS = 64


class Model(keras.Model):
    """A dense layer and its normalisation, in the place of a network."""

    def __init__(self):
        super().__init__()
        board = keras.Input((3,))
        x = keras.layers.Dense(2, name="dense")(board)
        x = keras.layers.BatchNormalization(name="norm")(x)
        self.network = keras.Model(board, keras.layers.Dropout(0.5)(x))
        self.trained = self.network

    def call(self, planes, training=None):
        return self.network(planes, training=training)


def batch(num_rows: int, step: int) -> SimpleNamespace:
    rng = np.random.default_rng(step)
    return SimpleNamespace(planes=rng.normal(step, 1 + step, (num_rows, 3)).astype(np.float32))


@pytest.fixture(scope="module")
def trained() -> tuple[Model, list[np.ndarray]]:
    """A model after four steps, and its kernel after each; tests leave the model as it is."""
    keras.utils.set_random_seed(0)
    model = Model()
    model.compile(make_optimizer("adam", learning_rate=0.1, ema=DECAY), "mse", run_eagerly=True)
    kernels = []
    for step in range(4):
        model.train_on_batch(batch(ROWS, step).planes, np.ones((ROWS, 2), np.float32))
        kernels.append(model.network.get_layer("dense").kernel.numpy())
    return model, kernels


def test_a_folder_has_no_average_that_was_forgotten_and_no_row_before_its_best_network(
    trained, tmp_path
):
    model, _ = trained
    saved = SimpleNamespace(
        network=model.network, auxiliary={}, get_weights=model.get_weights,
        set_weights=model.set_weights,
    )
    weights, folder = model.get_weights(), TrainingFolder(tmp_path)
    state = RunState(best_weights=weights, average_weights=weights)
    folder._write_networks(saved, state, is_best=True)
    names = {"last.h5", "best.h5", "history.csv"}
    assert {path.name for path in tmp_path.iterdir()} == names | {"average.h5"}
    state.forget_mean()
    folder.history.unlink()
    folder._write_networks(saved, state, is_best=False)
    assert {path.name for path in tmp_path.iterdir()} == names
    folder.history.unlink()
    folder.best.unlink()
    folder.best.mkdir()  # so that it ends there, as after a kill
    with pytest.raises(OSError, match="directory"):
        folder._write_networks(saved, state, is_best=True)
    assert not folder.history.exists()


def test_the_moving_average_and_its_statistics(trained):
    model, kernels = trained
    expected = kernels[0]
    for kernel in kernels[1:]:
        expected = DECAY * expected + (1 - DECAY) * kernel
    before = [np.array(variable) for variable in model.variables]
    with averaged(model, [], batch):
        dense, norm = model.network.get_layer("dense"), model.network.get_layer("norm")
        np.testing.assert_allclose(dense.kernel.numpy(), expected, rtol=1e-5)
        outputs = [dense(batch(256, step).planes).numpy() for step in range(STATISTICS_BATCHES)]
        means, variances = ([f(x, axis=0) for x in outputs] for f in (np.mean, np.var))
        np.testing.assert_allclose(norm.moving_mean.numpy(), np.mean(means, 0), rtol=1e-4)
        np.testing.assert_allclose(norm.moving_variance.numpy(), np.mean(variances, 0), rtol=1e-4)
    for variable, value in zip(model.variables, before, strict=True):
        np.testing.assert_array_equal(variable, value)
    assert norm.momentum == 0.99


def test_a_mean_of_weights_takes_the_place_of_the_moving_average(trained):
    model, _ = trained
    mean = [np.full(weight.shape, 0.5, np.float32) for weight in model.trainable_variables]
    with averaged(model, mean, batch):
        assert (model.network.get_layer("dense").kernel.numpy() == 0.5).all()
    assert (model.network.get_layer("dense").kernel.numpy() != 0.5).all()


def test_a_blend_lies_between_the_weights_and_their_average(trained):
    """Its statistics are its own."""
    model, kernels = trained
    dense, norm = model.network.get_layer("dense"), model.network.get_layer("norm")
    with averaged(model, [], batch):
        average = dense.kernel.numpy()
    mean = [np.full(weight.shape, 0.5, np.float32) for weight in model.trainable_variables]
    for given, end in (([], average), (mean, 0.5)):
        with averaged(model, given, batch, share=0.25):
            expected = 0.75 * kernels[-1] + 0.25 * end
            np.testing.assert_allclose(dense.kernel.numpy(), expected, rtol=1e-5)
            shown = [dense(batch(256, step).planes).numpy() for step in range(STATISTICS_BATCHES)]
            means = np.mean([one.mean(0) for one in shown], 0)
            np.testing.assert_allclose(norm.moving_mean.numpy(), means, rtol=1e-4)
    np.testing.assert_array_equal(dense.kernel.numpy(), kernels[-1])


def test_norms_inside_of_a_nested_network_are_measured_too():
    """As in a student's own network of blocks that are networks."""
    norm = keras.layers.BatchNormalization()
    board = keras.Input((3,))
    network = keras.Model(board, keras.Sequential([keras.layers.Dense(3), norm])(board))

    def call(planes, training):
        return network(planes, training=training)

    measured = type("Called", (), {"trained": network, "__call__": staticmethod(call)})()
    measure_statistics(measured, batch)
    assert abs(np.asarray(norm.moving_mean)).max() > 0 and norm.momentum == 0.99


@pytest.mark.parametrize("mean", [[], [np.zeros((3, 2), np.float32)]], ids=["batch", "mean"])
def test_an_error_leaves_the_model_as_it_was(mean, trained):
    """The third batch of the statistics cannot be read, or the mean is of another network."""
    model, _ = trained
    before = [np.array(variable) for variable in model.variables]

    def failing(num_rows: int, step: int) -> SimpleNamespace:
        if step == 2:
            raise OSError("the file of games is gone")
        return batch(num_rows, step)

    with pytest.raises((OSError, ValueError)), averaged(model, mean, failing):
        raise AssertionError("nothing is measured")
    for variable, value in zip(model.variables, before, strict=True):
        np.testing.assert_array_equal(variable, value)
    assert model.network.get_layer("norm").momentum == 0.99


def test_the_mean_is_that_of_all_epochs():
    epochs = [[np.full((2,), value), np.array(value**2)] for value in (1.0, 2.0, 6.0)]
    mean = []
    for count, weights in enumerate(epochs, 1):
        mean = add_to_mean(mean, weights, count)
    np.testing.assert_allclose(mean[0], [3, 3])
    np.testing.assert_allclose(mean[1], 41 / 3)


def test_norms_of_fields_are_measured_anew_too():
    norm = EquivariantBatchNormalization([1, 1])
    model = Model()
    model.trained = model.network = keras.Sequential([keras.Input((3, 3, 2)), norm])

    def board(num_rows, step):
        rng = np.random.default_rng(step)
        planes = rng.normal(step, 1 + step, (num_rows, 3, 3, 2)).astype(np.float32)
        return SimpleNamespace(planes=planes)

    measure_statistics(model, board)
    shown = [board(256, step).planes for step in range(STATISTICS_BATCHES)]
    mean = np.mean([planes[..., 0].mean() for planes in shown])
    np.testing.assert_allclose(norm.moving_mean.numpy(), [mean], rtol=1e-4)
    power = np.mean([np.square(planes[..., 1]).mean() for planes in shown])
    np.testing.assert_allclose(norm.moving_variance.numpy()[1], power, rtol=1e-4)
