"""The results of a sweep's runs: curves, and a table as CSV, as Markdown and for a terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from golois.kit.console import Console
from golois.kit.files import write_whole
from models.sweeps.runs import TrainedRun
from models.training.history import (
    best_epoch,
    four_digits,
    moving_average,
    show_name,
    smoothing_reach,
)
from tournament.ratings.bradley_terry import wilson_interval
from tournament.report.standings import Standing, percent

HEADS = (
    "run",
    "total",
    "trainable",
    "accuracy ±",
    "value MSE",
    "value MAE",
    "ms",
    "minutes",
    "positions",
    "Elo ±",
    "won (95 %)",
    "> next",
)

HEIGHT = 4.5
STYLES = ("-", "--", ":", "-.")
COLOURS = 10
LEGEND_INCHES_PER_RUN = 0.2
TITLES = {"policy_accuracy": "held-out accuracy", "value_mse": "held-out value MSE"}


@dataclass(frozen=True)
class Result:
    """A finished run in numbers; the league's numbers are None without games.

    parameters_total: as `model.count_params()`; parameters_trainable: without BatchNorm statistics.
    accuracy: share of held-out positions whose move is the policy's first, of best.h5.
    value_mse, value_mae: of P(White wins) on the held-out positions; value_mae may be None.
    ms_per_evaluation: CPU time of a position in a batch, as the intake measures it, or None.
    minutes: of training and validating. positions: trained on.
    elo: rating in the league of the sweep. Halfwidths are half of a 95 % interval.
    winrate_low, winrate_high: the 95 % interval (Wilson); winrate_sigma: the course's error.
    beats_next: P(better than the next run in the table); is_separated: 95 % or more.
    """

    name: str
    parameters_total: int
    parameters_trainable: int
    accuracy: float
    accuracy_halfwidth: float
    value_mse: float
    value_mae: float | None
    ms_per_evaluation: float | None
    minutes: float
    positions: int
    elo: float | None = None
    elo_halfwidth: float | None = None
    games: int = 0
    winrate: float | None = None
    winrate_low: float | None = None
    winrate_high: float | None = None
    winrate_sigma: float | None = None
    beats_next: float | None = None
    is_separated: bool | None = None

    def cells(self) -> tuple[str, ...]:
        """Return the texts of a row of the table."""
        ms = "" if self.ms_per_evaluation is None else f"{self.ms_per_evaluation:.2f}"
        return (
            self.name,
            f"{self.parameters_total:,}",
            f"{self.parameters_trainable:,}",
            f"{self.accuracy:.1%} ± {self.accuracy_halfwidth:.1%}",
            four_digits(self.value_mse),
            four_digits(self.value_mae),
            ms,
            f"{self.minutes:.1f}",
            f"{self.positions:,}",
            *self._league_cells(),
        )

    def _league_cells(self) -> tuple[str, str, str]:
        if self.elo is None:
            return "", "", ""
        chance = "" if self.beats_next is None else percent(self.beats_next)
        return (
            f"{self.elo:+.0f} ± {self.elo_halfwidth:.0f}",
            f"{self.winrate:.1%} ({self.winrate_low:.1%} – {self.winrate_high:.1%})",
            chance if self.is_separated else f"{chance}, not separated",
        )


def results_of(runs: Sequence[TrainedRun], standings: Sequence[Standing]) -> list[Result]:
    """Collect the results of runs, best rating first, otherwise in the runs' order."""
    by_name = {run.name: run for run in runs}
    played = [row for row in standings if row.name in by_name and row.score.num_games]
    names = [row.name for row in played]
    unplayed = [run for run in runs if run.name not in names]
    return [
        *(_result(by_name[row.name], _of_league(row)) for row in played),
        *(_result(run, {}) for run in unplayed),
    ]


def measured_apart(runs: Sequence[TrainedRun]) -> list[str]:
    """Return a note where the runs were measured on different positions."""
    if all(run.is_measured_as(runs[0]) for run in runs):
        return []
    return [
        "The runs differ in data or seed, and so in their held-out positions: compare "
        "accuracies and errors only between runs with the same data and seed."
    ]


def write_csv(path: Path, results: Sequence[Result]) -> None:
    """Write the numbers, unrounded, a line a run."""
    import pandas as pd

    text = pd.DataFrame(map(asdict, results)).to_csv(index=False, lineterminator="\n")
    write_whole(path, text.encode(errors="replace"), durable=False)


