"""Time in, playouts out: a player neither falls asleep nor overruns, whatever the clock does."""

from types import SimpleNamespace

import numpy as np
import pytest

from golois.constants import MAX_INT32
from golois.go.board import Board
from golois.search.tree import SearchOptions
from tests.fake_arena import FakeClock, FakeEvaluator, arena_game
from tests.fake_network import hashed, uniform
from tournament.errors import OptionsError
from tournament.game.options import EventOptions
from tournament.gtp import thinking
from tournament.gtp.clock import TimeSettings
from tournament.gtp.thinking import GtpOptions, Thinker
from tournament.players import make_player
from tournament.players.limits import Limits
from tournament.players.puct import PuctPlayer
from tournament.players.search import Search
from tournament.players.time_plan import BANK_MOVES, MIN_SAMPLE, MoveTime

SECONDS = 2.0
PLIES = range(722)


def plan(name: str, num_plies: int, is_decided: bool = False) -> float:
    return Limits(seconds=SECONDS, plan=name).seconds_of_move(num_plies, is_decided)


def test_a_plan_gives_each_move_the_same_or_the_middle_more():
    assert {plan("flat", ply, is_decided) for ply in PLIES for is_decided in (False, True)} == {2.0}
    seconds = [plan("middle", ply) for ply in PLIES]
    peak = int(np.argmax(seconds))
    assert 78 <= peak <= 80
    assert seconds[: peak + 1] == sorted(seconds[: peak + 1])
    assert seconds[peak:] == sorted(seconds[peak:], reverse=True)
    assert 2.2 < seconds[0] < 2.3 and 3.1 < seconds[80] < 3.2 and 1.4 < seconds[200] < 1.6
    assert plan("middle", 100, is_decided=True) == plan("middle", 100) / 4


@pytest.mark.parametrize("colour", [0, 1])
def test_a_game_takes_less_than_the_bank(colour):
    total = sum(plan("middle", ply) for ply in PLIES[colour::2])
    assert 0.95 * BANK_MOVES * SECONDS < total < BANK_MOVES * SECONDS


def player(answer, **limits) -> PuctPlayer:
    clock = FakeClock()
    evaluator = FakeEvaluator(answer, clock=clock, cpu_seconds=0.002)
    player = PuctPlayer(evaluator, SearchOptions(), Limits(**limits), clock=clock)
    player.warm_up()
    return player


def test_a_player_keeps_to_the_plan():
    choice = player(hashed, seconds=0.1, plan="middle").choose(arena_game())
    assert choice.budget_seconds == pytest.approx(0.1 * BANK_MOVES / 160)
    assert 0.8 < choice.cpu_seconds / choice.budget_seconds < 1 + 1e-9


def test_a_player_that_knows_the_winner_hurries():
    def black_wins(planes):
        policy, value = uniform(planes)
        return policy, np.zeros_like(value)

    board, ada = Board(), player(black_wins, seconds=0.1, plan="middle")
    first = ada.choose(arena_game(board))
    board.play(first.point)
    second = ada.choose(arena_game(board))
    whole = Limits(seconds=0.1, plan="middle").seconds_of_move(1, False)
    assert second.budget_seconds == pytest.approx(whole / 4)


@pytest.mark.parametrize(
    "options", [{"time_plan": "hasty"}, {"visits": 10, "time_plan": "middle"}], ids=str
)
def test_plans_are_checked(options):
    with pytest.raises(OptionsError, match="plan"):
        EventOptions(**options)


KOMI = 7.5
NUM_MOVES = 6
BATCH_SIZE = 2

each_budget = pytest.mark.parametrize("seconds", [0.01, 2.0])
each_kind = pytest.mark.parametrize("kind", ["puct", "gumbel"])
# What the clock does beside the evaluation, as a share of a move's budget.
each_jump = pytest.mark.parametrize("jump", [0.5, 60, -0.5, -60], ids="{:+}".format)


class Machine:
    """A network and a clock that jumps during one evaluation; every other one takes `cost`."""

    def __init__(self, cost: float, jump: float = 0.0, at_call: int | None = None):
        self.clock = FakeClock()
        self.clock.seconds = 1000.0
        self.evaluator = FakeEvaluator(self._answer, BATCH_SIZE)
        self.spent = 0.0  # what evaluations really took
        self._cost, self._jump, self._at_call = cost, jump, at_call

    def _answer(self, planes):
        self.spent += self._cost
        self.clock.seconds += self._cost
        if self.evaluator.num_calls == self._at_call:
            self.clock.seconds += self._jump
        return hashed(planes)

    def costs_of_moves(self, choose) -> list[float]:
        """What the evaluations of each move took, by `choose(board)`, which returns a Choice."""
        board, costs = Board(), []
        for _ in range(NUM_MOVES):
            before = self.spent
            choice = choose(board)
            assert choice.cpu_seconds >= 0
            costs.append(self.spent - before)
            board.play(choice.point)
        return costs


def arena_costs(machine: Machine, seconds: float, kind: str) -> list[float]:
    """What the moves of a game of the arena cost."""
    options = EventOptions(player=kind, seconds=seconds)
    ada = make_player(machine.evaluator, options, 3)
    ada._search._clock = machine.clock
    ada.warm_up()
    return machine.costs_of_moves(lambda board: ada.choose(arena_game(board)))


