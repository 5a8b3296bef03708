"""What a run says and keeps of its epochs: means, lines of the log, history and curves."""

from math import isnan
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import train
from golois.kit.run_folder import read_table
from models.training import history
from models.training import reporter as reporter_module
from models.training.checkpoint import RunState
from models.training.history import COLUMNS, best_epoch, moving_average, write_csv


def test_epoch_means_weigh_batches_by_their_positions():
    state = RunState()
    state.add_batch({"loss": 1.0, "value_mse": 0.0}, 30)
    state.add_batch({"loss": 4.0, "value_mse": 0.3}, 10)
    assert state.means() == pytest.approx({"loss": 1.75, "value_mse": 0.075})
    assert (state.step, state.last_loss, state.num_positions) == (2, 4.0, 40)
    state.end_epoch(0.1, {"val_loss": 2.0})
    assert state.history[0]["loss"] == 1.75 and state.history[0]["val_loss"] == 2.0
    assert state.history[0]["positions"] == 40 and state.sums == {}
    state.add_batch({"loss": 5.0}, 2)
    assert state.means() == {"loss": 5.0}  # of the second epoch alone


def test_the_loss_of_a_head_is_the_mean_over_the_rows_that_have_a_target(tmp_path):
    state = RunState()
    for loss, rows in ((0.0, 0), (6.0, 2), (3.0, 4)):
        state.add_batch({"loss": 1.0, "reply_loss": loss}, 8, {"reply_loss": rows})
    assert state.means() == pytest.approx({"loss": 1.0, "reply_loss": 4.0})
    state.end_epoch(0.1, {})
    state.add_batch({"loss": 1.0, "reply_loss": 0.0}, 8, {"reply_loss": 0})
    assert isnan(state.means()["reply_loss"])


def test_a_metric_that_begins_within_an_epoch_has_no_mean_until_the_next():
    """As in a run that an earlier version of the kit stopped before it knew the metric."""
    state = RunState(step=9, num_positions=30, sums={"loss": 30.0, "value_mse": 3.0})
    batch = {"loss": 5.0, "value_mse": 0.5, "value_mae": 0.4}
    state.add_batch(batch, 10)
    assert state.means() == pytest.approx({"loss": 2.0, "value_mse": 0.2})
    state.end_epoch(0.1, {"val_loss": 2.0, "val_value_mae": 0.3})
    state.add_batch(batch, 10)
    assert state.means() == pytest.approx(batch)


class FakeOutlook:
    """What a run is compared with: a constant's MSE of 0.1, and a machine of 2,000 operations."""

    constant_mse, flops, peak_flops = 0.1, 10.0, 2000.0

    def at_the_end(self, speed):
        return [f"{speed:.0f} positions/s"]


@pytest.mark.parametrize("has_mae", [True, False])
def test_an_epoch_is_told_with_the_value_errors_that_it_has(has_mae, capsys):
    row = {"epoch": 1, "seconds": 60.0, "learning_rate": 0.002, "policy_loss": 5.0}
    row |= {"step": 160, "val_policy_loss": 5.0, "value_loss": 0.3, "val_value_loss": 0.3}
    for prefix in ("", "val_", "average_val_"):
        row |= {f"{prefix}loss": 5.0, f"{prefix}policy_accuracy": 0.25, f"{prefix}value_mse": 0.09}
        row |= {f"{prefix}value_mae": 0.21} if has_mae else {}
    better = {**row, "epoch": 2, "val_policy_accuracy": 0.275, "val_value_mse": 0.085}
    state = RunState(history=[row, better])
    train.EpochReporter(train.Options(epochs=2), state, FakeOutlook()).show_epoch(state)
    told = capsys.readouterr().out
    assert told.count("value MSE 0.0900") == 2 and told.count("value MSE 0.0900 (+0.0000)") == 1
    assert told.count("MAE 0.2100") == 3 * has_mae
    assert "epoch 2/2 ▁█  accuracy 27.5% (+2.5)  value MSE 0.0850 (-0.0050)" in told
    assert max(map(len, told.splitlines())) <= 80


