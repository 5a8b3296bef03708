"""Grades by rule, and back into the rosters of course systems."""

from pathlib import Path

import pytest

from tests.runs import tournament
from tests.unit.test_roster import BLACKBOARD, CANVAS, MOODLE
from tournament.errors import LeagueError, OptionsError
from tournament.league.grades import RULES, Scale, grades_of
from tournament.league.league import League
from tournament.league.placings import Placing
from tournament.league.season import Season

WEEKS = ("2026-10-09", "2026-10-16")
# Four networks; Ada and Grace are not told apart, and the reference stands between Grace and Kurt.
FIRST = [("Ada", 1, 1, 200), ("Grace", 2, 1, 180), ("Ref", 3, 3, 0), ("Kurt", 4, 4, -200)]


def placing(week: str, name: str, rank: int, low: int, elo: float) -> Placing:
    return Placing(week, name, f"{name} {week}", rank, low, rank, elo, 10.0, 1, 2, 50.0)


def season(*missing: str) -> Season:
    """Two weeks alike, but that some miss the second one."""
    names = {name: (name, rank, low, elo) for name, rank, low, elo in FIRST}
    return Season(WEEKS, {
        name: {week: placing(week, *row) for week in WEEKS[: 1 if name in missing else 2]}
        for name, row in names.items()
    })


def test_by_rank_steps_are_even_and_anchors_take_no_place():
    assert grades_of(season(), "rank", {"Ref"}, Scale(0, 20)) == {
        "Ada": 20, "Grace": 10, "Kurt": 0
    }


def test_by_interval_an_order_that_may_be_chance_costs_nothing():
    assert grades_of(season(), "interval", {"Ref"}, Scale(0, 20)) == {
        "Ada": 20, "Grace": 20, "Kurt": 0
    }


def test_against_anchors_it_is_the_share_of_games_that_the_rating_wins():
    grades = grades_of(season(), "anchors", {"Ref"}, Scale())
    assert grades["Ada"] == pytest.approx(75.97, abs=0.01)  # 1 / (1 + 10 ** -0.5)
    assert grades["Ada"] + grades["Kurt"] == pytest.approx(100)
    with pytest.raises(LeagueError, match="no anchor has played in the week 2026-10-09"):
        grades_of(season(), "anchors", set(), Scale())


@pytest.mark.parametrize("rule", RULES)
def test_a_missed_week_brings_the_lowest_grade(rule):
    seasons = (season(), season("Ada"))
    whole, missed = (grades_of(one, rule, {"Ref"}, Scale(0, 20)) for one in seasons)
    assert missed["Ada"] == pytest.approx(whole["Ada"] / 2, abs=0.01)


def test_a_scale_may_go_down_but_not_nowhere():
    grades = grades_of(season(), "rank", {"Ref"}, Scale(5, 1))
    assert (grades["Ada"], grades["Kurt"]) == (1, 5)
    with pytest.raises(OptionsError, match="two different numbers"):
        Scale(3, 3)


def test_one_alone_is_the_first():
    alone = Season(WEEKS[:1], {"Ada": {WEEKS[0]: placing(WEEKS[0], "Ada", 1, 1, 0)}})
    assert grades_of(alone, "rank", set(), Scale(0, 20)) == {"Ada": 20}


@pytest.fixture
def league(tmp_path) -> Path:
    """A league whose tokens were made for a Moodle export, and that has kept two weeks."""
    folder, students = tmp_path / "league", tmp_path / "moodle.csv"
    students.write_text(MOODLE, encoding="utf-8")
    assert tournament("tokens", students, "--league", folder)[0] == 0
    for week in WEEKS:
        placings = [
            placing(week, "Ada_Lovelace", 1, 1, 100), placing(week, "Zoe_O_Neill", 2, 2, -100)
        ]
        League(folder).placings.note(week, placings)
    return folder


