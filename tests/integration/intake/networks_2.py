"""The same as Keras 2 writes it (the package tf_keras), and networks of its years."""

from collections.abc import Iterator

import tensorflow as tf
import tf_keras
from function_cases import FUNCTION_CASES
from keras_files import NETWORKS_2
from layer_cases import LAYER_CASES, MERGE_CASES
from small_networks import heads, layer_of, of_functions, of_layers, of_several_ends, stem
from tf_keras import layers
from tf_keras.src.layers.core import TFOpLambda

_OLD_NAMES = {"LeakyReLU": {"negative_slope": "alpha"}}


def build_common() -> Iterator[tuple[str, tf_keras.Model]]:
    """Yield the networks of every run by their names."""
    for name in NETWORKS_2:
        tf_keras.backend.clear_session()
        yield name, globals()[f"_{name}"]()
    for name, functions in FUNCTION_CASES.items():
        yield f"tf_{name}", of_functions(tf_keras, lambda x, f=functions: f(tf, x))


def build_more() -> Iterator[tuple[str, tf_keras.Model]]:
    """Yield the networks of slow tests alone: one for each class of layers."""
    for name, cases in LAYER_CASES.items():
        yield f"layer2_{name}", of_layers(tf_keras, name, _with_old_names(name, cases))
    for name, cases in MERGE_CASES.items():
        yield f"layer2_{name}", of_layers(tf_keras, name, cases, inputs=2)


def _with_old_names(class_name: str, cases: list[dict]) -> list[dict]:
    names = _OLD_NAMES.get(class_name, {})
    return [{names.get(key, key): case[key] for key in case} for case in cases]


def _stem() -> tuple:
    return stem(tf_keras)


def _heads(x: object) -> list:
    policy = layers.Flatten()(layers.Conv2D(1, 1, use_bias=False)(x))
    value = layers.Dense(8, activation=tf.nn.relu)(layers.GlobalAveragePooling2D()(x))
    return [
        layers.Activation("softmax", name="policy")(policy),
        layers.Dense(1, activation="sigmoid", name="value")(value),
    ]


def _mobilenet_2() -> tf_keras.Model:
    """Compiled, with everything that a file then carries along."""
    board, x = _stem()
    for _ in range(2):
        y = layers.Conv2D(
            12, 1, kernel_regularizer=tf_keras.regularizers.OrthogonalRegularizer(0.01),
            kernel_initializer=tf_keras.initializers.GlorotUniform(),
        )(x)
        y = layers.Activation(tf.nn.swish)(layers.BatchNormalization()(y))
        y = layers.DepthwiseConv2D(3, padding="same")(y)
        y = layers.SeparableConv2D(12, 3, padding="same")(y)
        y = layers.SpatialDropout2D(0.1)(layers.LeakyReLU()(y))
        x = layers.add([x, layers.BatchNormalization()(layers.Conv2D(6, 1)(y))])
    model = tf_keras.Model(board, _heads(x))
    model.compile(
        optimizer=tf_keras.optimizers.SGD(0.01, momentum=0.9),
        loss={"policy": tf_keras.losses.CategoricalCrossentropy(label_smoothing=0.1),
              "value": "binary_crossentropy"},
        metrics={"policy": "categorical_accuracy", "value": "mse"},
    )
    return model


def _split_blocks() -> tf_keras.Model:
    """Mixed convolutions by tf.split and tf.concat, as in MixNet and ShuffleNet."""
    board, x = _stem()
    for _ in range(2):
        left, right = tf.split(x, 2, axis=-1)
        left = layers.DepthwiseConv2D(3, padding="same")(left)
        right = layers.DepthwiseConv2D(5, padding="same")(right)
        y = tf.nn.swish(layers.BatchNormalization()(tf.concat([left, right], axis=-1)))
        shuffled = tf.transpose(tf.reshape(y, [-1, 19, 19, 2, 3]), [0, 1, 2, 4, 3])
        gate = tf.math.sigmoid(layers.Dense(6)(tf.reduce_mean(y, [1, 2], keepdims=True)))
        x = x + tf.reshape(shuffled, [-1, 19, 19, 6]) * gate * 0.5
    return tf_keras.Model(board, _heads(x))


def _nested_2() -> tf_keras.Model:
    inside = tf_keras.Input((19, 19, 6))
    y = layers.BatchNormalization()(layers.Conv2D(6, 3, padding="same")(inside))
    y = layers.BatchNormalization(trainable=False)(y)
    block = tf_keras.Model(inside, tf.nn.relu(inside + y), name="block")
    chain = tf_keras.Sequential(
        [layers.Conv2D(6, 1, input_shape=(19, 19, 6)), layers.BatchNormalization()], name="chain"
    )
    late = tf_keras.Sequential([layers.Conv2D(6, 1), layers.BatchNormalization()], name="late")
    board, x = _stem()
    x = late(chain(block(block(x))))
    return tf_keras.Model(board, _heads(layers.Add()([chain(x), late(x)])))


def _several_ends_2() -> tf_keras.Model:
    """With an attribute, which is written among the layers though nothing calls it."""
    model = of_several_ends(tf_keras)
    model.extra = layers.Dense(3)
    return model


def _attention_2() -> tf_keras.Model:
    board, x = _stem()
    tokens = layers.LayerNormalization(epsilon=1e-6)(layers.Reshape((361, 6))(x))
    tokens = tokens + layers.MultiHeadAttention(2, 3)(tokens, tokens)
    x = layers.Reshape((19, 19, 6))(tokens)
    return tf_keras.Model(board, _heads(x))


def _names_of_tf() -> tf_keras.Model:
    """Functions under names that this TensorFlow passes over for those of functions within."""
    return of_functions(tf_keras, lambda x: [
        TFOpLambda(tf.transpose)(x, perm=[0, 2, 1, 3]),
        TFOpLambda(tf.pad)(x, paddings=[[0, 0], [1, 1], [0, 2], [0, 0]]),
    ])


def _layers_2() -> tf_keras.Model:
    """Every layer of the tables, in one network."""
    board, x = _stem()
    joined = [x, layers.Conv2D(6, 1)(x)]
    results = [
        *(layer_of(tf_keras, name, options)(x)
          for name, cases in LAYER_CASES.items() for options in _with_old_names(name, cases)),
        *(layer_of(tf_keras, name, options)(joined)
          for name, cases in MERGE_CASES.items() for options in cases),
    ]
    return tf_keras.Model(board, heads(tf_keras, results))
