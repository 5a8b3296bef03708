"""Who may play: names taken and replaced, withdrawn, taken out and reinstated, and anchors."""

import pytest

from tests.fake_arena import OPTIONS, file_network, league_of, record_of, tiny_network
from tournament.errors import OptionsError, SubmissionError
from tournament.game.job import Entrant
from tournament.league.league import League
from tournament.running.plan import scheduled_jobs
from tournament.running.schedule import pairings

FORFEIT = {"result": "W+F", "winner": "white", "kind": "forfeit", "reason": "Ada: got nan"}


@pytest.fixture
def league(tmp_path):
    return league_of(tmp_path)


def playing(league: League) -> list[str]:
    return [entrant.name for entrant in league.submissions.entrants()]


def entrants(league: League) -> list[Entrant]:
    filed = league.submissions.all()
    return [Entrant(one.name, one.sha256) for one in filed if one.status != "superseded"]


def forfeit(league: League, name: str, count: int) -> None:
    """Lets a network lose games that it has not lost yet."""
    jobs = league.games.missing(pairings(entrants(league), 9, 0, [(60,)]))
    for job in [job for job in jobs if job.black == name][:count]:
        league.games.record(record_of(job, **FORFEIT))


def test_a_name_is_taken_over_only_when_that_is_said(league, tmp_path):
    with pytest.raises(SubmissionError, match="Ada has had another file .* or add --replace"):
        file_network(league, "Ada", tiny_network(9), tmp_path)
    new = file_network(league, "Ada", tiny_network(9), tmp_path, replace=True)
    assert new.active and playing(league) == ["Ada", "Grace", "Kurt"]
    old = next(filed for filed in league.submissions.all() if filed.status == "superseded")
    assert old.name == "Ada" and old.note.startswith("replaced on 20")


def test_a_withdrawn_network_plays_no_more_and_keeps_its_games(league, tmp_path):
    job = scheduled_jobs(league, OPTIONS, 1)[0]
    league.games.record(record_of(job))
    withdrawn = league.submissions.withdraw(job.black)
    assert withdrawn.note.startswith("withdrawn on 20") and job.black not in playing(league)
    assert len(league.games.all()) == 1
    again = (league.folder / "submissions" / f"{withdrawn.sha256}.h5").read_bytes()
    with pytest.raises(SubmissionError, match="withdrawn on .*tournament reinstate"):
        file_network(league, job.black, again, tmp_path)
    league.submissions.reinstate(job.black)
    assert job.black in playing(league)


def test_a_network_that_fails_is_taken_out_with_the_games_before_and_after(league):
    jobs = scheduled_jobs(league, OPTIONS, 1)
    for job in jobs:
        league.games.record(record_of(job))
    forfeit(league, "Ada", 1)
    assert playing(league) == ["Grace", "Kurt"]
    ada = league.submissions.all()[0]
    failure = league.games.failure_of(ada.sha256)
    assert (failure.kind, failure.black) == ("forfeit", "Ada")
    assert ada.note == (
        f"taken out because it failed in game {failure.game_id} against {failure.white} "
        "(Ada: got nan)"
    )
    forfeit(league, "Ada", 1)
    assert league.games.failure_of(ada.sha256) == failure, "the first one is the reason"
    assert {frozenset((row.black, row.white)) for row in league.games.rows()} == {
        frozenset(("Grace", "Kurt"))
    }
    assert league.games.count() == 2 and len(league.games.struck()) == 6
    for row in league.games.struck():
        assert league.games.path_of(row.game_id).exists(), "the games are kept"


def test_a_reinstated_network_has_its_games_again_until_it_fails_again(league):
    forfeit(league, "Ada", 2)
    league.submissions.reinstate("Ada")
    assert "Ada" in playing(league)
    assert (league.games.count(), league.games.struck()) == (2, [])
    forfeit(league, "Ada", 1)
    assert "Ada" not in playing(league) and league.games.count() == 0
    ada = league.submissions.all()[0]
    assert league.games.failure_of(ada.sha256) == league.games.struck()[2]


def test_a_network_that_failed_is_neither_withdrawn_nor_handed_in_again(league, tmp_path):
    forfeit(league, "Ada", 1)
    with pytest.raises(SubmissionError, match="Ada no longer plays: it was taken out because"):
        league.submissions.withdraw("Ada")
    with pytest.raises(SubmissionError, match="taken out because .* reinstate Ada lets it play"):
        file_network(league, "Ada", tiny_network(0), tmp_path)
    file_network(league, "Ada", tiny_network(9), tmp_path, replace=True)
    assert "Ada" in playing(league)
    with pytest.raises(SubmissionError, match="has failed in a game .*; hand in a different"):
        file_network(league, "Ada", tiny_network(0), tmp_path, replace=True)


@pytest.mark.parametrize("between", [False, True], ids=["at once", "after another one"])
def test_a_network_that_failed_comes_back_by_no_changed_bit(league, tmp_path, between):
    answers, nearly = (0.4, 0.5, 0.02, 0.9), (0.4001, 0.5, 0.02, 0.9)
    file_network(league, "Ada", tiny_network(7), tmp_path, answers=answers, replace=True)
    forfeit(league, "Ada", 1)
    if between:
        file_network(league, "Ada", tiny_network(9), tmp_path, replace=True)
    refused = "taken out because|plays nearly the same, has failed"
    with pytest.raises(SubmissionError, match=refused):
        file_network(league, "Ada", tiny_network(8), tmp_path, answers=nearly, replace=True)
    other = (0.1, 0.5, 0.3, 0.2)
    file_network(league, "Ada", tiny_network(6), tmp_path, answers=other, replace=True)
    assert "Ada" in playing(league)


def test_a_withdrawn_network_that_fails_in_its_last_game_is_taken_out_too(league):
    league.submissions.withdraw("Ada")
    job = next(job for job in pairings(entrants(league), 1, 0, [(60,)]) if job.black == "Ada")
    league.games.record(record_of(job, **FORFEIT))
    assert league.games.count() == 0 and len(league.games.struck()) == 1


def test_a_failure_is_the_losers_and_counts_once(league):
    jobs = [job for job in scheduled_jobs(league, OPTIONS, 9) if job.black == "Ada"][:3]
    for job in jobs:
        league.games.record(record_of(job))
    league.games.record(record_of(jobs[0], **FORFEIT))
    assert playing(league) == ["Ada", "Grace", "Kurt"], "the game has another result already"
    won = {**FORFEIT, "result": "B+F", "winner": "black"}
    job = next(job for job in scheduled_jobs(league, OPTIONS, 9) if job.black == "Kurt")
    league.games.record(record_of(job, **won))
    assert "Kurt" in playing(league) and job.white not in playing(league)


def anchors(league) -> dict[str, float]:
    filed = league.submissions.all()
    return {one.name: one.anchor_elo for one in filed if one.anchor_elo is not None}


def test_an_anchor_has_a_finite_rating_and_is_taken_back(league):
    assert anchors(league) == {}
    assert league.submissions.set_anchor("Kurt", 0.0).anchor_elo == 0.0
    assert anchors(league) == {"Kurt": 0.0}
    league.submissions.set_anchor("Kurt", None)
    assert anchors(league) == {}
    with pytest.raises(OptionsError, match="rating must be finite"):
        league.submissions.set_anchor("Kurt", float("nan"))


@pytest.mark.parametrize("change", ["withdraw", "reinstate"])
def test_a_name_that_is_not_there_is_said(league, change):
    with pytest.raises(SubmissionError, match="'Emmy'; there are Ada, Grace, Kurt"):
        getattr(league.submissions, change)("Emmy")
