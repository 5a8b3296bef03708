"""Who may play: names taken and replaced, withdrawn, suspended and reinstated, and anchors."""

import pytest

from tests.fake_arena import OPTIONS, file_network, league_of, record_of, tiny_network
from tournament.errors import OptionsError, SubmissionError
from tournament.league.league import League
from tournament.running.plan import scheduled_jobs

FORFEIT = {"result": "W+F", "winner": "white", "kind": "forfeit", "reason": "Ada: got nan"}


@pytest.fixture
def league(tmp_path):
    return league_of(tmp_path)


def playing(league: League) -> list[str]:
    return [entrant.name for entrant in league.submissions.entrants()]


def forfeit(league: League, name: str, count: int) -> None:
    """Lets a network lose games that it has not lost yet."""
    jobs = league.games.missing(scheduled_jobs(league, OPTIONS, 9))
    for job in [job for job in jobs if job.black == name][:count]:
        league.games.record(record_of(job, **FORFEIT))


def test_a_name_is_taken_over_only_when_that_is_said(league, tmp_path):
    with pytest.raises(SubmissionError, match="Ada has had another network .* or --replace it"):
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


def test_three_forfeits_suspend_and_a_reinstated_network_has_three_again(league):
    forfeit(league, "Ada", 2)
    assert "Ada" in playing(league)
    forfeit(league, "Ada", 1)
    assert playing(league) == ["Grace", "Kurt"] and len(league.games.all()) == 3
    ada = league.submissions.all()[0]
    assert ada.status == "suspended"
    assert ada.note == "suspended after 3 forfeits, the last one because: Ada: got nan"
    league.submissions.reinstate("Ada")
    forfeit(league, "Ada", 2)
    assert "Ada" in playing(league)
    forfeit(league, "Ada", 1)
    assert "Ada" not in playing(league) and "after 6 forfeits" in league.submissions.all()[0].note


def test_a_forfeit_counts_against_the_loser_and_once(league):
    jobs = [job for job in scheduled_jobs(league, OPTIONS, 9) if job.black == "Ada"][:3]
    won = {**FORFEIT, "result": "B+F", "winner": "black"}
    for job in jobs:
        league.games.record(record_of(job, **won))
    assert "Ada" in playing(league)
    for _ in range(3):
        league.games.record(record_of(jobs[0], **FORFEIT))
    assert "Ada" in playing(league)


def anchors(league) -> dict[str, float]:
    filed = league.submissions.all()
    return {one.name: one.anchor_elo for one in filed if one.anchor_elo is not None}


def test_an_anchor_is_set_and_taken_back(league):
    assert anchors(league) == {}
    assert league.submissions.set_anchor("Kurt", 0.0).anchor_elo == 0.0
    assert anchors(league) == {"Kurt": 0.0}
    league.submissions.set_anchor("Kurt", None)
    assert anchors(league) == {}


def test_an_anchor_has_a_finite_rating(league):
    with pytest.raises(OptionsError, match="expected a finite rating"):
        league.submissions.set_anchor("Kurt", float("nan"))


@pytest.mark.parametrize("change", ["withdraw", "reinstate"])
def test_a_name_that_is_not_there_is_said(league, change):
    with pytest.raises(SubmissionError, match="'Emmy'; there are Ada, Grace, Kurt"):
        getattr(league.submissions, change)("Emmy")
