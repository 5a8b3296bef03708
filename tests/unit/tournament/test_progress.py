import io
import json

from golois.kit.console import Console
from tests.fake_arena import OPTIONS, Outlook, record_of
from tournament.game.job import Entrant
from tournament.game.play import void_record
from tournament.league.games import row_of
from tournament.running.engine_protocol import MovePlayed
from tournament.running.schedule import pairings
from tournament.running.views import JsonView, LiveView, PlainView, QuietView, view_for

JOBS = pairings([Entrant("Ada", "a"), Entrant("[red]Eve", "b")], 2, 0, [(60,)])


def shown(view_class, console_options) -> str:
    text = io.StringIO()
    console = Console(file=text, width=120, **console_options)
    with view_class(console) as view:
        view.begin(Outlook(4), [row_of(record_of(JOBS[0]))])
        view.progress(MovePlayed(JOBS[2], 33))
        view.result(record_of(JOBS[1]))
        view.result(void_record(JOBS[3], OPTIONS, "the worker died"))
    return text.getvalue()


def test_plain_lines_say_each_result_and_how_far_it_is():
    lines = shown(PlainView, {}).splitlines()
    assert lines[0] == "1/4 games" and len(lines) == 3
    players = f"{JOBS[1].black} – {JOBS[1].white}"
    assert lines[1].startswith(f"{players}: B+3.5 after 3 moves  [2/4 games")
    assert "Void (void: the worker died)" in lines[2]


def test_the_live_table_shows_running_games_results_and_standing():
    text = shown(LiveView, {"force_terminal": True})
    for expected in ("2/4 games", "33", "B+3.5", "the worker died", "standing", "Elo", "[red]Eve"):
        assert expected in text


def test_json_lines_say_each_result_and_how_far_it_is():
    begin, result, void = map(json.loads, shown(JsonView, {}).splitlines())
    assert (begin["event"], begin["num_done"], begin["num_games"]) == ("begin", 1, 4)
    assert (result["game_id"], result["result"]) == (JOBS[1].game_id, "B+3.5")
    assert (result["num_done"], result["kind"]) == (2, "played")
    assert (void["kind"], void["reason"]) == ("void", "the worker died")


def test_the_view_suits_the_output():
    assert isinstance(view_for(Console(file=io.StringIO())), PlainView)
    assert isinstance(view_for(Console(force_terminal=True)), LiveView)
    assert isinstance(view_for(Console(force_terminal=True), quiet=True), QuietView)
    assert isinstance(view_for(Console(force_terminal=True), as_json=True), JsonView)