def test_the_rest_of_a_run_is_said_without_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(reporter_module, "HEARTBEAT_SECONDS", -1.0)
    options = train.Options(epochs=2, steps_per_epoch=100, batch_size=10)
    state = RunState(step=20, seconds=100.0)
    reporter = train.EpochReporter(options, state, FakeOutlook())
    state.sums, state.num_positions = {"loss": 10.0, "policy_accuracy": 5.0}, 10
    state.step, state.seconds = 60, 300.0
    reporter.show_batch(state)
    assert "30% of the run, about 12 min left" in capsys.readouterr().out


def test_a_forecast_is_by_the_clock_of_the_run(monkeypatch, capsys):
    """A batch takes 4 s of processor time and 1 s of wall time."""
    now = [0.0]
    monkeypatch.setattr(reporter_module, "monotonic", lambda: now[0])
    monkeypatch.setattr(reporter_module, "HEARTBEAT_SECONDS", -1.0)
    state = RunState()
    options = train.Options(epochs=1, steps_per_epoch=100, clock="cpu")
    reporter = train.EpochReporter(options, state, FakeOutlook())
    for _ in range(7):
        now[0] += 1
        state.seconds += 4
        state.add_batch({"loss": 5.0, "policy_accuracy": 0.2}, 100)
        reporter.show_batch(state)
    told = capsys.readouterr().out
    assert "\n25 positions/s\n" in told, "of the outlook"
    assert "100 positions/s  7% of the run, about 6 min of processor time left" in told


def test_the_pace_leaves_out_the_first_batch_and_the_validation(monkeypatch, capsys):
    """By a clock that goes on by what each step takes: 100 s, then 2 s, half of them waiting."""
    now = [0.0]
    monkeypatch.setattr(reporter_module, "monotonic", lambda: now[0])
    options = train.Options(epochs=2, steps_per_epoch=4, batch_size=100)
    state = RunState(history=[])
    means = {"loss": 5.0, "policy_loss": 5.0, "policy_accuracy": 0.2, "value_mse": 0.09}
    means |= {"value_loss": 0.3}
    measured = {f"val_{name}": value for name, value in means.items()}
    reporter = train.EpochReporter(options, state, FakeOutlook())
    for _ in range(2):
        for _ in range(4):
            with reporter.waiting():
                now[0] += 1
            now[0] += 99 if state.step == 0 else 1
            state.add_batch(means, 100)
            state.seconds = now[0]
            reporter.show_batch(state)
        now[0] += 1000
        state.end_epoch(0.002, measured)
        reporter.show_epoch(state)
    told = capsys.readouterr().out
    assert told.count("50 positions/s, 25% of peak, 50% waiting") == 2
    assert told.startswith("50 positions/s\n") and told.count("positions/s") == 3
    assert told.count("note: 50% of the time is spent on waiting for data") == 2


def test_moving_average_does_not_lag():
    line = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert moving_average(line, 2) == line
    values = np.random.default_rng(0).random(200)
    smooth = moving_average(values.tolist(), 25)
    assert smooth[100] == pytest.approx(values[75:126].mean())
    assert smooth[197] == pytest.approx(values[195:200].mean())
    assert (smooth[0], smooth[-1]) == (values[0], values[-1])
    assert moving_average([], 25) == []


def drawn_curves(monkeypatch, history_of_run, first_rate=0.002):
    """The figure of some rows."""
    drawn = []
    monkeypatch.setattr(history, "write_whole", lambda _, save, **__: drawn.append(save.__self__))
    history.draw_curves(Path("curves.png"), history_of_run, first_rate)
    return drawn[0]


