"""Pictures of networks as data: columns of boxes, which docs/pictures/draw.py draws."""

from dataclasses import dataclass

Row = str | tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """A chain of boxes, read from top to bottom.

    A row is "kind: text" of a box, or several side by side in a tuple; there "|" passes on what is
    above it and "" is nothing. "+" and "×" are where a skip ends. The kinds are the colours of
    docs/pictures/draw.py. A skip is the row where it starts and the row where it ends.
    """

    title: str
    rows: tuple[Row, ...]
    skips: tuple[tuple[int, int], ...] = ()


def network(*rows: Row) -> Column:
    """Begin a picture: the whole network, from the planes to its outputs."""
    return Column("network", ("19×19×31 planes", *rows))


def block(title: str, *rows: Row, skips: tuple[tuple[int, int], ...] | None = None) -> Column:
    """Show a block with the identity beside all of it, unless `skips` says otherwise."""
    ends = [at for at, row in enumerate(rows) if row == "+"]
    return Column(title, rows, ((0, ends[-1]),) if skips is None else skips)


def transformer(ratio: int) -> Column:
    """Show a transformer block whose hidden layer has `ratio` times its channels."""
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


CONV_HEADS = ("conv: 1×1 → 1\nsoftmax", "pool: mean, 50\nsigmoid")
NAMES = ("policy 361", "value 1")
BOTTLENECK = (
    "conv: 1×1 → 64",
    "norm: BatchNorm, ReLU",
    "depthwise: depthwise 3×3",
    "norm: BatchNorm, ReLU",
    "conv: 1×1 → 32",
    "norm: BatchNorm",
)
