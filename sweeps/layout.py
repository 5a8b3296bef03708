"""Tables as Markdown that is also readable as plain text."""

from collections.abc import Sequence


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay text out in columns, the first one left and the others right; empty ones are left out."""
    shown = [i for i in range(len(heads)) if any(row[i] for row in rows)]
    widths = {i: max(len(cells[i]) for cells in (heads, *rows)) for i in shown}

    def line(cells: Sequence[str]) -> str:
        padded = [f"{cells[i]:>{widths[i]}}" if i else f"{cells[i]:<{widths[i]}}" for i in shown]
        return f"| {' | '.join(padded)} |"

    rule = ["-" * (widths[i] - 1) + ":" if i else "-" * widths[i] for i in shown]
    return "\n".join([line(heads), f"| {' | '.join(rule)} |", *map(line, rows)])
