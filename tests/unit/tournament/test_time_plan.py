"""Time plans: how the seconds of a game are shared out, and that its total is bounded."""

import numpy as np
import pytest

from golois.go.board import Board
from golois.search.tree import SearchOptions
from tests.fake_arena import FakeClock, FakeEvaluator, arena_game
from tests.fake_network import hashed, uniform
from tournament.errors import OptionsError
from tournament.game.rules import EventOptions
from tournament.players.limits import Limits
from tournament.players.puct import PuctPlayer
from tournament.players.time_plan import BANK_MOVES

SECONDS = 2.0
PLIES = range(722)


def plan(name: str, num_plies: int, is_decided: bool = False) -> float:
    return Limits(seconds=SECONDS, plan=name).seconds_of_move(num_plies, is_decided)


def test_a_flat_plan_gives_each_move_the_same():
    assert {plan("flat", ply, is_decided) for ply in PLIES for is_decided in (False, True)} == {2.0}


def test_the_middle_of_the_game_gets_more_than_its_ends():
    seconds = [plan("middle", ply) for ply in PLIES]
    peak = int(np.argmax(seconds))
    assert 78 <= peak <= 80
    assert seconds[: peak + 1] == sorted(seconds[: peak + 1])
    assert seconds[peak:] == sorted(seconds[peak:], reverse=True)
    assert 2.2 < seconds[0] < 2.3 and 3.1 < seconds[80] < 3.2 and 1.4 < seconds[200] < 1.6


@pytest.mark.parametrize("colour", [0, 1])
def test_a_game_takes_less_than_the_bank(colour):
    total = sum(plan("middle", ply) for ply in PLIES[colour::2])
    assert 0.95 * BANK_MOVES * SECONDS < total < BANK_MOVES * SECONDS


def test_a_decided_position_gets_a_quarter():
    assert plan("middle", 100, is_decided=True) == plan("middle", 100) / 4


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
