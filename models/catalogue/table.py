"""The registry as a table: sizes, cost, and what was measured."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from models.catalogue import registry
from models.catalogue.flops import count_flops
from models.catalogue.measured import Measured, read_measured
from models.contract import Count, count_parameters

HEADINGS = ("model", "preset", "total", "trainable", "MFLOPs", "ms", "acc %", "rating")
_ROW = "{:15} {:6} {:>10} {:>10} {:>7} {:>5} {:>5} {:>6}"
_MARKDOWN_ROW = "| {:15} | {:6} | {:>10} | {:>10} | {:>7} | {:>5} | {:>5} | {:>6} |"


def table(markdown: bool = False, measured: Mapping[str, Measured] | None = None) -> str:
    """List every family's presets with their sizes, cost and measurements, the kit's own when None.

    For a page it leaves out options and sources, which the modules have.
    """
    measured = read_measured() if measured is None else measured
    if markdown:
        rules = ["---", "---", *["---:"] * 6]
        lines = [_MARKDOWN_ROW.format(*HEADINGS), _MARKDOWN_ROW.format(*rules)]
        return "\n".join([*lines, *(_MARKDOWN_ROW.format(*row) for row, _ in _rows(measured))])
    lines = [f"{_ROW.format(*HEADINGS)}  source and options"]
    return "\n".join([*lines, *(f"{_ROW.format(*row)}  {text}" for row, text in _rows(measured))])


def summary() -> str:
    """List every family with the first words of its idea; builds no network."""
    ideas = {name: re.split("[;:]", spec.idea)[0] for name, spec in registry.REGISTRY.items()}
    return "\n".join(f"  {name:15} {idea}" for name, idea in ideas.items())


def _rows(measured: Mapping[str, Measured]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Return the cells of each preset, and its source and options."""
    for name, spec in registry.REGISTRY.items():
        presets: dict[registry.PresetName, Mapping[str, Any] | None]
        presets = {"budget": spec.budget, "paper": spec.paper}
        for preset, options in presets.items():
            if options is None:
                continue
            model = registry.outline(name, preset=preset)
            sizes = (f"{count_parameters(model, count):,}" for count in get_args(Count))
            cost = f"{count_flops(model) / 1e6:,.0f}"
            known = measured.get(name, Measured()) if preset == "budget" else Measured()
            chosen = " ".join(f"{key}={value}" for key, value in options.items())
            yield (name, preset, *sizes, cost, *known), f"{spec.source}; {chosen}"
