"""The twins that train faster: the same numbers, the same variables, the same file."""

import sys

import keras
import numpy as np
import pytest
from keras import layers

from models.families.restnet import build_restnet
from models.training.faster_layers import (
    fused_swish,
    narrow_depthwise,
    trains_on_cpu,
    with_faster_layers,
    with_one_row,
)

pytestmark = pytest.mark.skipif(not trains_on_cpu(), reason="TensorFlow on a CPU has these layers")

CHANNELS = 3
SHAPE = (7, 8, CHANNELS)


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("size", [(5, 5), (7, 7), (4, 4), (2, 6), (5, 3)])
def test_gradients_of_a_depthwise_convolution_are_the_stock_ones(size, padding):
    import tensorflow as tf

    x, kernel = tf.constant(random(2, *SHAPE)), tf.constant(random(*size, CHANNELS, 1, seed=1))

    def answers(convolve):
        with tf.GradientTape() as tape:
            tape.watch([x, kernel])
            y = convolve(x, kernel)
            loss = tf.reduce_sum(y * random(*y.shape, seed=2))
        return y, *tape.gradient(loss, [x, kernel])

    stock = answers(lambda x, kernel: tf.nn.depthwise_conv2d(x, kernel, [1] * 4, padding))
    ours = answers(lambda x, kernel: narrow_depthwise(x, kernel, padding))
    for expected, got in zip(stock, ours, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def test_the_gradient_of_swish_is_the_stock_one():
    import tensorflow as tf

    x, dy = tf.constant(10 * random(2, *SHAPE)), tf.constant(random(2, *SHAPE, seed=1))

    def answers(swish):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = swish(x)
        return y, tape.gradient(y, x, output_gradients=dy)

    for expected, got in zip(answers(tf.nn.silu), answers(fused_swish), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def small_network():
    """Layers that have a twin, and layers that look alike and have none."""
    board = layers.Input(SHAPE)
    x = layers.BatchNormalization(momentum=0.9)(board)
    x = layers.DepthwiseConv2D(5, padding="same", activation="relu", depthwise_regularizer="l2")(x)
    x = layers.Add()([x, layers.DepthwiseConv2D((3, 4), padding="same", use_bias=False)(x)])
    x = layers.Activation("silu")(layers.BatchNormalization(epsilon=0.1)(x))
    x = layers.BatchNormalization(trainable=False)(x)
    x = layers.BatchNormalization(scale=False)(x)
    x = layers.Activation("relu")(layers.BatchNormalization(axis=1)(x))
    x = layers.DepthwiseConv2D(3, padding="same")(x)
    x = layers.DepthwiseConv2D(4, strides=2, padding="same")(x)
    x = layers.DepthwiseConv2D(4, dilation_rate=2, padding="same", depth_multiplier=2)(x)
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(board, layers.Dense(2)(layers.BatchNormalization()(x)))


def trained(network, model, eagerly: bool = False):
    """The losses of a few steps of `model`, and the variables that `network` has then."""
    optimizer = keras.optimizers.SGD(0.1)
    model.compile(optimizer=optimizer, loss="mse", jit_compile=False, run_eagerly=eagerly)
    x, y = random(16, *SHAPE), random(16, 2, seed=1)
    losses = [model.train_on_batch(x, y) for _ in range(3)]
    return losses, [keras.ops.convert_to_numpy(v) for v in network.variables]


def test_training_the_twin_trains_the_network_whose_file_has_stock_layers(tmp_path):
    stock, network = small_network(), small_network()
    network.set_weights(stock.get_weights())
    twin = with_faster_layers(network)
    kinds = [type(layer).__name__ for layer in twin.layers]
    assert kinds.count("NarrowDepthwiseConv2D") == 2
    assert kinds.count("FusedBatchNormalization") == 3
    assert kinds.count("FusedSwish") == int(sys.platform == "linux")
    assert [id(v) for v in twin.variables] == [id(v) for v in network.variables]

    expected_losses, expected = trained(stock, stock, eagerly=True)
    losses, variables = trained(network, twin)
    np.testing.assert_allclose(losses, expected_losses, rtol=1e-5)
    for variable, right in zip(variables, expected, strict=True):
        np.testing.assert_allclose(variable, right, rtol=1e-4, atol=1e-5)

    network.save(tmp_path / "network.h5", include_optimizer=False)
    loaded = keras.models.load_model(tmp_path / "network.h5", compile=False)
    assert [type(layer) for layer in loaded.layers] == [type(layer) for layer in network.layers]
    x = random(4, *SHAPE, seed=3)
    np.testing.assert_allclose(twin(x), network(x), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(loaded(x), network(x), rtol=1e-6, atol=1e-6)


def test_a_network_without_such_layers_stays_itself(monkeypatch):
    board = layers.Input(SHAPE)
    plain = keras.Model(board, layers.Conv2D(2, 3)(board))
    assert with_faster_layers(plain) is plain
    network = small_network()
    monkeypatch.setattr("models.training.faster_layers.trains_on_cpu", lambda: False)
    assert with_faster_layers(network) is network


SMALL = dict(blocks="RT", filters=4, heads=2, size=5)


def board_of_random_weights(**options):
    network = build_restnet(**SMALL, **options)
    for number, variable in enumerate(network.trainable_variables):
        variable.assign(random(*variable.shape, seed=number))
    return network, random(3, 5, 5, 31)


@pytest.mark.parametrize("options", [{}, {"projection": "convolution"}])
def test_a_relative_bias_is_computed_once_a_batch_with_the_same_gradients(options):
    import tensorflow as tf

    network, planes = board_of_random_weights(**options)
    twin = with_faster_layers(network)
    for model in (twin, with_one_row(network)):
        one = next(layer for layer in model.layers if type(layer).__name__ == "OneRow")
        assert one(planes[:, 0, 0]).shape[0] == 1

    def answers(model):
        with tf.GradientTape() as tape:
            outputs = model(planes, training=True)
            loss = sum(tf.reduce_sum(y * random(*y.shape, seed=9)) for y in outputs)
        return *outputs, *tape.gradient(loss, network.trainable_variables)

    for got, expected in zip(answers(twin), answers(network), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)
    for got, expected in zip(with_one_row(network)(planes), network(planes), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("options", [{"relative": "shaw"}, {"policy_head": "token", "moves": 26}])
def test_arrays_that_are_not_added_are_computed_for_each_row(options):
    network, planes = board_of_random_weights(**options)
    twin = with_faster_layers(network)
    assert "OneRow" not in [type(layer).__name__ for layer in twin.layers]
    for got, expected in zip(twin(planes), network(planes), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def network_with(after_the_one, scale=0.0):
    """A network in which `after_the_one` joins the board's first row with an array [B, 8]."""
    board = layers.Input(SHAPE)
    row = layers.Flatten()(layers.Cropping2D(((0, 6), (0, 0)))(board))
    one = layers.Rescaling(scale, 1.0)(layers.GlobalAveragePooling2D()(board))
    arrays = [layers.Dense(8 * CHANNELS)(one) for _ in range(2)]
    return keras.Model(board, after_the_one(row, arrays))


@pytest.mark.parametrize(
    "after_the_one",
    [
        lambda row, arrays: layers.Concatenate()([layers.Add()(arrays), row]),
        lambda row, arrays: layers.Multiply()([arrays[0], row]),
        lambda row, arrays: [layers.Add()([row, arrays[0]]), arrays[1]],
        lambda row, arrays: layers.Add()([row, layers.Dropout(0.5)(arrays[0])]),
    ],
)
def test_a_row_that_does_more_than_to_be_added_is_computed_for_each_position(after_the_one):
    network = network_with(after_the_one)
    assert with_one_row(network) is network


@pytest.mark.parametrize("scale", [0.0, [0.0, 0.0, 0.0], [0.5, 1.0, 2.0]])
def test_sums_of_a_row_have_the_numbers_of_the_stock_layers(scale):
    network = network_with(lambda row, arrays: layers.Add()([row, layers.Add()(arrays)]), scale)
    x = random(3, *SHAPE)
    np.testing.assert_allclose(with_one_row(network)(x), network(x), rtol=1e-5, atol=1e-6)
    assert (with_one_row(network) is network) == isinstance(scale, list)
