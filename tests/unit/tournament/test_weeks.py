"""The week of a run without a term: fixed by its first game; and what is told of earlier weeks."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby

import pytest

from tests.fake_arena import OPTIONS, file_network, league_of, tiny_network
from tests.fake_standings import game, small_league, small_records, snapshot_of_games
from tests.unit.tournament.test_plan import Referee, stronger
from tournament.league.games import Target
from tournament.league.league import League
from tournament.league.weeks import Placing
from tournament.report import build, pages
from tournament.report.history import placings_of, weeks_of
from tournament.report.standings import Standings
from tournament.running.coordinator import run_event
from tournament.running.views import QuietView

NAMES = ("Ada", "Grace", "Kurt")
SUNDAY, MONDAY, NEXT_SUNDAY = "2026-03-08 23:30", "2026-03-09 09:00", "2026-03-15 09:00"


@pytest.fixture
def league(tmp_path) -> League:
    return league_of(tmp_path, NAMES)


def play(
    league: League, begin: str, stop_after: int | None = None, rounds: int = 1, lost=(), hours=1,
    before=build, is_killed: bool = False,
):
    """Plays what is missing from this moment on, so many hours a game; a report around each.

    Stopped, as by Ctrl-C, after so many games; those of these numbers come to nothing. A run that
    is killed has no last report.
    """
    first = datetime.fromisoformat(begin).astimezone(UTC)

    def decide(job):
        if (number := len(referee.jobs) - 1) in lost:
            return None
        times = (first + timedelta(hours=hours * (number + passed)) for passed in (0, 1))
        started_at, finished_at = (time.isoformat() for time in times)
        return {**stronger(job), "started_at": started_at, "finished_at": finished_at}

    referee = Referee(decide, before=lambda number: before(league), stop_after=stop_after)
    with suppress(KeyboardInterrupt):
        run_event(league, OPTIONS, Target(rounds), referee, QuietView(), referee.clock)
    if not is_killed:
        build(league, ends_run=True)


def renew(league: League, *names: str) -> None:
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


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((SUNDAY, {}), None, {"2026-W10": 6}),  # it passes Monday
        ((SUNDAY, {"hours": 48}), None, {"2026-W10": 6}),
        ((SUNDAY, {}), (MONDAY, {}), {"2026-W10": 6}),  # without a game
        ((SUNDAY, {"stop_after": 3}), (MONDAY, {}), {"2026-W10": 6}),
        ((SUNDAY, {"lost": {4, 5}}), (MONDAY, {}), {"2026-W10": 6}),
        ((MONDAY, {}), (NEXT_SUNDAY, {"stop_after": 2, "rounds": 2}), {"2026-W11": 8}),
    ],
    ids=["one run", "twelve days", "no game", "stopped", "given up", "more rounds"],
)
def test_a_run_is_of_one_week_with_what_goes_on_from_it(league, first, second, expected):
    for begin, how in filter(None, (first, second)):
        play(league, begin, **how)
    assert num_games(league) == expected
    build(league)
    assert num_games(league) == expected, "also in later reports"


def test_the_next_run_leaves_the_table_before_as_it_was(league):
    play(league, SUNDAY)
    before = weeks(league)
    renew(league, *NAMES)
    play(league, NEXT_SUNDAY)
    assert num_games(league) == {"2026-W10": 6, "2026-W11": 6}
    assert weeks(league)["2026-W10"] == before["2026-W10"]


def test_a_run_that_was_stopped_for_good_ends_its_week(league):
    play(league, SUNDAY, stop_after=3)
    before = weeks(league)
    play(league, NEXT_SUNDAY)
    assert num_games(league) == {"2026-W10": 3, "2026-W11": 6}
    assert weeks(league)["2026-W10"] == before["2026-W10"]


def test_a_network_for_the_next_week_changes_nothing_after_a_run_that_was_stopped(league):
    play(league, SUNDAY, stop_after=3)
    before = weeks(league)
    renew(league, *NAMES)
    build(league)
    assert weeks(league) == before
    play(league, NEXT_SUNDAY)
    assert num_games(league) == {"2026-W10": 3, "2026-W11": 6}


@pytest.mark.parametrize("stop_after", [5, None], ids=["in a game", "before its last report"])
def test_a_network_for_the_next_week_changes_nothing_after_a_run_that_was_killed(
    league, stop_after
):
    play(league, SUNDAY, stop_after, is_killed=True)
    before = weeks(league)
    assert before
    renew(league, "Ada")
    build(league)
    assert weeks(league) == before
    play(league, NEXT_SUNDAY, stop_after=0)
    assert weeks(league) == before, "a run that was stopped before its first game"
    play(league, NEXT_SUNDAY)
    assert weeks(league)["2026-W10"] == before["2026-W10"]


def test_settings_that_are_being_edited_stop_no_run_at_its_end(league):
    def edit(league: League) -> None:
        (league.folder / "league.toml").write_text("hidden = ")

    run_event(league, OPTIONS, Target(), Referee(before=lambda _: edit(league)), QuietView())
    assert league.weeks.of_run().is_over


def test_the_last_report_of_a_run_has_its_games_also_when_a_network_was_replaced(league):
    replaced = []

    def report_and_replace(league: League) -> None:
        build(league)
        if len(league.games.rows()) == 3 and not replaced:
            replaced.append(renew(league, "Ada"))

    play(league, SUNDAY, before=report_and_replace)
    assert replaced and num_games(league) == {"2026-W10": 6}


def test_a_stopped_run_that_goes_on_in_its_week_has_the_table_of_its_games(league):
    """Also with another network of a name, however often it is stopped."""
    play(league, SUNDAY, stop_after=3)
    renew(league, "Ada")
    build(league)
    play(league, MONDAY, stop_after=2)
    assert list(weeks(league)) == ["2026-W10"]
    sha256 = {one.name: one.sha256 for one in league.submissions.entrants()}
    assert all(one.sha256 == sha256[one.name] for one in weeks(league)["2026-W10"])


def test_a_network_for_the_next_week_changes_nothing_in_the_table_before(league):
    play(league, SUNDAY)
    before = weeks(league)
    renew(league, "Ada")
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
    renew(league, "Ada")
    play(league, NEXT_SUNDAY, stop_after=2)
    assert weeks(league) == before
    play(league, NEXT_SUNDAY)
    assert num_games(league) == {"2026-W11": 6}
    assert weeks(league) != before


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


def test_what_was_kept_of_this_week_is_replaced_and_stays_when_games_count_no_more():
    standings = two_weeks()
    kept = (*standings.snapshot.placings, *placings_of(standings))
    again = Standings(replace(standings.snapshot, placings=kept))
    assert weeks_of(again) == weeks_of(standings)
    standings = two_weeks()
    earlier = replace(game(0, "ada", "bob", "black"), finished_at=EARLIER)
    kept = (*standings.snapshot.placings, *placings_of(standings))
    rest = Standings(replace(snapshot_of_games(["ada", "bob"], [earlier]), placings=kept))
    assert {placing.week for placing in placings_of(rest)} == {"2026-W11"}


def test_points_are_of_who_has_played_and_nothing_is_told_before_a_game():
    snapshot = snapshot_of_games(["ada", "bob", "new"], [game(0, "ada", "bob", "black")])
    assert [placing.name for placing in placings_of(Standings(snapshot))] == ["ada", "bob"]
    assert weeks_of(Standings(snapshot_of_games(["ada", "bob"], []))) == {}


def test_networks_filed_for_the_next_week_move_nobody_in_this_one():
    names = [network.name for network in small_league().networks]
    newcomers = [f"new{i}" for i in range(20)]
    snapshot = snapshot_of_games([*names, *newcomers], small_records())
    anchored = replace(snapshot.networks[-1], anchor_elo=1000.0)
    snapshot = replace(snapshot, networks=(*snapshot.networks[:-1], anchored))
    assert placings_of(Standings(snapshot)) == placings_of(Standings(small_league()))


def test_the_page_shows_weeks_from_the_second_one_on():
    standings = two_weeks()
    weeks = weeks_of(standings)
    texts = {
        row.name: pages.network(standings, row, standings.snapshot.games, weeks[row.name], {})
        for row in standings.rows
    }
    counts = {name: text.count('class="week">2026-W') for name, text in texts.items()}
    assert counts == {"ada": 2, "bob": 2, "cyd": 0}
    assert "Rating over weeks" not in texts["cyd"]
    assert [name for name, text in texts.items() if "earlier network" in text] == ["bob"]