def markdown(results: Sequence[Result], notes: Sequence[str]) -> str:
    """Lay the table out as Markdown, with notes below."""
    table = markdown_table(HEADS, [result.cells() for result in results])
    return "\n".join([table, "", *notes]) + "\n"


def show(console: Console, results: Sequence[Result], notes: Sequence[str]) -> None:
    """Print the table: drawn on a terminal, as Markdown elsewhere."""
    if not console.is_terminal:
        console.print(markdown(results, notes), end="")
        return
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False)
    rows = [result.cells() for result in results]
    shown = _not_empty(HEADS, rows)
    for number in shown:
        table.add_column(HEADS[number], justify="right" if number else "left", overflow="fold")
    for cells in rows:
        table.add_row(*(cells[number] for number in shown))
    console.print(table)
    for note in notes:
        console.print(note)


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay text out in columns, the first one left and the others right; empty ones are left out."""
    shown = _not_empty(heads, rows)
    widths = {i: max(len(cells[i]) for cells in (heads, *rows)) for i in shown}

    def line(cells: Sequence[str]) -> str:
        padded = [f"{cells[i]:>{widths[i]}}" if i else f"{cells[i]:<{widths[i]}}" for i in shown]
        return f"| {' | '.join(padded)} |"

    rule = ["-" * (widths[i] - 1) + ":" if i else "-" * widths[i] for i in shown]
    return "\n".join([line(heads), f"| {' | '.join(rule)} |", *map(line, rows)])


def _not_empty(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [number for number in range(len(heads)) if any(row[number] for row in rows)]


def draw_overlay(
    path: Path, histories: Mapping[str, Sequence[Mapping[str, float]]], budget: str
) -> None:
    """Draw each run's accuracy and MSE thin, moving averages thick, by time or positions."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    column, unit, label = {
        "minutes": ("seconds", 60, "minutes"),
        "epochs": ("positions", 1000, "thousand positions"),
    }[budget]
    height = max(HEIGHT, LEGEND_INCHES_PER_RUN * (len(histories) + 3))
    figure = Figure(figsize=(13, height), layout="constrained")
    for axes, (metric, title) in zip(figure.subplots(1, 2), TITLES.items(), strict=True):
        for number, history in enumerate(histories.values()):
            places = [row[column] / unit for row in history]
            values = [row[f"val_{metric}"] for row in history]
            smooth = moving_average(values, smoothing_reach(len(history)))
            style = STYLES[number // COLOURS % len(STYLES)]
            look = {"color": f"C{number % COLOURS}", "linestyle": style}
            axes.plot(places, values, alpha=0.3, linewidth=1, **look)
            axes.plot(places, smooth, linewidth=2, label=str(number), **look)
        axes.set(xlabel=label, title=title)
        if metric == "policy_accuracy":
            axes.yaxis.set_major_formatter(PercentFormatter(1))
    place = dict(loc="outside right upper", fontsize="small", handlelength=3.5)
    legend = figure.legend(*axes.get_legend_handles_labels(), **place)
    for text, name in zip(legend.get_texts(), histories, strict=True):
        show_name(text, name)
    write_whole(path, figure.savefig, durable=False)


def _result(run: TrainedRun, of_league: Mapping[str, Any]) -> Result:
    history, parameters = run.history(), run.folder.read_config()["parameters"]
    best, prefix = best_epoch(history)
    accuracy = best[f"{prefix}policy_accuracy"]
    return Result(
        name=run.name,
        parameters_total=parameters["total"],
        parameters_trainable=parameters["trainable"],
        accuracy=accuracy,
        accuracy_halfwidth=_halfwidth(accuracy, run.num_held_out()),
        value_mse=best[f"{prefix}value_mse"],
        value_mae=best.get(f"{prefix}value_mae"),
        ms_per_evaluation=run.milliseconds(),
        minutes=history[-1]["seconds"] / 60,
        positions=int(history[-1]["positions"]),
        **of_league,
    )


def _halfwidth(share: float, count: int) -> float:
    low, high = wilson_interval(round(share * count), count)
    return (high - low) / 2


def _of_league(row: Standing) -> dict[str, Any]:
    low, high = row.score.interval
    return dict(
        elo=row.elo,
        elo_halfwidth=row.elo_halfwidth,
        games=row.score.num_games,
        winrate=row.score.winrate,
        winrate_low=low,
        winrate_high=high,
        winrate_sigma=row.score.sigma,
        beats_next=row.beats_next,
        is_separated=row.is_separated,
    )
