"""What the rows of a history say is wrong, and what they say to try next."""

from math import log

import pytest

import train
from models.training.diagnosis import WHAT_WORKS, try_next, warning

WELL = {
    "epoch": 4, "step": 4000, "loss": 5.0, "val_loss": 5.1, "policy_loss": 3.0,
    "val_policy_loss": 3.1, "value_loss": 0.3, "val_value_loss": 0.3, "value_mse": 0.05,
    "val_value_mse": 0.06,
}  # fmt: skip
NO_VALUE = {"value_mse": 0.099, "val_value_mse": 0.1}
LOST = {"policy_loss": 7.0, "val_policy_loss": 7.0}
NO_NUMBER = {"value_loss": 7e15, "val_value_loss": 5e25, "loss": 3e16, "val_loss": 2e26}
CONSTANT = 0.1


@pytest.mark.parametrize(
    ("changes", "done", "input_share", "words", "advice"),
    [
        ({}, 0.5, 0.1, None, "since the last epoch was the best (docs/student/what-works.md, 10)"),
        (LOST, 0.1, 0.0, "the learning rate is too high", "such as --lr 0.001"),
        (NO_NUMBER, 0.1, 0.0, "the learning rate is too high", "such as --lr 0.001"),
        ({**LOST, "step": 10}, 0.1, 0.0, None, "a longer training"),
        ({"policy_loss": 7.0}, 0.1, 0.0, None, "since the last epoch was the best"),  # of hard rows
        ({"val_loss": 6.5}, 0.1, 0.0, "held-out loss is 30% above that of training", "more games"),
        (NO_VALUE, 0.5, 0.0, "has learned nothing yet", "a longer training"),
        (NO_VALUE, 0.2, 0.0, None, "a longer training"),
        ({}, 0.5, 0.4, "40% of the time is spent on waiting for data", "a longer training"),
    ],
)
def test_a_row_is_told_and_answered(changes, done, input_share, words, advice):
    row = {**WELL, **changes}
    found = warning([row], done, CONSTANT, input_share)
    assert (found is None) if words is None else (words in found)
    assert advice in str(try_next(train.Options(), [row], CONSTANT))


@pytest.mark.parametrize(
    ("options", "changes", "row"),
    [
        ({"schedule": "constant"}, {}, 1),
        ({"batch_size": 128}, {}, 2),
        ({"optimizer": "adam"}, {"step": 500}, 3),
        ({"optimizer": "adam"}, {}, 10),
        ({"set": {"perspective": "white"}}, NO_VALUE, 5),
        ({"preset": "paper"}, NO_VALUE, 5),
        ({}, {"step": 500}, 10),
    ],
)
def test_options_against_what_works_are_named(options, changes, row):
    advice = str(try_next(train.Options(**options), [{**WELL, **changes}], CONSTANT))
    assert advice.endswith(f"({WHAT_WORKS}, {row})")


def test_a_run_that_stands_still_needs_other_labels():
    worse = {**WELL, "epoch": 5, "val_loss": 5.2}
    assert "python -m golois label" in str(try_next(train.Options(), [WELL, worse], CONSTANT))
    for last in (worse, {**worse, "val_loss": 2 * worse["loss"]}):
        labelled = {**last, "val_played_accuracy": 0.4}
        assert "label" not in str(try_next(train.Options(), [WELL, labelled], CONSTANT))


def test_chance_is_the_loss_of_equal_shares():
    chance = {"policy_loss": log(361), "val_policy_loss": log(361)}
    assert warning([{**WELL, **chance}], 0.5, CONSTANT, 0) is None
