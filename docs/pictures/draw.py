"""Draws the networks of the registry, one picture a family, beside this file.

    python docs/pictures/draw.py [FAMILY …]

A picture has columns, read from top to bottom: the network, then its blocks. Sizes are those of
the budget preset.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

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

Row = str | tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """A chain of boxes.

    rows: "kind: text" of a box, several side by side in a tuple; there "|" passes on what is above
        it and "" is nothing. "+" and "×" are where a skip ends.
    skips: for each, the row in front of which it starts and the row of "+" or "×" where it ends.
    """

    title: str
    rows: tuple[Row, ...]
    skips: tuple[tuple[int, int], ...] = ()


def network(*rows: Row, planes: str = "19×19×31 planes") -> Column:
    return Column("network", (planes, *rows))


def block(title: str, *rows: Row, skips: tuple[tuple[int, int], ...] | None = None) -> Column:
    """A block with the identity beside all of it, unless said otherwise."""
    ends = [at for at, row in enumerate(rows) if row == "+"]
    return Column(title, rows, ((0, ends[-1]),) if skips is None else skips)


CONV_HEADS = ("conv: 1×1 → 1\nsoftmax", "pool: mean, 50\nsigmoid")
NAMES = ("policy 361", "value 1")
def transformer(ratio: int) -> Column:
    return block(
        "T: transformer block",
        "norm: LayerNorm",
        ("dense: query", "dense: key", "dense: value"),
        "attention: softmax(q·k / √d + bias) · v\nfor each of 2 heads",
        "dense: dense → C",
        "+",
        "norm: LayerNorm",
        f"dense: dense → {ratio} C, GELU",
        "dense: dense → C",
        "+",
        skips=((0, 4), (5, 8)),
    )


BOTTLENECK = (
    "conv: 1×1 → 64",
    "norm: BatchNorm, ReLU",
    "depthwise: depthwise 3×3",
    "norm: BatchNorm, ReLU",
    "conv: 1×1 → 32",
    "norm: BatchNorm",
)
PREACTIVATED = ("norm: BatchNorm, ReLU", "conv: 3×3 → 28")

PICTURES = {
    "resnet": (
        network(("conv: 1×1 → 28", "conv: 5×5 → 28"), "+", "norm: ReLU",
                "block: residual block × 5", ("conv: 1×1 → 1\nBatchNorm, softmax",
                "pool: mean, 50\nBatchNorm, sigmoid"), NAMES),
        block("residual block", "conv: 3×3 → 28", "norm: BatchNorm, ReLU", "conv: 3×3 → 28", "+",
              "norm: BatchNorm, ReLU"),
    ),
    "mobilenet": (
        network("conv: 1×1 → 32", "norm: BatchNorm, ReLU", "block: bottleneck × 18", CONV_HEADS,
                NAMES),
        block("bottleneck", *BOTTLENECK, "+"),
        block("squeeze-and-excitation (option)", "pool: mean of each channel",
              "dense: dense → C / 16, swish", "dense: dense → C, sigmoid", "×", skips=((0, 3),)),
    ),
    "mixnet": (
        network("conv: 1×1 → 16", "norm: BatchNorm, swish", "block: mixed bottleneck × 31",
                CONV_HEADS, NAMES),
        block("mixed bottleneck", "conv: 1×1 → 32", "norm: BatchNorm, swish",
              ("depthwise: depthwise\n3×3", "depthwise: depthwise\n5×5"), "side by side → 64",
              "norm: BatchNorm, swish", "conv: 1×1 → 16", "norm: BatchNorm",
              "block: squeeze-and-excitation", "+"),
        block("squeeze-and-excitation", "pool: mean of each channel", "dense: dense → 1, swish",
              "dense: dense → 16, sigmoid", "×", skips=((0, 3),)),
    ),
    "restnet": (
        network("conv: 3×3 → 28", "norm: BatchNorm, ReLU", "block: R  R  T  R  R  T", CONV_HEADS,
                NAMES),
        block("R: residual block", "conv: 3×3 → 28", "norm: BatchNorm, ReLU", "conv: 3×3 → 28",
              "norm: BatchNorm", "+", "norm: ReLU"),
        transformer(2),
    ),
    "nogozero": (
        network("conv: 3×3 → 28", "block: plain, global, plain,\nglobal, plain block",
                "norm: BatchNorm, ReLU", CONV_HEADS, NAMES),
        block("plain block", *PREACTIVATED, *PREACTIVATED, "+"),
        block("global block (GARB)", "norm: BatchNorm, ReLU", ("conv: 3×3 → 28", "conv: 3×3 → 14"),
              "block: global pooling", *PREACTIVATED, "+"),
        block("global pooling (GPS)", ("28 channels", "14 channels"),
              ("|", "norm: BatchNorm, ReLU"), ("|", "pool: mean and max"),
              ("|", "dense: dense → 28"), "+", skips=()),
    ),
    "alphago": (
        network("conv: 5×5 → 27, ReLU", "conv: 3×3 → 27, ReLU   × 11",
                ("conv: 1×1 → 1", "pool: mean, 50\nsigmoid"),
                ("dense: + bias of each\npoint, softmax", "value 1"), ("policy 361", "")),
    ),
    "two_headed": (
        network("30 of them, not the turn", "conv: 5×5 → 28, ReLU", "conv: 3×3 → 28, ReLU   × 10",
                ("conv: 1×1 → 2:\none of each colour", "pool: mean, 50\nsigmoid"),
                ("that of the side\nto move, softmax", "value 1"), ("policy 361", "")),
    ),
    "vit": (
        network("padded to 21×21", "conv: patches of 7×7 → 32", "9 tokens and a class token",
                "dense: + 10 learned positions", "block: encoder block × 4", "norm: LayerNorm",
                "the class token", ("dense: → 361\nsoftmax", "dense: → 50 → 1\nsigmoid"), NAMES),
        block("encoder block", "norm: LayerNorm", "attention: attention of 4 heads", "+",
              "norm: LayerNorm", "dense: dense → 64, GELU", "dense: dense → 32", "+",
              skips=((0, 2), (3, 6))),
    ),
    "isn": (
        network(("conv: 5×5 → T32 S16\nD16 C8 F16, tanh", "|"),
                ("conv: 5×5 → T7", "conv: 5×5 → T7"), "+", "norm: sigmoid",
                ("conv: 1×1 → 1\nsoftmax", "pool: mean, 50\nBatchNorm, sigmoid"), NAMES),
    ),
    "isn_tower": (
        network("conv: 5×5 → R8", "norm: BatchNorm, ReLU", "block: plain and global\nblock × 4",
                ("conv: 3×3 → T32\nBatchNorm, ReLU", "conv: 1×1 → T64\nBatchNorm, ReLU"),
                ("conv: 1×1 → 1\nsoftmax", "pool: mean, 50\nBatchNorm, sigmoid"), NAMES),
        block("plain block", "conv: 3×3 → R8", "norm: BatchNorm, ReLU", "conv: 3×3 → R8",
              "norm: BatchNorm", "+", "norm: ReLU"),
        block("global block", ("conv: 3×3 → R8", "conv: 1×1 → T32"),
              ("norm: BatchNorm", "norm: BatchNorm, ReLU"), ("|", "pool: mean and max"),
              ("|", "dense: dense → 32, ReLU"), ("|", "conv: 1×1 → R8"), "+", "norm: ReLU",
              "conv: 3×3 → R8", "norm: BatchNorm", "+", "norm: ReLU", skips=((0, 9),)),
    ),
    "convnext": (
        network("conv: 3×3 → 32", "norm: LayerNorm", "block: ConvNeXt block × 8",
                "norm: LayerNorm", CONV_HEADS, NAMES),
        block("ConvNeXt block", "depthwise: depthwise 7×7", "norm: LayerNorm",
              "dense: dense → 128, GELU", "dense: dense → 32", "+"),
    ),
    "shufflenet": (
        network("conv: 1×1 → 96", "norm: BatchNorm, ReLU", "block: shuffle block × 16",
                CONV_HEADS, NAMES),
        block("shuffle block", ("48 channels", "48 channels"),
              ("|", "conv: 1×1 → 48\nBatchNorm, ReLU"),
              ("|", "depthwise: depthwise 3×3\nBatchNorm"),
              ("|", "conv: 1×1 → 48\nBatchNorm, ReLU"), "side by side → 96",
              "norm: halves shuffled", skips=()),
    ),
    "gated": (
        network("conv: 1×1 → 32", "norm: BatchNorm, ReLU", "block: bottleneck × 16 … 18",
                CONV_HEADS, NAMES),
        block("bottleneck", *BOTTLENECK, "block: gate", "+"),
        block("eca", "pool: mean of each channel",
              "conv: convolution over 3\nneighbouring channels", "norm: sigmoid", "×",
              skips=((0, 3),)),
        block("cbam", ("pool: mean", "pool: maximum"),
              "dense: dense → 4 → 32, both\nadded, sigmoid", "×",
              "pool: mean and maximum\nof each point", "conv: 7×7 → 1, sigmoid", "×",
              skips=((0, 2), (3, 5))),
        block("coordinate", ("pool: mean of\neach row", "pool: mean of\neach column"),
              "conv: 1×1 → 4\nBatchNorm, swish",
              ("conv: 1×1 → 32\nsigmoid", "conv: 1×1 → 32\nsigmoid"), "×", skips=((0, 3),)),
    ),
    "efficientformer": (
        network("conv: 3×3 → 40", "norm: BatchNorm, GELU", "block: pooling block × 4",
                "block: T × 2", CONV_HEADS, NAMES),
        block("pooling block", "pool: mean of 3×3 − the point", "+", "conv: 1×1 → 120",
              "norm: BatchNorm, GELU", "conv: 1×1 → 40", "norm: BatchNorm", "+",
              skips=((0, 1), (2, 6))),
        transformer(3),
    ),
}  # fmt: skip


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
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=100, bbox_inches="tight", pad_inches=0.1, metadata={"Software": None})
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
    parser.add_argument("families", nargs="*", metavar="FAMILY", default=list(PICTURES))
    for name in parser.parse_args().families:
        if name not in PICTURES:
            parser.error(f"expected families out of {', '.join(PICTURES)}: got {name!r}")
        print(draw(name, PICTURES[name]))


if __name__ == "__main__":
    main()
