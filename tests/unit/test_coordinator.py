"""The coordinator gives up where nothing can be played, and only there."""

from contextlib import nullcontext
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from tournament.errors import EngineError
from tournament.running.coordinator import VOIDS_IN_A_ROW, play_plan


def play(kinds: list[str]) -> int:
    """Play a plan whose attempts end so; return how many were recorded."""
    recorded: list = []
    league = SimpleNamespace(
        games=SimpleNamespace(record=recorded.append, rows=lambda: recorded),
        run_weeks=SimpleNamespace(begin=lambda started_at: None),
        schedules=SimpleNamespace(note_run_seconds=lambda seconds: None),
    )
    pairs = iter([True])
    plan = SimpleNamespace(
        next_pair=lambda: next(pairs, None), given_up=list, run_seconds=lambda: 0.0
    )
    events = [SimpleNamespace(kind=kind, reason="the worker died", started_at="") for kind in kinds]
    engine = SimpleNamespace(play=lambda plan: (event for event in events))
    view = MagicMock(spec_set=["begin", "progress", "result", "__enter__", "__exit__"])
    view.__enter__.side_effect = nullcontext().__enter__
    view.__exit__.return_value = None
    play_plan(league, plan, engine, view)
    return len(recorded)


def test_voids_between_games_are_no_reason_to_give_up():
    kinds = (["void"] * (VOIDS_IN_A_ROW - 1) + ["played"]) * 3
    assert play(kinds) == len(kinds)


def test_nothing_but_voids_ends_the_event():
    with pytest.raises(EngineError, match=f"{VOIDS_IN_A_ROW} attempts in a row were void"):
        play(["played"] + ["void"] * VOIDS_IN_A_ROW)
