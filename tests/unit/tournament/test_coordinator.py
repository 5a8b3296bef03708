"""The coordinator gives up where nothing can be played, and only there."""

from contextlib import nullcontext
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from tournament.errors import EngineError
from tournament.running.coordinator import GIVEN_UP_IN_A_ROW, play_plan
from tournament.running.engine_protocol import ATTEMPTS

MANY_GAMES = 2 * GIVEN_UP_IN_A_ROW


def voids_of(num_games: int, num_attempts: int = ATTEMPTS) -> list[tuple[int, str]]:
    """So many games at once, each of them void so many times."""
    return [(game, "void") for _ in range(num_attempts) for game in range(num_games)]


def play(attempts: list[tuple[int, str]]) -> int:
    """Play a plan whose attempts at games end so; return how many were recorded."""
    recorded: list = []
    league = SimpleNamespace(
        games=SimpleNamespace(record=recorded.append, rows=lambda: recorded),
        weeks=SimpleNamespace(begin_run=lambda started_at: None),
        schedules=SimpleNamespace(note_run_seconds=lambda seconds: None),
    )
    pairs = iter([True])
    plan = SimpleNamespace(
        next_pair=lambda: next(pairs, None), given_up=list, run_seconds=lambda: 0.0
    )
    events = [
        SimpleNamespace(game_id=game, kind=kind, reason="the worker died", started_at="")
        for game, kind in attempts
    ]
    engine = SimpleNamespace(play=lambda plan: (event for event in events))
    view = MagicMock(spec_set=["begin", "progress", "result", "__enter__", "__exit__"])
    view.__enter__.side_effect = nullcontext().__enter__
    view.__exit__.return_value = None
    play_plan(league, plan, engine, view)
    return len(recorded)


def test_voids_between_games_are_no_reason_to_give_up():
    attempts = [*voids_of(GIVEN_UP_IN_A_ROW - 1), (99, "played")]
    later = [(100 + game, kind) for game, kind in attempts]
    assert play(attempts + later) == 2 * len(attempts)


def test_a_network_that_ends_many_workers_at_once_does_not_end_the_event():
    forfeits = [(game, "forfeit") for game in range(MANY_GAMES)]
    attempts = voids_of(MANY_GAMES, ATTEMPTS - 1) + forfeits
    assert play(attempts) == len(attempts)


@pytest.mark.parametrize("num_games", [GIVEN_UP_IN_A_ROW, MANY_GAMES])
def test_nothing_but_voids_ends_the_event(num_games):
    num_attempts = (ATTEMPTS - 1) * num_games + GIVEN_UP_IN_A_ROW
    with pytest.raises(EngineError, match=f"{num_attempts} attempts in a row were void"):
        play([(99, "played"), *voids_of(num_games)])
