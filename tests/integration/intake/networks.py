"""The networks of keras_files.py; the only file of these tests that imports Keras."""

import math
from collections.abc import Iterator

import keras
import numpy as np
from keras import layers
from keras_files import LAYER_CASES, MERGE_CASES, NETWORKS, OPERATION_CASES, WRONG


def build_all() -> Iterator[tuple[str, keras.Model]]:
    """Yield every network by its name; names begin anew in each whole one."""
    for name, (class_name, options) in LAYER_CASES.items():
        board, x = _stem()
        x = getattr(layers, class_name)(**options)(x)
        yield name, keras.Model(board, _dense_heads(x))
    for name, (class_name, options) in MERGE_CASES.items():
        board, x = _stem()
        y = layers.Conv2D(6, 1)(x)
        yield name, keras.Model(board, _dense_heads(getattr(layers, class_name)(**options)([x, y])))
    for name, operation in OPERATION_CASES.items():
        board, x = _stem()
        yield f"operation_{name}", keras.Model(board, _dense_heads(operation(keras.ops, x)))
    for name in (*NETWORKS, *WRONG):
        keras.utils.clear_session()
        yield name, globals()[f"_{name}"]()


def randomise(model: keras.Model, rng: np.random.Generator) -> None:
    """Give every weight a value as of a trained network, moving statistics included."""
    for weight in model.weights:
        path = getattr(weight, "path", weight.name)
        kind, shape = path.rpartition("/")[2].partition(":")[0], tuple(weight.shape)
        if kind == "count":
            continue
        if kind in ("gamma", "moving_variance", "variance"):
            values = rng.uniform(0.5, 1.5, shape)
        elif "kernel" in kind:
            values = rng.normal(0.0, 1.0, shape) / math.sqrt(max(1, math.prod(shape[:-1])))
        else:
            values = rng.normal(0.0, 0.2, shape)
        weight.assign(values.astype(np.float32))
    for layer in model.layers:
        if hasattr(layer, "finalize_state"):  # Normalization works with what it took from weights
            layer.finalize_state()


