"""The curves of all runs of a sweep, one over the other."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from models.training.files import write_whole
from models.training.history import SMOOTHING_EPOCHS, moving_average

HEIGHT = 4.5
TITLES = {"policy_accuracy": "held-out policy accuracy", "value_mse": "held-out value MSE"}


def draw_overlay(
    path: Path, histories: Mapping[str, Sequence[Mapping[str, float]]], budget: str
) -> None:
    """Draw held-out accuracy and MSE of each run, thin, and their moving averages, thick.

    Args:
        path: of the PNG.
        histories: the rows of each run's history.csv, by its name.
        budget: what the runs had alike: over "minutes" the curves are by time, over "epochs" by
            positions.
    """
    from matplotlib.figure import Figure

    column, unit, label = {
        "minutes": ("seconds", 60, "minutes"),
        "epochs": ("positions", 1000, "thousand positions"),
    }[budget]
    figure = Figure(figsize=(13, HEIGHT), layout="constrained")
    for axes, (metric, title) in zip(figure.subplots(1, 2), TITLES.items(), strict=True):
        for number, (name, history) in enumerate(histories.items()):
            places = [row[column] / unit for row in history]
            values = [row[f"val_{metric}"] for row in history]
            window = max(1, min(SMOOTHING_EPOCHS, len(history) // 4))
            smooth = moving_average(values, window)
            colour = f"C{number % 10}"
            axes.plot(places, values, colour, alpha=0.3, linewidth=1)
            axes.plot(places, smooth, colour, linewidth=2, label=name)
        axes.set(xlabel=label, title=title)
        axes.legend()
    write_whole(path, figure.savefig)
