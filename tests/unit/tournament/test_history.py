"""Ratings over weeks: earlier ones as they were told, this one as it is."""

from dataclasses import replace

from tests.fake_standings import game, small_league, small_records, snapshot_of_games
from tournament.report import pages
from tournament.report.history import placings_of, weeks_of
from tournament.report.standings import Standings

EARLIER = "2026-03-07T21:00:00+00:00"  # of the week before small_league's games


def two_weeks() -> Standings:
    """Ada beat Bob last week; this week the small league was played, by another Bob than then."""
    record = replace(game(0, "ada", "bob", "black"), finished_at=EARLIER)
    first = Standings(snapshot_of_games(["ada", "bob"], [record]))
    snapshot = small_league()
    digests = {"ada": snapshot.networks[2].sha256, "bob": "another's"}
    kept = [replace(placing, sha256=digests[placing.name]) for placing in placings_of(first)]
    return Standings(replace(snapshot, placings=tuple(kept)))


def test_weeks_are_what_was_kept_and_the_one_that_is_now():
    standings = two_weeks()
    weeks = weeks_of(standings)
    assert {name: [week.week for week in listed] for name, listed in weeks.items()} == {
        "ada": ["2026-W10", "2026-W11"],
        "bob": ["2026-W10", "2026-W11"],
        "cyd": ["2026-W11"],
    }
    assert (weeks["ada"][0].num_games, weeks["ada"][1].num_games) == (1, 8)
    assert [week[-1] for week in weeks.values()] == [
        next(p for p in placings_of(standings) if p.name == name) for name in weeks
    ]


def test_this_week_takes_the_place_of_what_was_kept_of_it():
    standings = two_weeks()
    kept = (*standings.snapshot.placings, *placings_of(standings))
    again = Standings(replace(standings.snapshot, placings=kept))
    assert weeks_of(again) == weeks_of(standings)


def test_a_week_that_was_told_stays_when_the_games_after_it_count_no_more():
    standings = two_weeks()
    earlier = replace(game(0, "ada", "bob", "black"), finished_at=EARLIER)
    kept = (*standings.snapshot.placings, *placings_of(standings))
    rest = Standings(replace(snapshot_of_games(["ada", "bob"], [earlier]), placings=kept))
    assert {placing.week for placing in placings_of(rest)} == {"2026-W11"}


def test_who_has_not_played_has_no_points():
    snapshot = snapshot_of_games(["ada", "bob", "new"], [game(0, "ada", "bob", "black")])
    assert [placing.name for placing in placings_of(Standings(snapshot))] == ["ada", "bob"]


def test_networks_filed_for_the_next_week_move_nobody_in_this_one():
    names = [network.name for network in small_league().networks]
    newcomers = [f"new{i}" for i in range(20)]
    snapshot = snapshot_of_games([*names, *newcomers], small_records())
    anchored = replace(snapshot.networks[-1], anchor_elo=1000.0)
    snapshot = replace(snapshot, networks=(*snapshot.networks[:-1], anchored))
    assert placings_of(Standings(snapshot)) == placings_of(Standings(small_league()))


def test_nothing_is_told_before_a_game():
    assert weeks_of(Standings(snapshot_of_games(["ada", "bob"], []))) == {}


def test_the_page_shows_weeks_from_the_second_one_on():
    standings = two_weeks()
    weeks = weeks_of(standings)
    texts = {
        row.name: pages.network(standings, row, standings.snapshot.games, weeks[row.name])
        for row in standings.rows
    }
    counts = {name: text.count('class="week">2026-W') for name, text in texts.items()}
    assert counts == {"ada": 2, "bob": 2, "cyd": 0}
    assert "Rating over weeks" not in texts["cyd"]
    assert [name for name, text in texts.items() if "earlier network" in text] == ["bob"]
