"""What a family can be expected to reach, by the kit's own trainings."""

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

CURVES = Path(__file__).resolve().parents[2] / "data" / "learning_curves.csv"
"""Trainings of the kit to their end: family, positions seen, and the held-out measures of
data/katago_b6.games."""

BOUND = 2.0  # deviations of an interval


@dataclass(frozen=True)
class Expected:
    """Held-out accuracy and value MSE at the end, each with half of its interval.

    num_runs: trainings that they are estimated from. is_of_family: whether some were of the family.
    """

    accuracy: float
    accuracy_halfwidth: float
    value_mse: float
    value_mse_halfwidth: float
    num_runs: int
    is_of_family: bool


def expected(family: str, positions: int) -> Expected | None:
    """Estimate what a family reaches on data/katago_b6.games after so many positions.

    The share of wrong moves and the MSE are powers of the positions, fitted to the kit's trainings
    and then shifted by the mean of the family's own. The interval is two deviations of a training.
    None: outside of the positions that the kit has trained.
    """
    with CURVES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    seen = [int(row["positions"]) for row in rows]
    if not min(seen) <= positions <= max(seen):
        return None
    errors, of_errors = _power(rows, family, positions, lambda row: 1 - float(row["accuracy"]))
    known = [row for row in rows if row["value_mse"]]
    mse, of_mse = _power(known, family, positions, lambda row: float(row["value_mse"]))
    is_of_family = any(row["family"] == family for row in rows)
    return Expected(1 - errors, of_errors, mse, of_mse, len(rows), is_of_family)


def _power(
    rows: Sequence[Mapping[str, str]],
    family: str,
    positions: int,
    measure: Callable[[Mapping[str, str]], float],
) -> tuple[float, float]:
    """Fit a measure as a power of the positions; return it there, and half of its interval.

    A slope for each family predicts worse: of 11 trainings, each left out of the fit in turn, the
    accuracy is then 2.3 points off on average instead of 1.4.
    """
    seen = np.log([int(row["positions"]) for row in rows])
    values = np.log([measure(row) for row in rows])
    line = np.polynomial.Polynomial.fit(seen, values, 1)
    gaps = values - line(seen)
    own = np.array([row["family"] == family for row in rows])
    shift = gaps[own].sum() / (own.sum() + 1)  # as if one more had no gap: few trainings shift less
    gaps[own] -= shift
    found = math.exp(line(math.log(positions)) + shift)
    return found, BOUND * float(np.std(gaps, ddof=2)) * found
