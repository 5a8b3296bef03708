"""Data sets for Keras and TensorFlow: what `model.fit` sees, batch by batch and epoch by epoch."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from golois.data import batch as batches
from golois.data.dataset import Dataset
from golois.data.mixture import Mixture
from golois.errors import ArgumentError
from golois.games.game import Game
from golois.games.rules import Go, Hex, NoGo
from golois.go.coords import BLACK
from golois.records.finished_games import FinishedGame, write_finished_games
from golois.records.packed_file import GameFile
from golois.records.packing import write_games
from models.training.quiet import import_keras_quietly
from tests.data import EMBEDDED_GAMES

import_keras_quietly()

import keras  # noqa: E402

import models  # noqa: E402
from models.training.losses import compile_for_training  # noqa: E402
from models.training.unpacking import PackedInput, unpack_planes  # noqa: E402

STEPS = 3


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return Dataset(EMBEDDED_GAMES, seed=7, validation_fraction=0.01)


@pytest.fixture(scope="module")
def packed() -> Dataset:
    return Dataset(EMBEDDED_GAMES, seed=7, validation_fraction=0.01, planes="bits")


@pytest.fixture
def network() -> keras.Model:
    keras.utils.set_random_seed(1)
    return models.build("resnet", blocks=0, filters=4)


def compiled(model: keras.Model, *, eagerly: bool = True) -> keras.Model:
    """A graph takes longer to make than to use for a few steps."""
    compile_for_training(model, learning_rate=0.001, value_weight=4)
    model.run_eagerly = eagerly
    return model


class Recorder(keras.Model):
    """Learns nothing, and notes the moves of every batch that `fit` shows it."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def train_step(self, data):
        _, targets = data
        self.seen.append(np.array(targets["policy"]).argmax(1).tolist())
        return {"loss": 0.0}


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(("kind", "options"), [("as_keras", {"endless": True}), ("as_tf", {})])
def test_fit_sees_each_batch_of_each_epoch_in_order(dataset, kind, options, workers):
    feed = getattr(dataset, kind)(8, first_step=5, workers=workers, **options)
    model = Recorder()
    model.compile(run_eagerly=True)
    model.fit(feed, epochs=2, steps_per_epoch=STEPS, verbose=0)
    steps = range(5, 5 + 2 * STEPS)
    assert model.seen == [dataset.sample(8, step).policy.argmax(1).tolist() for step in steps]


