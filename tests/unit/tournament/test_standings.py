"""What the ranking says of each network, and what it doesn't claim."""

import json
import re
from dataclasses import replace

import pytest

from tests.data import ROOT
from tests.fake_standings import game, small_league, snapshot_of_games
from tournament.league.games import Effort, row_of
from tournament.ratings.ranking import Score
from tournament.report.columns import COLUMNS, FIELDS
from tournament.report.downloads import league_json, ranking_csv
from tournament.report.standings import Standings, percent


def test_rows_have_scores_forfeits_and_efforts_without_void_games():
    rows = Standings(small_league()).rows
    assert [(row.rank, row.name) for row in rows] == [(1, "ada"), (2, "bob"), (3, "cyd")]
    assert [row.score for row in rows] == [Score(7, 1), Score(4, 4), Score(1, 7)]
    assert [row.as_black for row in rows] == [Score(3, 1), Score(1, 3), Score(0, 4)]
    assert [row.num_forfeits for row in rows] == [0, 0, 1]
    assert rows[2].beats_next is None and rows[2].is_separated
    # Three plies of opening, so White chooses first: 5 of the 9 moves are White's.
    row = row_of(game(0, "ada", "bob", "black"))
    assert row.white_effort == Effort(5, 500, 7.5)
    assert row.black_effort == Effort(4, 440, 7.0)
    assert row.black_effort.visits_per_move == 110
    assert Effort().visits_per_move is None
    assert row.num_plies == 12
    records = [game(0, "ada", "bob", "black"), game(1, "bob", "ada", None, kind="void", reason="x")]
    standings = Standings(snapshot_of_games(["ada", "bob"], records))
    assert standings.between("ada", "bob") == Score(1, 0)
    assert standings.between("bob", "ada") == Score(0, 1)
    assert sum(row.score.num_games for row in standings.rows) == 2


def test_separation_is_said_in_words_of_which_many_are_not_all_listed():
    assert Standings(small_league()).separation() == (
        "Not separated at 95 %, the order may be chance: ada and bob (90 %), bob and cyd (90 %)."
    )
    lopsided = [
        game(i, "ada", "bob", "black") if i % 2 else game(i, "bob", "ada", "white")
        for i in range(40)
    ]
    assert Standings(snapshot_of_games(["ada", "bob"], lopsided)).separation() == (
        "Every neighbour is separated at 95 %."
    )
    assert Standings(snapshot_of_games(["ada", "bob"], [])).separation() == (
        "No game has been played yet."
    )
    names = [f"n{i:02d}" for i in range(20)]
    around = zip(names, names[1:] + names[:1], strict=True)
    records = [game(i, black, white, "black") for i, (black, white) in enumerate(around)]
    assert Standings(snapshot_of_games(names, records)).separation().endswith(", and 15 more.")


def test_anchors_fix_the_scale_if_they_have_played_and_that_is_said():
    league = small_league()
    assert Standings(league).scale() == "The mean rating is 0."
    networks = [
        replace(network, anchor_elo=500.0 if network.name == "bob" else None)
        for network in league.networks
    ]
    standings = Standings(replace(league, networks=tuple(networks)))
    assert standings.scale() == "The scale is fixed by bob at 500."
    assert [round(row.elo) for row in standings.rows] == [757, 500, 243]
    snapshot = snapshot_of_games(["ada", "bob", "ref"], small_games())
    networks = [
        replace(network, anchor_elo=500.0 if network.name == "ref" else None)
        for network in snapshot.networks
    ]
    standings = Standings(replace(snapshot, networks=tuple(networks)))
    assert standings.scale() == "The mean rating is 0."
    assert sum(row.elo for row in standings.played) == pytest.approx(0, abs=1e-6)


def test_a_network_without_games_has_no_place_and_moves_nobody():
    """It comes last, and the others are rated as if it were not there."""
    standings = Standings(snapshot_of_games(["ada", "bob", "a_new_one"], small_games()))
    without = Standings(snapshot_of_games(["ada", "bob"], small_games()))
    assert [row.name for row in standings.rows] == ["ada", "bob", "a_new_one"]
    assert [row.name for row in standings.played] == ["ada", "bob"]
    assert [row.elo for row in standings.played] == [row.elo for row in without.rows]
    assert standings.rows[1].beats_next is None and not standings.rows[2].has_played
    assert standings.separation() == without.separation()
    assert standings.without_games() == "No games yet: a_new_one."
    assert without.without_games() == ""


def small_games() -> list:
    return [game(i, "ada", "bob", "black") for i in range(3)]


def test_before_any_game_nothing_is_claimed():
    standings = Standings(snapshot_of_games(["ada", "bob"], []))
    assert [standings.scale(), standings.colour(), standings.without_games()] == ["", "", ""]
    assert not any(row.has_played or row.beats_next for row in standings.rows)
    for text in (ranking_csv(standings), league_json(standings, [])):
        assert "482" not in text and "0.5" not in text
    (first, _) = json.loads(league_json(standings, []))["ranking"]
    assert {first[column.csv] for column in FIELDS if column.of_games} == {None}
    assert (first["wins"], first["games"], first["parameters_total"]) == (0, 0, 90_000)


def test_the_page_of_docs_has_the_fields_of_the_table():
    text = (ROOT / "docs" / "teacher" / "table.md").read_text("utf-8")
    table = text.partition("| column | in `ranking.csv` | meaning |\n|---|---|---|\n")[2]
    rows = table.partition("\n\n")[0].splitlines()
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(column.csv for column in FIELDS)
    assert all(column.csv or column.title or column.text for column in COLUMNS)


def test_a_winrate_has_an_interval_that_holds_for_few_games():
    (ada, bob) = Standings(snapshot_of_games(["ada", "bob"], small_games())).rows
    assert ada.score.winrate == 1
    assert ada.score.interval == pytest.approx((0.4385, 1), abs=1e-4)  # by R's binom
    assert bob.score.interval == pytest.approx((0, 0.5615), abs=1e-4)
    assert Score().interval == (0, 1)
    low, high = Score(8, 2).interval  # by R's binom
    assert (low, high) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))
    drawn = Score(1, 1, 2)
    assert (drawn.winrate, drawn.interval) == (0.5, Score(2, 2).interval)


@pytest.mark.parametrize(
    ("probability", "text"), [(0.5, "50 %"), (0.949, "94 %"), (0.9999, "99 %"), (1.0, "100 %")]
)
def test_percents_never_overstate(probability, text):
    assert percent(probability) == text
