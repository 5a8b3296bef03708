"""The same tables as Keras 2 writes them (the package tf_keras), and networks of its years."""

from collections.abc import Iterator

import tensorflow as tf
import tf_keras
from keras_files import FUNCTION_CASES, LAYER_CASES, MERGE_CASES, NETWORKS_2, ONLY_KERAS_3
from tf_keras import layers

_OLD_NAMES = {"LeakyReLU": {"negative_slope": "alpha"}}


def build_all() -> Iterator[tuple[str, tf_keras.Model]]:
    """Yield every network by its name, which begins with "keras2_"."""
    for name, (class_name, options) in LAYER_CASES.items():
        if name in ONLY_KERAS_3:
            continue
        board, x = _stem()
        names = _OLD_NAMES.get(class_name, {})
        given = {names.get(key, key): value for key, value in options.items()}
        x = getattr(layers, class_name)(**given)(x)
        yield f"keras2_{name}", tf_keras.Model(board, _dense_heads(x))
    for name, (class_name, options) in MERGE_CASES.items():
        board, x = _stem()
        joined = getattr(layers, class_name)(**options)([x, layers.Conv2D(6, 1)(x)])
        yield f"keras2_{name}", tf_keras.Model(board, _dense_heads(joined))
    for name, function in FUNCTION_CASES.items():
        board, x = _stem()
        yield f"function_{name}", tf_keras.Model(board, _dense_heads(function(tf, x)))
    for name in NETWORKS_2:
        tf_keras.backend.clear_session()
        yield f"network2_{name}", globals()[f"_{name}"]()


def _stem() -> tuple:
    board = tf_keras.Input((19, 19, 31), name="board")
    return board, layers.Conv2D(6, 1)(board)


def _dense_heads(x: object) -> list:
    flat = layers.Flatten()(x)
    if flat.shape[-1] > 700:
        flat = layers.Flatten()(layers.Dense(1)(x)) if len(x.shape) > 2 else layers.Dense(300)(flat)
    policy = layers.Dense(361, activation="softmax", name="policy")(flat)
    return [policy, layers.Dense(1, activation="sigmoid", name="value")(flat)]


def _heads(x: object) -> list:
    policy = layers.Flatten()(layers.Conv2D(1, 1, use_bias=False)(x))
    value = layers.Dense(8, activation=tf.nn.relu)(layers.GlobalAveragePooling2D()(x))
    return [
        layers.Activation("softmax", name="policy")(policy),
        layers.Dense(1, activation="sigmoid", name="value")(value),
    ]


def _mobilenet() -> tf_keras.Model:
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


def _nested() -> tf_keras.Model:
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


def _attention() -> tf_keras.Model:
    board, x = _stem()
    tokens = layers.LayerNormalization(epsilon=1e-6)(layers.Reshape((361, 6))(x))
    tokens = tokens + layers.MultiHeadAttention(2, 3)(tokens, tokens)
    x = layers.Reshape((19, 19, 6))(tokens)
    return tf_keras.Model(board, _heads(x))
