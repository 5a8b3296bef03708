"""The curves of all runs of a sweep, one over the other."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from golois.kit.files import write_whole
from models.training.history import moving_average, smoothing_reach

HEIGHT = 4.5
STYLES = ("-", "--", ":", "-.")
COLOURS = 10
LEGEND_INCHES_PER_RUN = 0.2
TITLES = {"policy_accuracy": "held-out accuracy", "value_mse": "held-out value MSE"}


def draw_overlay(
    path: Path, histories: Mapping[str, Sequence[Mapping[str, float]]], budget: str
) -> None:
    """Draw held-out accuracy and MSE of each run, thin, and their moving averages, thick.

    The histories are rows of history.csv by the run's name. The curves are by time where the budget
    is "minutes", and by positions where it is "epochs".
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    column, unit, label = {
        "minutes": ("seconds", 60, "minutes"),
        "epochs": ("positions", 1000, "thousand positions"),
    }[budget]
    height = max(HEIGHT, LEGEND_INCHES_PER_RUN * (len(histories) + 3))
    figure = Figure(figsize=(13, height), layout="constrained")
    for axes, (metric, title) in zip(figure.subplots(1, 2), TITLES.items(), strict=True):
        for number, (name, history) in enumerate(histories.items()):
            places = [row[column] / unit for row in history]
            values = [row[f"val_{metric}"] for row in history]
            smooth = moving_average(values, smoothing_reach(len(history)))
            style = STYLES[number // COLOURS % len(STYLES)]
            look = {"color": f"C{number % COLOURS}", "linestyle": style}
            axes.plot(places, values, alpha=0.3, linewidth=1, **look)
            axes.plot(places, smooth, linewidth=2, label=name, **look)
        axes.set(xlabel=label, title=title)
        if metric == "policy_accuracy":
            axes.yaxis.set_major_formatter(PercentFormatter(1))
    place = dict(loc="outside right upper", fontsize="small", handlelength=3.5)
    figure.legend(*axes.get_legend_handles_labels(), **place)
    write_whole(path, figure.savefig, durable=False)
