"""A sequential test of two players by game pairs: it stops as soon as the results decide.

It is the generalised sequential probability ratio test of pentanomial counts. A hypothesis fixes
the normalised Elo; all else in the distribution of a pair's points has maximum likelihood.

Sources: Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16
(1945), for the bounds; Van den Bergh, "A practical introduction to the GSPRT" and "Normalized Elo",
hardy.uhasselt.be/Fishtest, for the ratio and the unit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from golois.kit.command import UsageError
from golois.kit.options import check, option
from tournament.ratings.bradley_terry import Z95

SHARES = np.linspace(0, 1, 5)  # of a pair's two points, which are 0, ½, 1, 1½ or 2
# Of a pair's score, in standard deviations above one half; those of a game are √2 times as large.
ELO_PER_DEVIATION = 800 / math.log(10) / math.sqrt(2)
MOST_ELO = 100.0  # up to here `likeliest` converges
UNSEEN = 1e-3  # the count of an outcome that has not occurred
MOST_ROUNDS, MOST_STEPS = 60, 60


@dataclass(frozen=True)
class SprtResult:
    """Where a test stands, or how it ended, for the first player.

    pentanomial: pairs with 0, ½, 1, 1½ and 2 points.
    llr: of H1 to H0, in nats; H0 is accepted from `low` down, H1 from `high` up.
    normalised_elo, normalised_elo_halfwidth: with half of the 95 % interval, which ignores that
        the test chose when to stop; None while all pairs have the same points.
    accepted: "H0", "H1", or None while undecided.
    """

    elo0: float
    elo1: float
    pairs: int
    pentanomial: tuple[int, ...]
    llr: float
    low: float
    high: float
    normalised_elo: float | None
    normalised_elo_halfwidth: float | None
    accepted: str | None


@dataclass(frozen=True)
class Sprt:
    """A test of H0, a normalised Elo of `elo0` or less, against H1, `elo1` or more.

    Raises:
        UsageError: bounds that are not ascending or beyond ±MOST_ELO, or a chance out of range.
    """

    elo0: float
    elo1: float
    alpha: float = option(0.05, "chance to accept H1 where H0 is true", above=0, below=0.5)
    beta: float = option(0.05, "chance to accept H0 where H1 is true", above=0, below=0.5)

    def __post_init__(self) -> None:
        if not -MOST_ELO <= self.elo0 < self.elo1 <= MOST_ELO:
            raise UsageError(
                f"ELO0 of --sprt must be below ELO1, both from {-MOST_ELO:g} to {MOST_ELO:g}, "
                f"not {self.elo0:g} and {self.elo1:g}"
            )
        check(self)

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios at which H0 and H1 are accepted, in nats."""
        low = math.log(self.beta / (1 - self.alpha))
        return low, math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: np.ndarray) -> np.ndarray:
        """Return the log-likelihood ratio of H1 to H0, in nats, of counts [..., 5]: float64[...].

        The ratio of one row doesn't depend on the other rows.
        """
        counts = np.where(counts > 0, counts, UNSEEN)
        shares = counts / counts.sum(axis=-1, keepdims=True)
        fits = [likeliest(shares, elo / ELO_PER_DEVIATION) for elo in (self.elo0, self.elo1)]
        return (counts * np.log(fits[1] / fits[0])).sum(axis=-1)

    def result(self, outcomes: Sequence[int]) -> SprtResult:
        """Test after each pair in turn; pairs after the decision don't count.

        `outcomes` are the first player's points of each pair, times two: 0 … 4.
        """
        counts = np.cumsum(np.eye(5, dtype=np.int64)[list(outcomes)], axis=0)
        ratios = self.llr(counts)
        low, high = self.bounds
        decided = np.flatnonzero((ratios <= low) | (ratios >= high))
        last = decided[0] if len(decided) else len(counts) - 1
        at_end = counts[last] if len(counts) else np.zeros(5, np.int64)
        ratio = float(ratios[last]) if len(counts) else 0.0
        elo, halfwidth = normalised_elo(at_end)
        accepted = ("H1" if ratio > 0 else "H0") if len(decided) else None
        return SprtResult(
            self.elo0, self.elo1, int(at_end.sum()), tuple(at_end.tolist()),
            ratio, low, high, elo, halfwidth, accepted,
        )  # fmt: skip


def normalised_elo(counts: np.ndarray) -> tuple[float, float] | tuple[None, None]:
    """Return the normalised Elo of counts [5] and half of its 95 % interval, or None for both.

    The interval is by the delta method, from the influence of each pair on mean / deviation.
    """
    if np.count_nonzero(counts) < 2:
        return None, None
    shares = counts / counts.sum()
    mean = shares @ SHARES
    deviation = math.sqrt(shares @ (SHARES - mean) ** 2)
    standard, ratio = (SHARES - mean) / deviation, (mean - 0.5) / deviation
    influence = standard - ratio / 2 * (standard**2 - 1)
    error = math.sqrt(shares @ influence**2 / counts.sum())
    return float(ratio * ELO_PER_DEVIATION), Z95 * error * ELO_PER_DEVIATION


def likeliest(shares: np.ndarray, ratio: float) -> np.ndarray:
    """Return the likeliest distributions whose (mean − ½) / deviation is `ratio`: float64[..., 5].

    `shares` are those of a sample: float64[..., 5], with sum 1, above 0 at both ends. At the
    maximum the fit is shares / (1 + θ g). The gradient g of the condition depends on the moments
    of the fit, so both are found in turn.
    """
    fit = np.full_like(shares, 0.2)
    for _ in range(MOST_ROUNDS):
        mean = (fit * SHARES).sum(axis=-1, keepdims=True)
        deviation = np.sqrt((fit * (SHARES - mean) ** 2).sum(axis=-1, keepdims=True))
        standard = (SHARES - mean) / deviation
        gradient = SHARES - 0.5 - ratio / 2 * deviation * (1 + standard**2)
        new = shares / (1 + _multiplier(shares, gradient) * gradient)
        is_open = np.abs(new - fit).max(axis=-1, keepdims=True) > 1e-10
        fit = np.where(is_open, new, fit)
        if not is_open.any():
            break
    return fit


def _multiplier(shares: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Find θ with Σ shares g / (1 + θ g) = 0 [..., 1]: Newton's method, kept between two ends."""
    ends = np.zeros_like(shares)  # beyond which a probability is above 1
    np.divide(shares - 1, gradient, out=ends, where=gradient != 0)
    low = np.where(gradient > 0, ends, -np.inf).max(axis=-1, keepdims=True)
    high = np.where(gradient < 0, ends, np.inf).min(axis=-1, keepdims=True)
    theta = np.zeros_like(low)
    for _ in range(MOST_STEPS):
        scaled = gradient / (1 + theta * gradient)
        surplus = (shares * scaled).sum(axis=-1, keepdims=True)
        low, high = np.where(surplus > 0, theta, low), np.where(surplus > 0, high, theta)
        new = theta + surplus / (shares * scaled**2).sum(axis=-1, keepdims=True)
        new = np.where((low < new) & (new < high), new, (low + high) / 2)
        is_open = np.abs(new - theta) > 1e-13
        theta = np.where(is_open, new, theta)
        if not is_open.any():
            break
    return theta
