"""Pictures of ideas that the pages explain: planes, a search, rules, rating intervals, a week.

A picture is 600 points wide with text of 11 points or more, so it can be read at 400 pixels.
"""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

from golois import BLACK, EMPTY, WHITE, GameFile, Go
from golois.games.game import after_moves

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
SETTLED = """
. X . X O .   X X X X . .
X X X X O .   X X X X . .
. O X O O .   X X X . . .
X X X O . .   X X X . . .
O O O O . .   . . . . . .
. . . . . .   . . . . . .
"""
"""A board, and the points on it that are settled for Black."""
SMALL = {
    "a: true eye": """
. X X .
X a X .
. X X .
""",
    "b: true eye": """
. X O .
X b X .
. X X .
""",
    "c: false eye": """
. X O .
X c X .
. X O .
""",
    "d, e: a seki": """
O O d X X
O O e X X
O O O X X
""",
}


def planes() -> Figure:
    """Draw a position and seven of its 31 planes."""
    record = GameFile(ROOT / "data/katago_b6.games")[GAME]
    game = after_moves(Go(19), record.points.tolist()[:NUM_MOVES])
    shown = game.planes()
    figure, grid = pyplot.subplots(2, 4, figsize=(WIDTH, 3.7))
    figure.subplots_adjust(0.01, 0.01, 0.99, 0.92, wspace=0.06, hspace=0.24)
    board, *others = grid.flat
    _draw_stones(board, game.stones(), "the position", line=0.3)
    for axes, (plane, meaning) in zip(others, SHOWN.items(), strict=True):
        axes.imshow(shown[:, :, plane], cmap="Blues", vmin=0, vmax=1.4)
        _frame(axes, f"{plane}: {meaning}")
    return figure


def _draw_stones(
    axes: Axes, stones: np.ndarray, title: str, line: float = 0.8, is_whole: bool = True
) -> None:
    """Draw stones [rows, columns], colours or letters of points; lines go on if it is a part."""
    height, width = stones.shape
    beyond = 0 if is_whole else 0.5
    axes.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5), aspect="equal", facecolor=WOOD)
    axes.hlines(range(height), -beyond, width - 1 + beyond, color=INK, linewidth=line)
    axes.vlines(range(width), -beyond, height - 1 + beyond, color=INK, linewidth=line)
    for (row, column), stone in np.ndenumerate(stones):
        if stone in (BLACK, WHITE):
            fill = "black" if stone == BLACK else "white"
            look = dict(facecolor=fill, edgecolor=INK, linewidth=0.4, zorder=3)
            axes.add_patch(Circle((column, row), 0.46, **look))
        elif isinstance(stone, str):
            look = dict(boxstyle="circle,pad=0.15", facecolor=WOOD, edgecolor="none")
            axes.text(column, row, stone, fontsize=12, ha="center", va="center", bbox=look)
    _frame(axes, title)


def _frame(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=11, color=INK, pad=4)
    axes.set(xticks=[], yticks=[])


def _stones_of(text: str) -> np.ndarray:
    known = {".": EMPTY, "X": BLACK, "O": WHITE}
    lines = [line.split() for line in text.strip().split("\n")]
    return np.array([[known.get(sign, sign) for sign in line] for line in lines], object)


def settled() -> Figure:
    """Draw a board and its settled points."""
    both = _stones_of(SETTLED)
    half = len(both)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(WIDTH, 3.3))
    figure.subplots_adjust(0.02, 0.02, 0.98, 0.9, wspace=0.1)
    _draw_stones(left, both[:, :half], "a board")
    _draw_stones(right, both[:, :half], "settled for Black")
    for row, column in np.argwhere(both[:, half:] == BLACK):
        look = dict(facecolor="#7fb3e6", edgecolor=INK, linewidth=0.8, zorder=4)
        right.add_patch(Rectangle((column - 0.17, row - 0.17), 0.34, 0.34, **look))
    return figure


def candidates() -> Figure:
    """Draw eyes and a seki, which decide what a player considers."""
    boards = [_stones_of(text) for text in SMALL.values()]
    widths = [board.shape[1] for board in boards]
    figure, grid = pyplot.subplots(1, 4, figsize=(WIDTH, 1.6), width_ratios=widths)
    figure.subplots_adjust(0.01, 0.02, 0.99, 0.84, wspace=0.08)
    for axes, board, title in zip(grid, boards, SMALL, strict=True):
        _draw_stones(axes, board, title, is_whole="seki" in title)
    return figure


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
    for start, end in pairwise(PATH):
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
    bold = dict(fontsize=11, color=INK, fontweight="bold", transform=axes.transAxes)
    for x, head in ((-0.41, "network"), (-0.18, "ranks"), (0, "Elo and its 95 % interval")):
        axes.text(x, 1.04, head, **bold)
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
    "planes": planes, "search": search, "settled": settled, "candidates": candidates,
    "ratings": ratings, "week": week,
}  # fmt: skip
