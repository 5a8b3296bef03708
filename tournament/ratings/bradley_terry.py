"""Ratings of a league: one joint Bradley–Terry fit over all games, with honest uncertainty.

P(Black beats White) = 1 / (1 + exp(−(r_black − r_white + c))), c being what playing Black is worth.
The fit is a maximum a posteriori: `prior_games` virtual games against an average player keep the
undefeated and the winless finite. The order of the games has no influence.

Sources: Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952);
Hunter, "MM algorithms for generalized Bradley–Terry models", Annals of Statistics 32 (2004);
Coulom, "Bayesian Elo rating" (2005), for errors from the joint likelihood; MacKay, "Information
Theory, Inference, and Learning Algorithms" (2003), chapter 27, for the Laplace approximation.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from golois.errors import ArgumentError

ELO_PER_NAT = 400 / math.log(10)
Z95 = 1.959964
PRIOR_GAMES = 1.0
NUM_RANK_SAMPLES = 20_000
# The pair correlation is drawn towards 0 as if this many even, uncorrelated pairs had been seen.
PRIOR_PAIRS = 20
# Beyond this a rating's own digits drown those of the differences.
MAX_ANCHOR = 1e6


class RatedGame(Protocol):
    """What a rating needs to know of a game."""

    @property
    def black(self) -> str:
        """Black's name."""

    @property
    def white(self) -> str:
        """White's name."""

    @property
    def winner(self) -> str | None:
        """"black" or "white"; None for a draw, and where `kind` is "void"."""

    @property
    def kind(self) -> str:
        """"played"; "forfeit", a loss like any other; "void", which never counts."""

    @property
    def pair_id(self) -> str:
        """The same for two games with one opening and the colours swapped."""


@dataclass(frozen=True)
class Known:
    """A rating from other games, in Elo, with half of its 95 % interval, above 0."""

    elo: float
    halfwidth: float


