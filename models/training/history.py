"""The history of a run: one row an epoch, as a CSV and as smoothed curves."""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from golois.kit.files import write_whole
from golois.kit.run_folder import write_table

if TYPE_CHECKING:
    from matplotlib.text import Text

SMOOTHING_REACH = 25
"""Epochs before and after one that its smoothed value is a mean of, at most."""

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
    "value_mae",
    "val_loss",
    "val_policy_loss",
    "val_policy_accuracy",
    "val_value_loss",
    "val_value_mse",
    "val_value_mae",
)

CURVES = {
    "": ("training", "C0"),
    "val_": ("held out", "C1"),
    "average_val_": ("held out, averaged weights", "C2"),
}

PANELS = {"policy_accuracy": "accuracy", "value_mse": "value MSE", "loss": "loss"}


def write_csv(path: Path, rows: Sequence[Mapping[str, float]]) -> None:
    """Write the rows under the names of `COLUMNS`; then anything else that a run measures."""
    titles = list(dict.fromkeys(chain(COLUMNS, *rows)))
    write_table(path, titles, [[row.get(title, "") for title in titles] for row in rows])


def best_epoch(history: Sequence[Mapping[str, float]]) -> tuple[Mapping[str, float], str]:
    """Find the row of `best.h5`, the lowest held-out loss, and the prefix of its columns."""
    stage = history[-1].get("stage")
    measured = (
        (row[f"{prefix}loss"], row, prefix)
        for row in history
        for prefix in ("val_", "average_val_", "blend_val_")
        if row.get("stage") == stage and f"{prefix}loss" in row
    )
    _, row, prefix = min(measured, key=lambda found: found[0])
    return row, prefix


def smoothing_reach(num_values: int) -> int:
    """Return the reach that `moving_average` needs to smooth a curve of so many values."""
    return min(SMOOTHING_REACH, num_values // 8)


def moving_average(values: Sequence[float], reach: int) -> list[float]:
    """Average each value with up to `reach` values on each side, equally many, without lag."""
    last = len(values) - 1
    sides = [min(reach, place, last - place) for place in range(len(values))]
    return [
        sum(values[place - side : place + side + 1]) / (2 * side + 1)
        for place, side in enumerate(sides)
    ]


def draw_curves(path: Path, history: Sequence[Mapping[str, float]], first_rate: float) -> None:
    """Draw a run's measures by epoch, values thin, moving averages thick, and learning rates."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    reach = smoothing_reach(len(history))
    figure = Figure(figsize=(11, 8), layout="constrained")
    *panels, of_rate = figure.subplots(2, 2).flat
    for axes, (metric, title) in zip(panels, PANELS.items(), strict=True):
        for prefix, (label, colour) in CURVES.items():
            rows = [row for row in history if prefix + metric in row]
            if not rows:
                continue
            epochs = [row["epoch"] for row in rows]
            values = [row[prefix + metric] for row in rows]
            axes.plot(epochs, values, colour, alpha=0.35, linewidth=1)
            thick = dict(marker="o" if len(rows) == 1 else "", linewidth=2, label=label)
            axes.plot(epochs, moving_average(values, reach), colour, **thick)
        axes.set(title=title)
        axes.legend()
    panels[0].yaxis.set_major_formatter(PercentFormatter(1))
    epochs, rates = ([row[name] for row in history] for name in ("epoch", "learning_rate"))
    of_rate.plot([0, *epochs], [first_rate, *rates])
    of_rate.set(title="learning rate")
    for axes in (*panels, of_rate):
        axes.set(xlabel="epoch")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    if reach:
        words = f"thick: the mean of {2 * reach + 1} epochs, of fewer epochs near the ends"
        figure.suptitle(words, fontsize="medium")
    write_whole(path, figure.savefig, durable=False)


def show_name(text: "Text", name: str) -> None:
    """Make a text of a picture a name as it is: of bytes that are no text, and without formulas."""
    text.set(text=name.encode(errors="replace").decode(), parse_math=False)


def four_digits(error: float | None) -> str:
    """Return an error as tables have it; empty where there is none."""
    return "" if error is None else f"{error:.4f}"
