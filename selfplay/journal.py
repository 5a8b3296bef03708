"""The journal of a run: one row an iteration, as a CSV, as curves and as a line on the screen."""

import io
import re
from collections.abc import Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from golois.kit.files import write_whole
from golois.kit.run_folder import read_table, write_table
from selfplay.watch import Row
from tournament.matches.round_robin import Elo

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = (
    "iteration",
    "player",
    "games",
    "positions",
    "window_games",
    "moves_a_game",
    "black_wins",
    "draws",
    "beaten",
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
    "value_mae",
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
"""docs/student/selfplay.md explains the columns. Only the last four differ between machines."""

ELO = "Elo over the untrained network, with 95 %"
MOVES = "moves a game"
PANELS: Mapping[str, Sequence[str]] = {
    "losses": ("policy_loss", "value_loss", "dominion_loss", "score_loss"),
    "squared error of the value": ("value_mse", "value_mse_of_a_constant"),
    "wins kept": ("kept",),
    "shares": ("black_wins", "beaten", "gate_share", "in_network"),
    MOVES: ("moves_a_game",),
}
"""Columns of the journal that are drawn, by the title of their panel."""

PANEL_INCHES = (4.6, 3.2)
"""Of a panel on the page of a run; a screen of 400 pixels shows it at about its own size."""

IN_PERCENT = ("wins kept", "shares")


def read_elo(path: Path) -> dict[int, Elo]:
    """The ratings of a league by iteration, none where there is no file."""
    if not path.exists():
        return {}
    return {
        int(row["iteration"]): Elo(row["elo"], row["elo_halfwidth"], row.get("elo_of_updates"))
        for row in read_table(path)
    }


def read_journal(path: Path) -> list[dict[str, float]]:
    """The rows that were written, none where there is no file; CheckpointError: it is damaged."""
    return read_table(path, empty=nan) if path.exists() else []


def playing_now(rows: Sequence[Row], baked: Sequence[int]) -> int:
    """The network that plays after the last row; a gate may have kept an earlier network."""
    return int(rows[-1]["player"]) if rows else baked[-1]


def write_journal(path: Path, rows: Sequence[Row]) -> None:
    """Write all rows; what was not measured is left empty."""
    write_table(path, COLUMNS, [[_cell(row.get(name, nan)) for name in COLUMNS] for row in rows])


def line(row: Row) -> str:
    """An iteration in one line."""
    parts = [f"iteration {row['iteration']:.0f}"]
    if row["iteration"] > 0:
        parts += [
            f"{row['games']:,.0f} games of {row['moves_a_game']:.1f} moves",
            f"Black wins {row['black_wins']:.0%}",
            _losses(row),
        ]
    if isfinite(row.get("beaten", nan)):
        parts.append(f"beats the victim in {row['beaten']:.0%}")
    if isfinite(row.get("gate_share", nan)):
        verdict = "kept" if row["player"] == row["iteration"] else "discarded"
        parts.append(f"gate {row['gate_share']:.0%}, {verdict}")
    if isfinite(row.get("kept", nan)):
        parts.append(f"keeps {row['kept']:.1%} of the wins")
    if row["iteration"] > 0:
        parts.append(f"{row['in_network']:.0%} of the games' time in the network")
        parts.append(f"{row['seconds']:.0f} s")
    return ", ".join(parts)


def _losses(row: Row) -> str:
    if not isfinite(row.get("policy_loss", nan)):
        return "too few positions for a batch"
    errors = f"value MSE {_number(row['value_mse'])} MAE {_number(row.get('value_mae', nan))}"
    return f"policy {_number(row['policy_loss'])}, {errors}"


def draw_curves(path: Path, rows: Sequence[Row], elo: Mapping[int, Elo]) -> None:
    """Draw what the rows have of the panels, and Elo, by all games so far; perhaps nothing."""
    from matplotlib.figure import Figure

    titles = _titles(rows, elo)
    if not titles:
        return
    places: list[Any] = [titles[first : first + 2] for first in range(0, len(titles), 2)]
    if len(places[-1]) == 1:
        places[-1] *= 2  # the last one is as wide as two
    figure = Figure(figsize=(11, 4 * len(places)), layout="constrained")
    for title, axes in figure.subplot_mosaic(places).items():
        axes.set(title=title)
        _draw_panel(axes, title, rows, elo)
    write_whole(path, figure.savefig, durable=False)


def curve_panels(rows: Sequence[Row], elo: Mapping[int, Elo]) -> dict[str, str]:
    """Draw the panels of `draw_curves` for a page, as SVG by title, in the colour of its text."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    panels = {}
    for title in _titles(rows, elo):
        figure, text = Figure(figsize=PANEL_INCHES, layout="constrained"), io.StringIO()
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):
            _draw_panel(figure.subplots(), title, rows, elo)
            figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
        panels[title] = _inline(text.getvalue())
    return panels


def _inline(svg: str) -> str:
    """Prepare an SVG of matplotlib for a page: without a header, names of groups and a size."""
    head, body = re.sub(r'<g id="[^"]*"', "<g", svg[svg.index("<svg") :]).split(">", 1)
    head = re.sub(r' (width|height)="[^"]*"', "", head).replace("<svg", '<svg aria-hidden="true"')
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = body.replace("#000000", "currentColor").replace("<text", '<text fill="currentColor"')
    return f"{head}>{body}"


def _titles(rows: Sequence[Row], elo: Mapping[int, Elo]) -> list[str]:
    measured = {name for row in rows for name, value in row.items() if isfinite(value)}
    titles = [title for title, names in PANELS.items() if measured & {*names}]
    return titles + ([ELO] if elo and rows else [])


def _draw_panel(axes: "Axes", title: str, rows: Sequence[Row], elo: Mapping[int, Elo]) -> None:
    from matplotlib.ticker import PercentFormatter

    axes.set(xlabel="games")
    if title == ELO:
        _draw_elo(axes, rows, elo)
        return
    for name in PANELS[title]:
        shown = [row for row in rows if isfinite(row.get(name, nan))]
        if shown:
            games, values = [row["games"] for row in shown], [row[name] for row in shown]
            # Unclipped, so that a line at 0 or 100 % is as thick as elsewhere.
            axes.plot(games, values, ".-", label=name.replace("_", " "), clip_on=False)
    if len(axes.lines) > 1:
        axes.legend(framealpha=0)
    if title in IN_PERCENT:
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
    if title == MOVES:
        axes.set_ylim(0, 1.1 * axes.dataLim.ymax)


def _draw_elo(axes: "Axes", rows: Sequence[Row], elo: Mapping[int, Elo]) -> None:
    shown = [row for row in rows if row["iteration"] in elo]
    ratings = [elo[int(row["iteration"])] for row in shown]
    axes.errorbar(
        [row["games"] for row in shown],
        [one.rating for one in ratings],
        [one.halfwidth for one in ratings],
        capsize=3,
    )


def _cell(value: float) -> str:
    if not isfinite(value):
        return ""
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def _number(value: float) -> str:
    return f"{value:.3f}" if isfinite(value) else "–"
