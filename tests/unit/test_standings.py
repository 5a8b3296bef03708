"""What the ranking says of each network, and what it doesn't claim."""

from dataclasses import replace

import pytest

from tests.fake_standings import game, small_league, snapshot_of_games
from tournament.league.games import Effort, row_of
from tournament.ratings.ranking import Score
from tournament.report.standings import Standings, percent


def test_rows_have_scores_by_colour_and_forfeits():
    rows = Standings(small_league()).rows
    assert [(row.rank, row.name) for row in rows] == [(1, "ada"), (2, "bob"), (3, "cyd")]
    assert [row.score for row in rows] == [Score(7, 1), Score(4, 4), Score(1, 7)]
    assert [row.as_black for row in rows] == [Score(3, 1), Score(1, 3), Score(0, 4)]
    assert [row.num_forfeits for row in rows] == [0, 0, 1]
    assert rows[2].beats_next is None and rows[2].is_separated


def test_effort_is_that_of_the_moves_that_a_side_chose():
    # Three plies of opening, so White chooses first: 5 of the 9 moves are White's.
    row = row_of(game(0, "ada", "bob", "black"))
    assert row.white_effort == Effort(5, 500, 7.5)
    assert row.black_effort == Effort(4, 440, 7.0)
    assert row.black_effort.visits_per_move == 110
    assert Effort().visits_per_move is None
    assert row.num_plies == 12


def test_void_games_count_for_nobody():
    records = [game(0, "ada", "bob", "black"), game(1, "bob", "ada", None, kind="void", reason="x")]
    standings = Standings(snapshot_of_games(["ada", "bob"], records))
    assert standings.between("ada", "bob") == Score(1, 0)
    assert standings.between("bob", "ada") == Score(0, 1)
    assert sum(row.score.num_games for row in standings.rows) == 2


def test_separation_is_said_in_words():
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


def test_anchors_fix_the_scale_and_that_is_said():
    league = small_league()
    assert Standings(league).scale() == "The mean rating is 0."
    networks = [
        replace(network, anchor_elo=500.0 if network.name == "bob" else None)
        for network in league.networks
    ]
    standings = Standings(replace(league, networks=tuple(networks)))
    assert standings.scale() == "The scale is fixed by bob at 500."
    assert [round(row.elo) for row in standings.rows] == [757, 500, 243]


def test_many_open_questions_are_not_all_listed():
    names = [f"n{i:02d}" for i in range(20)]
    records = [game(0, "n00", "n01", "black")]
    assert Standings(snapshot_of_games(names, records)).separation().endswith(", and 15 more.")


@pytest.mark.parametrize(
    ("probability", "text"), [(0.5, "50 %"), (0.949, "94 %"), (0.9999, "99 %"), (1.0, "100 %")]
)
def test_percents_never_overstate(probability, text):
    assert percent(probability) == text
