"""The losses, against sums by hand; heads and teachers that only training has."""

import keras
import numpy as np
import pytest

import models
from golois.data.dataset import Dataset
from models.errors import ModelsError
from models.training.auxiliary import MOVE_HEADS, trunk_of, with_auxiliary_heads
from models.training.distillation import Teacher
from models.training.losses import compile_for_training
from models.training.steps import evaluate, train_batch
from models.training.targets import AUXILIARY, labels
from models.training.unpacking import PackedInput
from tests.data import EMBEDDED_GAMES

WEIGHTS = {"ownership": 0.5, "score": 0.25, "reply": 2.0}

pytestmark = pytest.mark.usefixtures("without_graphs")


@pytest.fixture(scope="module")
def games() -> Dataset:
    return Dataset(EMBEDDED_GAMES, seed=5, planes="bits")


def tiny(auxiliary: dict[str, float] | None = None, **goals) -> PackedInput:
    keras.utils.clear_session(free_memory=False)  # names begin anew
    keras.utils.set_random_seed(2)
    model = PackedInput(models.build("resnet", blocks=1, filters=4), auxiliary=auxiliary)
    goals = {"value_weight": 4.0, "auxiliary": auxiliary, **goals}
    compile_for_training(model, learning_rate=0.01, **goals)
    model.run_eagerly = True  # a graph takes longer to make than such a network to run
    return model


def answers(model: PackedInput, batch) -> dict[str, np.ndarray]:
    return {name: np.asarray(x) for name, x in model(batch.planes, training=False).items()}


def crossentropy(target: np.ndarray, found: np.ndarray) -> float:
    return float(-(target * np.log(found)).sum(axis=1).mean())


def test_the_loss_is_the_weighted_sum(games):
    model = tiny(WEIGHTS, policy_weight=0.7, value_weight=1.5, label_smoothing=0.1)
    batch = games.sample(12, 0)
    batch.owners_known[:4] = 0
    batch.ownership_known[:5] = 0
    batch.reply[:7] = 0
    found, target = answers(model, batch), labels(batch, WEIGHTS)
    smooth = 0.9 * target["policy"] + 0.1 / 361
    value = np.hstack([target["value"], 1 - target["value"]])
    expected = {
        "policy_loss": crossentropy(smooth, found["policy"]),
        "value_loss": crossentropy(value, np.hstack([found["value"], 1 - found["value"]])),
        "ownership_loss": ((found["ownership"] - target["ownership"])[4:] ** 2).mean(),
        "score_loss": ((found["score"] - target["score"])[5:] ** 2).mean(),
        "reply_loss": crossentropy(target["reply"][7:], found["reply"][7:]),
    }
    measured = evaluate(model, [batch])
    assert {name: measured[name] for name in expected} == pytest.approx(expected, rel=1e-4)
    handed_in = 0.7 * expected["policy_loss"] + 1.5 * expected["value_loss"]
    penalties = float(sum(model.losses))
    assert measured["loss"] == pytest.approx(handed_in + penalties, rel=1e-4)
    extra = sum(weight * expected[f"{name}_loss"] for name, weight in WEIGHTS.items())
    total = model.test_on_batch(batch.planes, target, rows_of(batch), return_dict=True)["loss"]
    assert total == pytest.approx(handed_in + penalties + extra, rel=1e-4)


def rows_of(batch) -> dict[str, np.ndarray]:
    ones = np.ones(len(batch.planes), np.float32)
    owners, score = batch.owners_known, batch.ownership_known
    replies = batch.reply.sum(axis=1)
    return dict(policy=ones, value=ones, ownership=owners, score=score, reply=replies)


def test_positions_count_alike_whatever_their_batch(games):
    """Two batches, unlike in size and in what is known, against one."""
    model = tiny(WEIGHTS)
    whole = games.sample(10, 1)
    whole.owners_known[:6] = 0
    whole.ownership_known[:7] = 0
    parts = [whole.slice(0, 7), whole.slice(7, 10)]
    assert evaluate(model, parts) == pytest.approx(evaluate(model, [whole]), rel=1e-4)


@pytest.mark.slow
def test_the_value_may_be_trained_on_its_squared_error(games):
    batch = games.sample(8, 0)
    measured = evaluate(tiny(value_loss="mse"), [batch])
    assert measured["value_loss"] == pytest.approx(measured["value_mse"], rel=1e-5)
    assert measured["value_mse"] < measured["value_mae"] < measured["value_mse"] ** 0.5
    assert set(measured) == set(evaluate(tiny(), [batch]))


