"""Players: exact budgets, trees that are kept, the clock, and networks that answer wrongly."""

import numpy as np
import pytest

from golois.constants import NUM_PLANES, NUM_POINTS, PASS
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE
from golois.search.tree import SearchOptions
from tests.fake_arena import FakeClock, FakeEvaluator, arena_game
from tests.fake_network import hashed, uniform, white_wins
from tournament.errors import NetworkError, OptionsError
from tournament.game.options import EventOptions
from tournament.players import PLAYERS, make_player
from tournament.players.gumbel import GumbelOptions, GumbelPlayer
from tournament.players.limits import Limits
from tournament.players.protocol import Player
from tournament.players.puct import PuctPlayer
from tournament.players.search import VISITS_PER_LEAF, Search

KOMI = 7.5
each_player = pytest.mark.parametrize("kind", PLAYERS)


def player(evaluator, seed=3, kind="puct", **limits) -> Player:
    return make_player(evaluator, EventOptions(player=kind, **limits), seed)


@each_player
def test_visits_are_kept_to_exactly_and_decide_everything(kind):
    players = [player(FakeEvaluator(), kind=kind, visits=30) for _ in range(2)]
    choices = [one.choose(arena_game()) for one in players]
    assert choices[0].num_visits == (1 if kind == "policy" else 30)
    assert choices[0].point == choices[1].point
    assert choices[0].value_white == choices[1].value_white


@each_player
def test_the_board_is_left_as_it_is(kind):
    board = Board()
    player(FakeEvaluator(), kind=kind, visits=10).choose(arena_game(board))
    assert board.num_moves == 0


@each_player
@pytest.mark.parametrize("num_moves", [0, 1])
def test_the_value_is_whites_whoever_is_to_play(num_moves, kind):
    board = Board()
    for _ in range(num_moves):
        board.play(60)
    sure = player(FakeEvaluator(white_wins), kind=kind, visits=20)
    choice = sure.choose(arena_game(board))
    assert choice.value_white == pytest.approx(0.9, abs=1e-3)


def test_the_tree_is_kept_between_moves():
    """With its subtree kept, the second move asks for fewer evaluations than a fresh player's."""
    board, evaluator = Board(), FakeEvaluator(uniform, batch_size=1)
    first = player(evaluator, visits=200)
    for _ in range(2):
        board.play(first.choose(arena_game(board)).point)
    calls_before = evaluator.num_calls
    first.choose(arena_game(board))
    fresh = FakeEvaluator(uniform, batch_size=1)
    player(fresh, visits=200).choose(arena_game(board))
    assert evaluator.num_calls - calls_before < fresh.num_calls <= 200


def test_leaves_share_a_batch_only_where_the_tree_has_visits_for_each():
    sizes = []

    def noted(planes):
        sizes.append(len(planes))
        return uniform(planes)

    small = 4 * VISITS_PER_LEAF
    without_cache = SearchOptions(cache_positions=0)
    one = player(FakeEvaluator(noted, batch_size=4), visits=small + 40, search=without_cache)
    assert one.choose(arena_game()).num_visits == sum(sizes) == small + 40
    assert sizes[:small] == small * [1] and min(sizes[small:-1]) > 1 and max(sizes) == 4


@each_player
def test_a_move_without_alternative_is_played_at_once(kind):
    board, evaluator = Board(), FakeEvaluator(batch_size=1)
    for point in range(NUM_POINTS):
        if point not in (20, 22):  # two eyes of one black chain are all that is left
            board.play_unchecked(point, BLACK)
    board.play_unchecked(PASS, WHITE)
    choice = player(evaluator, kind=kind, visits=500).choose(arena_game(board))
    assert choice.point == PASS
    assert evaluator.num_calls == 1


def test_another_game_or_komi_begins_another_tree():
    evaluator = FakeEvaluator(batch_size=1)
    used = player(evaluator, visits=20)
    board = Board()
    board.play(60)
    used.choose(arena_game(board))
    for other, komi in ((Board(), KOMI), (Board(), 0.5)):
        calls_before = evaluator.num_calls
        choice = used.choose(arena_game(other, komi))
        assert evaluator.num_calls - calls_before == 20
        fresh = player(FakeEvaluator(batch_size=1), visits=20)
        assert choice.point == fresh.choose(arena_game(other, komi)).point


@pytest.mark.parametrize("points", [[], [60, 72]])
def test_another_turn_begins_another_tree(points):
    """After a tree for Black, White is to play on the same board, or Black has moved twice."""
    used, board = player(FakeEvaluator(), visits=20), Board()
    used.choose(arena_game(board))
    for point in points:
        board.play(point, BLACK)
    board.to_play = WHITE
    choice = used.choose(arena_game(board))
    fresh = player(FakeEvaluator(), visits=20).choose(arena_game(board))
    assert (choice.point, choice.value_white) == (fresh.point, fresh.value_white)


def test_a_move_may_have_limits_of_its_own():
    search = Search(FakeEvaluator(), SearchOptions(), Limits(visits=8), 0, FakeClock())
    for limits, visits in ((Limits(visits=5), 5), (None, 8)):
        tree = search.begin(Board(), KOMI, limits)
        while num_playouts := search.playouts_left():
            search.run(num_playouts)
        assert tree.num_visits == visits


