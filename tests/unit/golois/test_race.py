"""The race of a root's moves: mctx's visits, choices and policies, and an exact budget."""

import json
from functools import partial

import numpy as np
import pytest

from golois.errors import ArgumentError
from golois.games.game import Game, after_moves
from golois.games.rules import Go, Hex, NoGo
from golois.search.options import RaceOptions, SearchOptions
from golois.search.tree import Tree
from tests.fake_network import asked_singly, decided, hashed, uniform
from tests.mctx_races import GOLDEN, NUM_POINTS, bandits, races
from tests.reference_race import Arms, PlainRace, best_arm, considered_visits, softmax

AS_IT_IS = SearchOptions(random_symmetry=False)
GAMES = (
    Go(5, komi=0.5, max_moves=12),
    Go(5, komi=24.0, planes="zero"),
    Go(4, passes="arena"),
    NoGo(5),
    NoGo(3),
    Hex(5),
    Hex(3, swap=True),
)


def recorded() -> dict:
    return json.loads(GOLDEN.read_text())


def network_of(case, planes):
    """A bandit of NoGo: every position has the value of the first move after the opening."""
    num_stones = planes[0, ..., :2].sum()
    num_moves = int(num_stones) - len(case["opening"])
    if num_moves == 0:
        policy, value_white = case["policy"], case["value_white"]
    else:
        ago = 2 * (num_moves - 1)  # the planes of the position after the first move
        occupied = planes[0, ..., ago : ago + 2].sum(axis=-1).ravel()
        (move,) = set(np.flatnonzero(occupied)) - set(case["opening"])
        policy, value_white = np.full(NUM_POINTS, 1 / NUM_POINTS), case["values_white"][move]
    return np.array([policy], np.float32), np.array([value_white], np.float32)


def run(case, noise) -> tuple[list[int], int, np.ndarray]:
    tree = Tree(after_moves(NoGo(5, planes="zero"), case["opening"]), options=AS_IT_IS)
    options = RaceOptions(case["num_considered"], case["c_visit"], case["c_scale"])
    evaluate = partial(network_of, case)
    noise = np.append(noise, 0)
    move = tree.race(evaluate, case["num_simulations"], options, noise)
    policy, _ = tree.improved_policy()
    return tree.visits()[:-1].tolist(), move, policy[:-1]


@pytest.mark.parametrize("number", range(20))
def test_a_race_is_that_of_mctx(number):
    case = recorded()["bandits"][number]
    visits, move, policy = run(case, case["noise"])
    assert visits == case["visits"] and move == case["move"]
    np.testing.assert_allclose(policy, case["improved_policy"], rtol=0, atol=1e-6)


def test_the_bandits_are_those_that_mctx_was_given():
    for case, known in zip(bandits(), recorded()["bandits"], strict=True):
        assert case.items() <= known.items()


@pytest.mark.slow
def test_mctx_still_runs_the_same_races():
    pytest.importorskip("mctx")
    known = recorded()
    for name, cases in races().items():
        for case, expected in zip(cases, known[name], strict=True):
            assert case.keys() == expected.keys()
            for key in case:
                assert np.allclose(case[key], expected[key], rtol=0, atol=1e-12)


def schedule_of(num_simulations, num_considered, size=5) -> list[int]:
    """How many playouts of the race each move had had when it got the next one."""
    tree = Tree(Game(NoGo(size, planes="zero")), options=AS_IT_IS)
    evaluate = partial(uniform, policy_size=size * size)
    tree.search(evaluate, 1)
    tree.start_race(RaceOptions(num_considered))
    planes = np.empty((1, *tree.planes_shape), np.float32)
    schedule = []
    for num_left in range(num_simulations, 0, -1):
        before = tree.visits()
        if tree.select_race(planes, num_left):
            tree.apply(*evaluate(planes))
        schedule.append(int(before[np.flatnonzero(tree.visits() - before)[0]]))
    return schedule


