"""The history of a run: one row an epoch, as a CSV and as smoothed curves."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

COLUMNS = (
    "epoch",
    "step",
    "seconds",
    "learning_rate",
    "positions",
    "loss",
    "policy_loss",
    "policy_accuracy",
    "value_loss",
    "value_mse",
    "val_loss",
    "val_policy_loss",
    "val_policy_accuracy",
    "val_value_loss",
    "val_value_mse",
)


def write_csv(path: Path, rows: Sequence[Mapping[str, float]]) -> None:
    """Write the rows under the names of `COLUMNS`."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def moving_average(values: Sequence[float], window: int) -> list[float]:
    """Average each value with up to `window - 1` values before it; as long as the input."""
    return [
        sum(values[max(0, end - window) : end]) / min(window, end)
        for end in range(1, len(values) + 1)
    ]
