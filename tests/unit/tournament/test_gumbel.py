"""The gumbel player: exact budgets, noise by seed and position, values that outweigh priors."""

import numpy as np
import pytest

from golois.constants import NUM_PLANES, NUM_POINTS
from golois.go.board import Board
from golois.search.options import SearchOptions
from tests.fake_arena import FakeClock, FakeEvaluator, arena_game
from tests.fake_network import uniform
from tournament.errors import OptionsError
from tournament.players.gumbel import GumbelOptions, GumbelPlayer
from tournament.players.limits import Limits


def player(evaluator=None, seed=3, limits=None, **options) -> GumbelPlayer:
    evaluator, limits = evaluator or FakeEvaluator(uniform), limits or Limits(visits=64)
    search = SearchOptions(random_symmetry=False)
    return GumbelPlayer(evaluator, search, GumbelOptions(**options), limits, seed)


@pytest.mark.parametrize("batch_size", [1, 8])
@pytest.mark.parametrize("visits", [1, 2, 17, 64, 100])
def test_visits_are_kept_to_exactly_through_a_game(visits, batch_size):
    board = Board()
    one = player(FakeEvaluator(uniform, batch_size), limits=Limits(visits=visits))
    for _ in range(4):
        choice = one.choose(arena_game(board))
        assert choice.num_visits == visits
        board.play(choice.point)


def test_noise_is_drawn_by_seed_and_position():
    drawn = [
        player(seed=seed, noise=True).choose(arena_game()).point for seed in [*range(20), 0, 1]
    ]
    assert drawn[-2:] == drawn[:2] and len(set(drawn)) > 10
    assert len({player(seed=seed).choose(arena_game()).point for seed in range(5)}) == 1


def black_falls_into_60(planes):
    """Nine tenths of the policy on a point where a black stone loses the game."""
    policy, value = uniform(planes)
    policy[:] = 0.1 / 360
    policy[:, 60] = 0.9
    black_to_play, own, opponents = planes.reshape(-1, NUM_POINTS, NUM_PLANES)[:, 60, [0, 11, 12]].T
    value[np.where(black_to_play, own, opponents) > 0] = 1.0
    return policy, value


def test_the_value_of_a_move_outweighs_its_prior_and_the_choice_is_valued_by_it():
    choice = player(FakeEvaluator(black_falls_into_60)).choose(arena_game())
    assert choice.point != 60
    assert choice.value_white == pytest.approx(0.5, abs=1e-3)


def test_a_slow_network_stays_within_the_clock():
    clock = FakeClock()
    slow = GumbelPlayer(
        FakeEvaluator(clock=clock, cpu_seconds=0.004),
        SearchOptions(),
        GumbelOptions(),
        Limits(seconds=0.2),
        clock=clock,
    )
    slow.warm_up()
    board = Board()
    for _ in range(2):
        choice = slow.choose(arena_game(board))
        board.play(choice.point)
        assert 0.2 - 2 * 0.004 < choice.cpu_seconds < 0.2 + 1e-9


@pytest.mark.parametrize("options", [{"num_considered": 1}, {"c_visit": -1}, {"c_scale": np.inf}])
def test_options_are_checked(options):
    with pytest.raises(OptionsError):
        GumbelOptions(**options)