@pytest.mark.parametrize("row", range(8))
def test_schedules_are_those_of_mctx(row):
    known = recorded()["schedules"][row]
    num_simulations, num_considered = known["num_simulations"], known["num_considered"]
    assert considered_visits(num_considered, num_simulations) == known["visits"]
    assert schedule_of(num_simulations, num_considered) == known["visits"]


@pytest.mark.parametrize("num_simulations", [1, 3, 16, 33, 80])
@pytest.mark.parametrize("rules", GAMES, ids=str)
@pytest.mark.parametrize("network", [hashed, decided])
def test_a_race_in_a_tree_is_that_of_plain_python(network, rules, num_simulations):
    game, race = Game(rules), RaceOptions(8, 20.0, 0.5)
    evaluate = partial(network, policy_size=game.policy_size)
    rng = np.random.default_rng(num_simulations)
    for _ in range(3):
        noise = rng.gumbel(size=game.pass_point + 1)
        plain = PlainRace(game, asked_singly(evaluate), AS_IT_IS, race, noise)
        plain.run(num_simulations)
        tree = Tree(game, options=AS_IT_IS)
        move = tree.race(evaluate, num_simulations, race, noise)
        assert tree.visits()[plain.moves].tolist() == plain.arms().visits.tolist()
        assert move == plain.winner() and tree.num_visits == num_simulations + 1
        policy, value = tree.improved_policy()
        np.testing.assert_allclose(policy[plain.moves], plain.policy(), rtol=0, atol=1e-5)
        assert value == pytest.approx(plain.policy() @ plain.arms().completed_values(), abs=1e-5)
        assert policy.sum() == pytest.approx(1)
        game.play(move)
        if game.is_over:
            break


class Counting:
    """A network that counts what it evaluates."""

    def __init__(self, policy_size):
        self.policy_size, self.num_rows = policy_size, 0

    def __call__(self, planes):
        self.num_rows += len(planes)
        return hashed(planes, self.policy_size)


@pytest.mark.parametrize("num_simulations", [1, 15, 16, 64])
def test_so_many_simulations_are_so_many_evaluations_and_the_roots(num_simulations):
    network = Counting(81)
    tree = Tree(Game(NoGo(9)), options=SearchOptions(cache_positions=0))
    tree.race(network, num_simulations)
    assert network.num_rows == num_simulations + 1
    assert tree.visits().sum() == num_simulations


@pytest.mark.parametrize("batch_size", [2, 8, 64])
def test_a_batch_ends_where_moves_drop_out(batch_size):
    """So a race in batches gives the moves the same numbers of visits, the best one most."""
    tree = Tree(Game(NoGo(5)), options=AS_IT_IS)
    evaluate = partial(hashed, policy_size=25)
    tree.search(evaluate, 1)
    tree.start_race(RaceOptions(16))
    planes = np.empty((batch_size, *tree.planes_shape), np.float32)
    while (num_left := 65 - tree.num_visits) > 0:
        if num_rows := tree.select_race(planes, num_left):
            tree.apply(*evaluate(planes[:num_rows]))
    visits = tree.visits()
    assert sorted(visits[visits > 0].tolist()) == 8 * [1] + 4 * [3] + 2 * [7] + 2 * [15]
    assert visits[tree.race_winner()] == 15


def test_visits_from_before_count_in_values_alone():
    tree = Tree(Game(NoGo(5)), options=AS_IT_IS)
    evaluate = partial(hashed, policy_size=25)
    tree.search(evaluate, 40, batch_size=1)
    before = tree.visits()
    tree.race(evaluate, 16, RaceOptions(16))
    assert sorted((tree.visits() - before).tolist()) == 10 * [0] + 16 * [1]


def uniform_25(planes):
    return uniform(planes, 25)


