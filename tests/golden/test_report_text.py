"""The texts that a league prints, letter by letter."""

import io

from rich.console import Console

from tests.fake_standings import game, small_league, snapshot_of_games
from tournament.report.standings import Standings
from tournament.report.text import course_report, ranking_table, update_report

RANKING = """\
Week 6

 # ranks network  Elo   ± > next W–L   won params visits CPU s forf
 ──────────────────────────────────────────────────────────────────
 1   1–2 ada     +257 271   90 % 7–1 0.875  90002    104  1.61    0
 2   1–3 bob       +0 195   90 % 4–4 0.500  90001    104  1.61    0
 3   2–3 cyd     -257 271        1–7 0.125  90000    104  1.61    1

Provisional: 12 of 30 games played. Black is worth -209 ± 318 Elo. The mean rating is 0.
Not separated at 95 %, the order may be chance: ada and bob (90 %), bob and cyd (90 %)."""


def printed(snapshot) -> str:
    console = Console(file=io.StringIO(), width=140)
    console.print(ranking_table(Standings(snapshot)))
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())


def test_ranking_table():
    assert printed(small_league(num_scheduled=30)) == RANKING


BEFORE_A_GAME = """\
Week 6

 # ranks network           Elo ± > next W–L won params visits CPU s forf
 ───────────────────────────────────────────────────────────────────────
 –       ada, no games yet              0–0      90000                 0
 –       bob, no games yet              0–0      90001                 0

Provisional: 0 of 30 games played.
No game has been played yet."""

AFTER_ONE = """\
Week 6

 # ranks network            Elo   ± > next W–L   won params visits CPU s forf
 ────────────────────────────────────────────────────────────────────────────
 1   1–2 ada               +103 386   69 % 1–0 1.000  90000    110  1.75    0
 2   1–2 bob               -103 386        0–1 0.000  90001    100  1.50    0
 –       cyd, no games yet                 0–0        90002                 0

Provisional: 1 of 30 games played. Black is worth +103 ± 634 Elo. The mean rating is 0.
Not separated at 95 %, the order may be chance: ada and bob (69 %). No games yet: cyd."""


def test_before_any_game_the_table_claims_nothing():
    assert printed(snapshot_of_games(["ada", "bob"], [], num_scheduled=30)) == BEFORE_A_GAME


def test_who_has_no_games_comes_last():
    games = [game(0, "ada", "bob", "black")]
    assert printed(snapshot_of_games(["ada", "bob", "cyd"], games, num_scheduled=30)) == AFTER_ONE


def test_names_are_no_markup():
    snapshot = snapshot_of_games(["[red]x[/]", "b"], [game(0, "[red]x[/]", "b", "black")])
    assert "[red]x[/]" in printed(snapshot)


def test_course_lines_of_a_league():
    assert course_report(Standings(small_league())) == [
        "ada ( 90002 ): 7 wins, 8 games played, winrate = 0.875 , sigma = 0.117",
        "bob ( 90001 ): 4 wins, 8 games played, winrate = 0.500 , sigma = 0.177",
        "cyd ( 90000 ): 1 wins, 8 games played, winrate = 0.125 , sigma = 0.117",
    ]


def test_course_line_is_the_course_s():
    # The figures of the course's own example: 72 of 86.
    records = [game(i, "Name", "b", "black" if i < 72 else "white") for i in range(86)]
    line = course_report(Standings(snapshot_of_games(["b", "Name"], records)))[0]
    assert line == "Name ( 90001 ): 72 wins, 86 games played, winrate = 0.837 , sigma = 0.040"


def test_elo_by_update_says_what_it_is():
    assert update_report(Standings(small_league())) == (
        "Elo updated game by game as NoGoZero+ does (alpha 16, all from 0), which depends on the "
        "order of the games: ada +43, bob -1, cyd -42."
    )