def test_curves_end_at_what_the_network_has_in_the_words_of_the_log(monkeypatch):
    """Of a run whose accuracy rises by half a point an epoch, to 45 %."""
    zeros = {**dict.fromkeys(COLUMNS, 0.0), **dict.fromkeys(["average_val_loss"], 0.0)}
    accuracies = [0.45 - 0.005 * (79 - epoch) for epoch in range(80)]
    rows = [
        {**zeros, "epoch": number, "val_policy_accuracy": value, "learning_rate": 0.0012 / number}
        for number, value in enumerate(accuracies, 1)
    ]
    accuracy, _, loss, rate = drawn_curves(monkeypatch, rows).axes
    held_out = next(line for line in accuracy.lines if line.get_label() == "held out")
    np.testing.assert_allclose(held_out.get_ydata(), accuracies)
    assert accuracy.yaxis.get_major_formatter()(0.45) == "45.0%"
    labels = [text.get_text() for text in loss.get_legend().get_texts()]
    assert labels == ["training", "held out", "held out, averaged weights"]
    assert rate.lines[0].get_xydata()[0].tolist() == [0, 0.002]


def test_the_only_epoch_of_a_run_can_be_seen_and_has_one_tick(monkeypatch):
    row = {**dict.fromkeys(COLUMNS, 0.5), "epoch": 1}
    for num_epochs in (2, 1):
        figure = drawn_curves(monkeypatch, num_epochs * [row])
        lines = [line for axes in figure.axes for line in axes.lines]
        num_marked = sum(line.get_marker() == "o" for line in lines)
        assert num_marked == (6 if num_epochs == 1 else 0), "two a panel"
    accuracy, *_ = figure.axes
    low, high = accuracy.get_xlim()
    assert [tick for tick in accuracy.get_xticks() if low <= tick <= high] == [1]


def test_history_has_a_column_for_each_number(tmp_path):
    row = {name: float(number) for number, name in enumerate(COLUMNS)}
    more = {**row, "average_val_loss": 1.5}
    write_csv(tmp_path / "history.csv", [row, more])
    lines = (tmp_path / "history.csv").read_text().splitlines()
    assert lines[0] == ",".join([*COLUMNS, "average_val_loss"]) and len(lines) == 3
    assert read_table(tmp_path / "history.csv") == [row, more]


def test_best_is_the_lowest_loss_of_raw_and_averaged_weights_of_the_last_network():
    first, second = {"val_loss": 3.0}, {"val_loss": 4.0, "average_val_loss": 3.5}
    assert best_epoch([first, second]) == (first, "val_")
    assert best_epoch([second, {"val_loss": 3.75}]) == (second, "average_val_")
    last = {"val_loss": 3.75, "average_val_loss": 3.6, "blend_val_loss": 3.25, "blend": 0.5}
    assert best_epoch([second, last]) == (last, "blend_val_")
    state = RunState(mean_count=2)
    for loss in (3.0, 2.0, 5.0, 4.0):  # the second network never comes below the first one's loss
        if len(state.history) == 2:
            state.begin_stage()
            assert (state.stage, state.stage_began, state.best_loss) == (1, 2, float("inf"))
            assert state.best_weights == state.mean_weights == [] and state.mean_count == 0
        state.end_epoch(0.1, {"val_loss": loss})
    row, _ = best_epoch(state.history)
    assert (row["epoch"], row["val_loss"]) == (4, 4.0)


def test_the_best_weights_say_how_much_of_them_is_averaged():
    state = RunState()
    model = SimpleNamespace(get_weights=lambda: [np.zeros(1)])
    for loss, given, words in (
        (3.0, {}, "weights of epoch 1"),
        (2.5, dict(is_averaged=True), "averaged weights of epoch 1"),
        (2.0, dict(is_averaged=True, share=0.25), "weights of epoch 1, 25% averaged"),
        (2.25, dict(is_averaged=True, share=0.5), "weights of epoch 1, 25% averaged"),
        (1.0, {}, "weights of epoch 1"),
    ):
        state.offer(model, loss, **given)
        assert state.best_of == words
