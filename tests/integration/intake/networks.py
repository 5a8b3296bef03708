"""Whole networks as Keras 3 writes them, and networks with something wrong."""

from collections.abc import Iterator

import keras
from function_cases import OPERATION_CASES
from keras import layers
from keras_files import DEAR, NETWORKS, RANDOM, WRONG
from layer_cases import LAYER_CASES, MERGE_CASES, ONLY_KERAS_3
from random_networks import build, draw
from small_networks import heads, layer_of, of_functions, of_layers, of_several_ends, stem

from models.parts.equivariant import EquivariantBatchNormalization, EquivariantConv2D


def build_common() -> Iterator[tuple[str, keras.Model]]:
    """Yield the networks of every run by their names, which begin anew in each whole one."""
    for name in (*NETWORKS, *DEAR, *WRONG):
        keras.utils.clear_session(free_memory=False)
        yield name, globals()[f"_{name}"]()
    for name, functions in OPERATION_CASES.items():
        yield f"ops_{name}", of_functions(keras, lambda x, f=functions: f(keras.ops, x))


def build_more() -> Iterator[tuple[str, keras.Model]]:
    """Yield the networks of slow tests alone: one for each class of layers among them."""
    for name in LAYER_CASES:
        yield f"layer3_{name}", of_layers(keras, name, _cases(name))
    for name, cases in MERGE_CASES.items():
        yield f"layer3_{name}", of_layers(keras, name, cases, inputs=2)
    for name, steps in zip(RANDOM, draw(len(RANDOM)), strict=True):
        yield name, build(*steps)


def _cases(name: str) -> list[dict]:
    return [*LAYER_CASES[name], *ONLY_KERAS_3.get(name, [])]


def _stem() -> tuple:
    return stem(keras)


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


def _equivariant() -> keras.Model:
    """Fields of all kinds, and those without a bias alone."""
    mixed, odd = [2, 1, 1, 1, 2, 1], [0, 1, 1, 1, 1, 0]
    board = keras.Input((19, 19, 31), name="board")
    x = EquivariantConv2D([31], mixed, 5, use_bias=True)(board)
    x = layers.Activation("tanh")(EquivariantBatchNormalization(mixed)(x))
    y = EquivariantBatchNormalization(odd, epsilon=0.01)(EquivariantConv2D(mixed, odd, 3)(x))
    x = layers.Add()([x, EquivariantConv2D(odd, mixed, 1)(layers.Activation("tanh")(y))])
    x = layers.ReLU()(EquivariantConv2D(mixed, [3, 0, 0, 0, 0, 1], 7, use_bias=True)(x))
    x = EquivariantBatchNormalization([3, 0, 0, 0, 0, 1])(x)
    return keras.Model(board, [_policy(x), _value(x)])


def _mixed_ranks() -> keras.Model:
    board, x = _stem()
    gate = layers.Dense(6, activation="sigmoid")(layers.GlobalMaxPooling2D()(x))
    x = layers.Multiply()([x, gate])
    return keras.Model(board, [_policy(x), _value(x)])


def _tokens() -> keras.Model:
    board, x = _stem()
    tokens = layers.Reshape((361, 6))(x)
    tokens = layers.Dense(12, activation="gelu")(layers.LayerNormalization()(tokens))
    tokens = layers.SpatialDropout1D(0.1)(layers.BatchNormalization()(tokens))
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
    owner = layers.Flatten(name="ownership")(layers.Conv2D(1, 1, activation="sigmoid")(x))
    return keras.Model(board, [owner, _value(x, name="winner"), _policy(x)])


def _auxiliary() -> keras.Model:
    """Heads of training alone: layers of their own, one that is refused, and two shared ones."""
    board, x = _stem()
    inside = keras.Input((19, 19, 6))
    convolved = layers.Conv2D(6, 3, padding="same")(inside)
    block = keras.Model(inside, layers.ReLU()(convolved), name="block")
    shared = layers.Conv2D(6, 1)
    y = block(shared(layers.Conv2D(6, 3, padding="same")(x)))
    owner = layers.Flatten()(layers.Conv2D(1, 1)(y))
    owner = layers.Activation("tanh", name="ownership")(owner)
    score = layers.Dense(1, name="score")(keras.ops.floor(owner))
    x = block(shared(x))
    return keras.Model(board, [owner, score, _policy(x), _value(x)])


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


def _several_ends() -> keras.Model:
    return of_several_ends(keras)


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


def _late_bomb() -> keras.Model:
    """A value that also grows with a product of two means, of what a test will say."""
    board, x = _stem()
    seen = layers.GlobalAveragePooling2D()(layers.Conv2D(2, 1, use_bias=False, name="seen")(board))
    parts = [layers.Dense(1, activation="relu", name=name)(seen) for name in ("many", "moved")]
    bomb = layers.Rescaling(1e6)(layers.Multiply()(parts))
    value = layers.Dense(1, activation="sigmoid")(layers.GlobalAveragePooling2D()(x))
    return keras.Model(board, [_policy(x), layers.Add(name="value")([value, bomb])])


def _with_pass() -> keras.Model:
    board, x = _stem()
    policy = layers.Dense(362, activation="softmax", name="policy")(layers.Flatten()(x))
    return keras.Model(board, [policy, _value(x)])


def _sequential() -> keras.Model:
    board = keras.Input((19, 19, 31))
    return keras.Sequential([board, layers.Flatten(), layers.Dense(1)])


def _attention() -> keras.Model:
    board, x = _stem()
    tokens = layers.Reshape((361, 6))(x)
    tokens = layers.MultiHeadAttention(2, 4, name="look")(tokens, tokens)
    x = layers.Reshape((19, 19, 6))(tokens)
    pooled = [layers.GlobalAveragePooling1D()(tokens), layers.GlobalMaxPooling1D()(tokens)]
    value = layers.Dense(1, activation="sigmoid", name="value")(layers.Concatenate()(pooled))
    return keras.Model(board, [_policy(x), value])


def _attention_wide() -> keras.Model:
    """Attention to fewer points, with other sizes, without biases; of a board; within windows."""
    board, x = _stem()
    x = layers.Reshape((19, 19, 6))(
        layers.MultiHeadAttention(2, 2, attention_axes=(2,))(*[layers.Reshape((19, 19, 6))(x)] * 2)
    )
    x = layers.MultiHeadAttention(2, 3)(x, x)
    tokens = layers.Reshape((361, 6))(x)
    fewer = layers.Reshape((81, 6))(layers.AveragePooling2D(2)(x))
    look = layers.MultiHeadAttention(
        3, 4, value_dim=5, output_shape=7, use_bias=False, dropout=0.2
    )
    tokens = layers.Softmax()(look(tokens, value=fewer, key=fewer))
    x = layers.Reshape((19, 19, 7))(tokens)
    return keras.Model(board, [_policy(x), _value(x)])


def _layers_3() -> keras.Model:
    """Every layer of the tables, in one network."""
    board, x = _stem()
    joined = [x, layers.Conv2D(6, 1)(x)]
    results = [
        *(layer_of(keras, name, options)(x) for name in LAYER_CASES for options in _cases(name)),
        *(layer_of(keras, name, options)(joined)
          for name, cases in MERGE_CASES.items() for options in cases),
    ]
    return keras.Model(board, heads(keras, results))


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