@dataclass(frozen=True)
class Ratings:
    """Players from best to worst; every array is in that order.

    elo: float64[n]; without anchors and known ratings their mean is 0.
    covariance: float64[n, n], of `elo`, in Elo².
    elo_black, elo_black_halfwidth: what playing Black is worth, in Elo, and half its 95 % interval.
    pair_correlation: of the two results of a game pair beyond what ratings say, in [0, 1].
    """

    names: tuple[str, ...]
    elo: np.ndarray
    covariance: np.ndarray
    elo_black: float
    elo_black_halfwidth: float
    pair_correlation: float

    def among(self, names: Collection[str]) -> "Ratings":
        """Return the ratings of these players only."""
        kept = [place for place, name in enumerate(self.names) if name in names]
        return replace(
            self,
            names=tuple(self.names[place] for place in kept),
            elo=self.elo[kept],
            covariance=self.covariance[np.ix_(kept, kept)],
        )

    @property
    def elo_halfwidth(self) -> np.ndarray:
        """Half of each 95 % interval: float64[n], in Elo."""
        return Z95 * np.sqrt(np.diag(self.covariance))

    def difference_variance(self) -> np.ndarray:
        """Of row's rating less column's: float64[n, n], in Elo²."""
        variance = np.diag(self.covariance)
        return variance[:, None] + variance - 2 * self.covariance

    def superiority(self) -> np.ndarray:
        """Return P(row is better than column): float64[n, n], one half on the diagonal."""
        spread = np.sqrt(np.maximum(self.difference_variance(), 1e-12))
        z = (self.elo[:, None] - self.elo) / spread
        return 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(z / math.sqrt(2)))

    def expected_scores(self) -> np.ndarray:
        """Return each player's expected score against all others, with both colours: float64[n].

        In a whole round robin it is the share that was won, up to the weak prior.
        """
        difference = (self.elo[:, None] - self.elo) / ELO_PER_NAT
        colour = self.elo_black / ELO_PER_NAT
        wins = (_sigmoid(difference + colour) + _sigmoid(difference - colour)) / 2
        return (wins.sum(axis=1) - 0.5) / max(len(self.elo) - 1, 1)

    def rank_intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Draw and return the 2.5 % and 97.5 % quantiles of each rank, int64[n] each; 1 is best."""
        size = len(self.elo)
        if not size:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        draws = np.random.default_rng(0).multivariate_normal(
            self.elo, self.covariance, size=NUM_RANK_SAMPLES, method="eigh"
        )
        by_rank = np.argsort(-draws, axis=1)
        cells = by_rank * size + np.arange(size)
        counts = np.bincount(cells.ravel(), minlength=size * size).reshape(size, size)
        below = np.cumsum(counts, axis=1) / NUM_RANK_SAMPLES
        low, high = (1 + (below >= quantile).argmax(axis=1) for quantile in (0.025, 0.975))
        return low, high


def winrate_sigma(winrate: float, num_games: int) -> float:
    """Return a winrate's standard error sqrt(p (1 − p) / n), the course's sigma; 0 for no games."""
    return math.sqrt(winrate * (1 - winrate) / num_games) if num_games else 0.0


def wilson_interval(num_wins: float, num_games: int) -> tuple[float, float]:
    """Return the 95 % interval of a winrate, 0 … 1; it ignores game pairs and colours.

    A draw is half a win. It holds for few games too; no game leaves everything open.
    Source: Wilson, "Probable inference, the law of succession, and statistical inference", Journal
    of the American Statistical Association 22 (1927).
    """
    if not num_games:
        return 0.0, 1.0
    z2 = Z95**2
    centre = (num_wins + z2 / 2) / (num_games + z2)
    variance = num_wins * (num_games - num_wins) / num_games + z2 / 4
    halfwidth = Z95 * math.sqrt(variance) / (num_games + z2)
    share = num_wins / num_games  # which rounding must not leave outside
    return max(0.0, min(share, centre - halfwidth)), min(1.0, max(share, centre + halfwidth))


def share_gap_interval(
    num_wins: float, num_games: int, other_wins: float, other_games: int
) -> tuple[float, float]:
    """Return the 95 % interval of one winrate less another one of other games, −1 … 1.

    Source: method 10 of Newcombe, "Interval estimation for the difference between independent
    proportions", Statistics in Medicine 17 (1998), which takes both intervals from Wilson.
    """
    share, other = num_wins / num_games, other_wins / other_games
    low, high = wilson_interval(num_wins, num_games)
    other_low, other_high = wilson_interval(other_wins, other_games)
    gap = share - other
    return (
        gap - math.hypot(share - low, other_high - other),
        gap + math.hypot(high - share, other - other_low),
    )


def rate(
    names: Iterable[str],
    games: Iterable[RatedGame],
    *,
    prior_games: float = PRIOR_GAMES,
    anchors: Mapping[str, float] | None = None,
    known: Mapping[str, Known] | None = None,
) -> Ratings:
    """Rate all players by all games at once, in any order, without weighing games by date.

    A draw is half a win for both; void games are ignored. `prior_games` are virtual draws against
    an average player, above 0. `anchors` have the Elo of the scale; the mean error of several
    anchors is 0, and no anchor moves a rating against another. `known` are ratings from other
    games: they set the scale, without anchors, and the games change them within their errors.

    Raises:
        ArgumentError: a game, an anchor or a known player that isn't in `names`, an anchor beyond
            MAX_ANCHOR, anchors and known players, or a prior or an error that isn't positive.
    """
    if prior_games <= 0:
        raise ArgumentError(f"prior_games must be above 0, not {prior_games}")
    if anchors and known:
        raise ArgumentError("give anchors or known ratings, not both")
    players = sorted(set(names))
    prior = _Prior(players, prior_games, known or {})
    table = _Table(players, [game for game in games if game.kind != "void"])
    theta = _fit(table, prior)
    correlation = _pair_correlation(table, theta, prior)
    covariance = np.linalg.inv(
        table.information(theta) / (1 + correlation * table.paired_share)
        + prior.information(theta)
    )
    return _ranked(players, theta, covariance, correlation, anchors or {}, bool(known))


class _Prior:
    """Virtual draws for the colour and for each player; of a known rating its normal error."""

    def __init__(
        self, players: Sequence[str], prior_games: float, known: Mapping[str, Known]
    ) -> None:
        if unknown := known.keys() - set(players):
            raise ArgumentError(f"the known {min(unknown)!r} is not one of the players")
        if exact := [name for name, rating in known.items() if not rating.halfwidth > 0]:
            raise ArgumentError(f"expected a known rating's error above 0: {min(exact)} has not")
        self.games = prior_games
        self.mean, self.precision = np.zeros((2, len(players) + 1))
        for place, name in enumerate(players):
            if name in known:
                self.mean[place] = known[name].elo / ELO_PER_NAT
                self.precision[place] = (Z95 * ELO_PER_NAT / known[name].halfwidth) ** 2
        self.is_known = self.precision > 0

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Return the gradient of the log prior: float64[n + 1]; theta is as in `_Table`."""
        draws = self.games * (0.5 - _sigmoid(theta))
        return np.where(self.is_known, self.precision * (self.mean - theta), draws)

    def information(self, theta: np.ndarray) -> np.ndarray:
        """Return the negative Hessian of the log prior: float64[n + 1, n + 1], diagonal."""
        half = _sigmoid(theta)
        return np.diag(np.where(self.is_known, self.precision, self.games * half * (1 - half)))


