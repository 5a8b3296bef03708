"""What predictions are measured by, as pure functions of arrays."""

from dataclasses import dataclass

import numpy as np

NUM_CALIBRATION_BINS = 10


def ranks(policy: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Count the points before each label, by probability, int `[B]`; of equals the lowest leads."""
    rows = np.arange(len(policy))
    own = policy[rows, moves][:, None]
    before = (policy == own) & (np.arange(policy.shape[1]) < moves[:, None])
    return ((policy > own) | before).sum(axis=1)


@dataclass(frozen=True)
class ValueErrors:
    """Mean errors of P(White wins), against the label and against the game's result.

    `mse` and `mae` are against the label, which may be a searched value. `brier` is the squared
    error against the game's result: 1 White won, 0 Black, 0.5 a draw; None where no result is
    known.
    """

    mse: float
    mae: float
    brier: float | None


def value_errors(values: np.ndarray, labels: np.ndarray, results: np.ndarray) -> ValueErrors:
    """Measure predictions against labels and results, each `[B]`; a result may be NaN."""
    known = ~np.isnan(results)
    return ValueErrors(
        mse=mean_squared_error(values, labels),
        mae=float(np.mean(np.abs(values - labels))),
        brier=mean_squared_error(values[known], results[known]) if known.any() else None,
    )


def constant_errors(labels: np.ndarray, results: np.ndarray) -> ValueErrors:
    """Measure the constant that is best for each error, in hindsight: what a head must beat."""
    known = ~np.isnan(results)
    return ValueErrors(
        mse=float(np.var(labels)),
        mae=float(np.mean(np.abs(labels - np.median(labels)))),
        brier=float(np.var(results[known])) if known.any() else None,
    )


@dataclass(frozen=True)
class CalibrationBin:
    """The predictions between two tenths: how many, their mean, and their games' mean result."""

    count: int
    predicted: float
    observed: float


def calibration(values: np.ndarray, results: np.ndarray) -> list[CalibrationBin]:
    """Compare predictions with known results, tenth by tenth; an empty one is left out."""
    known = ~np.isnan(results)
    values, results = values[known], results[known]
    tenths = np.minimum((values * NUM_CALIBRATION_BINS).astype(int), NUM_CALIBRATION_BINS - 1)
    return [
        CalibrationBin(int(mask.sum()), float(values[mask].mean()), float(results[mask].mean()))
        for tenth in range(NUM_CALIBRATION_BINS)
        if (mask := tenths == tenth).any()
    ]


def calibration_error(bins: list[CalibrationBin]) -> float | None:
    """Average the gaps between predicted and observed, by count; None where no result is known."""
    if not bins:
        return None
    gaps = sum(item.count * abs(item.predicted - item.observed) for item in bins)
    return gaps / sum(item.count for item in bins)


def mean_squared_error(predicted: np.ndarray, target: np.ndarray) -> float:
    """Average the squared differences."""
    return float(np.mean(np.square(predicted - target)))


def sign_accuracy(predicted: np.ndarray, target: np.ndarray) -> float:
    """Count how often the signs agree; a 0 agrees with 0 only."""
    return float(np.mean(np.sign(predicted) == np.sign(target)))
