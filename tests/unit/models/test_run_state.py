"""What a run counts between its epochs."""

import pytest

from models.training.checkpoint import RunState


def test_an_epoch_has_the_means_over_its_positions():
    state = RunState()
    state.add_batch({"loss": 1.0}, 8)
    state.add_batch({"loss": 4.0}, 4)
    assert (state.step, state.last_loss, state.num_positions) == (2, 4.0, 12)
    assert state.means() == pytest.approx({"loss": 2.0})


def test_an_epoch_begins_with_nothing_counted():
    state = RunState()
    state.add_batch({"loss": 1.0}, 8)
    state.end_epoch(0.002, {"val_loss": 3.0})
    assert state.history[0]["loss"] == 1.0 and state.history[0]["positions"] == 8
    state.add_batch({"loss": 5.0}, 2)
    assert state.means() == {"loss": 5.0}
