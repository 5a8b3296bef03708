"""What evaluate.py asks of Keras models: outputs, trunk, attention; and that it changes nothing."""

import json
import os

import keras
import numpy as np
import pytest
from keras import layers

import models
from golois.go.board import Board
from golois.go.symmetry import transform_board, transform_point
from golois.planes.derived import derived_planes
from models.errors import EvaluationError, SavedNetworkError
from models.evaluation.network import Network, load_network, on_one_core
from models.evaluation.probes.attention import AttentionReader, Insight, contrasted, drawn
from models.evaluation.probes.ladder import line_through_planes, masked, probe_ladders, score
from models.evaluation.probes.ladder_positions import Ladders

pytestmark = pytest.mark.usefixtures("without_graphs")


def built(family: str, **options) -> Network:
    keras.utils.set_random_seed(0)
    return Network(models.build(family, **options), family)


@pytest.fixture(scope="module")
def transformer():
    network = built("restnet", blocks="TRT", filters=8, heads=2)
    rng = np.random.default_rng(0)
    network.model.set_weights(
        [rng.normal(scale=0.3, size=w.shape) ** (2 if (w > 0).all() else 1)
         for w in network.model.get_weights()]
    )  # fmt: skip
    return network


@pytest.fixture(scope="module")
def planes():
    return (np.random.default_rng(2).random((19, 19, 31)) < 0.2).astype(np.float32)


@pytest.fixture(autouse=True)
def in_short(monkeypatch):
    """Time few calls, and train a probe of ladders for two epochs."""
    monkeypatch.setattr("models.evaluation.network.TIMED_SECONDS", 0.0)
    monkeypatch.setattr("models.evaluation.probes.ladder.EPOCHS_A_ROUND", 1)
    monkeypatch.setattr("models.evaluation.probes.ladder.ROUNDS", 2)


