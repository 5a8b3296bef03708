"""The registry as a table: sizes, cost, and measurements; docs/write.py puts it into a page.

`benchmarks/networks.py` writes the milliseconds of data/measured_networks.csv. Accuracy and rating
are filled in by hand once a network is trained and rated.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, get_args

import keras
from keras import layers

from golois.kit.run_folder import write_table
from models.catalogue import registry
from models.contract import Count, count_parameters
from models.parts.equivariant import EquivariantConv2D

_KIT = Path(__file__).resolve().parents[2]
MEASUREMENTS = _KIT / "data" / "measured_networks.csv"
COLUMNS = ("model", "ms", "accuracy", "rating")
HEADINGS = ("model", "preset", "total", "trainable", "MFLOPs", "ms", "acc %", "rating")
_ROW = "{:15} {:6} {:>10} {:>10} {:>7} {:>5} {:>5} {:>6}"
_MARKDOWN_ROW = "| {:15} | {:6} | {:>10} | {:>10} | {:>7} | {:>5} | {:>5} | {:>6} |"


class Measured(NamedTuple):
    """One network's numbers as the file has them, "" where a number is not known.

    `ms` is milliseconds of processor time a position, in batches of 8; `accuracy` is the policy's
    on held-out positions, in percent; `rating` is Elo in a league.
    """

    ms: str = ""
    accuracy: str = ""
    rating: str = ""


def read_measured(path: Path = MEASUREMENTS) -> dict[str, Measured]:
    """Read what is known of each network of the registry; nothing where there is no file."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return {row["model"]: Measured(*(row[name] for name in COLUMNS[1:])) for row in rows}


def write_times(times: Mapping[str, float], path: Path = MEASUREMENTS) -> None:
    """Write milliseconds of some networks, and keep what else the file knows."""
    known = read_measured(path)
    new = {name: known.get(name, Measured())._replace(ms=f"{ms:.2f}") for name, ms in times.items()}
    rows = [(name, *numbers) for name, numbers in {**known, **new}.items()]
    write_table(path, COLUMNS, rows)


def table(markdown: bool = False, measured: Mapping[str, Measured] | None = None) -> str:
    """List presets with sizes, cost and measurements (the kit's own for None), as a table."""
    measured = read_measured() if measured is None else measured
    if markdown:
        lines = [_MARKDOWN_ROW.format(*HEADINGS), f"|---|---{'|---:' * 6}|"]
        return "\n".join([*lines, *(_MARKDOWN_ROW.format(*row) for row, _ in _rows(measured))])
    lines = [f"{_ROW.format(*HEADINGS)}  source and options"]
    return "\n".join([*lines, *(f"{_ROW.format(*row)}  {text}" for row, text in _rows(measured))])


def summary() -> str:
    """List every family with the first words of its idea; builds no network."""
    ideas = {name: re.split("[;:]", spec.idea)[0] for name, spec in registry.REGISTRY.items()}
    return "\n".join(f"  {name:15} {idea}" for name, idea in ideas.items())


def _rows(measured: Mapping[str, Measured]) -> Iterator[tuple[tuple[str, ...], str]]:
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


def families() -> str:
    """List every family with its idea, for a page."""
    rows = [f"| {spec.name} | {spec.idea} |" for spec in registry.REGISTRY.values()]
    return "\n".join(["| family | idea |", "|---|---|", *rows])


def pictures() -> str:
    """Show the picture of every family, for a page in docs/."""
    families: dict[str, list[str]] = {}
    for spec in registry.REGISTRY.values():
        families.setdefault(spec.family, []).append(spec.name)
    parts = []
    for family, names in families.items():
        title = ", ".join(names)
        parts.append(f"### {title}\n\n![{title}](../pictures/{family}.png)")
    return "\n\n".join(parts)


def count_flops(model: Any) -> int:
    """Count the floating-point operations of one position; a multiply-add is two.

    It counts convolutions, dense layers and attention, and leaves out what is done once a number.
    """
    return 2 * sum(
        _products(layer, node) for layer in model.layers for node in layer._inbound_nodes
    )


def _products(layer: Any, node: Any) -> int:
    inputs = [tensor.shape[1:] for tensor in node.input_tensors]
    output = node.outputs[0].shape[1:]
    if isinstance(layer, EquivariantConv2D):
        return prod(output[:-1]) * layer.shared_kernel.index.size
    if isinstance(layer, layers.Dot):
        contracted = layer.axes if isinstance(layer.axes, int) else layer.axes[0]
        return prod(output) * inputs[0][contracted - 1]
    if isinstance(layer, layers.MultiHeadAttention):
        return _attention_products(layer, *inputs[:2])
    if isinstance(layer, keras.Model):
        return count_flops(layer) // 2
    kernels = [weight for weight in layer.weights if weight.name.endswith("kernel")]
    return sum(prod(output[:-1]) * prod(kernel.shape) for kernel in kernels)


def _attention_products(
    layer: layers.MultiHeadAttention, query: tuple[int, ...], value: tuple[int, ...]
) -> int:
    config = layer.get_config()
    axes = config["attention_axes"] or range(1, len(value))
    width = config["num_heads"] * config["key_dim"]
    tokens, others = prod(query[:-1]), prod(value[:-1])
    projections = 2 * tokens * query[-1] * width + 2 * others * value[-1] * width
    return projections + 2 * tokens * prod(value[axis - 1] for axis in axes) * width