def gtp_costs(machine: Machine, seconds: float, monkeypatch, is_wall_time: bool) -> list[float]:
    """What the moves of a game over GTP cost, by its own limit or in byo-yomi."""
    readings = {"monotonic": machine.clock, "process_time": machine.clock}
    monkeypatch.setattr(thinking, "time", SimpleNamespace(**readings))
    thinker = Thinker(machine.evaluator, GtpOptions(Limits(seconds=seconds)))
    if is_wall_time:
        thinker.set_time(TimeSettings(0, (seconds + 0.1) / 0.9, 1, 5))
    return machine.costs_of_moves(lambda board: thinker.choose(board, KOMI))


def assert_awake(costs: list[float], seconds: float, cost: float) -> None:
    """Every move but the one disturbed uses its time, and none takes an evaluation too much."""
    assert max(costs) < seconds + cost
    lazy = [number for number, taken in enumerate(costs) if taken < 0.85 * seconds - 2 * cost]
    assert len(lazy) <= 1, costs
    assert min(costs) > 0


@each_budget
@each_kind
@each_jump
@pytest.mark.parametrize("at_call", [2, 4, 30, 40], ids="call_{}".format)
def test_one_jump_costs_at_most_one_move_of_the_arena(seconds, kind, jump, at_call):
    cost = seconds / 25
    machine = Machine(cost, jump * seconds, at_call)
    assert_awake(arena_costs(machine, seconds, kind), seconds, cost)


@each_budget
@each_jump
@pytest.mark.parametrize("is_wall_time", [False, True], ids=["limit", "byo-yomi"])
def test_one_jump_costs_at_most_one_move_over_gtp(seconds, jump, is_wall_time, monkeypatch):
    cost = seconds / 25
    machine = Machine(cost, jump * seconds, 30)
    costs = gtp_costs(machine, seconds, monkeypatch, is_wall_time)
    assert_awake(costs, seconds, cost)


@each_budget
@each_kind
def test_a_network_slower_than_the_clock_evaluates_once_a_move(seconds, kind):
    costs = arena_costs(Machine(3 * seconds), seconds, kind)
    assert costs == pytest.approx(NUM_MOVES * [3 * seconds])


@each_kind
def test_a_clock_that_always_goes_back_ends_a_move_all_the_same(kind):
    cost, machine = 0.004, Machine(0.0)

    def answer(planes):
        machine.spent += cost
        machine.clock.seconds += cost if machine.evaluator.num_calls <= 4 else -cost
        return hashed(planes)

    machine.evaluator._answer = answer
    costs = arena_costs(machine, 0.1, kind)
    assert max(costs) < 0.1 + cost


def move_time(leaf=0.01, batch=0.02, budget=1.0, batch_size=4) -> MoveTime:
    time = MoveTime(batch_size)
    time.learn([leaf], [batch])
    time.begin(100.0)
    time.allow(budget, 100.0)
    return time


def test_playouts_are_leaves_then_batches_and_at_least_one_where_there_is_time():
    assert move_time().playouts_left(10) == 10 + 4 * 45
    assert move_time(budget=0.055).playouts_left(10) == 5
    assert move_time(budget=0.115).playouts_left(10) == 10
    assert move_time(leaf=0, batch=0).playouts_left(10) == 14, "of an unknown cost: one batch"
    assert move_time(leaf=1e-12, batch=1e-300).playouts_left(0) == MAX_INT32
    slow = move_time(leaf=3.0, batch=3.0)
    assert (slow.playouts_left(10), slow.playouts_left(0)) == (1, 1)
    slow.add_batch(0, 100.0)
    assert (slow.playouts_left(10), slow.playouts_left(0)) == (0, 0)
    spent = move_time()
    spent.allow(1.0, 101.0)
    assert spent.playouts_left(10) == 0


@pytest.mark.parametrize("batch_size", [1, 4])
def test_a_slow_warm_up_is_forgotten_after_one_evaluation(batch_size):
    time = move_time(leaf=6.0, batch=6.0, batch_size=batch_size)
    assert time.playouts_left(0) == 1
    time.add_batch(1, 100.01)
    assert time.playouts_left(0) == pytest.approx(99, abs=batch_size)
    assert time.playouts_left(20) == pytest.approx(99, abs=batch_size)


def test_slow_evaluations_weigh_no_more_than_others_of_the_sample():
    time = move_time(leaf=0.01)
    time.add_batch(1, 100.5)
    mean = (0.5 + (MIN_SAMPLE - 1) * 0.01) / MIN_SAMPLE
    assert time.playouts_left(1000) == int(0.5 / mean)
    time, now = move_time(leaf=0.01), 100.0
    for _ in range(MIN_SAMPLE):
        now += 0.02
        time.add_batch(1, now)
    rest = 1 - MIN_SAMPLE * 0.02
    assert time.playouts_left(1000) == pytest.approx(rest / 0.02, abs=1)
    time.begin(now)
    time.allow(1.0, now)
    assert time.playouts_left(1000) == pytest.approx(100, abs=1), "as after the warm-up"


def test_time_is_used_whatever_the_clock_does():
    time = move_time(leaf=0.01)
    time.add_batch(1, 40.0)  # back
    assert time.used(40.0) == pytest.approx(0.01)
    assert time.used(30.0) == pytest.approx(0.01)
    time.add_batch(1, 40.02)
    assert time.used(40.03) == pytest.approx(0.04)
    time.add_batch(0, 41.5)  # it finds finished games only
    assert time.used(41.5) == pytest.approx(1.51)
    assert time.playouts_left(10) == 0


def test_a_search_may_have_no_warm_up():
    clock = FakeClock()
    evaluator = FakeEvaluator(batch_size=BATCH_SIZE, clock=clock, cpu_seconds=0.001)
    search = Search(evaluator, SearchOptions(), Limits(seconds=0.1), 0, clock)
    search.think(Board(), KOMI)
    assert 0.095 < clock.seconds < 0.1 + 1e-9