def answers(model: keras.Model, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Keras' (policy, value): the outputs of 361 and of 1 numbers."""
    outputs = model(planes, training=False)
    outputs = list(outputs.values()) if isinstance(outputs, dict) else outputs
    by_size = {output.shape[-1]: np.asarray(output) for output in outputs}
    return by_size[361], by_size[1]


def _stem(planes: int = 31) -> tuple:
    board = keras.Input((19, 19, planes), name="board")
    return board, layers.Conv2D(6, 1)(board)


def _dense_heads(x: object) -> list:
    """Heads for any shape, sensitive to each point: every number reaches the policy."""
    flat = layers.Flatten()(x)
    if flat.shape[-1] > 700:
        flat = layers.Flatten()(layers.Dense(1)(x)) if len(x.shape) > 2 else layers.Dense(300)(flat)
    policy = layers.Dense(361, activation="softmax", name="policy")(flat)
    return [policy, layers.Dense(1, activation="sigmoid", name="value")(flat)]


def _policy(x: object, name: str = "policy") -> object:
    x = layers.Conv2D(1, 1, use_bias=False)(x)
    return layers.Activation("softmax", name=name)(layers.Flatten()(x))


def _value(x: object, name: str = "value") -> object:
    x = layers.Dense(8, activation="relu")(layers.GlobalAveragePooling2D()(x))
    return layers.Dense(1, activation="sigmoid", name=name)(x)


def _resnet(filters: int = 8, planes: int = 31) -> keras.Model:
    board = keras.Input((19, 19, planes), name="board")
    x = layers.ReLU()(layers.Conv2D(filters, 3, padding="same")(board))
    for _ in range(2):
        y = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        y = layers.ReLU()(layers.BatchNormalization()(y))
        y = layers.Conv2D(filters, 3, padding="same", use_bias=False)(y)
        x = layers.ReLU()(layers.BatchNormalization()(layers.Add()([x, y])))
    v = layers.Dense(24, use_bias=False)(layers.GlobalAveragePooling2D()(x))
    v = layers.ReLU()(layers.BatchNormalization()(v))
    return keras.Model(board, [_policy(x), layers.Dense(1, activation="sigmoid", name="value")(v)])


def _mobilenet() -> keras.Model:
    board = keras.Input((19, 19, 31), name="board")
    trunk = layers.Activation("swish")(layers.BatchNormalization()(layers.Conv2D(8, 1)(board)))
    for _ in range(2):
        x = layers.Conv2D(16, 1, use_bias=False, kernel_regularizer="l2")(trunk)
        x = layers.Activation("swish")(layers.BatchNormalization()(x))
        x = layers.Concatenate()([
            layers.DepthwiseConv2D(3, padding="same", use_bias=False)(x),
            layers.DepthwiseConv2D(5, padding="same", use_bias=False)(x),
        ])
        x = layers.Activation("swish")(layers.BatchNormalization()(x))
        x = layers.BatchNormalization()(layers.Conv2D(8, 1, use_bias=False)(x))
        gate = layers.Reshape((1, 1, 8))(layers.GlobalAveragePooling2D()(x))
        gate = layers.Dense(2, activation="silu", use_bias=False)(gate)
        gate = layers.Dense(8, activation="sigmoid", use_bias=False)(gate)
        trunk = layers.Add()([layers.Multiply()([x, gate]), trunk])
    return keras.Model(board, [_policy(trunk), _value(trunk)])


def _mixed_ranks() -> keras.Model:
    board, x = _stem()
    gate = layers.Dense(6, activation="sigmoid")(layers.GlobalMaxPooling2D()(x))
    x = layers.Multiply()([x, gate])
    return keras.Model(board, [_policy(x), _value(x)])


def _tokens() -> keras.Model:
    board, x = _stem()
    tokens = layers.Reshape((361, 6))(x)
    tokens = layers.Dense(12, activation="gelu")(layers.LayerNormalization()(tokens))
    tokens = layers.BatchNormalization()(tokens)
    x = layers.Add()([x, layers.Reshape((19, 19, 6))(layers.Dense(6)(tokens))])
    return keras.Model(board, [_policy(x), _value(x)])


def _shared_layer() -> keras.Model:
    board, x = _stem()
    conv, norm = layers.Conv2D(6, 3, padding="same"), layers.BatchNormalization()
    for _ in range(3):
        x = layers.ReLU()(norm(conv(x)))
    return keras.Model(board, [_policy(x), _value(x)])


def _unnamed_outputs() -> keras.Model:
    board, x = _stem()
    return keras.Model(board, [_value(x, name="winner"), _policy(x, "moves")])


def _dict_outputs() -> keras.Model:
    board, x = _stem()
    return keras.Model(board, {"value": _value(x, name="v"), "policy": _policy(x, "p")})


def _third_output() -> keras.Model:
    board, x = _stem()
    owner = layers.Conv2D(2, 1, activation="sigmoid", name="ownership")(x)
    return keras.Model(board, [_policy(x), _value(x), owner])


def _compiled() -> keras.Model:
    model = _resnet()
    model.compile("adam", ["categorical_crossentropy", "mse"], metrics=["accuracy", "mse"])
    model.optimizer.build(model.trainable_variables)
    return model


def _operators() -> keras.Model:
    board, x = _stem()
    x = keras.ops.relu(x + layers.Conv2D(6, 1)(x)) * 0.5
    return keras.Model(board, [_policy(x), _value(x)])


def _unknown_operator() -> keras.Model:
    board, x = _stem()
    x = keras.ops.floor(x + x)
    return keras.Model(board, [_policy(x), _value(x)])


def _nested(twice: bool = False) -> keras.Model:
    """Models in models, with normalisations, a frozen layer, and two outputs from one."""
    inside = keras.Input((19, 19, 6))
    y = layers.BatchNormalization()(layers.Conv2D(6, 3, padding="same")(inside))
    y = layers.Dropout(0.3)(layers.BatchNormalization(trainable=False)(y))
    block = keras.Model(inside, layers.Add()([inside, y]), name="block")
    chain = keras.Sequential(
        [layers.Conv2D(6, 1), layers.BatchNormalization(), layers.ReLU()], name="chain"
    )
    board, x = _stem()
    x = chain(block(x))
    if twice:
        outer = keras.Input((19, 19, 6))
        twin = keras.models.clone_model(block)
        wrapped = keras.Model(outer, layers.ReLU()(twin(twin(outer))), name="wrapped")
        x = block(wrapped(wrapped(x)))
    heads_in = keras.Input((19, 19, 6))
    heads = keras.Model(heads_in, [_policy(heads_in, "p"), _value(heads_in, "v")], name="heads")
    policy, value = heads(x)
    return keras.Model(
        board, [layers.Identity(name="policy")(policy), layers.Identity(name="value")(value)]
    )


def _nested_twice() -> keras.Model:
    return _nested(twice=True)


def _lambda_layer() -> keras.Model:
    board, x = _stem()
    x = layers.Lambda(lambda t: t * 2, output_shape=(19, 19, 6))(x)
    return keras.Model(board, [_policy(x), _value(x)])


def _planes_21() -> keras.Model:
    return _resnet(planes=21)


def _no_value() -> keras.Model:
    board, x = _stem()
    return keras.Model(board, _policy(x))


def _over_budget() -> keras.Model:
    return _resnet(filters=60)


def _logits() -> keras.Model:
    board, x = _stem()
    policy = layers.Flatten(name="policy")(layers.Conv2D(1, 1)(x))
    return keras.Model(board, [policy, _value(x)])


def _value_negative() -> keras.Model:
    board, x = _stem()
    value = layers.Dense(1, bias_initializer=keras.initializers.Constant(-2.0), name="value")
    return keras.Model(board, [_policy(x), value(layers.GlobalAveragePooling2D()(x))])


def _sequential() -> keras.Model:
    board = keras.Input((19, 19, 31))
    return keras.Sequential([board, layers.Flatten(), layers.Dense(1)])


def _attention() -> keras.Model:
    board, x = _stem()
    tokens = layers.Reshape((361, 6))(x)
    tokens = layers.MultiHeadAttention(2, 4, name="look")(tokens, tokens)
    x = layers.Reshape((19, 19, 6))(tokens)
    return keras.Model(board, [_policy(x), _value(x)])


def _attention_wide() -> keras.Model:
    """Attention to fewer points, with other sizes and no biases."""
    board, x = _stem()
    tokens = layers.Reshape((361, 6))(x)
    fewer = layers.Reshape((81, 6))(layers.AveragePooling2D(2)(x))
    look = layers.MultiHeadAttention(
        3, 4, value_dim=5, output_shape=7, use_bias=False, dropout=0.2
    )
    tokens = layers.Softmax()(look(tokens, value=fewer, key=fewer))
    x = layers.Reshape((19, 19, 7))(tokens)
    return keras.Model(board, [_policy(x), _value(x)])


def _dear() -> keras.Model:
    """About as costly as a network may be: convolutions of boards 16 times as large."""
    board, x = _stem()
    large = layers.UpSampling2D(4)(x)
    for _ in range(4):
        large = layers.Conv2D(56, 3, padding="same", activation="gelu", groups=2)(
            layers.Conv2D(28, 1)(large)
        )
    x = layers.AveragePooling2D(4)(large)
    return keras.Model(board, [_policy(x), _value(x)])
