"""Sequential halving keeps its budget, and Gumbel search improves on the policy it is given."""

import numpy as np
import pytest

from golois.board import Board
from golois.search import RootMoves, SearchOptions
from golois.shapes import NUM_PLANES, NUM_POINTS
from tests.fake_arena import FakeClock, FakeEvaluator
from tests.fake_network import uniform
from tournament.errors import OptionsError
from tournament.players.gumbel import (
    GumbelOptions,
    GumbelPlayer,
    completed_values,
    improved_logits,
)
from tournament.players.halving import sequential_halving
from tournament.players.limits import Limits


class ExactBandit:
    """Arms whose values are exact after one pull, scored as the root's moves are."""

    def __init__(self, priors, values, num_pulls, noise=0.0):
        self.pulls: list[tuple[int, int]] = []
        self._left = num_pulls
        self._values = values
        self._noise = noise
        num_arms = len(priors)
        unknown = np.full(num_arms, np.nan, np.float32)
        self.moves = RootMoves(np.arange(num_arms), priors, np.zeros(num_arms, np.int32), unknown)
        self._own_value = float(priors @ values)

    def scores(self):
        visits, seen = self.moves.visits, self.moves.visits > 0
        root_sum = self._own_value + visits[seen] @ self._values[seen]
        values = completed_values(self.moves, root_sum / (1 + visits.sum()))
        return self._noise + improved_logits(self.moves, values, GumbelOptions())

    def pulls_left(self):
        return self._left

    def pull(self, arm, num_pulls):
        num_pulls = min(num_pulls, self._left)
        if num_pulls:
            self._left -= num_pulls
            self.pulls.append((arm, num_pulls))
            self.moves.visits[arm] += num_pulls
            self.moves.values_to_play[arm] = self._values[arm]


def softmax(logits):
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def random_bandit(rng, num_pulls, num_arms=200) -> ExactBandit:
    priors = softmax(rng.normal(0, 2, num_arms)).astype(np.float32)
    return ExactBandit(priors, rng.uniform(-1, 1, num_arms), num_pulls)


@pytest.mark.parametrize(
    "num_pulls, rounds",
    [
        (64, [16 * [1], 8 * [2], 4 * [4], 2 * [8]]),
        (32, [16 * [1], 8 * [1], 4 * [1], 2 * [2]]),
        (800, [[13] * 8 + [12] * 8, 8 * [25], 4 * [50], 2 * [100]]),
        (5, [5 * [1]]),
        (1, [[1]]),
        (0, []),
    ],
)
def test_the_race_of_16_spends_every_pull_and_no_more(num_pulls, rounds):
    bandit = random_bandit(np.random.default_rng(0), num_pulls)
    winner = sequential_halving(bandit, 16)
    assert [times for _, times in bandit.pulls] == [times for shares in rounds for times in shares]
    assert bandit.pulls_left() == 0
    if rounds:
        assert winner in {arm for arm, _ in bandit.pulls[-len(rounds[-1]) :]}


@pytest.mark.parametrize("num_pulls", range(70))
def test_any_budget_is_kept_exactly(num_pulls):
    bandit = random_bandit(np.random.default_rng(num_pulls), num_pulls, num_arms=30)
    sequential_halving(bandit, 16)
    assert sum(times for _, times in bandit.pulls) == num_pulls


def chosen_minus_expected(num_pulls, with_noise, trials=1000) -> np.ndarray:
    """For each trial the value of the arm chosen, less the policy's expected value."""
    rng = np.random.default_rng(7)
    gains = np.empty(trials)
    for trial in range(trials):
        priors = softmax(rng.normal(0, 2, 200)).astype(np.float32)
        values = rng.uniform(-1, 1, 200)
        values[np.argmax(priors)] = -1.0  # what the policy likes best is bad
        noise = rng.gumbel(size=200) if with_noise else 0.0
        bandit = ExactBandit(priors, values, num_pulls, noise)
        gains[trial] = values[sequential_halving(bandit, 16)] - priors @ values
    return gains


@pytest.mark.parametrize("num_pulls", [2, 4, 16, 50])
def test_the_choice_improves_on_the_policy(num_pulls):
    """E[value of the choice] > E[value under the policy], also with fewer pulls than arms."""
    gains = chosen_minus_expected(num_pulls, with_noise=True)
    assert gains.mean() > 3 * gains.std() / np.sqrt(len(gains))


def test_one_pull_is_a_draw_from_the_policy_itself():
    gains = chosen_minus_expected(1, with_noise=True)
    assert abs(gains.mean()) < 3 * gains.std() / np.sqrt(len(gains))


