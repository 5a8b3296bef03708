import hashlib
import json
from itertools import count

import pytest

from tests.fake_arena import league_of
from tournament.errors import OptionsError
from tournament.game.options import EventOptions
from tournament.running.calibration import fixed_network, measure_speed, speed_under
from tournament.running.local_engine import LocalEngine
from tournament.running.machine import REFERENCE_SPEED, options_here, spread_warning
from tournament.running.plan import scheduled_jobs


def test_speed_is_positions_a_second_and_visits_need_none():
    ticks = count()
    assert measure_speed(8.0, clock=lambda: 0.5 * next(ticks)) == 16.0
    assert speed_under(EventOptions(visits=4)) is None
    with pytest.raises(OptionsError, match="--scale-clock needs seconds"):
        EventOptions(visits=4, scale_clock=True)
    # Speeds in journals compare only as long as it does.
    assert hashlib.sha256(fixed_network()).hexdigest().startswith("7fc374fc")


@pytest.mark.parametrize(
    ("scale_clock", "speed", "seconds"),
    [
        (False, REFERENCE_SPEED / 2, 2.0),
        (True, REFERENCE_SPEED / 2, 4.0),
        (True, REFERENCE_SPEED * 4, 0.5),
        (True, None, 2.0),
    ],
)
def test_a_scaled_clock_gives_a_slow_host_more_seconds(scale_clock, speed, seconds):
    options = EventOptions(seconds=2.0, scale_clock=scale_clock)
    assert options_here(options, speed).seconds == seconds


def test_hosts_are_compared_and_a_tenth_is_let_pass():
    assert spread_warning({}) is None
    assert spread_warning({"a": 1000.0, "b": 1099.0}) is None
    said = spread_warning({"a": 1000.0, "b": 1250.0, "c": 1200.0})
    assert "b evaluates 25 % more positions a CPU second than a (1250 and 1000)" in said


@pytest.mark.slow
def test_a_worker_plays_by_its_hosts_clock_and_its_games_say_so(tmp_path):
    league = league_of(tmp_path, ("Ada", "Grace"))
    options = EventOptions(seconds=0.01, scale_clock=True, max_plies=10)
    engine = LocalEngine(
        league.folder / "artefacts", options, cores=[None], speed=REFERENCE_SPEED / 2
    )
    events = engine.play([scheduled_jobs(league, options, 1)])
    for record in events:
        if hasattr(record, "moves"):
            league.games.record(record)
    games = league.games.all()
    assert [game.host_speed for game in games] == [REFERENCE_SPEED / 2] * 2
    assert {move.budget_seconds for game in games for move in game.moves} == {0.02}
    json.dumps(games[0].to_json())
