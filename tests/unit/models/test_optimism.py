"""The optimistic policy: how its rows are weighed, and the head as the policy of a network."""

from math import exp

import keras
import numpy as np
import pytest

import models
from golois.data.batch import Batch
from golois.data.dataset import Dataset
from models.__main__ import main
from models.contract import check_submittable
from models.training.auxiliary import with_auxiliary_heads, with_policy_of
from models.training.losses import compile_for_training
from models.training.steps import evaluate, save_network
from models.training.targets import SPREAD, arrays_for, constant_loss, labels, optimism
from models.training.unpacking import PackedInput
from tests.data import LABELLED_GAMES

NAME = "optimistic_policy"

pytestmark = pytest.mark.usefixtures("without_graphs")


@pytest.fixture(scope="module")
def batch() -> Batch:
    """Positions: the first has no value, the second no lead, the third neither."""
    games = Dataset(LABELLED_GAMES, planes="bits", validation_fraction=0)
    assert games.num_positions("train") == 89_033
    drawn = games.sample(24, 0, targets=arrays_for([NAME]))
    drawn.surprise[0, 0] = drawn.surprise[1, 1] = np.nan
    drawn.surprise[2] = np.nan
    drawn.surprise[3], drawn.surprise[4], drawn.surprise[5] = (0.3, 15), (0.9, -300), (0.135, 0)
    return drawn


def weight(surprise: np.ndarray) -> float:
    total = 0.0
    for better, spread in zip(surprise.tolist(), (0.09, 4.7), strict=True):
        if not np.isnan(better):
            total += 1 / (1 + exp(-3 * (better / spread - 1.5)))
    return min(total, 1.0)


def test_moves_that_turned_out_well_count_more(batch):
    found = optimism(batch)
    np.testing.assert_allclose(found, [weight(row) for row in batch.surprise], rtol=1e-4)
    assert found[2] == 0 and found[3] == 1 and found[4] == pytest.approx(1, abs=1e-3)
    assert found[5] == pytest.approx(0.5 + 1 / (1 + exp(4.5)), rel=1e-4)
    assert found.dtype == np.float32


@pytest.mark.slow
def test_the_spread_is_that_of_the_labelled_games():
    games = Dataset(LABELLED_GAMES, planes="bits", validation_fraction=0)
    every = np.arange(games.num_positions("train"))
    surprise = games.rows(every, 0 * every, targets=["surprise"]).surprise
    np.testing.assert_allclose(np.nanstd(surprise, axis=0), SPREAD, rtol=0.01)


def with_heads() -> keras.Model:
    keras.utils.clear_session(free_memory=False)
    keras.utils.set_random_seed(2)
    network = models.build("resnet", blocks=1, filters=4)
    return with_auxiliary_heads(network, [NAME, "score"])


def test_its_loss_is_a_weighted_mean_whatever_the_batches(batch):
    """So is a constant's, which answers with the weighted mean of the policies."""
    keras.utils.set_random_seed(2)
    model = PackedInput(models.build("resnet", blocks=1, filters=4), {NAME: 0.1})
    compile_for_training(model, learning_rate=0.01, value_weight=1, auxiliary=model.auxiliary)
    model.run_eagerly = True
    policy = labels(batch, [NAME])[NAME]
    answers = np.asarray(model(batch.planes, training=False)[NAME])
    parts = [batch.slice(0, 7), batch.slice(7, 24)]
    weights = [weight(row) for row in batch.surprise]
    constant = sum(w * row for w, row in zip(weights, policy, strict=True)) / sum(weights)
    for found, shares in (
        (evaluate(model, parts)[f"{NAME}_loss"], answers),
        (constant_loss(NAME, parts), np.tile(np.maximum(constant, 1e-12), (24, 1))),
    ):
        losses = -(policy * np.log(shares)).sum(axis=1)
        expected = sum(w * loss for w, loss in zip(weights, losses, strict=True)) / sum(weights)
        assert found == pytest.approx(expected, rel=1e-4)


def test_the_head_becomes_the_policy_of_a_file_to_hand_in(tmp_path, capsys):
    network = with_heads()
    save_network(tmp_path / "heads.h5", network)
    command = ["swap", str(tmp_path / "heads.h5"), NAME, "-o", str(tmp_path / "swapped.h5")]
    assert main(command) == 0
    assert "swapped.h5, whose policy is optimistic_policy" in capsys.readouterr().out
    swapped = keras.saving.load_model(tmp_path / "swapped.h5", compile=False)
    assert check_submittable(swapped) == []
    planes = np.random.default_rng(0).integers(0, 2, (3, 19, 19, 31)).astype(np.float32)
    policy, value, optimistic, _ = (np.asarray(x) for x in network(planes))
    found = [np.asarray(x) for x in swapped(planes)]
    np.testing.assert_allclose(found[0], optimistic, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(found[1], value, rtol=1e-5)
    assert np.abs(found[0] - policy).max() > 1e-5


def test_a_head_with_weights_of_its_own_becomes_the_policy():
    """As the teacher's head of a ViT with a distillation token."""
    network = with_auxiliary_heads(
        models.build("vit", width=8, blocks=1, heads=2, hidden=8, distillation_token=True),
        ["moves", "teacher"],
    )
    planes = np.random.default_rng(0).integers(0, 2, (3, 19, 19, 31)).astype(np.float32)
    expected = dict(zip(network.output_names, network(planes), strict=True))["teacher"]
    policy, _ = with_policy_of(network, "teacher")(planes)
    np.testing.assert_allclose(policy, expected, rtol=1e-5)


def test_what_cannot_be_swapped_is_refused_in_words(tmp_path, capsys):
    save_network(tmp_path / "heads.h5", with_heads())
    for changes, words in (
        ({2: "score"}, "expected a head score: the network has optimistic_policy"),
        ({2: "reply"}, "expected a head reply: the network has optimistic_policy"),
        ({1: str(tmp_path / "none.h5")}, "cannot open a network from"),
        ({4: str(tmp_path / "new.keras")}, "--output must end in .h5, not new.keras"),
        ({4: str(tmp_path / "heads.h5")}, "the output would overwrite the network"),
    ):
        command = ["swap", str(tmp_path / "heads.h5"), NAME, "-o", str(tmp_path / "new.h5")]
        for at, argument in changes.items():
            command[at] = argument
        assert main(command) == 2
        said = capsys.readouterr()
        assert words in said.err and said.err.count("\n") == 1 and not said.out
    assert [path.name for path in tmp_path.iterdir()] == ["heads.h5"]