@pytest.mark.parametrize("cpu_seconds", [0.004, 0.03])
def test_a_slow_network_stays_within_the_clock(cpu_seconds):
    """The clock is CPU time: a batch that would pass the limit is not begun."""
    clock = FakeClock()
    evaluator = FakeEvaluator(clock=clock, cpu_seconds=cpu_seconds)
    slow = PuctPlayer(evaluator, SearchOptions(), Limits(seconds=0.2), clock=clock)
    slow.warm_up()
    board = Board()
    for _ in range(4):
        choice = slow.choose(arena_game(board))
        board.play(choice.point)
        assert 0.2 - 2 * cpu_seconds < choice.cpu_seconds < 0.2 + 1e-9


def test_a_small_tree_spends_its_time_leaf_by_leaf():
    """There is time for five leaves and not for a batch of eight."""
    elapsed = [0.0]

    def answer(planes):
        elapsed[0] += 0.01 * len(planes)
        return hashed(planes)

    limits = Limits(seconds=0.055)
    evaluator = FakeEvaluator(answer, batch_size=8)
    ada = PuctPlayer(evaluator, SearchOptions(), limits, clock=lambda: elapsed[0])
    ada.warm_up()
    choice = ada.choose(arena_game())
    assert choice.num_visits == 5
    assert choice.cpu_seconds == pytest.approx(0.05)


def test_a_network_slower_than_the_clock_gets_one_evaluation_and_the_overshoot_is_recorded():
    ticks = iter(range(1000))
    slow = PuctPlayer(
        FakeEvaluator(), SearchOptions(), Limits(seconds=0.5), clock=lambda: next(ticks)
    )
    choice = slow.choose(arena_game())
    assert choice.num_visits == 1
    assert choice.cpu_seconds > 0.5


@each_player
def test_a_pass_answers_a_pass_that_wins(kind):
    board = Board()
    board.play(60)
    board.play(PASS)
    assert player(FakeEvaluator(), kind=kind, visits=10).choose(arena_game(board)).point == PASS


def nan_policy(planes):
    policy, value = hashed(planes)
    return policy * np.nan, value


def nan_value(planes):
    policy, value = hashed(planes)
    return policy, value * np.nan


def logits(planes):
    policy, value = hashed(planes)
    return policy * 100, value


def negative(planes):
    policy, value = hashed(planes)
    policy[:, :2] += [[1, -1]]
    return policy, value


def value_out_of_range(planes):
    policy, value = hashed(planes)
    return policy, value + 1


def with_a_pass(planes):
    _, value = hashed(planes)
    return np.full((len(planes), NUM_POINTS + 1), 1 / (NUM_POINTS + 1), np.float32), value


def crash(planes):
    raise ZeroDivisionError("in a layer")


BAD_ANSWERS = (nan_policy, nan_value, logits, negative, value_out_of_range, with_a_pass, crash)


@each_player
@pytest.mark.parametrize("answer", BAD_ANSWERS)
def test_what_is_no_policy_or_no_value_is_the_networks_fault(answer, kind):
    with pytest.raises(NetworkError):
        player(FakeEvaluator(answer), kind=kind, visits=10).choose(arena_game())


@pytest.mark.parametrize(
    "limits", [{}, {"seconds": 1.0, "visits": 5}, {"visits": 0}, {"seconds": -1}]
)
def test_limits_are_checked(limits):
    with pytest.raises(OptionsError):
        Limits(**limits)


def racer(evaluator=None, seed=3, limits=None, **options) -> GumbelPlayer:
    evaluator, limits = evaluator or FakeEvaluator(uniform), limits or Limits(visits=64)
    search = SearchOptions(random_symmetry=False)
    return GumbelPlayer(evaluator, search, GumbelOptions(**options), limits, seed)


@pytest.mark.parametrize("batch_size", [1, 8])
@pytest.mark.parametrize("visits", [1, 2, 17, 64, 100])
def test_visits_are_kept_to_exactly_through_a_game(visits, batch_size):
    board = Board()
    one = racer(FakeEvaluator(uniform, batch_size), limits=Limits(visits=visits))
    for _ in range(4):
        choice = one.choose(arena_game(board))
        assert choice.num_visits == visits
        board.play(choice.point)


def test_noise_is_drawn_by_seed_and_position():
    drawn = [
        racer(seed=seed, noise=True).choose(arena_game()).point for seed in [*range(20), 0, 1]
    ]
    assert drawn[-2:] == drawn[:2] and len(set(drawn)) > 10
    assert len({racer(seed=seed).choose(arena_game()).point for seed in range(5)}) == 1


def black_falls_into_60(planes):
    """Nine tenths of the policy on a point where a black stone loses the game."""
    policy, value = uniform(planes)
    policy[:] = 0.1 / 360
    policy[:, 60] = 0.9
    black_to_play, own, opponents = planes.reshape(-1, NUM_POINTS, NUM_PLANES)[:, 60, [0, 11, 12]].T
    value[np.where(black_to_play, own, opponents) > 0] = 1.0
    return policy, value


def test_the_value_of_a_move_outweighs_its_prior_and_the_choice_is_valued_by_it():
    choice = racer(FakeEvaluator(black_falls_into_60)).choose(arena_game())
    assert choice.point != 60
    assert choice.value_white == pytest.approx(0.5, abs=1e-3)


def test_a_slow_network_stays_within_the_clock_of_the_race():
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
def test_options_of_the_race_are_checked(options):
    with pytest.raises(OptionsError):
        GumbelOptions(**options)
