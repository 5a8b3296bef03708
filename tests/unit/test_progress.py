import io

import pytest
from rich.console import Console

from tournament.game import MoveRecord, void_record
from tournament.options import EventOptions
from tournament.progress import LiveView, PlainView, QuietView, Tally, duration_text, view_for
from tournament.schedule import Entrant, pairings
from tournament.workers import Progress

OPTIONS = EventOptions(visits=4)
JOBS = pairings([Entrant("Ada", "a"), Entrant("[red]Eve", "b")], 2, 0, [(60,)])


def record_of(job, winner="black", **changes):
    moves = (MoveRecord(60, 4, 0.01, 0.5),)
    void = void_record(job, OPTIONS, "the worker died")
    played = {"result": "B+3.5", "winner": winner, "kind": "played", "reason": "", "moves": moves}
    return type(void)(**{**vars(void), **played, **changes})


def shown(view_class, console_options) -> str:
    text = io.StringIO()
    console = Console(file=text, width=120, **console_options)
    with view_class(console) as view:
        view.begin(JOBS, [record_of(JOBS[0])])
        view.progress(Progress(JOBS[2], 33))
        view.result(record_of(JOBS[1]))
        view.result(void_record(JOBS[3], OPTIONS, "the worker died"))
    return text.getvalue()


def test_plain_lines_say_each_result_and_how_far_it_is():
    lines = shown(PlainView, {}).splitlines()
    assert lines[0] == "1/4 games" and len(lines) == 3
    players = f"{JOBS[1].black} – {JOBS[1].white}"
    assert lines[1].startswith(f"{players}: B+3.5 after 2 moves  [2/4 games")
    assert "Void (void: the worker died)" in lines[2]


def test_the_live_table_shows_running_games_results_and_standing():
    text = shown(LiveView, {"force_terminal": True})
    for expected in ("2/4 games", "33", "B+3.5", "the worker died", "standing", "[red]Eve"):
        assert expected in text


def test_a_tally_counts_results_and_no_voids():
    tally = Tally()
    tally.begin(JOBS, [record_of(JOBS[0])])
    tally.add(record_of(JOBS[1], winner="white"))
    tally.add(void_record(JOBS[2], OPTIONS, ""))
    assert (tally.num_done, tally.num_new) == (2, 1)
    assert tally.standing() == [(JOBS[0].black, 2, 2), (JOBS[0].white, 0, 2)]


def test_the_view_suits_the_output():
    assert isinstance(view_for(Console(file=io.StringIO()), quiet=False), PlainView)
    assert isinstance(view_for(Console(force_terminal=True), quiet=False), LiveView)
    assert isinstance(view_for(Console(force_terminal=True), quiet=True), QuietView)


@pytest.mark.parametrize(
    "seconds, text", [(42.4, "42 s"), (600, "10 min"), (5 * 3600 + 420, "5 h 07 min")]
)
def test_durations_are_said_as_people_do(seconds, text):
    assert duration_text(seconds) == text