class _Table:
    def __init__(self, players: Sequence[str], games: Sequence[RatedGame]) -> None:
        index = {name: i for i, name in enumerate(players)}
        unknown = {name for game in games for name in (game.black, game.white)} - index.keys()
        if unknown:
            raise ArgumentError(
                f"{min(unknown)!r} has a game, but is not one of the {len(index)} players"
            )
        self.size = len(players)
        self.black = np.array([index[game.black] for game in games], dtype=np.int64)
        self.white = np.array([index[game.white] for game in games], dtype=np.int64)
        points = {"black": 1.0, None: 0.5}
        self.score_black = np.array([points.get(game.winner, 0.0) for game in games], np.float64)
        self.pairs = _complete_pairs(games)
        self.paired_share = 2 * len(self.pairs) / max(len(games), 1)
        self.count = np.zeros((self.size, self.size))
        self.scored = np.zeros((self.size, self.size))
        np.add.at(self.count, (self.black, self.white), 1)
        np.add.at(self.scored, (self.black, self.white), self.score_black)

    def expected(self, theta: np.ndarray) -> np.ndarray:
        """Return P(row as Black beats column): float64[n, n]; theta is ratings, then colour."""
        ratings, colour = theta[:-1], theta[-1]
        return _sigmoid(ratings[:, None] - ratings + colour)

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Return the gradient of the log likelihood: float64[n + 1]."""
        surplus = self.scored - self.count * self.expected(theta)
        return np.append(surplus.sum(axis=1) - surplus.sum(axis=0), surplus.sum())

    def information(self, theta: np.ndarray) -> np.ndarray:
        """Return the negative Hessian of the log likelihood: float64[n + 1, n + 1]."""
        expected = self.expected(theta)
        weight = self.count * expected * (1 - expected)
        as_black, as_white = weight.sum(axis=1), weight.sum(axis=0)
        matrix = np.empty((self.size + 1, self.size + 1))
        matrix[:-1, :-1] = np.diag(as_black + as_white) - weight - weight.T
        matrix[:-1, -1] = matrix[-1, :-1] = as_black - as_white
        matrix[-1, -1] = weight.sum()
        return matrix


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 0.5 * (1 + np.tanh(0.5 * x))


def _fit(table: _Table, prior: _Prior) -> np.ndarray:
    """Maximise the strictly concave posterior by Newton's method, with steps of at most 1 nat."""
    theta = prior.mean.copy()
    for _ in range(200):
        gradient = table.gradient(theta) + prior.gradient(theta)
        information = table.information(theta) + prior.information(theta)
        step = np.linalg.solve(information, gradient)
        theta += step / max(1.0, np.abs(step).max())
        if np.abs(step).max() < 1e-10:
            break
    return theta


