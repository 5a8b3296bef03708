"""The journal of a run: one row an iteration, as a CSV, as curves and as a line on the screen."""

import csv
import io
from collections.abc import Sequence
from math import isfinite, nan
from pathlib import Path

from golois.files import write_whole
from selfplay.watch import Row

COLUMNS = (
    "iteration",
    "player",
    "games",
    "positions",
    "window_games",
    "moves_a_game",
    "black_wins",
    "draws",
    "resigned",
    "wrong_resignations",
    "double_passes",
    "repeated",
    "step",
    "steps",
    "learning_rate",
    "loss",
    "policy_loss",
    "value_loss",
    "value_mse",
    "value_mse_of_a_constant",
    "dominion_loss",
    "score_loss",
    "gate_share",
    "kept",
    "kept_of_decisive",
    "kept_positions",
    "in_network",
    "seconds_playing",
    "seconds_training",
    "seconds",
)
"""docs/selfplay.md explains them; the last four are all that differs between two machines."""


def read_journal(path: Path) -> list[dict[str, float]]:
    """The rows that were written, none where there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [
            {name: float(text) if text else nan for name, text in row.items()}
            for row in csv.DictReader(file)
        ]


def write_journal(path: Path, rows: Sequence[Row]) -> None:
    """Write all rows; what was not measured is left empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_cell(row.get(name, nan)) for name in COLUMNS])
    write_whole(path, text.getvalue().encode(), durable=False)


def line(row: Row) -> str:
    """An iteration in one line."""
    parts = [f"iteration {row['iteration']:.0f}"]
    if row["iteration"] > 0:
        parts += [
            f"{row['games']:,.0f} games of {row['moves_a_game']:.1f} moves",
            f"Black wins {row['black_wins']:.0%}",
            f"policy {_number(row['policy_loss'])}",
            f"value MSE {_number(row['value_mse'])}",
        ]
    if isfinite(row.get("gate_share", nan)):
        verdict = "kept" if row["player"] == row["iteration"] else "discarded"
        parts.append(f"gate {row['gate_share']:.0%}, {verdict}")
    if isfinite(row.get("kept", nan)):
        parts.append(f"keeps {row['kept']:.1%} of the wins")
    if row["iteration"] > 0:
        parts.append(f"{row['in_network']:.0%} of the games' time in the network")
        parts.append(f"{row['seconds']:.0f} s")
    return ", ".join(parts)


def draw_curves(path: Path, rows: Sequence[Row]) -> None:
    """Draw losses, the value's error, games and what is kept, by all games so far."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 8), layout="constrained")
    panels = {
        "losses": ("policy_loss", "value_loss", "dominion_loss", "score_loss"),
        "squared error of the value": ("value_mse", "value_mse_of_a_constant"),
        "shares": ("kept", "black_wins", "gate_share", "in_network"),
        "moves a game": ("moves_a_game",),
    }
    for axes, (title, names) in zip(figure.subplots(2, 2).flat, panels.items(), strict=True):
        for name in names:
            shown = [row for row in rows if isfinite(row.get(name, nan))]
            if shown:
                games = [row["games"] for row in shown]
                axes.plot(games, [row[name] for row in shown], label=name.replace("_", " "))
        axes.set(title=title, xlabel="games")
        if axes.lines:
            axes.legend()
    write_whole(path, figure.savefig, durable=False)


def _cell(value: float) -> str:
    if not isfinite(value):
        return ""
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def _number(value: float) -> str:
    return f"{value:.3f}" if isfinite(value) else "–"
