"""A sequential test against an independent computation, in simulation, and in a match."""

from itertools import islice

import numpy as np
import pytest

from golois.kit.command import UsageError
from tests.fake_arena import record_of
from tournament.game.job import Entrant
from tournament.league.league import League
from tournament.ratings.sprt import ELO_PER_DEVIATION, SHARES, Sprt, likeliest, normalised_elo
from tournament.running.coordinator import play_plan
from tournament.running.schedule import pairings
from tournament.running.sequential import SequentialPlan, sprt_result
from tournament.running.views import QuietView

COUNTS = np.array([13, 37, 50, 25, 3])


def test_a_published_example_has_the_same_figures():
    """Source: montytest.muzhen.org/tests/stats/69d3c8dc7c5b3724e29d2712."""
    assert Sprt(0, 4).llr(COUNTS) == pytest.approx(-0.54912, abs=5e-6)
    assert Sprt(0, 4).bounds == pytest.approx((-2.9444, 2.9444), abs=5e-5)
    assert normalised_elo(COUNTS)[0] == pytest.approx(-63.97, abs=5e-3)


def searched(shares: np.ndarray, ratio: float) -> float:
    """The largest mean log-likelihood over a grid of deviations: mean and variance are given."""
    powers = np.vander(SHARES, 3, increasing=True).T
    found = []
    for deviation in np.linspace(0.05, 0.48, 431):
        mean = 0.5 + ratio * deviation
        moments, dual = np.array([1, mean, mean**2 + deviation**2]), np.array([1.0, 0, 0])
        for _ in range(60):  # Newton's method on the convex dual, p = shares / (dual · powers)
            fit = shares / (dual @ powers)
            hessian = (powers * (fit**2 / shares)) @ powers.T
            if np.linalg.cond(hessian) > 1e12:
                break  # no distribution has these moments
            step = np.linalg.solve(hessian, powers @ fit - moments)
            while ((dual + step) @ powers).min() <= 0:
                step /= 2
            dual = dual + step
            if np.abs(step).max() < 1e-9:
                found.append(shares @ np.log(shares / (dual @ powers)))
                break
    return max(found)


@pytest.mark.parametrize("elo", [-100, 30])
@pytest.mark.parametrize("counts", [COUNTS, [3, 2, 4, 3, 9], [20, 1, 50, 1, 14]])
def test_the_fit_is_the_likeliest_that_a_search_finds(counts, elo):
    shares, ratio = np.array(counts) / np.sum(counts), elo / ELO_PER_DEVIATION
    fit = likeliest(shares, ratio)
    mean = fit @ SHARES
    assert fit.sum() == pytest.approx(1)
    assert (mean - 0.5) / np.sqrt(fit @ (SHARES - mean) ** 2) == pytest.approx(ratio, abs=1e-7)
    assert shares @ np.log(fit) == pytest.approx(searched(shares, ratio), abs=1e-5)


@pytest.mark.parametrize("counts", [[0, 0, 0, 0, 1], [500, 0, 0, 0, 0], [0, 0, 90, 0, 0]])
def test_pairs_that_all_end_alike_have_a_finite_ratio_and_no_elo(counts):
    ratio, opposite = Sprt(0, 100).llr(np.array([counts, counts[::-1]]))
    assert np.isfinite([ratio, opposite]).all() and (ratio > 0) == (counts[4] > 0)
    assert normalised_elo(np.array(counts)) == (None, None)


@pytest.mark.parametrize("elo", [pytest.param(0, marks=pytest.mark.slow), 100])
def test_few_simulated_matches_end_in_the_wrong_decision(elo):
    sprt, rng = Sprt(0, 100, 0.1, 0.1), np.random.default_rng(elo)
    truth = likeliest(np.array([0.2, 0.05, 0.5, 0.05, 0.2]), elo / ELO_PER_DEVIATION)
    ends = [sprt.result(rng.choice(5, 150, p=truth).tolist()) for _ in range(30)]
    wrong = sum(end.accepted != ("H1" if elo else "H0") for end in ends)
    assert wrong <= 8, "0.2 % of all runs of 30 would have more"
    elos = [abs(end.normalised_elo - elo) < 3 * end.normalised_elo_halfwidth for end in ends]
    assert sum(elos) > 26


@pytest.mark.parametrize(
    ("bounds", "says"),
    [
        ((5, 5), "ELO0 of --sprt must be below ELO1"),
        ((-101, 0), "from -100 to 100"),
        ((0, float("nan")), "ELO0 of --sprt must be below ELO1"),
        ((0, 5, 0.5), "--alpha must be above 0, below 0.5"),
        ((0, 5, 0.05, 0), "--beta must be above 0, below 0.5"),
    ],
)
def test_bounds_and_chances_out_of_range_are_refused(bounds, says):
    with pytest.raises(UsageError, match=says):
        Sprt(*bounds)


SPRT = Sprt(0, 100)
JOBS = pairings([Entrant("Ada", "a"), Entrant("Eve", "b")], 50, 0, [(60,)])


def record(job):
    """Ada wins all games but every fourth as White."""
    ada = "black" if job.black == "Ada" else "white"
    loses = ada == "white" and job.round % 4 == 0
    return record_of(job, winner={"black": "white", "white": "black"}[ada] if loses else ada)


class Engine:
    """Plays `workers` pairs at a time, and ends them in the opposite order."""

    def __init__(self, workers: int, stop_after: int = 10_000):
        self._workers, self._left = workers, stop_after

    def play(self, pairs):
        waiting = iter(pairs)
        while under_way := list(islice(waiting, self._workers)):
            for job in [job for pair in reversed(under_way) for job in pair]:
                if not self._left:
                    raise KeyboardInterrupt
                self._left -= 1
                yield record(job)


def decided(folder, engine):
    league = League(folder)
    with league.coordinate():
        plan = SequentialPlan(league, JOBS, SPRT, "Ada")
        assert play_plan(league, plan, engine, QuietView()).given_up == ()
    return sprt_result(SPRT, JOBS, league.games.all(), "Ada")


def test_a_match_stops_at_its_decision_in_any_order_and_after_any_stop(tmp_path):
    whole = decided(tmp_path / "whole", Engine(1))
    assert (whole.accepted, whole.pentanomial[1::2]) == ("H1", (0, 0))
    assert League(tmp_path / "whole").games.count() == 2 * whole.pairs < len(JOBS)
    assert whole.low < whole.llr and whole.llr >= whole.high
    assert decided(tmp_path / "parallel", Engine(7)) == whole
    with pytest.raises(KeyboardInterrupt):
        decided(tmp_path / "stopped", Engine(3, stop_after=11))
    assert decided(tmp_path / "stopped", Engine(2)) == whole
    assert decided(tmp_path / "stopped", Engine(2, stop_after=0)) == whole, "nothing more"


def test_a_pair_counts_once_all_pairs_before_it_are_finished():
    games = [record(job) for job in JOBS[:8]]
    assert sprt_result(SPRT, JOBS, games, "Ada").pairs == 4
    assert sprt_result(SPRT, JOBS, games[:3] + games[4:], "Ada").pairs == 1
    assert sprt_result(SPRT, JOBS, [], "Ada").accepted is None
