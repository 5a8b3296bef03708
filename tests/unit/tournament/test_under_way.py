"""The games under way, as the file of the site has them."""

import json
import stat

import pytest

from golois.kit.files import write_whole
from tests.fake_arena import OPTIONS, FakeClock, Outlook, league_of, record_of
from tests.runs import tournament
from tournament.game.play import void_record
from tournament.league.league import League
from tournament.league.settings import FILE
from tournament.report import build
from tournament.running import under_way
from tournament.running.engine_protocol import MovePlayed
from tournament.running.local_engine import LocalEngine
from tournament.running.plan import scheduled_jobs
from tournament.running.under_way import EVERY_SECONDS, MAX_GAMES, GamesUnderWay
from tournament.running.views import QuietView


@pytest.fixture
def league(tmp_path) -> League:
    return league_of(tmp_path)


class Late(FakeClock):
    """A clock on which the file is due at every look."""

    def __call__(self) -> float:
        self.seconds += EVERY_SECONDS
        return self.seconds


def games_in(league: League) -> list[dict]:
    return json.loads(league.live_path.read_bytes())["games"]


def test_the_file_has_boards_and_clocks_of_the_games_that_are_not_over(league):
    league.written_names.note({"Ada": "Ada Lovelace"})
    first, second = scheduled_jobs(league, OPTIONS, 1)[:2]
    with GamesUnderWay(QuietView(), league, Late()) as view:
        view.begin(Outlook(6), [])
        for job in (first, second):
            view.progress(MovePlayed(job, 6))
        for point, seconds in ((60, 1.5), (361, 2.0), (72, 0.25)):
            view.progress(MovePlayed(first, 6, point, seconds))
        shown, other = games_in(league)
        assert (shown["id"], shown["points"]) == (first.game_id, [*first.opening, 60, 361, 72])
        names = {"Ada": "Ada Lovelace"}
        assert shown["black"] == {
            "name": names.get(first.black, first.black), "cpu_seconds": 1.75, "last_seconds": 0.25
        }
        assert (shown["white"]["cpu_seconds"], shown["white"]["last_seconds"]) == (2.0, 2.0)
        assert (other["points"], other["black"]["last_seconds"]) == ([*second.opening], None)
        assert stat.S_IMODE(league.live_path.stat().st_mode) == 0o644
        view.result(void_record(first, OPTIONS, "the worker died"))
        assert [game["id"] for game in games_in(league)] == [second.game_id]
        view.progress(MovePlayed(first, 6))
        assert games_in(league)[1]["points"] == [*first.opening]
        view.result(record_of(second))
    assert games_in(league) == []


def test_a_game_that_begins_again_begins_from_its_opening(league):
    (job, *_) = scheduled_jobs(league, OPTIONS, 1)
    with GamesUnderWay(QuietView(), league, Late()) as view:
        view.progress(MovePlayed(job, 6))
        view.progress(MovePlayed(job, 7, 60, 1.0))
        view.progress(MovePlayed(job, 6))
        (game,) = games_in(league)
        assert game["points"] == [*job.opening] and game["black"]["cpu_seconds"] == 0


def test_the_file_is_written_now_and_then_and_has_a_few_games(league):
    jobs = scheduled_jobs(league, OPTIONS, 2)
    assert len(jobs) > MAX_GAMES
    clock = FakeClock()
    with GamesUnderWay(QuietView(), league, clock) as view:
        for job in jobs:
            view.progress(MovePlayed(job, 6))
        assert len(games_in(league)) == 1
        clock.seconds += EVERY_SECONDS
        view.progress(MovePlayed(jobs[0], 7, 60, 1.0))
        assert [game["id"] for game in games_in(league)] == [
            job.game_id for job in jobs[:MAX_GAMES]
        ]


@pytest.mark.parametrize("settings", ["hidden = true\n", "hidden ="])
def test_hidden_games_are_not_in_the_file(league, settings):
    (job, *_) = scheduled_jobs(league, OPTIONS, 1)
    with GamesUnderWay(QuietView(), league, Late()) as view:
        view.progress(MovePlayed(job, 6))
        assert games_in(league)
        (league.folder / FILE).write_text(settings)
        view.progress(MovePlayed(job, 7, 60, 1.0))
        assert games_in(league) == []


def test_a_file_that_cannot_be_written_stops_no_games(league):
    (job, *_) = scheduled_jobs(league, OPTIONS, 1)
    (league.folder / "site").write_text("no folder")
    with GamesUnderWay(QuietView(), league, Late()) as view:
        view.progress(MovePlayed(job, 6))


def test_a_report_leaves_the_file_of_a_run_as_it_is(league):
    build(league)
    assert games_in(league) == []
    league.live_path.write_text('{"games":[1]}')
    build(league)
    assert games_in(league) == [1]


def test_run_writes_the_file_while_it_plays(league, monkeypatch):
    written: list[list[dict]] = []

    def write(path, content, **options) -> None:
        write_whole(path, content, **options)
        written.append(games_in(league))

    monkeypatch.setattr(under_way, "EVERY_SECONDS", 0.0)
    monkeypatch.setattr(under_way, "write_whole", write)
    rules = ("--visits", "2", "--max-plies", "10", "--workers", "1")
    assert tournament("run", "--league", league.folder, *rules, "--quiet").code == 0
    lengths = [len(game["points"]) for games in written for game in games]
    assert set(lengths) >= set(range(6, 11)) and written[-1] == []


def test_workers_tell_each_move_with_what_it_cost(league):
    pair = scheduled_jobs(league, OPTIONS, 1)[:2]
    moves: dict[str, list[tuple[int, float]]] = {}
    records = {}
    options = OPTIONS.changed({"max_plies": 12})
    for event in LocalEngine(league.folder / "artefacts", options, 1).play([pair]):
        if not isinstance(event, MovePlayed):
            records[event.game_id] = event
        elif event.point is None:
            assert event.num_plies == len(event.job.opening)
            moves[event.job.game_id] = []
        else:
            moves[event.job.game_id].append((event.point, event.cpu_seconds))
    assert {record.kind for record in records.values()} == {"played"}
    assert moves == {
        game_id: [(move.point, move.cpu_seconds) for move in record.moves]
        for game_id, record in records.items()
    }
    assert all(moves.values())
