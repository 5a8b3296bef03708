"""Schedules against plain Python written again from the report's appendix A.1.2."""

import json
from dataclasses import asdict, replace
from math import cos, inf, nan, pi

import numpy as np
import pytest

from models.errors import ModelOptionError
from models.training.schedules import (
    ConstantSchedule,
    CosineSchedule,
    DividingSchedule,
    OneCycleSchedule,
    StepSchedule,
    make_schedule,
    parse_drops,
    warm_up,
)


def report_dividing_trace(losses: list[float], initial: float, batch_size: int) -> list[float]:
    """The report's callback as printed: the rate after each batch."""
    batches_per_step = (1000 * batch_size) // 5000
    history, rates = [], []
    rate, current_step, last_update = initial, 0, 0
    for loss in losses:
        history.append(loss)
        if len(history) % batches_per_step == 0:
            current_step += 1
            if current_step > 4:
                recent = sum(history[-batches_per_step:]) / batches_per_step
                previous = (
                    sum(history[-batches_per_step * 2 : -batches_per_step]) / batches_per_step
                )
                if (current_step - last_update) > 3 and recent >= previous:
                    rate = max(rate / 2, 0.01)
                    last_update = current_step
        rates.append(rate)
    return rates


def trace(schedule, losses: list[float]) -> list[float]:
    """The rate before the first batch, then after each."""
    return [schedule(0.0, loss) for loss in [nan, *losses]]


@pytest.mark.parametrize("batch_size", [32, 128])
@pytest.mark.parametrize("seed", range(3))
def test_dividing_follows_the_report(batch_size, seed):
    losses = (6 + np.random.default_rng(seed).normal(0, 0.1, 2000)).tolist()
    schedule = make_schedule("dividing", initial=0.2, epochs=1, batch_size=batch_size)
    rates = trace(schedule, losses)
    assert rates == [0.2, *report_dividing_trace(losses, 0.2, batch_size)]
    assert rates[-1] == 0.01


def test_dividing_waits_while_the_loss_falls_and_never_raises_a_small_rate():
    schedule = DividingSchedule.for_batch_size(0.2, 128)
    assert schedule.batches_per_step == 25
    assert set(trace(schedule, np.linspace(6, 2, 1000).tolist())) == {0.2}
    rates = trace(DividingSchedule.for_batch_size(0.002, 32), [5.0] * 1000)
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(0.0001)


def test_schedules_go_on_from_their_fields():
    losses = np.random.default_rng(0).normal(5, 1, 600).tolist()
    whole = trace(DividingSchedule.for_batch_size(0.2, 128), losses)
    halted = DividingSchedule.for_batch_size(0.2, 128)
    before = trace(halted, losses[:333])
    fields = json.loads(json.dumps(asdict(halted)))
    resumed = replace(DividingSchedule.for_batch_size(0.2, 128), **fields)
    assert before + [resumed(0.0, loss) for loss in losses[333:]] == whole
    for schedule in (StepSchedule(1.0, [7.0]), OneCycleSchedule(1.0, 10), ConstantSchedule(1.0)):
        fields = json.loads(json.dumps(asdict(schedule)))
        assert replace(schedule, **fields) == schedule


@pytest.mark.parametrize("epoch", [0, 1, 399, 400, 799, 799.99])
def test_cosine_follows_the_report(epoch):
    schedule = make_schedule("cosine", initial=0.002, epochs=800, batch_size=32)
    expected = 0 + (0.002 - 0) * (1 + cos((epoch / 800) * pi)) / 2
    assert schedule(epoch, nan) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(
    ("growth", "restarts"), [(1, [0, 10, 20, 30, 40]), (2, [0, 10, 30, 70, 150])]
)
def test_cosine_restarts(growth, restarts):
    schedule = CosineSchedule(0.005, period=10, growth=growth, final=0.001)
    rates = [schedule(epoch, nan) for epoch in range(200 if growth == 2 else 50)]
    assert [epoch for epoch, rate in enumerate(rates) if rate == 0.005] == restarts
    assert min(rates) >= 0.001
    options = dict(initial=1.0, epochs=70, batch_size=32, restart_epochs=10, restart_factor=growth)
    assert make_schedule("cosine", **options) == CosineSchedule(1.0, period=10, growth=growth)


def test_tiny_periods_and_steps_end_at_once():
    """A loop over the periods would never end; two to the power of the steps is no number."""
    options = dict(initial=0.01, epochs=100, batch_size=32)
    cosine = make_schedule("cosine", restart_epochs=1e-9, **options)
    assert 0 <= cosine(99.5, nan) <= 0.01
    assert make_schedule("step", step_epochs="0.001", **options)(99.5, nan) == 0
    assert set(trace(ConstantSchedule(0.01), [1.0, 9.0, 0.1])) == {0.01}


def test_steps_are_those_of_vit_go():
    schedule = make_schedule("step", initial=0.003, epochs=80, batch_size=32, step_epochs="16")
    rates = [schedule(epoch, nan) for epoch in range(80)]
    assert rates == [0.003 * 0.5**power for power in range(5) for _ in range(16)]


@pytest.mark.parametrize(
    ("step", "rate"), [(1, 0.02), (70_000, 0.02), (70_001, 0.01), (90_000, 0.01), (90_001, 0.005)]
)
def test_steps_are_those_of_restnet(step, rate):
    """Of 100,000 steps, as 100 epochs; a rate is asked for before the step."""
    schedule = make_schedule("step", initial=0.02, epochs=100, batch_size=1024, step_epochs="70,90")
    assert schedule(100 * (step - 1) / 100_000, nan) == rate


@pytest.mark.parametrize(
    "text", ["", "often", "0", "-1", "90,70", "70,70", "nan", "16,", "16,nan", "16,inf"]
)
def test_wrong_steps_are_said_in_words(text):
    with pytest.raises(ModelOptionError, match="epochs must be ascending and above 0"):
        parse_drops(text)


def pytorch_one_cycle(highest: float, num_steps: int) -> list[float]:
    """`torch.optim.lr_scheduler.OneCycleLR` with its defaults, which counts the last step in."""
    start, end = highest / 25, highest / 25 / 1e4
    turn = 0.3 * num_steps - 1

    def between(first, second, part):
        return second + (first - second) / 2 * (cos(pi * part) + 1)

    return [
        between(start, highest, step / turn)
        if step <= turn
        else between(highest, end, (step - turn) / (num_steps - 1 - turn))
        for step in range(num_steps)
    ]


def test_one_cycle_is_pytorchs():
    """Up to their different counts of steps: ours begins each batch where it stands in time."""
    num_steps = 10_000
    schedule = make_schedule("onecycle", initial=0.01, epochs=100, batch_size=32)
    rates = [schedule(100 * step / num_steps, nan) for step in range(num_steps)]
    expected = pytorch_one_cycle(0.01, num_steps)
    np.testing.assert_allclose(rates, expected, rtol=0, atol=1e-5)
    assert max(rates) == pytest.approx(0.01) and rates[0] == pytest.approx(0.0004)
    assert schedule(100, nan) == pytest.approx(0.01 / 25e4)


@pytest.mark.parametrize(
    ("length", "factors"), [(0, [1, 1, 1]), (2, [0, 0.5, 1]), (4, [0, 0.25, 0.5])]
)
def test_warm_up_rises_to_one(length, factors):
    assert [warm_up(epochs, length) for epochs in (0, 1, 2)] == factors
    assert warm_up(inf, length) == 1
