"""A chain of bottlenecks as one native operation: the numbers and the file of Keras."""

import keras
import numpy as np
import pytest

import models
from golois.errors import ArgumentError, GoloisError
from golois.kernels.bottlenecks import Bottlenecks, BottleneckShape, has_fast_kernels
from models.training.bottlenecks import longest_chain, with_bottlenecks
from models.training.faster_layers import trains_on_cpu
from models.training.unpacking import PackedInput

pytestmark = pytest.mark.skipif(
    not (trains_on_cpu() and has_fast_kernels()), reason="it takes TensorFlow on a CPU with AVX2"
)

SMALL = dict(blocks=2, filters=32, trunk=16)


NETWORKS = [
    ("mobilenet", {}),
    ("mobilenet", dict(se_position="end", se_ratio=4)),
    ("mixnet", {}),
    ("mixnet", dict(se_position="none")),
]


def small_network(name, options):
    """The same network each time, whose normalizations are not those of a new one."""
    keras.utils.set_random_seed(0)
    network = models.build(name, **SMALL, **options)
    rng = np.random.default_rng(0)
    for layer in network.layers:
        if isinstance(layer, keras.layers.BatchNormalization):
            layer.gamma.assign(rng.uniform(0.5, 1.5, layer.gamma.shape))
            layer.beta.assign(rng.normal(0, 0.3, layer.beta.shape))
    return network


def gradients(model, network):
    """Outputs, gradients by variable and moving statistics after one batch in training."""
    import tensorflow as tf

    rng = np.random.default_rng(1)
    planes = (rng.random((4, 19, 19, 31)) > 0.7).astype(np.float32)
    to_policy, to_value = rng.normal(size=(4, 361)), rng.normal(size=(4, 1))
    with tf.GradientTape() as tape:
        policy, value = model(planes, training=True)
        loss = tf.reduce_sum(100 * policy * to_policy) + tf.reduce_sum(value * to_value)
    by_variable = tape.gradient(loss, [v.value for v in network.trainable_variables])
    moved = [v.numpy() for v in network.non_trainable_variables]
    return [policy.numpy(), value.numpy()], [g.numpy() for g in by_variable], moved


def distance(got, expected):
    """The length of the difference of lists of arrays over that of the second."""
    flat = [np.concatenate([array.ravel() for array in arrays]) for arrays in (got, expected)]
    return np.linalg.norm(flat[0] - flat[1]) / np.linalg.norm(flat[1])


@pytest.mark.parametrize(("name", "options"), [NETWORKS[0], NETWORKS[2]])
def test_a_chain_has_the_gradients_of_its_layers(name, options, monkeypatch):
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", "2")
    network = small_network(name, options)
    before = network.get_weights()
    expected = gradients(network, network)
    for half, tolerance in ((False, 1e-4), (True, 0.1)):
        network.set_weights(before)  # the moving statistics among them
        twin = with_bottlenecks(network, half)
        assert twin is not network
        for got, right in zip(gradients(twin, network), expected, strict=True):
            assert distance(got, right) < tolerance


def test_a_chain_takes_as_many_threads_as_tensorflow(monkeypatch):
    asked = []

    def bottlenecks(*args, num_threads, **options):
        asked.append(num_threads)
        return Bottlenecks(*args, num_threads=num_threads, **options)

    monkeypatch.setattr("models.training.bottlenecks.Bottlenecks", bottlenecks)
    monkeypatch.setattr("models.training.bottlenecks.num_cpus", lambda: 5)
    for setting in ("3", "", "0"):
        monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", setting)
        with_bottlenecks(small_network("mobilenet", {}))
    assert asked == [3, 5, 5]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mobilenet", pytest.param("mixnet", marks=pytest.mark.slow)])