def test_calls_out_of_turn_are_refused():
    tree = Tree(Game(NoGo(5)), options=AS_IT_IS)
    planes = np.empty((2, *tree.planes_shape), np.float32)
    with pytest.raises(ArgumentError, match="no evaluation"):
        tree.start_race()
    tree.search(uniform_25, 1)
    for call in (tree.race_winner, tree.improved_policy, lambda: tree.select_race(planes, 4)):
        with pytest.raises(ArgumentError, match="there is no race"):
            call()
    for noise in (np.zeros(25), np.full(26, np.nan)):
        with pytest.raises(ArgumentError, match="noise must be 26 finite numbers"):
            tree.start_race(noise=noise)
    tree.start_race()
    with pytest.raises(ArgumentError, match="a playout that is left"):
        tree.select_race(planes, 0)
    assert tree.select_race(planes, 4) == 2
    with pytest.raises(ArgumentError, match="call apply"):
        tree.select_race(planes, 4)
    with pytest.raises(ArgumentError, match="sum to 1"):
        tree.apply(np.zeros((2, 25), np.float32), np.zeros(2, np.float32))
    assert tree.is_consistent()
    with pytest.raises(ArgumentError, match="there is no race"):
        tree.select_race(planes, 4)
    tree.start_race()
    tree.advance(12)
    with pytest.raises(ArgumentError, match="there is no race"):
        tree.race_winner()


@pytest.mark.parametrize("options", [{"num_considered": 1}, {"c_visit": -1}, {"c_scale": np.inf}])
def test_options_are_checked(options):
    with pytest.raises(ArgumentError, match=next(iter(options))):
        RaceOptions(**options)


def chosen_minus_expected(num_simulations, with_noise, trials=400) -> np.ndarray:
    """For each trial the value of the arm chosen, less the policy's expected value."""
    rng = np.random.default_rng(7)
    options, gains = RaceOptions(), np.empty(trials)
    for trial in range(trials):
        priors = softmax(rng.normal(0, 2, 200))
        values = rng.uniform(-1, 1, 200)
        values[np.argmax(priors)] = -1.0  # what the policy likes best is bad
        noise = rng.gumbel(size=200) if with_noise else np.zeros(200)
        arms = Arms(priors, np.zeros(200, int), values, float(priors @ values))
        for count in considered_visits(16, num_simulations):
            arms.visits[best_arm(arms, noise, count, options)] += 1
        chosen = best_arm(arms, noise, arms.visits.max(), options)
        gains[trial] = values[chosen] - priors @ values
    return gains


@pytest.mark.parametrize("num_simulations", [2, 16])
def test_the_choice_improves_on_the_policy(num_simulations):
    """E[value of the choice] > E[value under the policy], also with fewer playouts than moves."""
    gains = chosen_minus_expected(num_simulations, with_noise=True)
    assert gains.mean() > 3 * gains.std() / np.sqrt(len(gains))


def test_one_simulation_is_a_draw_from_the_policy_itself():
    gains = chosen_minus_expected(1, with_noise=True)
    assert abs(gains.mean()) < 3 * gains.std() / np.sqrt(len(gains))


def test_without_noise_few_simulations_do_not_improve_on_a_policy_that_is_wrong():
    """So the noise is what the two tests above owe their result to."""
    gains = chosen_minus_expected(1, with_noise=False, trials=200)
    assert gains.mean() < -3 * gains.std() / np.sqrt(len(gains))


def test_unknown_values_are_completed_by_what_is_known():
    """The root's own value 0.1 once, and the mean 0.2·(2/3) + 0.5·(1/3) of the visited, 4 times."""
    arms = Arms(
        priors=np.array([0.4, 0.2, 0.4]),
        visits=np.array([3, 1, 0]),
        values=np.array([0.2, 0.5, np.nan]),
        own_value=0.1,
    )
    values = arms.completed_values()
    np.testing.assert_allclose(values, [0.2, 0.5, (0.1 + 4 * 0.3) / 5], rtol=1e-6)
    logits = arms.improved_logits(RaceOptions(c_visit=50, c_scale=0.1))
    np.testing.assert_allclose(logits, np.log(arms.priors) + 53 * 0.1 * (1 + values) / 2)
