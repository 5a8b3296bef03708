"""Random small networks: what the intake makes of each answers as Keras does."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.integration.intake.parity import bake, open_file, read
from tournament.evaluator import open_session, run_session

MAX_DIFFERENCE = 1e-4

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
    "Conv2DTranspose": _options(filters=_SIZES, kernel_size=_SIZES, padding=_PADDING),
    "BatchNormalization": _options(
        epsilon=st.sampled_from([1e-3, 1e-5, 0.1]), center=st.booleans(), scale=st.booleans()
    ),
    "LayerNormalization": _options(epsilon=st.sampled_from([1e-3, 1e-2])),
    "Activation": _options(activation=_ACTIVATION),
    "ReLU": _options(
        negative_slope=st.sampled_from([0.0, 0.1]), threshold=st.sampled_from([0.0, 0.3]),
        max_value=st.sampled_from([None, 1.5]),
    ),
    "PReLU": _options(shared_axes=st.sampled_from([[1, 2], [1], None])),
    "AveragePooling2D": _options(pool_size=st.integers(1, 3), strides=st.integers(1, 2),
                                 padding=_PADDING),
    "MaxPooling2D": _options(pool_size=st.integers(1, 3), strides=st.integers(1, 2),
                             padding=_PADDING),
    "UpSampling2D": _options(interpolation=st.sampled_from(["nearest", "bilinear"])),
    "ZeroPadding2D": _options(padding=st.integers(1, 2)),
    "Dropout": _options(rate=st.just(0.5)),
    "Dense": _options(units=_SIZES, activation=_ACTIVATION),
    "Softmax": _options(axis=st.sampled_from([-1, 1, 2])),
}
_JOINS = ("Add", "Multiply", "Average", "Maximum", "Subtract", "Concatenate")
_STEP = st.one_of(
    st.sampled_from(sorted(_LAYERS)).flatmap(lambda name: st.tuples(st.just(name), _LAYERS[name])),
    st.tuples(st.sampled_from(_JOINS), st.integers(0, 20)),
)


def _build(steps: list) -> object:
    """Return a model that applies the steps; a join takes a result of equal shape from before."""
    from keras import Input, Model, layers

    board = Input((19, 19, 31), name="board")
    results = [layers.Conv2D(3, 1)(board)]
    for name, detail in steps:
        last = results[-1]
        if name in _JOINS:
            equal = [x for x in results if x.shape == last.shape]
            results.append(getattr(layers, name)()([last, equal[detail % len(equal)]]))
        elif min(last.shape[1:3]) >= 8 and max(last.shape[1:3]) <= 40:
            results.append(getattr(layers, name)(**detail)(last))
    flat = layers.Flatten()(layers.AveragePooling2D(3)(results[-1]))
    policy = layers.Dense(361, activation="softmax", name="policy")(flat)
    return Model(board, [policy, layers.Dense(1, activation="sigmoid", name="value")(flat)])


def _compare(steps: list, seed: int, path) -> None:
    import keras

    keras.utils.set_random_seed(seed)
    model = _build(steps)
    rng = np.random.default_rng(seed)
    for weight in model.weights:
        if "moving" in weight.path or weight.path.endswith(("gamma", "beta")):
            weight.assign(rng.uniform(0.5, 1.5, weight.shape))
    model.save(path)
    planes = (rng.random((2, 19, 19, 31)) < 0.4).astype(np.float32)
    expected = [np.asarray(output) for output in model(planes, training=False)]
    network = read(open_file(path))
    assert network.parameters_total == model.count_params()
    policy, value = run_session(open_session(bake(network)), planes)
    assert np.abs(policy - expected[0]).max() <= MAX_DIFFERENCE
    assert np.abs(value - expected[1][:, 0]).max() <= MAX_DIFFERENCE


_SHARED = dict(deadline=None, suppress_health_check=list(HealthCheck))


@settings(max_examples=12, **_SHARED)
@given(steps=st.lists(_STEP, min_size=2, max_size=8), seed=st.integers(0, 99))
def test_a_random_network_answers_as_keras_does(tmp_path_factory, steps, seed):
    _compare(steps, seed, tmp_path_factory.getbasetemp() / "random.h5")


@pytest.mark.slow
@settings(max_examples=400, **_SHARED)
@given(steps=st.lists(_STEP, min_size=2, max_size=16), seed=st.integers(0, 99))
def test_many_random_networks_answer_as_keras_does(tmp_path_factory, steps, seed):
    _compare(steps, seed, tmp_path_factory.getbasetemp() / "random.h5")