def test_an_epoch_ends_when_as_many_positions_were_shown_as_there_are(tmp_path):
    path = tmp_path / "few.games"
    write_games(islice(GameFile.open(EMBEDDED_GAMES), 1), path)
    few = Dataset(path, validation_fraction=0)
    num_batches = -(-few.num_positions("train") // 64)
    model = Recorder()
    model.compile(run_eagerly=True)
    model.fit(few.as_keras(64), epochs=2, verbose=0)
    assert len(model.seen) == 2 * num_batches > 2
    assert len(set(map(tuple, model.seen))) == len(model.seen), "each epoch draws its own"


def test_a_feed_gives_what_the_course_gives_fit(dataset):
    planes, targets = dataset.as_keras(8)[2]
    batch = dataset.sample(8, 2)
    np.testing.assert_array_equal(planes, batch.planes)
    assert set(targets) == {"policy", "value"}
    np.testing.assert_array_equal(targets["policy"], batch.policy)
    np.testing.assert_array_equal(targets["value"], batch.value_white[:, None])


def test_tensorflow_gets_the_same_batches(dataset):
    feed = dataset.as_keras(8, ownership=True)
    stream = dataset.as_tf(8, ownership=True, workers=2)
    for index, (planes, *ours) in enumerate(stream.take(STEPS).as_numpy_iterator()):
        expected_planes, *theirs = feed[index]
        np.testing.assert_array_equal(planes, expected_planes)
        for arrays, expected in zip(ours, theirs, strict=True):
            assert set(arrays) == set(expected) == {"policy", "value", "ownership"}
            for name, array in arrays.items():
                np.testing.assert_array_equal(array, expected[name])


@pytest.mark.slow
def test_validation_walks_once_and_ends_with_a_short_batch(dataset):
    num_positions = dataset.num_positions("validation")
    feed = dataset.as_keras(1000, split="validation")
    sizes = [len(feed[index][0]) for index in range(feed.num_batches)]
    assert sum(sizes) == num_positions and sizes[:-1] == [1000] * (len(sizes) - 1)
    np.testing.assert_array_equal(feed[0][0], dataset.walk(1000).planes)
    stream = dataset.as_tf(1000, split="validation")
    assert [len(planes) for planes, _ in stream] == sizes


def test_bits_are_unpacked_in_the_graph(packed):
    bits = packed.sample(16, 0).planes
    np.testing.assert_array_equal(unpack_planes(bits), batches.unpack_planes(bits))


@pytest.mark.slow
def test_a_network_fed_with_bits_learns_the_same(dataset, packed, network, tmp_path):
    twin = keras.models.clone_model(network)
    twin.set_weights(network.get_weights())
    for model, source in ((network, dataset), (PackedInput(twin), packed)):
        feed = source.as_keras(8, endless=True)
        eagerly = model is network
        compiled(model, eagerly=eagerly).fit(feed, epochs=1, steps_per_epoch=STEPS, verbose=0)
    for ours, theirs in zip(twin.get_weights(), network.get_weights(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)
    twin.save(tmp_path / "net.h5", include_optimizer=False)
    saved = keras.saving.load_model(tmp_path / "net.h5", compile=False)
    assert saved.input_shape == (None, 19, 19, 31)
    assert [layer.name for layer in saved.layers] == [layer.name for layer in network.layers]


def test_fit_takes_bytes_a_mixture_and_tensorflows_stream(network):
    datasets = [Dataset(EMBEDDED_GAMES, seed=seed, planes="uint8") for seed in (1, 2)]
    mixture = Mixture([(dataset, 1) for dataset in datasets])
    history = compiled(network).fit(
        mixture.as_tf(8),
        steps_per_epoch=2,
        validation_data=mixture.as_tf(8, split="validation"),
        validation_steps=2,
        verbose=0,
    )
    assert np.isfinite(history.history["val_loss"]).all()


def test_ownership_is_weighed_by_whether_it_is_known(tmp_path):
    records = list(islice(GameFile.open(EMBEDDED_GAMES), 10))
    resigned = [replace(record, result="B+R", played_out=False) for record in records[5:]]
    write_games(records[:5] + resigned, tmp_path / "mixed.games")
    dataset = Dataset(tmp_path / "mixed.games", validation_fraction=0)
    _, targets, weights = dataset.as_keras(64, ownership=True)[0]
    batch = dataset.sample(64, 0)
    np.testing.assert_array_equal(targets["ownership"], batch.ownership)
    np.testing.assert_array_equal(weights["ownership"][:, 0, 0], batch.ownership_known)
    assert 0 < weights["ownership"].mean() < 1 and (weights["policy"] == 1).all()

    planes = keras.Input((19, 19, 31))
    x = keras.layers.Conv2D(2, 1)(planes)
    flat = keras.layers.Flatten()(x)
    heads = {
        "policy": keras.layers.Dense(361, activation="softmax")(flat),
        "value": keras.layers.Dense(1, activation="sigmoid")(flat),
        "ownership": keras.layers.Activation("sigmoid")(x),
    }
    model = keras.Model(planes, heads)
    cross_entropy = "binary_crossentropy"
    model.compile(
        loss={
            "policy": "categorical_crossentropy",
            "value": cross_entropy,
            "ownership": cross_entropy,
        },
        run_eagerly=True,
    )
    feed = dataset.as_keras(64, ownership=True)
    history = model.fit(feed, steps_per_epoch=1, verbose=0)
    assert np.isfinite(history.history["loss"]).all()


@pytest.mark.slow
@pytest.mark.parametrize("rules", [Go(4), NoGo(5), Hex(6)])
def test_a_network_of_any_game_learns_from_shards(tmp_path, rules):
    shards = [tmp_path / f"{number}.games" for number in range(2)]
    game = FinishedGame([5, 9], BLACK, [{5: 3, 9: 1}, {9: 1}], [0.25, 0.5])
    for shard in shards:
        write_finished_games(shard, rules, [game])
    mixture = Mixture([(Dataset(shard, validation_fraction=0), 1) for shard in shards])
    shape = mixture.shape
    assert (shape.planes, shape.policy_size) == (Game(rules).planes_shape, Game(rules).policy_size)
    planes = keras.Input(shape.planes)
    flat = keras.layers.Flatten()(planes)
    heads = {
        "policy": keras.layers.Dense(shape.policy_size, activation="softmax")(flat),
        "value": keras.layers.Dense(1, activation="sigmoid")(flat),
    }
    model = keras.Model(planes, heads)
    losses = {"policy": "categorical_crossentropy", "value": "binary_crossentropy"}
    model.compile(loss=losses, run_eagerly=True)
    for feed in (mixture.as_keras(8, endless=True), mixture.as_tf(8)):
        history = model.fit(feed, steps_per_epoch=2, verbose=0)
        assert np.isfinite(history.history["loss"]).all()
    in_keras, (in_tf,) = mixture.as_keras(8)[0], mixture.as_tf(8).take(1).as_numpy_iterator()
    np.testing.assert_array_equal(in_keras[0], in_tf[0])
    np.testing.assert_array_equal(in_keras[1]["policy"], in_tf[1]["policy"])
    bits = Dataset(shards[0], validation_fraction=0, planes="bits").sample(8, 0).planes
    expected = Dataset(shards[0], validation_fraction=0).sample(8, 0).planes
    board = (rules.size, rules.size, shape.num_planes)
    np.testing.assert_array_equal(unpack_planes(bits, board), expected)
    answers = PackedInput(keras.Model(planes, [heads["policy"], heads["value"]]))(bits)
    assert {tuple(answer.shape) for answer in answers.values()} == {(8, shape.policy_size), (8, 1)}


def test_ownership_is_no_target_of_hex(tmp_path):
    path = tmp_path / "hex.games"
    write_finished_games(path, Hex(3), [FinishedGame([4], BLACK, [{4: 1}], [0.5])])
    feed = Dataset(path, validation_fraction=0).as_keras(8, ownership=True)
    with pytest.raises(ArgumentError, match="Hex has no target ownership"):
        feed[0]


def test_wrong_plans_are_refused_in_words(dataset):
    with pytest.raises(ArgumentError, match="batch_size must be 1 or more"):
        dataset.as_keras(0)
    with pytest.raises(ArgumentError, match="has no positions for validation"):
        Dataset(EMBEDDED_GAMES, validation_fraction=0).as_tf(8, split="validation")
    with pytest.raises(ArgumentError, match='must be "train" or "validation"'):
        dataset.as_keras(8, split="test")
