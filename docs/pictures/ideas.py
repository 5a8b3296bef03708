"""Pictures of ideas that the pages explain: planes, a search, rating intervals, a week.

A picture is 600 points wide with text of 11 points or more, so it can be read at 400 pixels.
"""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

from golois import BLACK, WHITE, Game, GameFile, Go

ROOT = Path(__file__).resolve().parents[2]
INK, PALE, ACCENT, WOOD = "#333333", "#ececec", "#b5482a", "#f6d998"
WIDTH = 6.2  # inches
GAME, NUM_MOVES = 15, 64  # of katago_b6.games: a position with chains in atari and in a ladder
SHOWN = {
    0: "Black to move",
    1: "captured",
    5: "one liberty",
    6: "two liberties",
    11: "own stones",
    12: "opponent's",
    28: "komi 7.5",
}
PATH = ((0.5, 0.9), (0.3, 0.62), (0.44, 0.34), (0.44, 0.06))  # of the playout, root first
ASIDE = (((0.5, 0.9), (0.76, 0.62), 1), ((0.3, 0.62), (0.14, 0.34), 1))
"""From a node of the path to one beside it, with its visits."""


def planes() -> Figure:
    """Draw a position and seven of its 31 planes."""
    game = Game(Go(19))
    for move in GameFile(ROOT / "data/katago_b6.games")[GAME].points.tolist()[:NUM_MOVES]:
        game.play(move)
    shown = game.planes()
    figure, grid = pyplot.subplots(2, 4, figsize=(WIDTH, 3.7))
    figure.subplots_adjust(0.01, 0.01, 0.99, 0.92, wspace=0.06, hspace=0.24)
    board, *others = grid.flat
    _draw_stones(board, game)
    for axes, (plane, meaning) in zip(others, SHOWN.items(), strict=True):
        axes.imshow(shown[:, :, plane], cmap="Blues", vmin=0, vmax=1.4)
        _frame(axes, f"{plane}: {meaning}")
    return figure


def _draw_stones(axes: Axes, game: Game) -> None:
    size = game.stones().shape[0]
    axes.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5), aspect="equal", facecolor=WOOD)
    axes.hlines(range(size), 0, size - 1, color=INK, linewidth=0.3)
    axes.vlines(range(size), 0, size - 1, color=INK, linewidth=0.3)
    for colour, fill in ((BLACK, "black"), (WHITE, "white")):
        for row, column in np.argwhere(game.stones() == colour):
            look = dict(facecolor=fill, edgecolor=INK, linewidth=0.4, zorder=3)
            axes.add_patch(Circle((column, row), 0.46, **look))
    _frame(axes, "the position")


def _frame(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=11, color=INK, pad=4)
    axes.set(xticks=[], yticks=[])


def search() -> Figure:
    """Draw the three steps of a playout in a small tree."""
    figure, steps = pyplot.subplots(1, 3, figsize=(WIDTH, 3.5))
    figure.subplots_adjust(0.01, 0.02, 0.99, 0.9, wspace=0.04)
    visits = (5, 3, 1)
    _draw_tree(steps[0], "1  Select", (*visits, None), is_chosen=True)
    _draw_tree(steps[1], "2  Evaluate", (*visits, None))
    _draw_tree(steps[2], "3  Back up", (*(number + 1 for number in visits), 1), is_backed_up=True)
    steps[0].text(0.58, 0.43, "highest\nscore", fontsize=11, color=ACCENT, va="center")
    _arrow(steps[1], (0.5, 0.1), (0.66, 0.27))
    _box(steps[1], (0.8, 0.34), 0.36, 0.13, "network", WOOD)
    steps[1].text(0.8, 0.24, "policy,\nvalue", fontsize=11, color=ACCENT, ha="center", va="top")
    for axes in steps[:2]:
        axes.text(0.34, 0.06, "leaf", fontsize=11, color=INK, ha="right", va="center")
    steps[2].text(0.58, 0.4, "+1 visit,\n+ value", fontsize=11, color=ACCENT, va="center")
    return figure


def _draw_tree(
    axes: Axes, title: str, visits: tuple, is_chosen: bool = False, is_backed_up: bool = False
) -> None:
    axes.set(xlim=(0, 1), ylim=(-0.06, 1), aspect="auto")
    axes.axis("off")
    axes.set_title(title, fontsize=12, fontweight="bold", color=INK, pad=6)
    for start, end, number in ASIDE:
        axes.plot(*zip(start, end, strict=True), color=INK, linewidth=1, zorder=1)
        _node(axes, end, number)
    for start, end in zip(PATH, PATH[1:], strict=False):
        ends = (end, start) if is_backed_up else (start, end)
        if is_chosen or is_backed_up:
            _arrow(axes, *ends, shrink=15)
        else:
            axes.plot(*zip(*ends, strict=True), color=INK, linewidth=1, zorder=1)
    for place, number in zip(PATH, visits, strict=True):
        _node(axes, place, number)


