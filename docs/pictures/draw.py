"""Draws the networks of the registry, one picture a family, and the ideas of ideas.py.

    python -m docs.pictures.draw [FAMILY or IDEA …]

The pictures lie beside this file. A family has columns, read from top to bottom: the network,
then its blocks. The module of each family says what is in them, with sizes of the budget preset.
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from docs.pictures.ideas import IDEAS
from golois.kit.files import write_whole
from models.parts.diagram import Column, Row
from models.training.quiet import import_keras_quietly

FOLDER = Path(__file__).resolve().parent
WIDTH, HEIGHT, GAP = 2.5, 0.46, 0.24  # of a box, and between two
SPACE = 0.1  # between two boxes side by side
RADIUS = 0.14  # of the circle of "+" and "×"
SIDE = 0.45  # left and right of a column, where its identities pass
COLOURS = {
    "block": "#f6d998",
    "conv": "#bcd7f2",
    "depthwise": "#bcd7f2",
    "dense": "#d9c9ee",
    "attention": "#f5c1ac",
    "pool": "#bfe3c3",
    "norm": "#ececec",
    "": "#ffffff",
}
INK = "#333333"


def pictures() -> dict[str, tuple[Column, ...]]:
    """Collect what the registry has: one picture a family."""
    import_keras_quietly()
    from models.catalogue.registry import REGISTRY

    return {spec.family: spec.picture for spec in REGISTRY.values()}


def draw(name: str, columns: tuple[Column, ...], folder: Path = FOLDER) -> Path:
    """Draw a family and return the path of its picture."""
    depth = max(len(column.rows) for column in columns)
    size = (len(columns) * (WIDTH + 2 * SIDE), (depth + 0.9) * (HEIGHT + GAP))
    figure, axes = pyplot.subplots(figsize=size)
    figure.subplots_adjust(0, 0, 1, 1)
    axes.set_xlim(0, size[0])
    axes.set_ylim(-size[1], 0)
    axes.axis("off")
    for at, column in enumerate(columns):
        _draw_column(axes, column, at * (WIDTH + 2 * SIDE) + SIDE + WIDTH / 2)
    return _save(figure, folder / f"{name}.png", dpi=100, bbox_inches="tight", pad_inches=0.1)


def _save(figure: Figure, path: Path, **look: object) -> Path:
    look["metadata"] = {"Software": None}
    write_whole(path, lambda beside: figure.savefig(beside, **look), durable=False)
    pyplot.close(figure)
    return path


def _top_of(row: int) -> float:
    return -(row + 0.8) * (HEIGHT + GAP)


def _draw_column(axes: Axes, column: Column, centre: float) -> None:
    axes.text(centre, _top_of(0) + 1.2 * GAP, column.title, ha="center", va="bottom",
              fontsize=10, fontweight="bold", color=INK)  # fmt: skip
    for at, row in enumerate(column.rows):
        for text, x, width in _places(row, centre):
            if text == "|":
                axes.plot([x, x], [_top_of(at), _top_of(at) - HEIGHT], color=INK, linewidth=0.9)
            elif text:
                _draw_box(axes, text, x - width / 2, _top_of(at), width)
        if at + 1 < len(column.rows):
            _draw_arrows(axes, row, column.rows[at + 1], centre, at)
    for start, end in column.skips:
        _draw_skip(axes, centre, start, end)


def _places(row: Row, centre: float) -> list[tuple[str, float, float]]:
    """The text, the middle and the width of each box of a row."""
    texts = row if isinstance(row, tuple) else (row,)
    width = (WIDTH - SPACE * (len(texts) - 1)) / len(texts)
    return [
        (text, centre + (number - (len(texts) - 1) / 2) * (width + SPACE), width)
        for number, text in enumerate(texts)
    ]


def _draw_arrows(axes: Axes, row: Row, below: Row, centre: float, at: int) -> None:
    """From each box to that of its place below, or to all where one of the rows is one box."""
    above, under = _places(row, centre), _places(below, centre)
    start = _top_of(at) - (HEIGHT / 2 + RADIUS if row in ("+", "×") else HEIGHT)
    end = _top_of(at + 1) - (HEIGHT / 2 - RADIUS if below in ("+", "×") else 0)
    for number in range(max(len(above), len(under))):
        first, x, _ = above[min(number, len(above) - 1)]
        last, target, _ = under[min(number, len(under) - 1)]
        if not (first and last):
            continue
        if len(above) < len(under) and row not in ("+", "×"):
            x = target
        elif len(under) < len(above) and below not in ("+", "×"):
            target = x
        if last == "|":
            axes.plot([x, target], [start, end], color=INK, linewidth=0.9)
        else:
            axes.annotate("", (target, end), (x, start), arrowprops=_arrow())


def _arrow() -> dict:
    return dict(arrowstyle="-|>", color=INK, linewidth=0.9, shrinkA=0, shrinkB=0, mutation_scale=8)


def _draw_box(axes: Axes, text: str, left: float, top: float, width: float) -> None:
    middle = (left + width / 2, top - HEIGHT / 2)
    centred = dict(ha="center", va="center", color=INK)
    if text in "+×":
        circle = dict(boxstyle="circle,pad=0.2", facecolor="white", edgecolor=INK)
        axes.text(*middle, text, fontsize=12, bbox=circle, **centred)
        return
    kind, _, words = text.partition(": ") if text.split(":")[0] in COLOURS else ("", "", text)
    if kind == "conv" and words[0].isdigit():
        words = f"conv {words}"
    shape = dict(boxstyle="round,pad=0,rounding_size=0.06", linewidth=0.8)
    colours = dict(facecolor=COLOURS[kind], edgecolor=INK)
    axes.add_patch(FancyBboxPatch((left, top - HEIGHT), width, HEIGHT, **colours, **shape))
    longest = max(map(len, words.split("\n")))
    points = min(8.0 if "\n" in words else 8.5, 112 * width / longest)
    axes.text(*middle, words, fontsize=points, linespacing=1.1, **centred)


def _draw_skip(axes: Axes, centre: float, start: int, end: int) -> None:
    """The identity: from above a row, along the right, into the circle at its end."""
    x, y = centre + WIDTH / 2 + 0.2, _top_of(start) + GAP / 2
    bottom = _top_of(end) - HEIGHT / 2
    axes.plot([centre, x, x], [y, y, bottom], color=INK, linewidth=0.9)
    if start == 0:
        axes.annotate("", (centre, _top_of(0)), (centre, y + GAP / 2), arrowprops=_arrow())
    axes.annotate("", (centre + RADIUS, bottom), (x, bottom), arrowprops=_arrow())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a family or an idea [all]")
    chosen, families = parser.parse_args().names, pictures()
    known = [*families, *IDEAS]
    for name in chosen or known:
        if name not in known:
            parser.error(f"a name must be of {', '.join(known)}, not {name!r}")
        if name in IDEAS:
            print(_save(IDEAS[name](), FOLDER / f"{name}.png", dpi=130))
        else:
            print(draw(name, families[name]))


if __name__ == "__main__":
    main()
