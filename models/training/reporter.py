"""What a run prints while it trains."""

from collections.abc import Mapping
from typing import Any

from models.training.checkpoint import RunState

HEARTBEAT_SECONDS = 30.0


class Reporter:
    """A progress bar on a terminal; elsewhere a line an epoch, and some within long epochs."""

    def __init__(self, options: Any, state: RunState) -> None:
        from golois.kit.console import Console, Progress  # here, so that --help answers at once

        self._options = options
        self._began = (state.step, state.seconds)
        self._positions = state.all_positions
        self._bar = Progress(
            Console(), "preparing the first batch", 1.0, silence=HEARTBEAT_SECONDS, lasting=True
        )

    def __enter__(self) -> "Reporter":
        self._bar.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._bar.__exit__(*error)

    def say(self, text: str) -> None:
        """Print a line, above the bar where there is one."""
        self._bar.say(text)

    def show_batch(self, state: RunState) -> None:
        """Move the bar; without one, print a line after a long silence."""
        speed = (state.all_positions - self._positions) / (state.seconds - self._began[1])
        means = state.means()
        text = (
            f"epoch {len(state.history) + 1}  loss {means['loss']:.3f}  "
            f"{_accuracy(means)}  {speed:,.0f} positions/s"
        )
        done = self._options.progress(state.step, state.seconds)
        if self._bar.is_due:
            self.say(f"{text}  {done:.0%} of the run{self._time_left(done, state.seconds)}")
        self._bar.show(done, text)

    def _time_left(self, done: float, seconds: float) -> str:
        gained = done - self._options.progress(*self._began)
        if gained <= 0 or done == 1:
            return ""
        return f", about {in_units((seconds - self._began[1]) * (1 - done) / gained)} left"

    def show_epoch(self, row: Mapping[str, float]) -> None:
        """Print the results of an epoch, in training and on the held-out positions."""
        of_all = f"/{self._options.epochs}" if self._options.epochs else ""
        self.say(
            f"epoch {row['epoch']}{of_all}  {row['seconds']:.0f} s  "
            f"lr {row['learning_rate']:.5f}  "
            f"training: loss {row['loss']:.3f} {_accuracy(row)} "
            f"{_value_errors(row)}  "
            f"held out: loss {row['val_loss']:.3f} {_accuracy(row, 'val_')} "
            f"{_value_errors(row, 'val_')}" + _of_average(row)
        )


def in_units(seconds: float) -> str:
    """Spell a length of time in the unit that fits it.

    >>> in_units(40), in_units(1000), in_units(20000)
    ('40 s', '17 min', '5.6 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def _accuracy(row: Mapping[str, float], prefix: str = "") -> str:
    accuracy = f"{row[f'{prefix}policy_accuracy']:.1%}"
    if f"{prefix}played_accuracy" not in row:
        return f"accuracy {accuracy}"
    played = f"{row[f'{prefix}played_accuracy']:.1%}"
    return f"accuracy {accuracy} of the labels, {played} of moves played"


def _value_errors(row: Mapping[str, float], prefix: str = "") -> str:
    """Print how far the value is off; no MAE in an epoch that an earlier version began."""
    text = f"value MSE {row[f'{prefix}value_mse']:.4f}"
    mae = row.get(f"{prefix}value_mae")
    return text if mae is None else f"{text} MAE {mae:.4f}"


def _of_average(row: Mapping[str, float]) -> str:
    if "average_val_loss" not in row:
        return ""
    return (
        f"  averaged: loss {row['average_val_loss']:.3f} "
        f"{_accuracy(row, 'average_val_')} "
        f"{_value_errors(row, 'average_val_')}"
    )
