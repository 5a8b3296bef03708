"""Random small networks of Keras 3: what hypothesis draws, and how it is built."""

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

_SIZES = st.integers(1, 4)
_PADDING = st.sampled_from(["same", "valid"])
_ACTIVATION = st.sampled_from(["relu", "swish", "gelu", "tanh", "elu", "linear", "sigmoid"])


def _options(**strategies: st.SearchStrategy) -> st.SearchStrategy:
    return st.fixed_dictionaries(strategies)


# name of a layer of one input: its random options; all keep a board a board.
_LAYERS = {
    "Conv2D": _options(
        filters=_SIZES, kernel_size=_SIZES, padding=_PADDING, activation=_ACTIVATION,
        use_bias=st.booleans(), dilation_rate=st.integers(1, 2),
    ),
    "DepthwiseConv2D": _options(
        kernel_size=_SIZES, padding=_PADDING, depth_multiplier=st.integers(1, 2),
        strides=st.integers(1, 2),
    ),
    "SeparableConv2D": _options(filters=_SIZES, kernel_size=_SIZES, padding=_PADDING),
    "Conv2DTranspose": _options(
        filters=_SIZES, kernel_size=_SIZES, padding=_PADDING, strides=st.integers(1, 2)
    ),
    "BatchNormalization": _options(
        epsilon=st.sampled_from([1e-3, 1e-5, 0.1]), center=st.booleans(), scale=st.booleans(),
        axis=st.sampled_from([-1, 1, 2]),
    ),
    "LayerNormalization": _options(
        epsilon=st.sampled_from([1e-3, 1e-2]), axis=st.sampled_from([-1, 1, [1, 2], [1, 2, 3]])
    ),
    "Activation": _options(activation=_ACTIVATION),
    "ReLU": _options(
        negative_slope=st.sampled_from([0.0, 0.1]), threshold=st.sampled_from([0.0, 0.3]),
        max_value=st.sampled_from([None, 1.5]),
    ),
    "LeakyReLU": _options(negative_slope=st.sampled_from([0.0, 0.2])),
    "ELU": _options(alpha=st.sampled_from([0.5, 1.0])),
    "PReLU": _options(shared_axes=st.sampled_from([[1, 2], [1], None])),
    "AveragePooling2D": _options(pool_size=st.integers(1, 3), strides=st.integers(1, 2),
                                 padding=_PADDING),
    "MaxPooling2D": _options(pool_size=st.integers(1, 3), strides=st.integers(1, 2),
                             padding=_PADDING),
    "UpSampling2D": _options(interpolation=st.sampled_from(["nearest", "bilinear"])),
    "ZeroPadding2D": _options(padding=st.integers(1, 2)),
    "Cropping2D": _options(cropping=st.integers(1, 2)),
    "Permute": _options(dims=st.sampled_from([[2, 1, 3], [1, 2, 3]])),
    "Rescaling": _options(scale=st.sampled_from([0.5, 2.0]), offset=st.sampled_from([0.0, 1.0])),
    "MultiHeadAttention": _options(num_heads=st.integers(1, 2), key_dim=st.integers(1, 3)),
    "Dropout": _options(rate=st.just(0.5)),
    "Dense": _options(units=_SIZES, activation=_ACTIVATION),
    "Softmax": _options(axis=st.sampled_from([-1, 1, 2])),
}
_JOINS = ("Add", "Multiply", "Average", "Maximum", "Subtract", "Concatenate")
_FUNCTIONS = {
    "twice": lambda ops, x: x + x,
    "cut": lambda ops, x: x[:, 1:],
    "gated": lambda ops, x: x * ops.sigmoid(ops.mean(x, axis=(1, 2), keepdims=True)),
    "split": lambda ops, x: ops.concatenate([ops.relu(x), ops.relu(-x)], axis=-1),
    "turned": lambda ops, x: ops.transpose(x, (0, 2, 1, 3)),
}
_STEP = st.one_of(
    st.sampled_from(sorted(_LAYERS)).flatmap(lambda name: st.tuples(st.just(name), _LAYERS[name])),
    st.tuples(st.sampled_from((*_JOINS, *_FUNCTIONS)), st.integers(0, 20)),
)
SEED = st.integers(0, 99)


def steps(most: int) -> st.SearchStrategy:
    """Return what draws the steps of a network."""
    return st.lists(_STEP, min_size=2, max_size=most)


def draw(number: int) -> list[tuple[list, int]]:
    """Return the steps and the seeds of some networks, the same at each call."""
    drawn: list[tuple[list, int]] = []

    @settings(
        max_examples=number, derandomize=True, database=None, phases=[Phase.generate],
        deadline=None, suppress_health_check=list(HealthCheck),
    )
    @given(steps(8), SEED)
    def collect(steps: list, seed: int) -> None:
        drawn.append((steps, seed))

    collect()
    return drawn


def build(steps: list, seed: int) -> object:
    """Return a model that applies the steps; a join takes a result of equal shape from before."""
    import keras
    from keras import layers

    keras.utils.set_random_seed(seed)
    board = keras.Input((19, 19, 31), name="board")
    results = [layers.Conv2D(3, 1)(board)]
    for name, detail in steps:
        last = results[-1]
        fits = min(last.shape[1:3]) >= 8 and max(last.shape[1:3]) <= 40 and last.shape[3] <= 48
        if name in _JOINS:
            equal = [x for x in results if x.shape == last.shape]
            results.append(getattr(layers, name)()([last, equal[detail % len(equal)]]))
        elif name in _FUNCTIONS:
            results.append(_FUNCTIONS[name](keras.ops, last))
        elif fits and name == "MultiHeadAttention":
            results.append(layers.MultiHeadAttention(**detail)(last, last))
        elif fits:
            results.append(getattr(layers, name)(**detail)(last))
    flat = layers.Flatten()(layers.AveragePooling2D(3)(results[-1]))
    policy = layers.Dense(361, activation="softmax", name="policy")(flat)
    return keras.Model(board, [policy, layers.Dense(1, activation="sigmoid", name="value")(flat)])