def test_training_the_chain_trains_the_network(name, tmp_path):
    stock, network = small_network(name, {}), small_network(name, {})
    rng = np.random.default_rng(2)
    planes, policy = rng.random((8, 19, 19, 31)), np.eye(361)[rng.integers(0, 361, 8)]
    losses = {}
    for name, trained in (("stock", stock), ("chain", with_bottlenecks(network))):
        losses_of_heads, is_stock = ["categorical_crossentropy", "mse"], name == "stock"
        trained.compile("sgd", losses_of_heads, jit_compile=False, run_eagerly=is_stock)
        targets = [policy, policy[:, :1]]
        losses[name] = [trained.train_on_batch(planes, targets)[0] for _ in range(3)]
    np.testing.assert_allclose(losses["chain"], losses["stock"], rtol=1e-4)
    assert distance(network.get_weights(), stock.get_weights()) < 1e-4

    network.save(tmp_path / "network.h5", include_optimizer=False)
    loaded = keras.models.load_model(tmp_path / "network.h5", compile=False)
    assert [type(layer) for layer in loaded.layers] == [type(layer) for layer in stock.layers]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("network", "options", "blocks"),
    [
        ("mobilenet", SMALL, 2),
        ("mobilenet", SMALL | dict(filters=24), 0),  # no vectors of 16 channels
        ("mobilenet", SMALL | dict(se_position="end"), 2),
        ("mobilenet", SMALL | dict(se_position="expanded"), 0),  # other layers within a block
        ("mixnet", SMALL, 2),
        ("mixnet", SMALL | dict(se_position="expanded"), 0),
        ("cbam", SMALL, 0),
        ("resnet", dict(blocks=2, filters=16), 0),
    ],
)
def test_only_bottlenecks_of_some_kinds_are_a_chain(network, options, blocks):
    assert len(longest_chain(models.build(network, **options))) == blocks


def test_other_sums_and_bottlenecks_whose_inside_is_used_are_no_chain():
    board = keras.layers.Input((19, 19, 16))
    add = keras.layers.Add()
    keras.Model(board, add([board, board]))  # the same layer in another network
    assert longest_chain(keras.Model(board, add([board, board, board]))) == []
    network = models.build("mixnet", **SMALL)
    assert len(longest_chain(network)) == 2
    inside = next(x for x in network.layers if type(x) is keras.layers.Concatenate).output
    keras.layers.GlobalMaxPooling2D()(inside)
    assert len(longest_chain(network)) == 1


def test_the_core_refuses_what_it_cannot_do():
    x = np.ones((2, 5, 5, 16), np.float32)
    with pytest.raises(GoloisError, match="multiples of 16"):
        Bottlenecks(1, BottleneckShape(19, 24, 64), epsilon=1e-3)
    with pytest.raises(GoloisError, match="not 3"):
        Bottlenecks(1, BottleneckShape(19, 16, 32, kernels=3), epsilon=1e-3)
    for blocks, size in ((0, 5), (1, -2)):
        with pytest.raises(GoloisError, match="one block, point and channel"):
            Bottlenecks(blocks, BottleneckShape(size, 16, 16), epsilon=1e-3)
    chain = Bottlenecks(1, BottleneckShape(5, 16, 16), epsilon=1e-3)
    weights = np.ones(chain.num_weights, np.float32)
    with pytest.raises(GoloisError, match="forward"):
        chain.backward(x)
    for wrong, words in (
        ((x.astype(float), weights), "float32 .* as x: got float64"),
        ((x[..., :8], weights), r"\[2, 5, 5, 16\] as x: got float32 \[2, 5, 5, 8\]"),
        ((x, weights[:-1]), "as weights"),
    ):
        with pytest.raises(ArgumentError, match=words):
            chain.forward(*wrong)
    with pytest.raises(GoloisError, match="no position"):
        chain.forward(x[:0], weights)
    chain.forward(x, weights)
    with pytest.raises(ArgumentError, match="as gradient"):
        chain.backward(x[:1])


@pytest.mark.slow
@pytest.mark.parametrize("jit", [False, True])
def test_a_network_trains_by_the_chain_unless_xla_compiles_it(jit):
    model = PackedInput(small_network("mixnet", {}), precision="mixed_bfloat16", jit=jit)
    names = [layer.name for layer in model.faster.layers]
    assert ("bottleneck_chain" in names) is not jit
    assert (model.network.layers[1].compute_dtype == "bfloat16") is jit
