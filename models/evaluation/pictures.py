"""Pictures of what was measured, as matplotlib figures."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from golois.constants import BOARD_SIZE
from golois.go.coords import BLACK, GTP_COLUMNS, WHITE, gtp_to_point, point_to_gtp
from models.evaluation.probes.attention import Attention, contrasted
from models.training.history import show_name

STONES = {BLACK: "#1c1c1c", WHITE: "#fdfdfd"}
INK, GRID, FRAME, RED = "#2b2b2b", "#8a7550", "#1f5fa8", "#b3202a"
VIEWS = {"one_view": "one view", "eight_views": "eight views"}


def calibration_picture(report: dict[str, Any], title: str) -> Figure:
    """Draw predicted against observed P(White wins) by tenths, and the positions in each."""
    figure = Figure(figsize=(6, 7), layout="constrained")
    curve, counts = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    curve.plot((0, 1), (0, 1), color=GRID, linestyle=(0, (2, 3)), label="perfect calibration")
    for index, (name, label) in enumerate(VIEWS.items()):
        of_views = report["calibration"][name]
        bins = of_views["bins"]
        predicted = [item["predicted"] for item in bins]
        observed = [item["observed"] for item in bins]
        text = f"{label}, error {of_views['error']:.3f}"
        curve.plot(predicted, observed, f"C{index}", marker="o", label=text)
        places = np.minimum(np.floor(10 * np.array(predicted)), 9) / 10 + 0.03 + 0.04 * index
        counts.bar(places, [item["count"] for item in bins], 0.04, color=f"C{index}")
    curve.set(xlim=(0, 1), ylim=(0, 1), ylabel="share of games that White won")
    show_name(curve.title, title)
    curve.legend(loc="upper left")
    counts.set(xlabel="predicted P(White wins), mean of its tenth", ylabel="positions")
    return figure


def policy_picture(stones: np.ndarray, policy: np.ndarray, title: str) -> Figure:
    """Draw stones uint8 `[19, 19]` and moves' probabilities `[361]`: the darker, the likelier."""
    figure = Figure(figsize=(6.4, 6.6), layout="constrained")
    axes = figure.subplots()
    axes.imshow(policy.reshape(stones.shape) ** 0.5, cmap="Greens", vmin=0, vmax=1)
    _draw_stones(axes, stones)
    axes.set_title(title)
    return figure


def gallery_picture(positions: Sequence[dict[str, Any]], of_judge: str) -> Figure:
    """Draw positions of `models.evaluation.gallery` or of `models.evaluation.teacher.compare`.

    The network's move has a red frame, that of its judge, such as "the teacher's", a blue one.
    """
    columns = min(5, len(positions))
    rows = -(-len(positions) // columns)
    figure = Figure(figsize=(4.6 * columns, 5 * rows), layout="constrained")
    figure.suptitle(f"Red and first: the network's move. Blue and second: {of_judge}.")
    grid = figure.subplots(rows, columns, squeeze=False).flat
    has_files = any(row.get("file") for row in positions)
    for axes, row in zip(grid, positions, strict=False):
        _draw_stones(axes, np.array(row["stones"]))
        axes.set_aspect("equal")
        opinions = [(row[name], colour) for name, colour in (("student", RED), ("teacher", FRAME))]
        for opinion, colour in opinions:
            _frame(axes, gtp_to_point(opinion["move"]), colour)
        shares = ", ".join(f"{o['move']} {100 * o['share']:.0f} %" for o, _ in opinions)
        values = ", ".join(f"{100 * o['value_white']:.0f} %" for o, _ in opinions)
        file = f"file {row['file']}, " if has_files else ""
        where = f"{file}game {row['game']}, move {row['move_number']}, " if "game" in row else ""
        title = f"{where}{row['to_play']} to play"
        axes.set_title(f"{title}\n{shares}; White wins {values}", fontsize=9)
    return figure


def attention_picture(
    stones: np.ndarray, maps: Sequence[Attention], point: int, *, contrast: bool = False
) -> Figure:
    """Draw what each head looks at from a point, red the most; a row is a block, a column a head.

    The stones are uint8 `[19, 19]`, and the point has a blue frame. `contrast` puts the shades on
    the curve of `contrasted`.
    """
    rows, columns = max(m.block for m in maps), max(m.head for m in maps)
    figure = Figure(figsize=(4.6 * columns, 4.9 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for item in maps:
        axes = grid[item.block - 1, item.head - 1]
        shades = item.map_of(point)
        axes.imshow(contrasted(shades) if contrast else shades, cmap="Reds", vmin=0, vmax=1)
        _draw_stones(axes, stones)
        _frame(axes, point, FRAME)
        axes.set_title(f"block {item.block}, head {item.head}, from {point_to_gtp(point)}")
    return figure


def _frame(axes: Axes, point: int, colour: str) -> None:
    row, column = divmod(point, BOARD_SIZE)
    corner = (column - 0.5, row - 0.5)
    axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=colour, linewidth=3, zorder=3))


def _draw_stones(axes: Axes, stones: np.ndarray) -> None:
    edge: dict[str, Any] = dict(markeredgecolor=INK, markeredgewidth=0.6)
    for number, colour in STONES.items():
        rows, columns = np.nonzero(stones == number)
        axes.plot(columns, rows, "o", color=colour, markersize=9, alpha=0.8, **edge)
    ticks = range(BOARD_SIZE)
    axes.set_xticks(ticks, GTP_COLUMNS, fontsize=7)
    axes.set_yticks(ticks, [str(BOARD_SIZE - row) for row in ticks], fontsize=7)
    axes.set(xlim=(-0.5, BOARD_SIZE - 0.5), ylim=(BOARD_SIZE - 0.5, -0.5))
