"""A reviewed game in pictures: the value from move to move, boards with the network's policy."""

import io
import warnings
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from golois.constants import BOARD_SIZE, PASS
from golois.go.board import NAMES, Board
from golois.go.coords import BLACK, GTP_COLUMNS, WHITE, opponent, point_to_gtp
from tournament.review.game_review import MoveReview, mistakes, value_for

DOTS_PER_INCH = 110
LABEL_HEIGHTS = (94, 85, 76, 67, 58)  # of the worst mistakes' names in a curve, in per cent
LEAST_LABELLED = 0.015  # of the policy
STAR_POINTS = (3, 9, 15)
STONES = {BLACK: "#1c1c1c", WHITE: "#fdfdfd"}
WOOD, GRID, INK, HEAT = "#ecd6a8", "#8a7550", "#2b2b2b", "#b3202a"
DARK, LIGHT = "#55504a", "#f7f4ee"
PLAYED, PREFERRED = "#b3202a", "#1f5fa8"


def value_curve(moves: Sequence[MoveReview], threshold: float, title: str) -> bytes:
    """Draw P(White wins) after each move as a PNG, with mistakes, which lose `threshold`."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    axes = figure.add_subplot()
    values = [moves[0].before.value_white, *(move.after.value_white for move in moves)]
    per_cent = 100 * np.array(values)
    axes.fill_between(range(len(values)), per_cent, 100, color=DARK, linewidth=0)
    axes.fill_between(range(len(values)), per_cent, 0, color=LIGHT, linewidth=0)
    axes.axhline(50, color=GRID, linewidth=1, linestyle=(0, (2, 3)))
    worst = mistakes(moves, threshold)
    for move in worst:
        at = (move.number, 100 * move.after.value_white)
        axes.plot(*at, "o", color=STONES[move.colour], markeredgecolor=PLAYED, markersize=6)
    named = sorted(worst[: len(LABEL_HEIGHTS)], key=lambda move: move.number)
    for move, height in zip(named, LABEL_HEIGHTS, strict=False):
        _name(axes, move, height)
    axes.set(xlim=(0, len(moves)), ylim=(0, 100), xlabel="move", ylabel="White wins, %")
    axes.set_title(title, parse_math=False)  # a player may be called $x
    return _png(figure)


def board_picture(board: Board, move: MoveReview) -> bytes:
    """Draw the board before a move as a PNG, with the network's policy in percent as a heat map.

    A red ring is the played move, a blue ring the search's most visited, a dot the opponent's last.
    """
    figure = Figure(figsize=(7.2, 7.6), layout="constrained")
    axes = figure.add_subplot()
    _draw_grid(axes)
    _draw_policy(axes, move.before.policy)
    for point in np.flatnonzero(board.stones()).tolist():
        colour = int(board.stones().flat[point])
        _circle(axes, point, 0.46, facecolor=STONES[colour], edgecolor=INK, linewidth=0.7)
    if board.moves and board.moves[-1][1] != PASS:
        colour, point = board.moves[-1]
        _circle(axes, point, 0.13, facecolor=STONES[opponent(colour)], zorder=4)
    if move.before.candidates:
        _ring(axes, move.before.candidates[0].point, 0.46, PREFERRED)
    _ring(axes, move.point, 0.40, PLAYED)
    axes.set_title(_caption(move), fontsize=11)
    return _png(figure)


def _name(axes: Axes, move: MoveReview, height: float) -> None:
    """Write a mistake's number and vertex at a separate height, joined to its point by a line."""
    axes.annotate(
        f"{move.number} {point_to_gtp(move.point)}",
        (move.number, 100 * move.after.value_white),
        xytext=(move.number, height),
        ha="center",
        va="center",
        fontsize=8.5,
        color=INK,
        bbox={"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": PLAYED},
        arrowprops={"arrowstyle": "-", "color": PLAYED, "linewidth": 0.8},
    )


def _caption(move: MoveReview) -> str:
    before, after = (
        f"{100 * value_for(move.colour, position.value_white):.0f} %"
        for position in (move.before, move.after)
    )
    text = f"Move {move.number}, {NAMES[move.colour]} {point_to_gtp(move.point)} (red)"
    if move.before.candidates:
        text += f"; the search prefers {point_to_gtp(move.before.candidates[0].point)} (blue)"
    return f"{text}\n{NAMES[move.colour]} wins: {before} before the move, {after} after it"


def _draw_grid(axes: Axes) -> None:
    last = BOARD_SIZE - 1
    axes.set_facecolor(WOOD)
    axes.hlines(range(BOARD_SIZE), 0, last, color=GRID, linewidth=0.7)
    axes.vlines(range(BOARD_SIZE), 0, last, color=GRID, linewidth=0.7)
    for row in STAR_POINTS:
        axes.plot(STAR_POINTS, [row] * len(STAR_POINTS), "o", color=GRID, markersize=3)
    axes.set(
        xlim=(-0.7, last + 0.7),
        ylim=(last + 0.7, -0.7),
        aspect="equal",
        xticks=range(BOARD_SIZE),
        yticks=range(BOARD_SIZE),
        xticklabels=GTP_COLUMNS,
        yticklabels=range(BOARD_SIZE, 0, -1),
    )
    axes.tick_params(length=0, labelsize=8, labeltop=True, labelright=True)


def _draw_policy(axes: Axes, policy: np.ndarray) -> None:
    """Draw squares with opacity by share of the likeliest move; label those above a few percent."""
    strongest = max(float(policy.max()), 1e-9)
    for point in np.flatnonzero(policy > 0.01 * strongest):
        row, column = divmod(int(point), BOARD_SIZE)
        strength = 0.85 * float(policy[point]) / strongest
        corner = (column - 0.5, row - 0.5)
        axes.add_patch(Rectangle(corner, 1, 1, color=HEAT, alpha=strength, linewidth=0, zorder=2.5))
        if policy[point] >= LEAST_LABELLED:
            axes.text(
                column,
                row,
                f"{100 * policy[point]:.0f}",
                ha="center",
                va="center",
                fontsize=8.5,
                color="white" if strength > 0.45 else INK,
                zorder=4,
            )


def _ring(axes: Axes, point: int, radius: float, colour: str) -> None:
    if point != PASS:
        _circle(axes, point, radius, facecolor="none", edgecolor=colour, linewidth=2.2, zorder=5)


def _circle(axes: Axes, point: int, radius: float, zorder: int = 3, **style) -> None:
    row, column = divmod(int(point), BOARD_SIZE)
    axes.add_patch(Circle((column, row), radius, zorder=zorder, **style))


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # A player's name may be in a script that the font lacks: it is drawn as boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH)
    return buffer.getvalue()
