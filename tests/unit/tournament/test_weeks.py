"""The week of a run without a term: fixed by its first game, until everything was played."""

from contextlib import suppress
from datetime import datetime, timedelta
from itertools import groupby

import pytest

from tests.fake_arena import OPTIONS, file_network, league_of, tiny_network
from tests.unit.tournament.test_plan import Referee, stronger
from tournament.league.games import Target
from tournament.league.league import League
from tournament.league.weeks import Placing
from tournament.report import build
from tournament.report.history import weeks_of
from tournament.running.coordinator import run_event
from tournament.running.views import QuietView

NAMES = ("Ada", "Grace", "Kurt")
SUNDAY, MONDAY, NEXT_SUNDAY = "2026-03-08 23:30", "2026-03-09 09:00", "2026-03-15 09:00"


@pytest.fixture
def league(tmp_path) -> League:
    return league_of(tmp_path, NAMES)


def play(league: League, begin: str, stop_after: int | None = None, rounds: int = 1, lost=()):
    """Plays what is missing, a game an hour from this moment on; a report before and after each.

    Stopped, as by Ctrl-C, after so many games; those of these numbers come to nothing.
    """
    first = datetime.fromisoformat(f"{begin}+00:00")

    def decide(job):
        if (number := len(referee.jobs) - 1) in lost:
            return None
        times = (first + timedelta(hours=number + passed) for passed in (0, 1))
        started_at, finished_at = (time.isoformat() for time in times)
        return {**stronger(job), "started_at": started_at, "finished_at": finished_at}

    referee = Referee(decide, before=lambda number: build(league), stop_after=stop_after)
    with suppress(KeyboardInterrupt):
        run_event(league, OPTIONS, Target(rounds), referee, QuietView(), referee.clock)
    build(league)


def replace(league: League, *names: str) -> None:
    """The same names with other networks."""
    for name in names:
        seed = 100 + len(league.submissions.all())
        file_network(league, name, tiny_network(seed), league.folder.parent, replace=True)


def weeks(league: League) -> dict[str, list[Placing]]:
    """The tables that are kept."""
    return {
        week: list(table)
        for week, table in groupby(league.weeks.placings(), lambda placing: placing.week)
    }


def num_games(league: League) -> dict[str, int]:
    """By week, the games of its table."""
    return {
        week: sum(placing.num_games for placing in table) // 2
        for week, table in weeks(league).items()
    }


def test_a_run_that_passes_monday_is_one_week(league):
    play(league, SUNDAY)
    assert num_games(league) == {"2026-W10": 6}
    build(league)
    assert num_games(league) == {"2026-W10": 6}, "also in later reports"


def test_the_next_run_leaves_the_table_before_as_it_was(league):
    play(league, SUNDAY)
    before = weeks(league)
    replace(league, *NAMES)
    play(league, NEXT_SUNDAY)
    assert num_games(league) == {"2026-W10": 6, "2026-W11": 6}
    assert weeks(league)["2026-W10"] == before["2026-W10"]


def test_a_run_that_is_stopped_goes_on_in_its_week(league):
    play(league, SUNDAY, stop_after=3)
    assert num_games(league) == {"2026-W10": 3}
    play(league, MONDAY)
    assert num_games(league) == {"2026-W10": 6}


def test_games_that_were_given_up_are_of_the_week_of_the_others(league):
    play(league, SUNDAY, lost={4, 5})
    play(league, MONDAY)
    assert num_games(league) == {"2026-W10": 6}


def test_a_run_that_was_stopped_for_good_ends_its_week(league):
    play(league, SUNDAY, stop_after=3)
    before = weeks(league)
    play(league, NEXT_SUNDAY)
    assert num_games(league) == {"2026-W10": 3, "2026-W11": 6}
    assert weeks(league)["2026-W10"] == before["2026-W10"]


def test_a_run_without_a_game_is_no_week(league):
    play(league, SUNDAY)
    play(league, MONDAY)
    assert num_games(league) == {"2026-W10": 6}


def test_a_network_for_the_next_week_changes_nothing_in_the_table_before(league):
    play(league, SUNDAY)
    before = weeks(league)
    replace(league, "Ada")
    standings = build(league).standings
    assert weeks(league) == before
    assert list(weeks_of(standings)) == [placing.name for placing in before["2026-W10"]]
    play(league, SUNDAY, stop_after=0)
    assert weeks(league) == before, "a run that was stopped before its first game"


def test_a_report_keeps_what_the_teacher_changes_after_the_run(league):
    play(league, SUNDAY)
    league.submissions.set_anchor("Ada", 1000.0)
    build(league)
    assert [weeks(league)["2026-W10"][0].elo] == [1000.0]
    file_network(league, "Emmy", tiny_network(7), league.folder.parent)
    league.submissions.set_anchor("Ada", 0.0)
    build(league)
    assert [weeks(league)["2026-W10"][0].elo] == [0.0]


def test_a_second_run_in_a_week_takes_its_place_when_everything_was_played(league):
    play(league, MONDAY)
    before = weeks(league)
    replace(league, "Ada")
    play(league, NEXT_SUNDAY, stop_after=2)
    assert weeks(league) == before
    play(league, NEXT_SUNDAY)
    assert num_games(league) == {"2026-W11": 6}
    assert weeks(league) != before


def test_more_rounds_in_a_week_are_kept_as_they_are_played(league):
    play(league, MONDAY)
    play(league, NEXT_SUNDAY, stop_after=2, rounds=2)
    assert num_games(league) == {"2026-W11": 8}
