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