def _complete_pairs(games: Sequence[RatedGame]) -> np.ndarray:
    """Return the indices of the two games of each complete pair: int64[num_pairs, 2]."""
    members = defaultdict(list)
    for i, game in enumerate(games):
        if game.pair_id:
            members[game.pair_id].append(i)
    complete = [
        (i, j)
        for i, j in (pair for pair in members.values() if len(pair) == 2)
        if (games[i].black, games[i].white) == (games[j].white, games[j].black)
    ]
    return np.array(complete, dtype=np.int64).reshape(-1, 2)


def _pair_correlation(table: _Table, theta: np.ndarray, prior: _Prior) -> float:
    """Return how far a pair's two games agree beyond chance, 0 or more, which widens intervals.

    Source: the variance by pairs of the "pentanomial" model, Van den Bergh, "Normalized Elo",
    hardy.uhasselt.be/Fishtest; the covariance of residuals, McCullagh and Nelder, "Generalized
    Linear Models" (1989), chapter 12.
    """
    if not len(table.pairs):
        return 0.0
    first, second = table.pairs.T
    expected = table.expected(theta)[table.black, table.white]
    residual, weight = table.score_black - expected, expected * (1 - expected)
    covariance = np.linalg.inv(table.information(theta) + prior.information(theta))
    black, white = table.black[first], table.white[first]
    variance = np.diag(covariance)
    shared = variance[black] + variance[white] - 2 * covariance[black, white] - covariance[-1, -1]
    # The second term undoes what the fit takes from the residuals of the same players.
    agreement = -residual[first] * residual[second] + weight[first] * weight[second] * shared
    scale = np.sqrt(weight[first] * weight[second]).sum() + PRIOR_PAIRS / 4
    return float(np.clip(agreement.sum() / scale, 0.0, 1.0))


def _ranked(
    players: Sequence[str],
    theta: np.ndarray,
    covariance: np.ndarray,
    correlation: float,
    anchors: Mapping[str, float],
    is_on_scale: bool,
) -> Ratings:
    """Put the ratings on their scale, convert them to Elo and sort from best to worst."""
    size = len(players)
    if unknown := anchors.keys() - set(players):
        raise ArgumentError(f"the anchor {min(unknown)!r} is not one of the players")
    if far := [name for name, elo in anchors.items() if not abs(elo) <= MAX_ANCHOR]:
        raise ArgumentError(
            f"expected an anchor's rating within {MAX_ANCHOR:,.0f} Elo of 0: {min(far)} has "
            f"{anchors[min(far)]:g}; set another one with python -m tournament anchor"
        )
    may_move = not (anchors or is_on_scale)
    origin = np.array([may_move or name in anchors for name in players], dtype=float)
    origin /= max(origin.sum(), 1)
    centre = np.eye(size) - origin
    elo = ELO_PER_NAT * centre @ theta[:-1] + sum(anchors.values()) / max(len(anchors), 1)
    elo_covariance = ELO_PER_NAT**2 * centre @ covariance[:-1, :-1] @ centre.T
    order = sorted(range(size), key=lambda i: (-round(elo[i], 6), players[i]))
    return Ratings(
        names=tuple(players[i] for i in order),
        elo=elo[order],
        covariance=elo_covariance[np.ix_(order, order)],
        elo_black=ELO_PER_NAT * float(theta[-1]),
        elo_black_halfwidth=ELO_PER_NAT * Z95 * math.sqrt(covariance[-1, -1]),
        pair_correlation=correlation,
    )
