"""Learning rates, each a small dataclass without Keras: its fields are its state, JSON holds them.

A schedule is called before every batch with the epochs done, a fraction, and the last loss (nan
before the first); it returns the learning rate.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import cos, isfinite, pi
from typing import Any, Literal

from models.errors import ModelOptionError

ScheduleName = Literal["cosine", "dividing", "step", "onecycle", "constant"]


@dataclass
class ConstantSchedule:
    """A constant rate."""

    initial: float

    def __call__(self, epochs: float, last_loss: float) -> float:
        """The initial rate, always."""
        return self.initial


@dataclass
class CosineSchedule:
    """Half a cosine from the initial rate to `final`, restarted after each period, in epochs.

    The fields are the paper's n_max, T_i, T_mul, at least 1, and n_min. Source: Loshchilov and
    Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", 2016, equation 5. The report has
    800 epochs, period 800, growth 1, 0.002 to 0.
    """

    initial: float
    period: float
    growth: float = 1.0
    final: float = 0.0

    def __call__(self, epochs: float, last_loss: float) -> float:
        """The rate after so many epochs, which may be a fraction."""
        period = self.period
        if self.growth == 1:
            epochs %= period
        while epochs >= period:
            epochs -= period
            period *= self.growth
        return self.final + (self.initial - self.final) * (1 + cos(pi * epochs / period)) / 2


@dataclass
class DividingSchedule:
    """Halve the rate when the mean loss of a step, `batches_per_step` batches, no longer falls.

    From the fifth step on, and more than three steps after the last halving, a mean loss not below
    the last step's halves the rate, down to a twentieth of the initial rate: the report's 0.2 to
    0.01. Source: Cazenave, "Residual Networks for Computer Go", 2018; the report's appendix A.1.2.
    """

    initial: float
    batches_per_step: int
    rate: float = 0.0
    num_steps: int = 0
    changed_at: int = 0
    losses: list[float] = field(default_factory=list)
    previous_mean: float = 0.0

    @classmethod
    def for_batch_size(cls, initial: float, batch_size: int) -> "DividingSchedule":
        """Compare every (1000 * batch_size) // 5000 batches, as the report does."""
        return cls(initial, max(1, 1000 * batch_size // 5000))

    def __post_init__(self) -> None:
        self.rate = self.rate or self.initial

    def __call__(self, epochs: float, last_loss: float) -> float:
        """The rate of the next batch, by the loss of the last one; NaN before the first."""
        if last_loss == last_loss:
            self.losses.append(last_loss)
        if len(self.losses) == self.batches_per_step:
            self._end_step()
        return self.rate

    def _end_step(self) -> None:
        mean = sum(self.losses) / len(self.losses)
        self.num_steps += 1
        is_due = self.num_steps > 4 and self.num_steps - self.changed_at > 3
        if is_due and mean >= self.previous_mean:
            self.rate = max(self.rate / 2, self.initial / 20)
            self.changed_at = self.num_steps
        self.previous_mean = mean
        self.losses = []


@dataclass
class StepSchedule:
    """Halve the rate at given epochs: each time one number of them has passed, or after several.

    Source: ViT-Go halves 0.003 every 16 of 80 epochs; ResTNet halves 0.02 after 70 % and 90 % of
    its steps (arXiv 2410.05347).
    """

    initial: float
    drops: list[float]

    def __call__(self, epochs: float, last_loss: float) -> float:
        """The rate after so many epochs: the initial rate, halved once for each drop before."""
        if len(self.drops) == 1:
            return self.initial * 0.5 ** (epochs // self.drops[0])
        return self.initial * 0.5 ** sum(epochs >= drop for drop in self.drops)


@dataclass
class OneCycleSchedule:
    """Rise to the highest rate, then fall far below the first rate, both by half a cosine.

    `rise` is the part of the run that rises. `first` and `last` are rates over the highest.
    Momentum stays as it is; the paper lowers it meanwhile. Source: Smith and Topin,
    "Super-Convergence", 2017, with PyTorch's cosines and defaults.
    """

    highest: float
    epochs: float
    rise: float = 0.3
    first: float = 1 / 25
    last: float = 1 / 25e4

    def __call__(self, epochs: float, last_loss: float) -> float:
        """The rate after so many epochs of the run, which may be a fraction."""
        done = min(1.0, epochs / self.epochs)
        if done < self.rise:
            start, end, part = self.first, 1.0, done / self.rise
        else:
            start, end, part = 1.0, self.last, (done - self.rise) / (1 - self.rise)
        return self.highest * (end + (start - end) * (1 + cos(pi * part)) / 2)


Schedule = ConstantSchedule | CosineSchedule | DividingSchedule | StepSchedule | OneCycleSchedule


def warm_up(epochs: float, length: float) -> float:
    """Give the factor, from 0 to 1, of a rate that rises linearly during the first epochs.

    Source: Goyal et al., "Accurate, Large Minibatch SGD", 2017.
    """
    return min(1.0, epochs / length) if length else 1.0


def parse_drops(text: str) -> list[float]:
    """Read `16` or `70,90`, rising; ModelOptionError for anything else."""
    try:
        drops = [float(number) for number in text.split(",")]
    except ValueError:
        drops = []
    is_rising = drops == sorted(set(drops)) and all(map(isfinite, drops))
    if not drops or not drops[0] > 0 or not is_rising:
        raise ModelOptionError(
            f"epochs must be ascending and above 0, such as 16 or 70,90, not {text!r}"
        )
    return drops


def continued(schedule: Schedule, saved: Mapping[str, Any]) -> Schedule:
    """Return a schedule with a saved schedule's fields, perhaps none, and its own length."""
    kept = {name: value for name, value in saved.items() if name not in ("epochs", "period")}
    return replace(schedule, **kept)


def make_schedule(
    name: ScheduleName,
    *,
    initial: float,
    epochs: int,
    batch_size: int,
    restart_epochs: float = 0.0,
    restart_factor: float = 1.0,
    step_epochs: str = "16",
) -> Schedule:
    """Build a schedule by name for a run of so many epochs.

    `initial` is the first batch's rate, `onecycle`'s highest. `restart_epochs` is the cosine's
    first period, the whole run for 0. `step_epochs` is for `parse_drops`.
    """
    if name == "cosine":
        return CosineSchedule(initial, restart_epochs or epochs, restart_factor)
    if name == "dividing":
        return DividingSchedule.for_batch_size(initial, batch_size)
    if name == "step":
        return StepSchedule(initial, parse_drops(step_epochs))
    if name == "onecycle":
        return OneCycleSchedule(initial, epochs)
    return ConstantSchedule(initial)
