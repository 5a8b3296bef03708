import pytest

from tests.fake_arena import OPTIONS, Outlook, record_of
from tournament.game.job import Entrant
from tournament.game.play import void_record
from tournament.league.games import row_of
from tournament.running.schedule import pairings
from tournament.running.tally import Tally, duration_text

JOBS = pairings([Entrant("Ada", "a"), Entrant("Eve", "b")], 2, 0, [(60,)])


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


def test_results_count_and_voids_do_not():
    tally = Tally(Outlook(4), [row_of(record_of(JOBS[0]))])
    tally.add(record_of(JOBS[1], winner="white"))
    tally.add(void_record(JOBS[2], OPTIONS, ""))
    assert (tally.num_done, tally.num_games) == (2, 4)


def test_a_network_that_fails_leaves_the_standing_with_its_games_in_a_league():
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


def test_the_speed_is_that_of_this_run_and_tells_the_time_left():
    clock = Clock()
    tally = Tally(Outlook(4), [row_of(record_of(JOBS[0]))], clock)
    assert tally.headline() == "1/4 games"
    clock.seconds = 360.0
    tally.add(record_of(JOBS[1]))
    assert (tally.games_per_hour, tally.seconds_left()) == (10, 720)
    assert tally.headline() == "2/4 games, 10 an hour, 12 min left"


def test_a_budget_is_the_time_left_once_the_rounds_are_played():
    clock, outlook = Clock(), Outlook(1, budget_seconds=7200.0)
    tally = Tally(outlook, [], clock)
    clock.seconds, outlook.budget_seconds = 3600.0, 3600.0
    tally.add(record_of(JOBS[0]))
    assert tally.headline() == "1 games, 1 an hour, 60 min left"


def test_a_budget_ends_the_rounds_as_well():
    clock, outlook = Clock(), Outlook(100, budget_seconds=600.0)
    tally = Tally(outlook, [], clock)
    clock.seconds = 3600.0
    tally.add(record_of(JOBS[0]))
    assert tally.headline() == "1/100 games, 1 an hour, 10 min left"


def test_the_standing_moves_with_the_results():
    clock = Clock()
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
