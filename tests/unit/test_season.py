"""Points and ratings over weeks."""

import numpy as np
import pytest

from tests.fake_arena import OPTIONS, league_of, record_of
from tests.unit.test_rating import random_league
from tournament.errors import LeagueError
from tournament.league.league import League
from tournament.league.placings import week_of
from tournament.league.season import season_of
from tournament.ratings.bradley_terry import rate
from tournament.report.history import current_week, placings_of
from tournament.report.snapshot import snapshot_of
from tournament.report.standings import Standings
from tournament.running.plan import scheduled_jobs


def played(folder, names, winner, day) -> League:
    """A league of one round that ended on this day; one name wins all of its games."""
    folder.mkdir()
    league = league_of(folder, names)
    for job in scheduled_jobs(league, OPTIONS, 1):
        colour = "black" if winner == job.black else "white"
        outcome = {"winner": colour, "result": f"{colour[0].upper()}+3.5"}
        league.games.record(record_of(job, finished_at=f"{day}T20:00:00+00:00", **outcome))
    keep(league)
    return league


def keep(league: League) -> None:
    standings = Standings(snapshot_of(league))
    if week := current_week(standings.snapshot):
        league.placings.note(week, placings_of(standings))


def test_points_are_the_share_of_games_won_in_a_round_robin():
    strength, games = random_league(np.random.default_rng(3), 6, 3)
    ratings = rate(strength, games, prior_games=1e-6)
    won = {name: 0 for name in strength}
    for game in games:
        won[game.black if game.winner == "black" else game.white] += 1
    shares = [won[name] / 30 for name in ratings.names]
    assert ratings.expected_scores() == pytest.approx(shares, abs=1e-4)
    assert rate("a", []).expected_scores() == [0]


def test_a_week_is_that_of_the_last_game_and_is_kept_once(tmp_path):
    league = played(tmp_path / "week1", ("Ada", "Grace", "Kurt"), "Ada", "2026-03-14")
    keep(league)
    placings = league.placings.all()
    assert [placing.week for placing in placings] == 3 * ["2026-W11"]
    assert (placings[0].name, placings[0].rank, placings[0].num_wins) == ("Ada", 1, 4)
    assert sum(placing.points for placing in placings) == pytest.approx(150, abs=0.3)
    job = scheduled_jobs(league, OPTIONS, 2)[-1]
    league.games.record(record_of(job, finished_at="2026-03-21T20:00:00+00:00"))
    keep(league)
    assert [placing.week for placing in league.placings.all()[::3]] == ["2026-W11", "2026-W12"]
    assert league.placings.all()[:3] == placings


def test_a_season_adds_points_and_knows_who_missed_a_week(tmp_path):
    weeks = [
        played(tmp_path / "week1", ("Ada", "Grace"), "Ada", "2026-03-14"),
        played(tmp_path / "week2", ("Ada", "Grace", "Kurt"), "Ada", "2026-03-21"),
    ]
    renamed = []
    for week in weeks:
        week.close()
        folder = week.folder.parent.parent / f"{week.folder.parent.name}_league"
        week.folder.rename(folder)
        renamed.append(League(folder))
    season = season_of(renamed)
    assert season.weeks == ("week1_league", "week2_league")
    assert season.names() == ["Ada", "Grace", "Kurt"]
    assert season.placings["Kurt"].keys() == {"week2_league"}
    first, second = (season.placings["Ada"][week].points for week in season.weeks)
    assert 50 < first < 100 and season.points("Ada") == first + second


def test_a_league_that_goes_on_is_a_season_by_itself(tmp_path):
    league = played(tmp_path / "all", ("Ada", "Grace"), "Ada", "2026-12-30")
    assert season_of([league]).weeks == ("2026-W53",)


def test_two_leagues_of_one_name_would_be_one_week(tmp_path):
    leagues = [
        played(tmp_path / week, ("Ada", "Grace"), "Ada", day)
        for week, day in (("week1", "2026-03-14"), ("week2", "2026-03-21"))
    ]
    with pytest.raises(LeagueError, match="same name, of league, league: rename one"):
        season_of(leagues)


def test_leagues_without_a_game_are_no_season(tmp_path):
    league = league_of(tmp_path)
    keep(league)
    with pytest.raises(LeagueError, match="no league has a table yet"):
        season_of([league])


@pytest.mark.parametrize(("day", "week"), [("2026-01-01", "2026-W01"), ("2027-01-03", "2026-W53")])
def test_weeks_are_those_of_iso_8601(day, week):
    assert week_of(f"{day}T00:00:00+00:00") == week
