"""Which pair tells most: known cases, and that it finds the best more often than a round robin."""

from itertools import combinations

import numpy as np
import pytest

from benchmarks.league import simulate
from tests.unit.tournament.test_rating import match
from tournament.ratings.bradley_terry import rate
from tournament.ratings.informative import most_informative


def chosen(games, names="abcd", playing=None, under_way=()) -> set[str]:
    return set(most_informative(rate(names, games), playing or set(names), under_way))


def test_close_ratings_tell_more_than_distant_ones():
    games = match("a", "b", 4, 4) + match("b", "c", 7, 1) + match("a", "c", 7, 1)
    assert chosen(games, "abc") == {"a", "b"}


def test_wide_intervals_tell_more_than_narrow_ones():
    games = match("a", "b", 40, 40) + match("c", "d", 1, 1) + match("b", "c", 3, 3)
    assert "d" in chosen(games)


def test_what_is_under_way_is_reckoned_with():
    games = [game for pair in combinations("abcd", 2) for game in match(*pair, 1, 1)]
    first = tuple(sorted(chosen(games)))
    second = tuple(sorted(chosen(games, under_way=[first])))
    assert second != first
    assert set(chosen(games, under_way=[first, second])) not in (set(first), set(second))


def test_only_those_who_play_are_chosen():
    games = match("a", "b", 4, 4) + match("b", "c", 7, 1) + match("a", "c", 7, 1)
    assert chosen(games, "abc", playing={"a", "c"}) == {"a", "c"}


@pytest.mark.slow
def test_the_best_is_found_more_often_and_the_intervals_still_hold():
    balanced, informative = (
        np.mean([simulate(seed, 8, 4, informative=kind) for seed in range(120)], axis=0)
        for kind in (False, True)
    )
    assert informative[0] >= balanced[0], "the best comes first"
    assert informative[1] < 0.9 * balanced[1], "ranks are wrong by less"
    assert 0.93 <= informative[3] <= 0.97, "intervals cover the truth"
