"""Which two networks should meet next, so that the order of all becomes clear soonest."""

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
    index = {name: i for i, name in enumerate(ratings.names)}
    win = 1 / (1 + 10 ** ((ratings.elo - ratings.elo[:, None]) / 400))
    information = 2 * win * (1 - win) / ELO_PER_NAT**2
    covariance = ratings.covariance.copy()
    for one, other in under_way:
        i, j = index[one], index[other]
        column = covariance[:, i] - covariance[:, j]
        scale = information[i, j] / (1 + information[i, j] * (column[i] - column[j]))
        covariance -= scale * np.outer(column, column)
    expected = replace(ratings, covariance=covariance)
    better = expected.superiority()
    gain = information * expected.difference_variance() * np.minimum(better, 1 - better)
    may_play = np.array([name in playing for name in ratings.names])
    gain[~(may_play[:, None] & may_play)] = -1
    np.fill_diagonal(gain, -1)
    i, j = np.unravel_index(gain.argmax(), gain.shape)
    return ratings.names[i], ratings.names[j]