def ladders(count: int) -> Ladders:
    rng = np.random.default_rng(3)
    planes = (rng.random((count, 19, 19, 31)) < 0.2).astype(np.uint8)
    targets = np.tile(np.array([1, -1], np.float32), count // 2)
    planes[..., 1] &= (targets < 0)[:, None, None]  # lost chains in captures alone
    return Ladders(planes, targets, np.arange(count))


@pytest.mark.slow
def test_attention_is_that_of_numpy(transformer, planes):
    """Recomputed from the weights of each block's dense layers, on the tokens that they read."""
    model = transformer.model
    found = AttentionReader(transformer).maps(planes)
    assert [(item.block, item.head) for item in found] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    softmaxes = [layer for layer in model.layers if isinstance(layer, layers.Softmax)]
    for item, softmax in zip(found, softmaxes, strict=True):
        biased = softmax.input._keras_history.operation
        dot, bias = (tensor._keras_history.operation for tensor in biased.input)
        scaled, key = (tensor._keras_history.operation for tensor in dot.input)
        query = scaled.input._keras_history.operation
        tokens, table = keras.Model(model.inputs, [key.input, bias.output]).predict_on_batch(
            planes[None]
        )
        (q_kernel, q_bias), (k_kernel, k_bias) = query.get_weights(), key.get_weights()
        logits = (tokens[0] @ q_kernel + q_bias) @ (tokens[0] @ k_kernel + k_bias).T
        logits = logits / np.sqrt(q_kernel.shape[1]) + table[0]
        exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
        expected = exponents / exponents.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(item.weights, expected, atol=1e-5)
        np.testing.assert_allclose(item.weights.sum(axis=1), 1, atol=1e-5)
        shades = item.map_of(72)
        assert (shades.shape, shades.min(), shades.max()) == ((19, 19), 0, 1)
        assert shades.argmax() == item.weights[72].argmax()


def test_moved_tokens_move_the_map_where_no_bias_knows_places(planes):
    network = built("restnet", blocks="T", filters=8, heads=2, relative="none")
    for layer in network.model.layers:
        if isinstance(layer, layers.Conv2D) and layer.kernel_size == (3, 3):
            kernel, *rest = layer.get_weights()
            kernel[[0, 0, 0, 1, 1, 2, 2, 2], [0, 1, 2, 0, 2, 0, 1, 2]] = 0  # each point by itself
            layer.set_weights([kernel, *rest])
    point, turn = 40, 5
    straight = AttentionReader(network).maps(planes)
    turned = AttentionReader(network).maps(transform_board(planes, turn))
    for one, other in zip(straight, turned, strict=True):
        moved = other.map_of(transform_point(point, turn))
        np.testing.assert_allclose(moved, transform_board(one.map_of(point), turn), atol=1e-3)


def test_contrast_parts_the_middle_and_keeps_the_order():
    shades = np.linspace(0, 1, 101)
    curve = contrasted(shades)
    np.testing.assert_allclose(curve[[0, 50, 100]], [0.0179862, 0.5, 0.9820138], atol=1e-7)
    assert (np.diff(curve) > 0).all()
    assert curve[60] - curve[40] > 1.8 * (shades[60] - shades[40])


@pytest.mark.slow
def test_a_network_is_looked_into_from_blacks_side(transformer):
    trunk = layers.Flatten()(layers.Conv2D(1, 1)(transformer.trunk().output))
    ownership = layers.Activation("tanh", name="ownership")(trunk)
    model = keras.Model(transformer.model.inputs, [*transformer.model.outputs, ownership])
    network = Network(model, "with ownership")
    insight = Insight(network, contrast=True)
    assert insight.has_ownership and insight.heads == ((1, 1), (1, 2), (2, 1), (2, 2))
    board = Board()
    board.play(60)  # White is to move
    found = insight.ownership(board, 7.5)
    np.testing.assert_allclose(found, -network.predict(board.planes(7.5)[None]).ownership[0])
    straight = AttentionReader(network).maps(board.planes(7.5))[2].map_of(60).reshape(-1)
    np.testing.assert_allclose(insight.attention(board, 7.5, 2, 1, 60), contrasted(straight))


def test_a_drawn_map_has_a_row_a_line():
    shades = np.zeros((19, 19))
    shades[0, 18], shades[1, 0] = 1.0, 0.55
    lines = drawn(shades, 19).splitlines()
    assert len(lines) == 20
    assert lines[0].startswith("19") and lines[0].endswith("@")
    assert lines[1].startswith("18 [+]")
    assert lines[-1].split() == list("ABCDEFGHJKLMNOPQRST")


def test_a_network_without_what_is_asked_for_is_told_so():
    network = built("resnet", blocks=1, filters=4)
    vit = built("vit", blocks=1, width=8, heads=2, hidden=8)
    for ask, words in (
        (lambda: Insight(network, contrast=False), "there is nothing to show"),
        (lambda: AttentionReader(network), "has no transformer blocks over the 361 points"),
        (vit.trunk, "policy and value of vit come from"),
    ):
        with pytest.raises(EvaluationError, match=words):
            ask()


@pytest.mark.slow
def test_a_ladder_probe_leaves_the_network_as_it_was():
    """Every byte, the statistics of its norms among them."""
    network = built("resnet", blocks=1, filters=4)
    before = [np.array(weight) for weight in network.model.get_weights()]
    is_trainable = [layer.trainable for layer in network.model.layers]
    rounds = []
    report = probe_ladders(network, ladders(64), ladders(32), 0, rounds.append)
    after = network.model.get_weights()
    assert [w.tobytes() for w in before] == [np.array(w).tobytes() for w in after]
    assert [layer.trainable for layer in network.model.layers] == is_trainable
    assert rounds == [1, 2]
    assert report["num_test_positions"] == 32 and report["trunk"]["channels"] == 4
    assert report["line_through_ladder_planes"]["accuracy"] == 1


def test_planes_give_ladders_away_until_they_are_masked():
    training, test = ladders(400), ladders(200)
    line = line_through_planes(training, test.planes)
    assert score(line, test.targets).accuracy > 0.5 + 3 * 0.036
    hidden = masked(test)
    assert not hidden.planes[..., 1:5].any()
    np.testing.assert_array_equal(hidden.planes[..., 5:], test.planes[..., 5:])
    line = line_through_planes(masked(training), hidden.planes)
    assert score(line, test.targets).accuracy == 0


def test_outputs_are_found_by_name_with_and_without_ownership(tmp_path, planes):
    """And the trunk is the last board of all heads."""
    network = built("resnet", blocks=2, filters=4)
    trunk, expected = network.trunk(), network.predict(planes[None])
    assert trunk.output_shape == (None, 19, 19, 4)
    heads = keras.Model([trunk.output, *network.model.inputs], network.model.outputs)
    policy, value = heads.predict_on_batch([trunk.predict_on_batch(planes[None]), planes[None]])
    np.testing.assert_allclose(policy, expected.policy, rtol=1e-5)
    np.testing.assert_allclose(value[:, 0], expected.value, rtol=1e-5)
    x = layers.Flatten()(layers.Conv2D(1, 1, activation="tanh")(trunk.output))
    ownership = layers.Activation("linear", name="ownership")(x)
    model = keras.Model(network.model.inputs, [*network.model.outputs, ownership])
    model.save(tmp_path / "net.h5")
    loaded = load_network(tmp_path / "net.h5")
    assert loaded.has_ownership and not network.has_ownership
    found = loaded.predict(planes[None])
    assert found.ownership.shape == (1, 361) and found.value.shape == (1,)
    np.testing.assert_allclose(found.policy, expected.policy, rtol=1e-5)
    assert expected.ownership is None
    times = network.milliseconds(2)
    assert times["wall"] > 0 and times["cpu"] >= 0
    network.model.set_weights([w * np.nan for w in network.model.get_weights()])
    with pytest.raises(EvaluationError, match="some answers of resnet are not finite"):
        network.predict(planes[None])


def test_a_network_of_other_planes_is_asked_by_the_config_of_its_run(tmp_path, planes):
    """The probe of ladders goes through its trunk, the attention through its heads."""
    model = models.build("restnet", blocks="RT", filters=4, heads=1, planes=10)
    model.save(tmp_path / "net.h5")
    options = dict(data={}, seed=0, validation_fraction=0.1)
    config = {"options": options, "features": "vit"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    network = load_network(tmp_path / "net.h5")
    policy, value = model.predict_on_batch(derived_planes(planes[None], "vit").astype(np.float32))
    found = network.predict(planes[None])
    np.testing.assert_allclose(found.policy, policy, rtol=1e-5)
    np.testing.assert_allclose(found.value, value[:, 0], rtol=1e-5)
    assert network.milliseconds(1)["wall"] > 0
    assert len(AttentionReader(network).maps(planes)) == 1
    report = probe_ladders(network, ladders(8), ladders(4), 0, lambda _: None)
    assert report["trunk"]["channels"] == 4


def test_what_is_no_network_of_the_course_is_refused(tmp_path):
    models.build("restnet", blocks="R", filters=4, planes=10).save(tmp_path / "net.h5")
    words = r"one input of \(19, 19, 31\), .* got \[\(19, 19, 10\)\]; .*config.json"
    with pytest.raises(EvaluationError, match=words):
        load_network(tmp_path / "net.h5")
    path = tmp_path / "nothing.h5"
    path.write_bytes(b"nothing")
    with pytest.raises(SavedNetworkError, match="cannot open a network from .*not an HDF5 file"):
        load_network(path)
    board = keras.Input((19, 19, 31))
    model = keras.Model(board, layers.Dense(1, name="value")(layers.Flatten()(board)))
    for other, words in (
        (model, "expected outputs policy of 361 .* got value of 1"),
        (keras.Model(model.get_layer("value").input, model.output), "expected one input of"),
        (keras.Sequential([board, layers.Flatten(), layers.Dense(1)]), "got its only one of 1"),
    ):
        with pytest.raises(EvaluationError, match=words):
            Network(other, "net.h5")


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system pins no threads")
def test_all_threads_are_kept_on_one_core_for_a_while():
    def cores() -> list[set[int]]:
        return [os.sched_getaffinity(int(thread)) for thread in os.listdir("/proc/self/task")]

    own = os.sched_getaffinity(0)
    with pytest.raises(ZeroDivisionError), on_one_core() as core:
        assert core == min(own)
        assert all(allowed == {core} for allowed in cores())
        _ = 1 / 0
    assert all(allowed == own for allowed in cores())
