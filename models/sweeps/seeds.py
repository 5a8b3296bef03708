"""What an option changes, over several seeds: the mean difference from the first, with ±.

Every recipe is trained once from each seed, with the same held-out games, so the effect of a seed
cancels out. The remaining noise is taken to be the same for all (two-way analysis of variance
without replication). Each measure has its intervals by Student's t.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import pi, sqrt, tan
from statistics import NormalDist
from typing import Any, TypeVar

import numpy as np

from models.sweeps.results import Result, markdown_table
from models.sweeps.runs import Run

Item = TypeVar("Item")

FEWEST_DEGREES = 3
"""Degrees of freedom; with fewer an interval says nothing."""


@dataclass(frozen=True)
class Difference:
    """How a mean over seeds differs from the first recipe's, ± half of its 95 % interval."""

    value: float
    halfwidth: float

    @property
    def is_separated(self) -> bool:
        """Whether the interval leaves out 0."""
        return abs(self.value) > self.halfwidth


@dataclass(frozen=True)
class Measure:
    """A number of a result, and how it is written."""

    name: str
    of: Callable[[Any], float | None]
    digits: int

    def columns(self, numbers: np.ndarray) -> tuple[list[str], list[str]]:
        """Return the means of the rows, and what they differ by from the first."""
        means = [f"{mean:.{self.digits}f}" for mean in numbers.mean(axis=1)]
        return means, ["", *map(self._text, differences(numbers)[1:])]

    def _text(self, gap: Difference) -> str:
        text = f"{gap.value:+.{self.digits}f} ± {gap.halfwidth:.{self.digits}f}"
        return text if gap.is_separated else f"{text}, not separated"


MEASURES = (
    Measure("accuracy %", lambda result: 100 * result.accuracy, 2),
    Measure("value MSE", lambda result: result.value_mse, 4),
    Measure("value MAE", lambda result: result.value_mae, 4),
    Measure("Elo", lambda result: result.elo, 0),
)


def differences(measured: np.ndarray) -> list[Difference]:
    """Compare each row's mean with the first row's, in `[recipes, seeds]` of at least 2 × 2."""
    num_recipes, num_seeds = measured.shape
    means = measured.mean(axis=1)
    noise = measured - means[:, None] - measured.mean(axis=0) + measured.mean()
    degrees = (num_recipes - 1) * (num_seeds - 1)
    sigma = sqrt(np.square(noise).sum() / degrees)
    halfwidth = t_quantile(0.975, degrees) * sigma * sqrt(2 / num_seeds)
    return [Difference(float(value), halfwidth) for value in means - means[0]]


def t_quantile(probability: float, degrees: int) -> float:
    """Return Student's t by Abramowitz and Stegun's expansion, 26.7.5; 1 % off at 3 degrees."""
    if degrees == 1:
        return tan(pi * (probability - 0.5))
    if degrees == 2:
        return (2 * probability - 1) / sqrt(2 * probability * (1 - probability))
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / degrees**power for power, term in enumerate(terms, start=1))


def seeds_table(runs: Sequence[Run], results: Sequence[Result]) -> str:
    """Lay the comparison out as Markdown; empty where there are too few runs to compare."""
    by_name = {result.name: result for result in results}
    families = by_seed(runs, _title, lambda run: (run.recipe.options().seed, run.held_out()))
    found = {title: [by_name[run.name] for run in family] for title, family in families.items()}
    return table_over_seeds(found, MEASURES)


def table_over_seeds(found: Mapping[str, Sequence[Any]], measures: Sequence[Measure]) -> str:
    """Lay out what rows measure over seeds, and their differences from the first, as Markdown.

    `found` has each row's results by seed. A measure that has a None is left out. The text is empty
    for too few results.
    """
    num_seeds = len(next(iter(found.values()), ()))
    if (len(found) - 1) * (num_seeds - 1) < FEWEST_DEGREES:
        return ""
    first = next(iter(found))
    heads, columns = ["over seeds"], [list(found)]
    for measure in measures:
        numbers = [[measure.of(one) for one in row] for row in found.values()]
        if not any(None in row for row in numbers):
            heads += [measure.name, f"against {first}"]
            columns += measure.columns(np.array(numbers))
    note = (
        f"Means over {num_seeds} seeds, and their differences from {first}, ± half of a 95 % "
        "interval that includes the noise of training. One difference in twenty is separated by "
        "chance."
    )
    return f"{markdown_table(heads, list(zip(*columns, strict=True)))}\n\n{note}\n"


def without_seed(name: str, seed: int) -> str:
    """The name of a run without the part that names its seed; "run" if nothing is left."""
    return "_".join(part for part in name.split("_") if part != f"seed{seed}") or "run"


def _title(run: Run) -> str:
    return without_seed(run.name, run.recipe.options().seed)


def by_seed(
    items: Iterable[Item], title: Callable[[Item], str], seed: Callable[[Item], Hashable]
) -> dict[str, list[Item]]:
    """Gather items of one title, in the order of the first title's seeds.

    A title that has other seeds than the first is left out.
    """
    rows: dict[str, dict[Hashable, Item]] = {}
    for item in items:
        rows.setdefault(title(item), {})[seed(item)] = item
    first = next(iter(rows.values()), {})
    return {
        name: [row[key] for key in first]
        for name, row in rows.items()
        if row.keys() == first.keys()
    }
