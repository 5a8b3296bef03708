"""Which two should meet next: for the order of all, or for the rating of one player."""

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from tournament.ratings.bradley_terry import ELO_PER_NAT, Ratings


def most_informative(
    ratings: Ratings, playing: Collection[str], under_way: Iterable[tuple[str, str]]
) -> tuple[str, str]:
    """Return the two players whose next game pair promises most: close ratings, wide intervals.

    The promise is the variance of the ratings' difference, times the information of two games about
    it, times the probability that the order is wrong. Pairs under way are taken into account.

    Source: the first two factors are the gain of D-optimal design for one more observation,
    Fedorov, "Theory of Optimal Experiments" (1972); the third is the ranking's own.
    """
    information = _information(ratings)
    expected = _after(ratings, information, under_way)
    better = expected.superiority()
    gain = information * expected.difference_variance() * np.minimum(better, 1 - better)
    may_play = np.array([name in playing for name in ratings.names])
    gain[~(may_play[:, None] & may_play)] = -1
    np.fill_diagonal(gain, -1)
    i, j = np.unravel_index(gain.argmax(), gain.shape)
    return ratings.names[i], ratings.names[j]


def most_informative_opponent(
    ratings: Ratings, player: str, opponents: Collection[str], under_way: Iterable[tuple[str, str]]
) -> str:
    """Return the opponent whose next game pair takes most from the variance of a player's rating.

    Pairs under way are taken into account. Source: the gain of c-optimal design for one more
    observation, Fedorov, "Theory of Optimal Experiments" (1972).
    """
    information = _information(ratings)
    expected = _after(ratings, information, under_way)
    one = ratings.names.index(player)
    shared = expected.covariance[one, one] - expected.covariance[one]
    weight = information[one]
    gain = weight * shared**2 / (1 + weight * expected.difference_variance()[one])
    gain[[name not in opponents for name in ratings.names]] = -1
    return ratings.names[gain.argmax()]


def _information(ratings: Ratings) -> np.ndarray:
    """Return what two games tell about the difference of row and column: [n, n], in 1/Elo²."""
    win = 1 / (1 + 10 ** ((ratings.elo - ratings.elo[:, None]) / 400))
    return 2 * win * (1 - win) / ELO_PER_NAT**2


def _after(
    ratings: Ratings, information: np.ndarray, under_way: Iterable[tuple[str, str]]
) -> Ratings:
    """Return the ratings with the covariance after the pairs under way."""
    index = {name: i for i, name in enumerate(ratings.names)}
    covariance = ratings.covariance.copy()
    for one, other in under_way:
        i, j = index[one], index[other]
        column = covariance[:, i] - covariance[:, j]
        scale = information[i, j] / (1 + information[i, j] * (column[i] - column[j]))
        covariance -= scale * np.outer(column, column)
    return replace(ratings, covariance=covariance)