def test_without_noise_few_pulls_do_not_improve_on_a_policy_that_is_wrong():
    """So the noise is what the two tests above owe their result to."""
    gains = chosen_minus_expected(1, with_noise=False, trials=200)
    assert gains.mean() < -3 * gains.std() / np.sqrt(len(gains))


def test_unknown_values_are_completed_by_what_is_known():
    """The root's own value 0.1 once, and the mean 0.2·(2/3) + 0.5·(1/3) of the visited, 4 times."""
    moves = RootMoves(
        points=np.arange(3),
        priors=np.array([0.4, 0.2, 0.4], np.float32),
        visits=np.array([3, 1, 0], np.int32),
        values_to_play=np.array([0.2, 0.5, np.nan], np.float32),
    )
    values = completed_values(moves, root_value_to_play=(0.1 + 3 * 0.2 + 0.5) / 5)
    np.testing.assert_allclose(values, [0.2, 0.5, (0.1 + 4 * 0.3) / 5], rtol=1e-6)
    logits = improved_logits(moves, values, GumbelOptions(c_visit=50, c_scale=0.1))
    np.testing.assert_allclose(logits, np.log(moves.priors) + 53 * 0.1 * (1 + values) / 2)


def test_a_root_without_visits_has_the_value_of_its_evaluation():
    unknown = np.full(2, np.nan, np.float32)
    moves = RootMoves(np.arange(2), np.array([1.0, 0.0], np.float32), np.zeros(2, int), unknown)
    assert completed_values(moves, -0.3).tolist() == [-0.3, -0.3]
    assert np.isfinite(improved_logits(moves, np.zeros(2), GumbelOptions())).all()


def player(evaluator=None, seed=3, limits=None, **options) -> GumbelPlayer:
    evaluator, limits = evaluator or FakeEvaluator(uniform), limits or Limits(visits=64)
    search = SearchOptions(random_symmetry=False)
    return GumbelPlayer("Ada", evaluator, search, GumbelOptions(**options), limits, seed)


@pytest.mark.parametrize("batch_size", [1, 8])
@pytest.mark.parametrize("visits", [1, 2, 17, 64, 100])
def test_visits_are_kept_to_exactly_through_a_game(visits, batch_size):
    board = Board()
    one = player(FakeEvaluator(uniform, batch_size), limits=Limits(visits=visits))
    for _ in range(4):
        choice = one.choose(board, 7.5)
        assert choice.num_visits == visits
        board.play(choice.point)


def test_noise_is_drawn_by_seed_and_position():
    drawn = [
        player(seed=seed, noise=True).choose(Board(), 7.5).point for seed in [*range(20), 0, 1]
    ]
    assert drawn[-2:] == drawn[:2] and len(set(drawn)) > 10
    assert len({player(seed=seed).choose(Board(), 7.5).point for seed in range(5)}) == 1


def black_falls_into_60(planes):
    """Nine tenths of the policy on a point where a black stone loses the game."""
    policy, value = uniform(planes)
    policy[:] = 0.1 / 360
    policy[:, 60] = 0.9
    black_to_play, own, opponents = planes.reshape(-1, NUM_POINTS, NUM_PLANES)[:, 60, [0, 11, 12]].T
    value[np.where(black_to_play, own, opponents) > 0] = 1.0
    return policy, value


def test_the_value_of_a_move_outweighs_its_prior_and_the_choice_is_valued_by_it():
    choice = player(FakeEvaluator(black_falls_into_60)).choose(Board(), 7.5)
    assert choice.point != 60
    assert choice.value_white == pytest.approx(0.5, abs=1e-3)


def test_a_slow_network_stays_within_the_clock():
    clock = FakeClock()
    slow = GumbelPlayer(
        "Ada",
        FakeEvaluator(clock=clock, cpu_seconds=0.004),
        SearchOptions(),
        GumbelOptions(),
        Limits(seconds=0.2),
        clock=clock,
    )
    slow.warm_up()
    board = Board()
    for _ in range(2):
        choice = slow.choose(board, 7.5)
        board.play(choice.point)
        assert 0.2 - 2 * 0.004 < choice.cpu_seconds < 0.2 + 1e-9


@pytest.mark.parametrize("options", [{"num_considered": 1}, {"c_visit": -1}, {"c_scale": np.inf}])
def test_options_are_checked(options):
    with pytest.raises(OptionsError):
        GumbelOptions(**options)
