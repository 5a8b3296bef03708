"""What a run hands out: missing games only, newcomers' too, by a budget; and when it gives up."""

from contextlib import nullcontext
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from tests.fake_arena import OPTIONS, file_network, league_of, record_of, tiny_network
from tournament.errors import EngineError, LeagueError
from tournament.game.play import void_record
from tournament.league.games import Target
from tournament.report.snapshot import snapshot_of
from tournament.report.standings import Standings
from tournament.running.coordinator import GIVEN_UP_IN_A_ROW, Outcome, play_plan, run_event
from tournament.running.engine_protocol import ATTEMPTS
from tournament.running.plan import LeaguePlan, scheduled_jobs
from tournament.running.views import QuietView


@pytest.fixture
def league(tmp_path):
    return league_of(tmp_path)


def won_by(job, name) -> dict:
    """The stronger one wins, whatever the colour."""
    winner = "black" if job.black == name else "white"
    return {"winner": winner, "result": f"{winner[0].upper()}+3.5"}


def stronger(job) -> dict:
    """The earlier name wins."""
    return won_by(job, min(job.black, job.white))


class Referee:
    """An engine that decides every game at once, after an hour of its own clock each.

    `before` is called with the number of games so far before each of them.
    """

    def __init__(self, decide=stronger, before=lambda number: None, stop_after=None):
        self.jobs, self.now = [], 0.0
        self._decide, self._before, self._stop_after = decide, before, stop_after

    def clock(self):
        return self.now

    def play(self, pairs):
        for pair in pairs:
            for job in pair:
                if len(self.jobs) == self._stop_after:
                    raise KeyboardInterrupt
                self._before(len(self.jobs))
                self.jobs.append(job)
                self.now += 3600.0
                outcome = self._decide(job)
                if outcome is None:
                    yield void_record(job, OPTIONS, "no luck")
                else:
                    yield record_of(job, **outcome)

    def meetings(self):
        return [tuple(sorted((job.black, job.white))) for job in self.jobs]