def test_heads_of_training_answer_in_their_ranges(games):
    model = tiny(dict.fromkeys(AUXILIARY, 1.0))
    first = model.network.layers[1]
    first.set_weights([100 * weight for weight in first.get_weights()])
    found = answers(model, games.sample(8, 0))
    assert {name: found[name].shape for name in AUXILIARY} == {
        "score": (8, 1),
        "short_term_values": (8, 3),
        **dict.fromkeys(("ownership", *MOVE_HEADS), (8, 361)),
    }
    assert np.abs(found["ownership"]).max() <= 1 and np.abs(found["score"]).max() <= 5
    np.testing.assert_allclose(found["reply"].sum(axis=1), 1, rtol=1e-5)


@pytest.mark.slow
def test_heads_that_weigh_nothing_change_nothing(games, tmp_path):
    """Neither the first weights nor those after some steps, nor the file that is handed in."""
    plain, crowded = tiny(), tiny(dict.fromkeys(WEIGHTS, 0.0))
    names = [variable.path for variable in crowded.variables]
    assert len(names) == len(set(names)) > len(plain.variables)
    for step in range(2):
        for model in (plain, crowded):
            train_batch(model, games.sample(8, step))
    for ours, theirs in zip(
        crowded.network.get_weights(), plain.network.get_weights(), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
    crowded.network.save(tmp_path / "net.h5", include_optimizer=False)
    saved = keras.saving.load_model(tmp_path / "net.h5", compile=False)
    assert saved.output_names == ["policy", "value"]
    assert [layer.name for layer in saved.layers] == [layer.name for layer in plain.network.layers]


@pytest.mark.slow
def test_heads_train_the_trunk(games):
    plain, helped = tiny(), tiny({"ownership": 1.0})
    for model in (plain, helped):
        train_batch(model, games.sample(8, 0))
    first = [model.network.layers[1].get_weights()[0] for model in (plain, helped)]
    assert np.abs(first[0] - first[1]).max() > 1e-3


def stepped(normalises: bool, batch, share: float = 1.0, rate: float = 0.1) -> PackedInput:
    """A network of one convolution with a head of replies, after a step of plain SGD."""
    keras.utils.set_random_seed(3)
    board = keras.Input((19, 19, 31))
    x = keras.layers.Conv2D(4, 3, padding="same")(board)
    x = keras.layers.ReLU()(keras.layers.BatchNormalization()(x) if normalises else x)
    value = keras.layers.Dense(1, "sigmoid", name="value")(keras.layers.GlobalMaxPooling2D()(x))
    policy = keras.layers.Flatten()(keras.layers.Conv2D(1, 1)(x))
    network = keras.Model(board, [keras.layers.Softmax(name="policy")(policy), value])
    model = PackedInput(network, {"reply": 0.5})
    goals = dict(value_weight=4.0, auxiliary=model.auxiliary, optimizer="sgd", momentum=0.0)
    compile_for_training(model, learning_rate=rate, nesterov=False, hard_examples=share, **goals)
    model.run_eagerly = True
    train_batch(model, batch)
    return model


def test_a_step_of_hard_examples_is_one_of_a_batch_of_these_alone(games):
    batch = games.sample(10, 0)
    batch.reply[:5] = 0
    before = answers(stepped(False, batch, rate=0.0), batch)
    policy = np.log(before["policy"][batch.policy > 0])
    win, value = batch.value_white, before["value"][:, 0]
    losses = -policy - 4 * (win * np.log(value) + (1 - win) * np.log(1 - value))
    hardest = np.sort(np.argsort(-losses)[:4])
    expected = stepped(False, type(batch)(*(part[hardest] for part in batch)))
    found = stepped(False, batch, share=0.4)
    for ours, theirs in zip(found.get_weights(), expected.get_weights(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)
    whole = stepped(False, batch).get_weights()
    moved = [np.abs(a - b).max() for a, b in zip(found.get_weights(), whole, strict=True)]
    assert max(moved) > 1e-3


def test_hard_examples_are_normalised_by_all_of_the_batch(games):
    batch = games.sample(10, 0)
    whole, hard = (stepped(True, batch, share) for share in (1.0, 0.4))
    [of_whole], [of_hard] = (
        [layer for layer in model.network.layers if "batch_norm" in layer.name]
        for model in (whole, hard)
    )
    for name in ("moving_mean", "moving_variance"):
        ours, theirs = getattr(of_hard, name), getattr(of_whole, name)
        np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-5, atol=1e-7)
    assert np.abs(np.asarray(of_hard.gamma) - np.asarray(of_whole.gamma)).max() > 1e-5


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Gradients do not exist for variables:UserWarning")
def test_further_outputs_of_a_network_are_not_trained(games):
    keras.utils.clear_session(free_memory=False)
    network = models.build("nogozero", blocks=2, filters=4, multitask=True)
    model = PackedInput(network, {"score": 0.25})
    compile_for_training(model, learning_rate=0.01, value_weight=4.0, auxiliary=model.auxiliary)
    model.run_eagerly = True
    assert {"policy_loss", "score_loss"} < set(train_batch(model, games.sample(8, 0)))
    assert "dominion" not in model(games.sample(2, 0).planes)


@pytest.mark.parametrize("is_called_again", [False, True])
def test_the_trunk_is_the_last_that_both_heads_share(is_called_again):
    """It may be a layer that is called again."""
    board, relu = keras.Input((19, 19, 31)), keras.layers.ReLU()
    x = trunk = keras.layers.Conv2D(3, 1)(board)
    if is_called_again:
        x = trunk = relu(keras.layers.Conv2D(3, 1)(relu(x)))
    policy, skipped = keras.layers.Conv2D(1, 1)(x), keras.layers.Conv2D(1, 1)(board)
    policy = relu(policy) if is_called_again else keras.layers.Add()([policy, skipped])
    policy = keras.layers.Activation("softmax", name="policy")(keras.layers.Flatten()(policy))
    value = keras.layers.Dense(1, name="value")(keras.layers.GlobalMaxPooling2D()(x))
    assert trunk_of(keras.Model(board, [policy, value])) is trunk


# Teachers


@pytest.fixture(scope="module")
def teacher(tmp_path_factory) -> tuple[keras.Model, Teacher]:
    """A network with a further output, in another order; and what its file teaches."""
    keras.utils.set_random_seed(9)
    network = models.build("resnet", blocks=1, filters=6)
    policy, value, reply = with_auxiliary_heads(network, ["reply"]).outputs
    path = tmp_path_factory.mktemp("teacher") / "teacher.h5"
    network = keras.Model(network.inputs, [reply, value, policy])
    network.save(path)
    return network, Teacher(str(path))


@pytest.mark.slow
def test_a_teacher_answers_as_its_file_does(games, teacher):
    network, teacher = teacher
    planes = Dataset(EMBEDDED_GAMES, seed=5).sample(8, 0).planes
    _, value, policy = network.predict_on_batch(planes)
    found = teacher.answers(games.sample(8, 0).planes)
    np.testing.assert_allclose(found[0], policy, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(found[1], value[:, 0], rtol=1e-4)


@pytest.mark.parametrize(
    "weight",
    [0.25, *(pytest.param(extreme, marks=pytest.mark.slow) for extreme in (0.0, 1.0))],
)
def test_answers_are_mixed_with_the_labels(games, teacher, weight):
    """Weight 0 is plain training, 1 the teacher's answers alone, and losses mix as targets do."""
    student, (_, teacher) = tiny(), teacher
    before = teacher.network.get_weights()
    plain = games.sample(8, 3)
    policy, value_white = teacher.answers(plain.planes)
    taught = plain._replace(policy=policy, value_white=value_white)
    mixed = teacher.mixed_into(lambda step: games.sample(8, step), weight)(3)
    for alone, same in ((0.0, plain), (1.0, taught)):
        if weight == alone:
            np.testing.assert_array_equal(mixed.policy, same.policy)
            np.testing.assert_array_equal(mixed.value_white, same.value_white)
    losses = [evaluate(student, [batch])["loss"] for batch in (mixed, taught, plain)]
    expected = weight * losses[1] + (1 - weight) * losses[2]
    assert losses[0] == pytest.approx(expected, rel=1e-4)
    train_batch(student, mixed)
    for ours, theirs in zip(teacher.network.get_weights(), before, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_what_cannot_teach_is_said_in_words(tmp_path):
    (tmp_path / "text.h5").write_text("no network")
    board = keras.Input((19, 19, 31))
    policy = keras.layers.Flatten()(keras.layers.Conv2D(1, 1)(board))
    keras.Model(board, policy).save(tmp_path / "one.h5")
    planes = keras.Input((19, 19, 21))
    keras.Model(planes, keras.layers.Flatten()(planes)).save(tmp_path / "planes.h5")
    for name, words in (
        ("none.h5", "cannot open a network from .*none.h5: "),
        ("text.h5", "cannot open a network from .*text.h5: the file is not an HDF5 file"),
        ("one.h5", "expected an output value of 1 numbers"),
        ("planes.h5", r"expected one input \(19, 19, 31\)"),
    ):
        with pytest.raises(ModelsError, match=words):
            Teacher(str(tmp_path / name))