@pytest.mark.parametrize(
    ("content", "encoding", "delimiter"),
    [(MOODLE, "utf-8", ","), (CANVAS, "cp1252", ","), (BLACKBOARD, "utf-16", "\t")],
)
def test_grades_come_back_in_the_roster_as_it_was(tmp_path, league, content, encoding, delimiter):
    path = tmp_path / "roster.csv"
    path.write_text(content, encoding=encoding)
    code, out, errors = tournament(
        "season", league, "--grades", "rank", "--scale", "0", "20", "--roster", path
    )
    assert (code, errors) == (0, "") and "grade" in out
    titles, *rows = (tmp_path / "roster.grades.csv").read_text(encoding=encoding).splitlines()
    assert titles.startswith(content.splitlines()[0].replace('"', ""))
    assert titles.endswith(delimiter.join(["", "league network", "points", "grade"]))
    assert [row.split(delimiter)[-3:] for row in rows] == [
        ["Zoe_O_Neill", "100.0", "0"], ["Ada_Lovelace", "100.0", "20"]
    ]


def test_who_changes_names_is_known_by_number(tmp_path, league):
    path = tmp_path / "roster.csv"
    path.write_text("name,id number\nAda King,22002\nNew Student,\n")
    assert tournament("season", league, "--grades", "rank", "--roster", path)[:1] == (0,)
    assert (tmp_path / "roster.grades.csv").read_text().splitlines()[1:] == [
        "Ada King,22002,Ada_Lovelace,100.0,100", "New Student,,,0.0,0"
    ]


def test_who_is_not_in_the_roster_is_said(tmp_path, league):
    path = tmp_path / "roster.csv"
    path.write_text("name\nAda Lovelace\n")
    code, _, errors = tournament("season", league, "--grades", "rank", "--roster", path)
    assert (code, errors) == (0, f"not in {path}: Zoe_O_Neill\n")


@pytest.mark.parametrize("taken", ["roster.csv", "roster.grades.csv"])
def test_the_table_overwrites_neither_the_roster_nor_the_grades(tmp_path, league, taken):
    path = tmp_path / "roster.csv"
    path.write_text("name\nAda Lovelace\n")
    options = ("--grades", "rank", "--roster", path, "--csv", tmp_path / taken)
    code, out, errors = tournament("season", league, *options)
    assert (code, out) == (2, "") and errors.count("\n") == 1 and "would overwrite the" in errors
    assert path.read_text() == "name\nAda Lovelace\n"
    assert not (tmp_path / "roster.grades.csv").exists()


def test_the_table_is_written_to_a_file_and_no_folder(tmp_path, league):
    code, out, errors = tournament("season", league, "--csv", ".")
    assert (code, out) == (2, "") and errors.count("\n") == 1
    assert "expected a file to write: got the folder '.'" in errors
    assert tournament("season", league, "--csv", tmp_path / "season.csv")[0] == 0


def test_a_roster_that_cannot_be_read_leaves_no_table(tmp_path, league):
    table = tmp_path / "season.csv"
    options = ("--grades", "rank", "--roster", tmp_path / "missing.csv", "--csv", table)
    assert tournament("season", league, *options)[:2] == (2, "")
    assert not table.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--scale", "1", "10"), "--scale needs --grades, one of rank, "),
        (("--grades", "rank", "--columns", "name=Name"), "--columns needs --roster"),
    ],
)
def test_options_without_effect_are_refused(league, options, said):
    code, _, errors = tournament("season", league, *options)
    assert code == 2 and errors.count("\n") == 1 and said in errors


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("name\nAda\n", (), "--roster needs --grades, one of rank, "),
        ("name\nAda Lovelace\nAda Lovelace\n", ("--grades", "rank"), "have one network"),
        ("name,id\nAda,22002\nAda Lovelace,\n", ("--grades", "rank"), "have one network"),
        ("name\nAda\n", ("--grades", "rank", "--scale", "1", "1"), "two different numbers"),
        ("name\nAda\n", ("--grades", "anchors"), "no anchor has played"),
    ],
)
def test_what_cannot_be_joined_is_one_sentence(tmp_path, league, text, options, said):
    path = tmp_path / "roster.csv"
    path.write_text(text)
    code, _, errors = tournament("season", league, "--roster", path, *options)
    assert code == 2 and errors.count("\n") == 1 and said in errors