def slow(*values):
    """Values of a parameter that only repeat what others show."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


def run(league, referee, target):
    return run_event(league, OPTIONS, target, referee, QuietView(), referee.clock)


def test_the_rounds_are_played_in_their_order_and_once(league):
    referee = Referee()
    outcome = run(league, referee, Target(2))
    assert referee.jobs == scheduled_jobs(league, OPTIONS, 2)
    assert (outcome.num_games, outcome.given_up) == (12, ())
    again = Referee()
    run(league, again, Target(2))
    assert again.jobs == []


def test_a_newcomer_plays_what_is_missing_in_the_running_league(league, tmp_path):
    def before(number):
        if number == 5:
            file_network(league, "Emmy", tiny_network(7), tmp_path)

    referee = Referee(before=before)
    run(league, referee, Target(1))
    assert len(referee.jobs) == len(set(referee.jobs)) == 12
    assert {job.game_id for job in referee.jobs} == {
        job.game_id for job in scheduled_jobs(league, OPTIONS, 1)
    }


def test_a_newcomer_after_the_last_game_was_handed_out_plays_too(league, tmp_path):
    class LateReferee(Referee):
        def play(self, pairs):
            yield from super().play(list(pairs))
            if len(league.submissions.entrants()) == 3:
                file_network(league, "Emmy", tiny_network(7), tmp_path)

    referee = LateReferee()
    run(league, referee, Target(1))
    assert len(referee.jobs) == 12


def test_a_withdrawn_network_plays_no_more(league):
    referee = Referee(before=lambda number: number == 2 and league.submissions.withdraw("Kurt"))
    run(league, referee, Target(3))
    assert len([job for job in referee.jobs[4:] if "Kurt" in (job.black, job.white)]) == 0
    assert referee.meetings().count(("Ada", "Grace")) == 6


def late_bomb(number: int):
    """Ada wins until her game of this number, which she loses by failing, as all after it."""
    games: list[str] = []

    def decide(job):
        if "Ada" not in (job.black, job.white):
            return stronger(job)
        games.append(job.game_id)
        colour = "white" if job.black == "Ada" else "black"
        failed = {"result": f"{colour[0].upper()}+F", "winner": colour, "kind": "forfeit"}
        return won_by(job, "Ada") if len(games) < number else failed

    return decide


def table_of(league) -> list[tuple]:
    """The ranking with the scores, and what is left out of it."""
    standings = Standings(snapshot_of(league))
    rows = [(row.name, row.elo, row.as_black, row.as_white) for row in standings.rows]
    return [*rows, *((one.name, one.sha256) for one in standings.snapshot.taken_out)]


def test_a_network_that_fails_plays_no_more(league):
    referee = Referee(late_bomb(1))
    run(league, referee, Target(5))
    assert sum("Ada" in meeting for meeting in referee.meetings()) == 2, "the pair was begun"
    assert referee.meetings().count(("Grace", "Kurt")) == 10
    assert [entrant.name for entrant in league.submissions.entrants()] == ["Grace", "Kurt"]
    assert league.schedules.last().num_games == 10


@pytest.mark.parametrize("number", [*slow(1, 3, 5), 8])
def test_nobodys_result_depends_on_when_a_network_fails(league, tmp_path, number):
    (tmp_path / "other").mkdir()
    without = league_of(tmp_path / "other")
    without.submissions.withdraw("Ada")
    run(without, Referee(), Target(2))
    run(league, Referee(late_bomb(number)), Target(2))
    *rows, failed = table_of(league)
    assert rows == table_of(without) and failed[0] == "Ada"
    assert len(league.games.struck()) >= number


@pytest.mark.parametrize("stop_after", [*slow(1, 4), 5, *slow(6)])
def test_a_run_that_is_stopped_around_a_failure_ends_with_the_same_table(
    league, tmp_path, stop_after
):
    (tmp_path / "other").mkdir()
    whole = league_of(tmp_path / "other")
    run(whole, Referee(late_bomb(4)), Target(2))
    decide = late_bomb(4)
    with pytest.raises(KeyboardInterrupt):
        run(league, Referee(decide, stop_after=stop_after), Target(2))
    run(league, Referee(decide), Target(2))
    assert table_of(league) == table_of(whole)


def test_what_is_void_is_not_handed_out_again_by_the_same_run(league):
    referee = Referee(lambda job: None if "Kurt" in (job.black, job.white) else stronger(job))
    outcome = run(league, referee, Target(1))
    assert len(referee.jobs) == 6 and len(outcome.given_up) == 4
    assert run(league, Referee(), Target(1)).given_up == ()


def test_a_void_game_of_a_network_that_was_replaced_is_not_given_up(league, tmp_path):
    (kurt,) = [one.sha256 for one in league.submissions.entrants() if one.name == "Kurt"]

    def before(number):
        if number == 4:
            file_network(league, "Kurt", tiny_network(7), tmp_path, replace=True)

    def decide(job):
        return None if kurt in (job.black_sha256, job.white_sha256) else stronger(job)

    assert run(league, Referee(decide, before), Target(1)) == Outcome(6, ())
    assert league.weeks.of_run().is_over


def test_a_budget_ends_the_rounds_and_goes_on_where_it_ended(league, tmp_path):
    cut_short = run(league, Referee(), Target(9, 3.0))
    assert cut_short == Outcome(4, (), is_cut_short=True), "a pair is played to its end"
    assert run(league, Referee(), Target(9, 3.0)) == cut_short
    assert league.weeks.of_run().is_over
    assert run(league, Referee(), Target(9, 6.0)).num_games == 6
    assert league.schedules.run_seconds() == 6 * 3600
    assert run(league, Referee(), Target(1, 6.0)) == Outcome(6, ())
    assert league.weeks.of_run().is_over
    file_network(league, "Emmy", tiny_network(7), tmp_path)
    assert run(league, Referee(), Target(1, 6.0)).is_cut_short, "for the newcomer's games"
    assert league.schedules.last().num_games == 12


def test_what_a_budget_leaves_goes_to_the_pairs_that_tell_most(league):
    """Ada and Grace win in turn and Kurt loses to both: the first two are the question."""

    def decide(job):
        if "Kurt" in (job.black, job.white):
            return stronger(job)
        return won_by(job, ("Ada", "Grace")[int(job.pair_id, 16) % 2])

    referee = Referee(decide)
    run(league, referee, Target(2, 40.0))
    assert sorted(set(referee.meetings()[:12])) == [
        ("Ada", "Grace"),
        ("Ada", "Kurt"),
        ("Grace", "Kurt"),
    ]
    chosen = referee.meetings()[12:]
    assert len(chosen) == 28 and chosen.count(("Ada", "Grace")) > 28 / 2
    assert len({job.game_id for job in referee.jobs}) == 40
    # They are the games of later rounds, so that more rounds count them.
    later = {job.game_id for job in scheduled_jobs(league, OPTIONS, 20)}
    assert {job.game_id for job in referee.jobs} <= later


@pytest.mark.parametrize("stop_after", [*slow(1, 7), 13, *slow(16)])
def test_a_stopped_budget_goes_on_with_the_same_pairs(league, tmp_path, stop_after):
    whole = Referee()
    (tmp_path / "other").mkdir()
    run(league_of(tmp_path / "other"), whole, Target(2, 24.0))
    first = Referee(stop_after=stop_after)
    with pytest.raises(KeyboardInterrupt):
        run(league, first, Target(2, 24.0))
    second = Referee()
    run(league, second, Target(2, 24.0))
    assert first.jobs + second.jobs == whole.jobs


def test_finished_games_of_a_replaced_network_are_not_taken_for_games_under_way(tmp_path):
    def renewed_by(folder):
        """A league in which Ada gets another network after twelve games."""
        folder.mkdir()
        league = league_of(folder)

        def before(number):
            if number == 12:
                file_network(league, "Ada", tiny_network(7), folder, replace=True)

        return league, before

    league, before = renewed_by(tmp_path / "whole")
    whole = Referee(before=before)
    run(league, whole, Target(2, 30.0))
    league, before = renewed_by(tmp_path / "stopped")
    first, second = Referee(before=before, stop_after=20), Referee()
    with pytest.raises(KeyboardInterrupt):
        run(league, first, Target(2, 30.0))
    run(league, second, Target(2, 30.0))
    assert first.jobs + second.jobs == whole.jobs


def test_one_network_is_no_league_and_a_league_that_has_shrunk_ends(tmp_path):
    with pytest.raises(LeagueError, match="two networks or more"):
        LeaguePlan(league_of(tmp_path, ("Ada",)), OPTIONS, Target())
    (tmp_path / "shrinks").mkdir()
    league = league_of(tmp_path / "shrinks", ("Ada", "Grace"))
    referee = Referee(before=lambda number: number == 2 and league.submissions.withdraw("Ada"))
    assert run(league, referee, Target(3, 100.0)).num_games == 4


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
        is_decided=lambda: False,
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


def test_voids_between_games_or_one_bad_network_are_no_reason_to_give_up():
    attempts = [*voids_of(GIVEN_UP_IN_A_ROW - 1), (99, "played")]
    later = [(100 + game, kind) for game, kind in attempts]
    assert play(attempts + later) == 2 * len(attempts)
    forfeits = [(game, "forfeit") for game in range(MANY_GAMES)]
    attempts = voids_of(MANY_GAMES, ATTEMPTS - 1) + forfeits
    assert play(attempts) == len(attempts)


@pytest.mark.parametrize("num_games", [GIVEN_UP_IN_A_ROW, MANY_GAMES])
def test_nothing_but_voids_ends_the_event(num_games):
    num_attempts = (ATTEMPTS - 1) * num_games + GIVEN_UP_IN_A_ROW
    with pytest.raises(EngineError, match=f"{num_attempts} attempts in a row were void"):
        play([(99, "played"), *voids_of(num_games)])
