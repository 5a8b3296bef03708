"""What a run prints while it trains."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from golois.kit.command import in_units
from models.training.checkpoint import RunState
from models.training.diagnosis import warning

if TYPE_CHECKING:
    from models.training.outlook import Outlook

HEARTBEAT_SECONDS = 30.0
SPEED_SECONDS = 5.0
"""How long a run trains before its speed is told."""

BARS = "▁▂▃▄▅▆▇█"
MOST_BARS = 10


class EpochReporter:
    """A progress bar on a terminal; elsewhere two lines an epoch, and some within long epochs."""

    def __init__(self, options: Any, state: RunState, outlook: "Outlook") -> None:
        from golois.kit.console import Console, Progress  # here, so that --help answers at once

        self._options = options
        self._outlook = outlook
        self._began = (state.step, state.seconds)
        self._has_told_speed = False
        self._pace: _Pace | None = None  # from the second batch on, since the first is compiled
        self._bar = Progress(
            Console(), "preparing the first batch", 1.0, silence=HEARTBEAT_SECONDS, lasting=True
        )

    def __enter__(self) -> "EpochReporter":
        self._bar.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._bar.__exit__(*error)

    def say(self, text: str) -> None:
        """Print a line, above the bar where there is one."""
        self._bar.say(text)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the time inside as waiting for data."""
        started = monotonic()
        yield
        if self._pace:
            self._pace.waited += monotonic() - started

    def show_batch(self, state: RunState) -> None:
        """Move the bar; without one, print a line after a long silence. Tell the speed once."""
        if self._pace is None:
            self._pace = _Pace(monotonic(), began=state.seconds)
        else:
            self._pace.take(state.all_positions)
        self._pace.positions = state.all_positions
        means = state.means()
        text = f"epoch {len(state.history) + 1}  loss {means['loss']:.3f}  {_accuracy(means)}"
        done = self._options.progress(state.step, state.seconds)
        if not self._has_told_speed and self._pace.trained > SPEED_SECONDS:
            self._has_told_speed = True
            for line in self._outlook.at_the_end(self._pace.speed_by(state.seconds)):
                self.say(line)
        if self._bar.is_due:
            self.say(f"{text}  {self._pace.speed:,.0f} positions/s  {self._rest(done, state)}")
        self._bar.show(done, text)

    def _rest(self, done: float, state: RunState) -> str:
        gained = done - self._options.progress(*self._began)
        if gained <= 0 or done == 1:
            return f"{done:.0%} of the run"
        left = in_units((state.seconds - self._began[1]) * (1 - done) / gained)
        return f"{done:.0%} of the run, about {left}{self._options.of_processor} left"

    def show_epoch(self, state: RunState) -> None:
        """Print what an epoch has reached, what it cost, and a warning if something is wrong."""
        row = state.history[-1]
        before = state.history[-2] if len(state.history) > 1 else None
        done = self._options.progress(state.step, state.seconds)
        of_all = f"/{self._options.epochs}" if self._options.epochs else ""
        bars = sparkline([row["val_policy_accuracy"] for row in state.history])
        self.say(f"epoch {row['epoch']}{of_all} {bars}  {_measures(row, 'val_', before)}")
        if "average_val_loss" in row:
            self.say(f"  averaged: {_measures(row, 'average_val_', before)}")
        if "blend" in row:
            self.say(f"  {row['blend']:.0%} averaged: {_measures(row, 'blend_val_', None)}")
        self.say(f"  training: {_measures(row)}  rate {row['learning_rate']:.2g}")
        pace = self._pace or _Pace(monotonic())
        self.say(f"  {pace.told(self._outlook)}{self._rest(done, state)}")
        found = warning(state.history, done, self._outlook.constant_mse, pace.input_share)
        if found:
            self.say(f"  note: {found}")
        if self._pace:
            self._pace = _Pace(monotonic(), state.all_positions, state.seconds)


@dataclass
class _Pace:
    """How fast an epoch goes: seconds of its batches, of waiting for them, and positions.

    `began` is when, by the run's own clock.
    """

    now: float
    positions: int = 0
    began: float = 0.0
    trained: float = 0.0
    waited: float = 0.0
    num_trained: int = 0

    def take(self, positions: int) -> None:
        """Count a batch, given the positions of all batches so far."""
        now = monotonic()
        self.trained += now - self.now
        self.num_trained += positions - self.positions
        self.now, self.positions = now, positions

    @property
    def speed(self) -> float:
        """Positions a second."""
        return self.num_trained / self.trained if self.trained else 0.0

    def speed_by(self, seconds: float) -> float:
        """Positions a second of the run's own clock, which shows `seconds` now."""
        return self.num_trained / (seconds - self.began)

    @property
    def input_share(self) -> float:
        """Share of the time in which the step waited for its batch."""
        return self.waited / self.trained if self.trained else 0.0

    def told(self, outlook: "Outlook") -> str:
        if not self.num_trained:
            return ""
        share = self.speed * outlook.flops / outlook.peak_flops
        return (
            f"{self.speed:,.0f} positions/s, {share:.0%} of peak, {self.input_share:.0%} waiting; "
        )


def sparkline(values: Sequence[float]) -> str:
    """Draw the last values as bars, from the lowest to the highest.

    >>> sparkline([0.1, 0.2, 0.3, 0.45])
    '▁▃▅█'
    """
    shown = values[-MOST_BARS:]
    low, high = min(shown), max(shown)
    steps = (len(BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(BARS[round((value - low) * steps)] for value in shown)


def _accuracy(row: Mapping[str, float], prefix: str = "") -> str:
    accuracy = f"{row[f'{prefix}policy_accuracy']:.1%}"
    if f"{prefix}played_accuracy" not in row:
        return f"accuracy {accuracy}"
    played = f"{row[f'{prefix}played_accuracy']:.1%}"
    return f"accuracy {accuracy} of the labels, {played} of moves played"


def _measures(
    row: Mapping[str, float], prefix: str = "", before: Mapping[str, float] | None = None
) -> str:
    """Print accuracy and value errors, with the change since the epoch before."""
    accuracy, mse = f"{prefix}policy_accuracy", f"{prefix}value_mse"
    gained = changed = ""
    if before is not None and accuracy in before:
        gained = f" ({100 * (row[accuracy] - before[accuracy]):+.1f})"
        changed = f" ({row[mse] - before[mse]:+.4f})"
    mae = row.get(f"{prefix}value_mae")  # an epoch that an earlier version began has none
    errors = f"value MSE {row[mse]:.4f}{changed}" + ("" if mae is None else f" MAE {mae:.4f}")
    return f"{_accuracy(row, prefix)}{gained}  {errors}"
