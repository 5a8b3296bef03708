"""What a script for Keras 2 has to change, and the line after an error of Keras."""

import re
import sys
from types import ModuleType

import keras
import pytest
import tensorflow as tf

from golois.course import keras_3
from golois.course.keras_3 import advice, hint

BACKEND = "from tensorflow.keras import backend as K\n"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("SGD(momentum=0.9,\n    lr=0.1)", "SGD(lr=) write learning_rate=: old.py:2"),
        ("Adam(decay=1e-4)", "Adam(decay=) write learning_rate=keras.optimizers.schedules.Inverse"),
        ("Adadelta(learning_rate=1)", "Adadelta(1) write a float, such as 1.0: old.py:1"),
        ("rate = 1\nSGD(rate)", "SGD(rate) write a float"),
        ("keras.optimizers.legacy.SGD(0.1)", "keras.optimizers.legacy.SGD write the optimizer of"),
        ("model.optimizer.lr = 0.1", "model.optimizer.lr write optimizer.learning_rate: old"),
        ("model.fit_generator(g)", "model.fit_generator write fit, evaluate or predict"),
        ("y = tf.nn.swish(x)", 'tf.nn.swish write layers.Activation("swish"): old.py:1'),
        ("import tensorflow.nn as nn\nnn.swish(x)", 'nn.swish write layers.Activation("swish")'),
        ("from tensorflow import concat\nconcat([x], 1)", "concat write layers.Concatenate(…): "),
        ("y = tf.split(x, 2)", "tf.split write keras.ops.split: old.py:1"),
        ("y = tf.reshape(x, (2, -1))", "tf.reshape write layers.Reshape(…), with the shape"),
        ("y = tf.math.reduce_mean(x)", "tf.math.reduce_mean write keras.ops.mean: old.py:1"),
        (BACKEND + "K.set_value(a, 1)", "K.set_value write model.optimizer.learning_rate = … for"),
        (BACKEND + "K.get_value(a)", "K.get_value write float(…), or keras.ops.convert_to_numpy"),
        (BACKEND + "K.permute_dimensions(a, p)", "K.permute_dimensions write keras.ops.transpose:"),
        ("import keras\nkeras.backend.flatten(x)", "keras.backend.flatten write layers.Flatten():"),
        ("from keras.layers.merge import add", "keras.layers.merge.add write keras.layers: old"),
        ("from keras.utils import np_utils", "keras.utils.np_utils write keras.utils: old.py:1"),
        ("m.save_weights('a.h5')", ".save_weights write the same with a name that ends in .wei"),
        (
            "DepthwiseConv2D(3, kernel_regularizer=l)",
            "DepthwiseConv2D(kernel_regularizer=) write d",
        ),
        (
            "SeparableConv2D(3, 3, kernel_initializer=i)",
            "SeparableConv2D(kernel_initializer=) write depthwise_initializer= and pointwise_init",
        ),
        ("Conv2D(3, 3, activation='ReLU')", '"ReLU" write "relu": old.py:1'),
        ("Activation('LeakyReLU')", '"LeakyReLU" write layers.LeakyReLU(): old.py:1'),
        ("load_model('a.h5')", "load_model(…) write load_model(…, compile=False) and compile"),
        ("SGD(lr=1.)\nSGD(lr=1.)\nSGD(lr=1.)", "SGD(lr=) write learning_rate=: old.py:1, 2, 3"),
    ],
)
def test_it_says_what_to_write_for_keras_3(source, words):
    (said,) = advice(source, "old.py")
    assert f"for Keras 3, in place of {words}" in said


@pytest.mark.parametrize(
    "source",
    [
        "lr = 0.1\nSGD(learning_rate=lr)",
        "train(lr=0.1, decay=2)",
        "tf.random.set_seed(1)",
        "keras.backend.clear_session()",
        BACKEND + "K.clear_session()",
        "np.split(x, 2)",
        "m.save_weights('a.weights.h5')",
        "Conv2D(3, 3, kernel_regularizer=l, activation='relu')",
        "load_model('a.h5', compile=False)",
        "ModelCheckpoint('a.h5', save_weights_only=False)",
        "print 1",
    ],
)
def test_what_keras_3_takes_is_not_named(source):
    assert list(advice(source, "old.py")) == []


def test_keras_has_the_names_that_are_advised():
    tables = (
        *keras_3.INSTEAD_OF_TENSORFLOW.values(),
        *keras_3.INSTEAD_OF_BACKEND.values(),
        *keras_3.ACTIVATION_LAYERS.values(),
    )
    for name in re.findall(r"keras\.ops\.(\w+)", " ".join(tables)):
        assert hasattr(keras.ops, name), name
    for name in re.findall(r"layers\.(\w+)", " ".join(tables)):
        assert hasattr(keras.layers, name), name
    for name in keras_3.ACTIVATIONS.split():
        assert keras.activations.get(name), name


def refusals():
    """What Keras 3 refuses, each called for its error."""
    board = keras.Input((3,))
    yield lambda: keras.optimizers.SGD(lr=0.1)
    yield lambda: keras.optimizers.Adadelta(learning_rate=1)
    yield lambda: keras.layers.DepthwiseConv2D(3, kernel_regularizer="l2")
    yield lambda: keras.layers.Activation("ReLU")
    yield lambda: tf.nn.swish(board)
    yield lambda: keras.Sequential().fit_generator(1)
    yield lambda: keras.optimizers.SGD(0.1).lr
    yield lambda: keras.optimizers.legacy.SGD(0.1)
    yield lambda: __import__("keras.utils.np_utils")
    yield lambda: keras.Model(board, board).save_weights("a.h5")
    yield lambda: keras.Model(board, board).save("a")


@pytest.mark.parametrize("refused", list(refusals()))
def test_after_a_refusal_of_keras_3_one_line_names_the_command(refused, monkeypatch):
    monkeypatch.delenv("TF_USE_LEGACY_KERAS", raising=False)
    with pytest.raises(Exception) as error:
        refused()
    said = hint(error.value, "my old.py")
    assert said == "if the script is for Keras 2, run `python -m golois legacy 'my old.py'`"


@pytest.mark.parametrize("loss", ["mse", keras.losses.MeanSquaredError()])
def test_training_on_from_h5_has_its_own_line(tmp_path, monkeypatch, loss):
    monkeypatch.delenv("TF_USE_LEGACY_KERAS", raising=False)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.1, momentum=0.9), loss)
    data = keras.ops.zeros((2, 3)), keras.ops.zeros((2, 1))
    model.fit(*data, verbose=0)
    model.save(tmp_path / "a.h5")
    with pytest.raises(ValueError) as error:
        keras.models.load_model(tmp_path / "a.h5").fit(*data, verbose=0)
    assert "load_model(FILE, compile=False) and compile" in hint(error.value, "old.py")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("Unrecognized keyword arguments: ['batch_shape']"), "Keras 3 saved this file"),
        (AttributeError("_implements_train_batch_hooks"), "begin with `import golois.legacy; "),
        (KeyError("a"), None),
    ],
)
def test_with_keras_2_there_are_other_lines(error, words, monkeypatch):
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    monkeypatch.setitem(sys.modules, "tf_keras", ModuleType("tf_keras"))
    said = hint(error, "old.py")
    assert said is None if words is None else words in said


def test_other_errors_have_no_line(monkeypatch):
    monkeypatch.delenv("TF_USE_LEGACY_KERAS", raising=False)
    assert hint(ValueError("no learning"), "old.py") is None