def _node(axes: Axes, place: tuple[float, float], visits: int | None) -> None:
    style = dict(markersize=23, markeredgecolor=INK, zorder=2)
    fill = "white" if visits is None else PALE
    axes.plot(*place, "o", markerfacecolor=fill, markeredgewidth=1.2, clip_on=False, **style)
    text = "" if visits is None else str(visits)
    axes.text(*place, text, fontsize=11, color=INK, ha="center", va="center_baseline", zorder=4)


def _arrow(axes: Axes, start: tuple, end: tuple, shrink: float = 0) -> None:
    look = dict(arrowstyle="-|>", color=ACCENT, linewidth=2, mutation_scale=14)
    axes.annotate("", end, start, arrowprops=dict(look, shrinkA=shrink, shrinkB=shrink))


def _box(
    axes: Axes, centre: tuple[float, float], width: float, height: float, text: str, fill: str
) -> None:
    corner = (centre[0] - width / 2, centre[1] - height / 2)
    shape = dict(boxstyle="round,pad=0,rounding_size=0.03", facecolor=fill, edgecolor=INK)
    axes.add_patch(FancyBboxPatch(corner, width, height, **shape))
    axes.text(*centre, text, fontsize=11, color=INK, ha="center", va="center", linespacing=1.25)


def ratings() -> Figure:
    """Draw the ratings of the reference league, which its study lists."""
    study = (ROOT / "docs/studies/reference_league.md").read_text("utf-8")
    found = re.findall(r"^\| (\w+).*? \| (\S+) \| (\S+) ± (\d+) \|", study, re.MULTILINE)
    figure, axes = pyplot.subplots(figsize=(WIDTH, 3.1))
    figure.subplots_adjust(0.3, 0.17, 0.97, 0.9)
    for at, (name, ranks, elo, half) in enumerate(found):
        rating = float(elo.replace("−", "-"))
        axes.errorbar(rating, at, xerr=float(half), fmt="o", color=ACCENT, linewidth=3, capsize=4)
        axes.text(-0.41, at, name, fontsize=12, va="center", transform=axes.get_yaxis_transform())
        axes.text(-0.04, at, ranks, fontsize=12, va="center", ha="right",
                  transform=axes.get_yaxis_transform())  # fmt: skip
    for x, head in ((-0.41, "network"), (-0.18, "ranks"), (0, "Elo and its 95 % interval")):
        axes.text(x, 1.04, head, fontsize=11, color=INK, fontweight="bold", transform=axes.transAxes)
    axes.set(ylim=(len(found) - 0.5, -0.5), yticks=[])
    axes.tick_params(labelsize=11)
    axes.grid(axis="x", color=PALE)
    axes.spines[["left", "right", "top"]].set_visible(False)
    return figure


def week() -> Figure:
    """Draw what happens in a week of a course."""
    figure, axes = pyplot.subplots(figsize=(WIDTH, 2.9))
    figure.subplots_adjust(0, 0, 1, 1)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.axis("off")
    steps = (
        ((0.25, 0.77), "Students train\nand hand in a file;\neach gets a verdict", "#bcd7f2"),
        ((0.75, 0.77), "Deadline:\nthe last accepted\nfile counts", WOOD),
        ((0.75, 0.25), "The networks play,\nall with equal\nCPU time", "#d9c9ee"),
        ((0.25, 0.25), "Table, games to\nreplay, and points\nof the week", "#bfe3c3"),
    )
    for centre, text, fill in steps:
        _box(axes, centre, 0.38, 0.37, text, fill)
    for start, end in (
        ((0.44, 0.77), (0.56, 0.77)), ((0.75, 0.585), (0.75, 0.435)),
        ((0.56, 0.25), (0.44, 0.25)), ((0.25, 0.435), (0.25, 0.585)),
    ):  # fmt: skip
        _arrow(axes, start, end)
    axes.text(0.27, 0.51, "next week", fontsize=11, color=ACCENT, va="center")
    return figure


IDEAS: dict[str, Callable[[], Figure]] = {
    "planes": planes, "search": search, "ratings": ratings, "week": week,
}  # fmt: skip
