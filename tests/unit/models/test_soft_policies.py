"""Training on a teacher's policies: two readings of top-1, and the move played mixed in."""

import numpy as np
import pytest

import models
from golois.data.batch import Batch
from models.training.losses import compile_for_training
from models.training.steps import evaluate, train_batch
from models.training.targets import arrays_for, with_played
from models.training.unpacking import PackedInput

ROWS = 8

pytestmark = pytest.mark.usefixtures("without_graphs")


def one_hot(points: np.ndarray) -> np.ndarray:
    return np.eye(361, dtype=np.float32)[points]


@pytest.fixture
def batch() -> Batch:
    """Positions whose teacher prefers point k to the move played, k + 100, in row k."""
    made = Batch.empty(ROWS, "bits", arrays_for((), has_soft_policies=True))
    first = np.arange(ROWS)
    made.planes[:] = np.random.default_rng(0).integers(0, 256, made.planes.shape)
    made.policy[:] = 0.75 * one_hot(first) + 0.25 * one_hot(first + 100)
    made.played[:] = one_hot(first + 100)
    made.value_white[:] = 0.5
    return made


@pytest.mark.slow
@pytest.mark.parametrize("auxiliary", [{}, {"reply": 0.15}])
def test_top_1_is_measured_against_both_moves(batch, auxiliary):
    if auxiliary:
        batch = batch._replace(reply=batch.played)
    network = models.build("resnet", blocks=0, filters=4)
    model = PackedInput(network, auxiliary, shows_played=True)
    compile_for_training(model, learning_rate=0.0, value_weight=4.0, auxiliary=model.auxiliary)
    answers = np.asarray(model(batch.planes)["policy"]).argmax(axis=1)
    others = one_hot((answers + 1) % 361)
    played = batch._replace(policy=others, played=one_hot(answers))
    taught = batch._replace(policy=one_hot(answers), played=others)
    for shown, expected in ((played, (0.0, 1.0)), (taught, (1.0, 0.0))):
        measured = evaluate(model, [shown])
        found = measured["policy_accuracy"], measured["played_accuracy"]
        assert found == pytest.approx(expected, abs=1 / ROWS)
    assert {"policy_accuracy", "played_accuracy"} <= train_batch(model, batch).keys()


def test_the_move_played_adds_nothing_to_the_loss(batch):
    network = models.build("resnet", blocks=0, filters=4)
    losses = []
    for shows_played in (False, True):
        model = PackedInput(network, shows_played=shows_played)
        compile_for_training(model, learning_rate=0.01, value_weight=4.0)
        shown = batch if shows_played else batch._replace(played=None)
        losses.append(evaluate(model, [shown])["loss"])
    assert losses[0] == pytest.approx(losses[1])


def test_the_move_played_is_mixed_in_by_its_weight(batch):
    mixed = with_played(lambda step: batch, 0.4)(0)
    assert mixed.policy[3, 3] == pytest.approx(0.6 * 0.75)
    assert mixed.policy[3, 103] == pytest.approx(0.6 * 0.25 + 0.4)
    assert mixed.policy.sum(axis=1) == pytest.approx(np.ones(ROWS))
    assert batch.policy[3, 3] == 0.75
