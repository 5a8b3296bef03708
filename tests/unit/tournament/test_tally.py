"""What a view shows of a run: results, the standing, and the time left."""

import io
import json

import pytest

from golois.kit.console import Console
from tests.fake_arena import OPTIONS, FakeClock, Outlook, record_of
from tournament.game.job import Entrant
from tournament.game.play import void_record
from tournament.league.games import row_of
from tournament.running.engine_protocol import MovePlayed
from tournament.running.schedule import pairings
from tournament.running.tally import Tally, duration_text
from tournament.running.views import JsonView, LiveView, PlainView, QuietView, view_for

JOBS = pairings([Entrant("Ada", "a"), Entrant("Eve", "b")], 2, 0, [(60,)])


def test_results_count_and_voids_and_failed_networks_of_a_league_do_not():
    tally = Tally(Outlook(4), [row_of(record_of(JOBS[0]))])
    tally.add(record_of(JOBS[1], winner="white"))
    tally.add(void_record(JOBS[2], OPTIONS, ""))
    assert (tally.num_done, tally.num_games) == (2, 4)
    outlook, forfeit = Outlook(4), {"result": "W+F", "winner": "white", "kind": "forfeit"}
    failed = record_of(JOBS[1], **forfeit)
    tally = Tally(outlook, [row_of(record_of(JOBS[0]))])
    tally.add(failed)
    tally.add(record_of(JOBS[2]))
    assert (tally.num_done, tally.standing()) == (0, [])
    outlook.takes_out_failures = False
    match = Tally(outlook, [row_of(record_of(JOBS[0]))])
    match.add(failed)
    assert match.num_done == 2


def test_games_of_a_network_that_was_replaced_count_no_more():
    renewed = pairings([Entrant("Ada", "c"), Entrant("Eve", "b")], 2, 0, [(60,)])
    tally = Tally(Outlook(4), [row_of(record_of(JOBS[0]))])
    tally.add(record_of(JOBS[1]))
    tally.add(record_of(renewed[0]))
    tally.add(record_of(JOBS[2]))  # it was under way
    assert (tally.num_done, tally.num_games) == (1, 4)


def test_the_time_left_is_by_the_speed_of_this_run_or_by_the_budget():
    clock = FakeClock()
    tally = Tally(Outlook(4), [row_of(record_of(JOBS[0]))], clock)
    assert tally.headline() == "1/4 games"
    clock.seconds = 360.0
    tally.add(record_of(JOBS[1]))
    assert (tally.games_per_hour, tally.seconds_left()) == (10, 720)
    assert tally.headline() == "2/4 games, 10 an hour, 12 min left"
    clock, outlook = FakeClock(), Outlook(1, budget_seconds=7200.0)
    tally = Tally(outlook, [], clock)
    clock.seconds, outlook.budget_seconds = 3600.0, 3600.0
    tally.add(record_of(JOBS[0]))
    assert tally.headline() == "1 games, 1 an hour, 60 min left"
    clock, outlook = FakeClock(), Outlook(100, budget_seconds=600.0)
    tally = Tally(outlook, [], clock)
    clock.seconds = 3600.0
    tally.add(record_of(JOBS[0]))
    assert tally.headline() == "1/100 games, 1 an hour, 10 min left"


def test_the_standing_moves_with_the_results():
    clock = FakeClock()
    tally = Tally(Outlook(4), [row_of(record_of(JOBS[0]))], clock)
    winner, loser = tally.standing()
    assert (winner.name, winner.score.num_wins, winner.score.num_games) == (JOBS[0].black, 1, 1)
    assert (loser.score.num_wins, tally.elo_moved(winner)) == (0, 0)
    tally.add(record_of(JOBS[1]))
    clock.seconds = 3600.0
    standing = tally.standing()
    assert [row.score.num_wins for row in standing] == [1, 1]
    moved = {row.name: tally.elo_moved(row) for row in standing}
    assert moved == pytest.approx({winner.name: -winner.elo, loser.name: -loser.elo})


@pytest.mark.parametrize(
    "seconds, text", [(42.4, "42 s"), (600, "10 min"), (5 * 3600 + 420, "5 h 07 min")]
)
def test_durations_are_said_as_people_do(seconds, text):
    assert duration_text(seconds) == text


MARKED_JOBS = pairings([Entrant("Ada", "a"), Entrant("[red]Eve", "b")], 2, 0, [(60,)])


def shown(view_class, console_options) -> str:
    text = io.StringIO()
    console = Console(file=text, width=120, **console_options)
    with view_class(console) as view:
        view.begin(Outlook(4), [row_of(record_of(MARKED_JOBS[0]))])
        view.progress(MovePlayed(MARKED_JOBS[2], 33))
        view.result(record_of(MARKED_JOBS[1]))
        view.result(void_record(MARKED_JOBS[3], OPTIONS, "the worker died"))
    return text.getvalue()


def test_lines_say_each_result_and_how_far_it_is_plain_or_as_json():
    lines = shown(PlainView, {}).splitlines()
    assert lines[0] == "1/4 games" and len(lines) == 3
    players = f"{MARKED_JOBS[1].black} – {MARKED_JOBS[1].white}"
    assert lines[1].startswith(f"{players}: B+3.5 after 3 moves  [2/4 games")
    assert "Void (void: the worker died)" in lines[2]
    begin, result, void = map(json.loads, shown(JsonView, {}).splitlines())
    assert (begin["event"], begin["num_done"], begin["num_games"]) == ("begin", 1, 4)
    assert (result["game_id"], result["result"]) == (MARKED_JOBS[1].game_id, "B+3.5")
    assert (result["num_done"], result["kind"]) == (2, "played")
    assert (void["kind"], void["reason"]) == ("void", "the worker died")


def test_the_view_suits_the_output_and_a_live_one_shows_games_and_standing():
    text = shown(LiveView, {"force_terminal": True})
    for expected in ("2/4 games", "33", "B+3.5", "the worker died", "standing", "Elo", "[red]Eve"):
        assert expected in text
    assert isinstance(view_for(Console(file=io.StringIO())), PlainView)
    assert isinstance(view_for(Console(force_terminal=True)), LiveView)
    assert isinstance(view_for(Console(force_terminal=True), quiet=True), QuietView)
    assert isinstance(view_for(Console(force_terminal=True), as_json=True), JsonView)
