"""Time in, playouts out: a player neither falls asleep nor overruns, whatever the clock does."""

from types import SimpleNamespace

import pytest

from golois.constants import MAX_INT32
from golois.go.board import Board
from golois.search.tree import SearchOptions
from tests.fake_arena import FakeClock, FakeEvaluator, arena_game
from tests.fake_network import hashed
from tournament.game.rules import EventOptions
from tournament.gtp import thinking
from tournament.gtp.clock import TimeSettings
from tournament.gtp.thinking import GtpOptions, Thinker
from tournament.players import make_player
from tournament.players.limits import Limits
from tournament.players.search import Search
from tournament.players.time_plan import MIN_SAMPLE, MoveTime

KOMI = 7.5
NUM_MOVES = 6
BATCH_SIZE = 2

each_budget = pytest.mark.parametrize("seconds", [0.01, 0.1, 2.0])
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


def test_playouts_are_single_leaves_and_then_full_batches():
    assert move_time().playouts_left(10) == 10 + 4 * 45
    assert move_time(budget=0.055).playouts_left(10) == 5
    assert move_time(budget=0.115).playouts_left(10) == 10
    assert move_time(leaf=0, batch=0).playouts_left(10) == 14, "of an unknown cost: one batch"
    assert move_time(leaf=1e-12, batch=1e-300).playouts_left(0) == MAX_INT32


def test_the_mean_of_the_move_takes_the_place_of_the_warm_up():
    time, now = move_time(leaf=0.01), 100.0
    for _ in range(MIN_SAMPLE):
        now += 0.02
        time.add_batch(1, now)
    rest = 1 - MIN_SAMPLE * 0.02
    assert time.playouts_left(1000) == pytest.approx(rest / 0.02, abs=1)
    time.begin(now)
    time.allow(1.0, now)
    assert time.playouts_left(1000) == pytest.approx(100, abs=1), "as after the warm-up"


@pytest.mark.parametrize("batch_size", [1, 4])
def test_a_slow_warm_up_is_forgotten_after_one_evaluation(batch_size):
    time = move_time(leaf=6.0, batch=6.0, batch_size=batch_size)
    assert time.playouts_left(0) == 1
    time.add_batch(1, 100.01)
    assert time.playouts_left(0) == pytest.approx(99, abs=batch_size)
    assert time.playouts_left(20) == pytest.approx(99, abs=batch_size)


def test_a_slow_evaluation_weighs_no_more_than_one_of_the_sample():
    time = move_time(leaf=0.01)
    time.add_batch(1, 100.5)
    mean = (0.5 + (MIN_SAMPLE - 1) * 0.01) / MIN_SAMPLE
    assert time.playouts_left(1000) == int(0.5 / mean)


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


def test_a_move_with_time_may_run_a_batch_and_one_without_may_not():
    slow = move_time(leaf=3.0, batch=3.0)
    assert (slow.playouts_left(10), slow.playouts_left(0)) == (1, 1)
    slow.add_batch(0, 100.0)
    assert (slow.playouts_left(10), slow.playouts_left(0)) == (0, 0)
    spent = move_time()
    spent.allow(1.0, 101.0)
    assert spent.playouts_left(10) == 0


def test_a_search_may_have_no_warm_up():
    clock = FakeClock()
    evaluator = FakeEvaluator(batch_size=BATCH_SIZE, clock=clock, cpu_seconds=0.001)
    search = Search(evaluator, SearchOptions(), Limits(seconds=0.1), 0, clock)
    search.think(Board(), KOMI)
    assert 0.095 < clock.seconds < 0.1 + 1e-9
