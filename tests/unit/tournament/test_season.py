"""Points and ratings over weeks, and grades from them."""

import csv
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.fake_arena import OPTIONS, file_network, league_of, record_of, tiny_network
from tests.runs import tournament
from tests.unit.tournament.test_rating import random_league
from tests.unit.tournament.test_roster import BLACKBOARD, MOODLE
from tournament.errors import LeagueError, OptionsError
from tournament.league.league import League
from tournament.league.season import (
    RULES,
    Scale,
    Season,
    anchors_of,
    grades_of,
    season_of,
    unseparated_weeks,
)
from tournament.league.settings import read_deadline
from tournament.league.weeks import Placing, week_of
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
        league.weeks.note_placings(week, placings_of(standings))


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
    placings = league.weeks.placings()
    assert [placing.week for placing in placings] == 3 * ["2026-W11"]
    assert (placings[0].name, placings[0].rank, placings[0].num_wins) == ("Ada", 1, 4)
    assert sum(placing.points for placing in placings) == pytest.approx(150, abs=0.3)
    job = scheduled_jobs(league, OPTIONS, 2)[-1]
    league.games.record(record_of(job, finished_at="2026-03-21T20:00:00+00:00"))
    keep(league)
    assert [placing.week for placing in league.weeks.placings()[::3]] == ["2026-W11", "2026-W12"]
    assert league.weeks.placings()[:3] == placings


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


def test_a_league_that_goes_on_is_a_season_and_one_without_a_game_is_none(tmp_path):
    league = played(tmp_path / "all", ("Ada", "Grace"), "Ada", "2026-12-30")
    assert season_of([league]).weeks == ("2026-W53",)
    league = league_of(tmp_path)
    keep(league)
    with pytest.raises(LeagueError, match="no league has a table yet"):
        season_of([league])


def test_two_leagues_of_one_name_would_be_one_week(tmp_path):
    leagues = [
        played(tmp_path / week, ("Ada", "Grace"), "Ada", day)
        for week, day in (("week1", "2026-03-14"), ("week2", "2026-03-21"))
    ]
    with pytest.raises(LeagueError, match="same name, of league, league: rename one"):
        season_of(leagues)


@pytest.mark.parametrize(("day", "week"), [("2026-01-01", "2026-W01"), ("2027-01-03", "2026-W53")])
def test_weeks_are_those_of_iso_8601(day, week):
    assert week_of(f"{day}T00:00:00+00:00") == week


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="no such time zones on this system")
@pytest.mark.parametrize(
    ("zone", "runs", "weeks"),
    [
        ("CET-1CEST,M3.5.0,M10.5.0/3", ("2026-03-23T00:30:00", "2026-03-29T23:30:00"), (13, 14)),
        ("EST5EDT,M3.2.0,M11.1.0", ("2026-03-02T00:30:00", "2026-03-08T23:30:00"), (9, 10)),
    ],
    ids=["Paris, Mondays 01:30", "New York, Sundays 19:30"],
)
def test_a_run_at_one_local_time_has_its_own_week_where_clocks_change(
    monkeypatch, zone, runs, weeks
):
    with monkeypatch.context() as change:
        change.setenv("TZ", zone)
        time.tzset()
        found = [week_of(f"{moment}+00:00") for moment in runs]
    time.tzset()
    assert found == [f"2026-W{week:02d}" for week in weeks]


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


def test_equal_points_are_equal_in_any_order_of_the_weeks():
    weeks = ("1", "2", "3")
    won = {"Bob": (10.1, 20.2, 30.3), "Ada": (30.3, 20.2, 10.1)}
    term = Season(weeks, {
        name: {
            week: replace(placing(week, name, 1, 1, 0), points=points)
            for week, points in zip(weeks, of_weeks, strict=True)
        }
        for name, of_weeks in won.items()
    })
    assert sum(won["Bob"]) != sum(won["Ada"])
    assert term.points("Bob") == term.points("Ada") == 60.6 and term.names() == ["Ada", "Bob"]


def test_by_rank_steps_are_even_and_by_interval_what_may_be_chance_costs_nothing():
    assert grades_of(season(), "rank", {"Ref"}, Scale(0, 20)) == {
        "Ada": 20, "Grace": 10, "Kurt": 0
    }
    assert grades_of(season(), "interval", {"Ref"}, Scale(0, 20)) == {
        "Ada": 20, "Grace": 20, "Kurt": 0
    }
    alone = Season(WEEKS[:1], {"Ada": {WEEKS[0]: placing(WEEKS[0], "Ada", 1, 1, 0)}})
    assert grades_of(alone, "rank", set(), Scale(0, 20)) == {"Ada": 20}
    grades = grades_of(season(), "rank", {"Ref"}, Scale(5, 1))
    assert (grades["Ada"], grades["Kurt"]) == (1, 5)
    with pytest.raises(OptionsError, match="two different numbers"):
        Scale(3, 3)


@pytest.mark.parametrize("rule", ["rank", "interval"])
def test_equal_ratings_have_equal_grades(rule):
    """Whoever the alphabet puts first, and whatever the drawn ranks of the interval are."""
    rows = [("Ada", 1, 1, 100), ("Bob", 2, 2, 40), ("Fay", 3, 1, 40), ("Zoe", 4, 4, -180)]
    week = Season(WEEKS[:1], {row[0]: {WEEKS[0]: placing(WEEKS[0], *row)} for row in rows})
    grades = grades_of(week, rule, set(), Scale(0, 3))
    assert grades["Bob"] == grades["Fay"] and grades["Zoe"] == 0


def test_an_anchor_that_was_replaced_gets_no_grade_in_the_weeks_before(tmp_path):
    league = played(tmp_path / "league", ("Ada", "Kurt", "Ref"), "Ada", "2026-03-14")
    league.submissions.set_anchor("Ref", 500.0)
    before = grades_of(season_of([league]), "rank", anchors_of([league]), Scale())
    file_network(league, "Ref", tiny_network(50), tmp_path, replace=True)
    assert anchors_of([league]) == {"Ref"}
    assert grades_of(season_of([league]), "rank", anchors_of([league]), Scale()) == before
    league.submissions.set_anchor("Ref", None)
    assert anchors_of([league]) == set(), "it was named by mistake"


def test_in_a_term_only_the_weeks_of_deadlines_count(league):
    """What the reference networks played before the first deadline is no week to miss."""
    opened = League(league)
    early = [placing("2026-W40", "Ref", 1, 1, 0)]
    opened.weeks.note_placings("2026-W40", early)
    deadlines = [read_deadline(f"{week} 23:59 UTC") for week in WEEKS]
    for deadline in deadlines:
        opened.weeks.close(deadline)
        is_provisional = f"{deadline.day} is provisional: its run has not ended"
        assert is_provisional in tournament("season", league, "--grades", "rank").out
        opened.weeks.keep(deadline.day, deadline.first_late)
    assert season_of([opened]).weeks == WEEKS
    code, out, errors = tournament("season", league, "--grades", "rank")
    assert (code, errors) == (0, "") and "Ref" not in out and "provisional" not in out
    assert "2026-W40 does not count: its games were before the first deadline of the term\n" in out


def test_without_a_term_the_week_of_a_run_is_provisional_until_everything_was_played(league):
    opened = League(league)
    opened.weeks.begin_run("2026-10-23T12:00:00+00:00")
    opened.weeks.note_placings("2026-W43", [placing("2026-W43", "Ada_Lovelace", 1, 1, 0)])
    assert season_of([opened]).provisional == ("2026-W43",)
    opened.weeks.end_run()
    assert season_of([opened]).provisional == ("2026-W43",), "its table is not kept"
    opened.weeks.keep_run(opened.weeks.of_run())
    assert season_of([opened]).provisional == ()


def test_names_and_weeks_are_whole_in_a_table_of_a_term(league):
    opened = League(league)
    weeks = [f"2026-W{number}" for number in range(40, 52)]
    for week in weeks:
        opened.weeks.note_placings(week, [placing(week, "Ada_Lovelace", 1, 1, 100)])
    lines = tournament("season", league).out.splitlines()
    (titles,) = [line for line in lines if "network" in line]
    (ada,) = [line for line in lines if "Ada Lovelace" in line]
    assert titles.split()[-12:] == weeks and ada.count("50.0 (+100)") == 14


def test_weeks_in_which_nobody_is_separated_are_named():
    """Of three students, after a week of few games and one in which Kurt is told apart."""
    ratings = {"Ada": (1, 1), "Grace": (2, 1), "Ref": (3, 1), "Kurt": (4, 3)}
    weeks = Season(WEEKS, {
        name: {WEEKS[0]: placing(WEEKS[0], name, rank, 1, -rank),
               WEEKS[1]: placing(WEEKS[1], name, rank, low, -rank)}
        for name, (rank, low) in ratings.items()
    })
    assert grades_of(weeks, "interval", {"Ref"}, Scale(0, 20)) == {
        "Ada": 20, "Grace": 20, "Kurt": 10
    }
    assert unseparated_weeks(weeks, {"Ref"}) == [WEEKS[0]]
    assert unseparated_weeks(season(), {"Ref"}) == []


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("interval", "so all networks of a week get the same share: 2026-10-23."),
        ("rank", "so the order, and with it the grades, may be chance: 2026-10-23."),
    ],
)
def test_too_few_games_for_grades_are_said(league, rule, said):
    code, out, errors = tournament("season", league, "--grades", rule)
    assert (code, errors) == (0, "") and "Too few games" not in out
    week = "2026-10-23"
    placings = [placing(week, "Ada_Lovelace", 1, 1, 9), placing(week, "Zoe_O_Neill", 2, 1, -9)]
    League(league).weeks.note_placings(week, placings)
    code, out, errors = tournament("season", league, "--grades", rule)
    assert (code, errors) == (0, "")
    assert f"Too few games to separate anybody at 95 %, {said}" in out
    assert "Too few games" not in tournament("season", league)[1]


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
        League(folder).weeks.note_placings(week, placings)
    return folder


@pytest.mark.parametrize(
    ("content", "encoding", "delimiter"),
    [(MOODLE, "utf-8", ","), (BLACKBOARD, "utf-16", "\t")],
)
def test_grades_come_back_in_the_roster_as_it_was(tmp_path, league, content, encoding, delimiter):
    path = tmp_path / "roster.csv"
    path.write_text(content, encoding=encoding)
    code, out, errors = tournament(
        "season", league, "--grades", "rank", "--scale", "0", "20", "--roster", path
    )
    assert (code, errors) == (0, "") and "grade" in out
    places = [line.split()[0] for line in out.splitlines() if " 100.0 " in line]
    assert places == ["1", "1"]  # for equal points
    titles, *rows = (tmp_path / "roster.grades.csv").read_text(encoding=encoding).splitlines()
    assert titles.startswith(content.splitlines()[0].replace('"', ""))
    assert titles.endswith(delimiter.join(["", "league network", "points", "grade"]))
    assert [row.split(delimiter)[-3:] for row in rows] == [
        ["Zoe_O_Neill", "100.0", "0"], ["Ada_Lovelace", "100.0", "20"]
    ]


# Exports of gradebooks as they are: the copy differs in the grades alone, so that it is read again.
GRADEBOOKS = {
    "canvas": (
        "Student,ID,SIS User ID,SIS Login ID,Section,Notes,Project (101),Assignments Final Score,"
        "Final Score\n"
        ",,,,,,Manual Posting,,\n"
        "    Points Possible,,,,,,20,(read only),(read only)\n"
        "\"O'Neill, Zoë\",1,22001,zoe,\"A, B\",late,{zoe},50,50\n"
        '"Lovelace, Ada",2,22002,ada,A,,{ada},,\n'
        '"King, Ada",4,22004,aking,A,,EX,,\n'
        '"Student, Test",3,,5d1f,A,,,,\n'
    ),
    "canvas, names apart, semicolons": (
        "LastName;FirstName;ID;SIS User ID;SIS Login ID;Section;Project (101);Final Points\n"
        ";;;;;;Manual Posting (scores hidden from students);\n"
        "    Points Possible;;;;;;20,00;(read only)\n"
        "O'Neill;Zoë;1;22001;zoe;A;{zoe};\n"
        "Lovelace;Ada;2;22002;ada;A;{ada};\n"
        "King;Ada;4;22004;aking;A;N/A;\n"
        "Student;Test;3;;5d1f;A;;\n"
    ),
    "canvas, of Windows": (
        "Student,ID,SIS User ID,Section,Project (101)\r\n    Points Possible,,,,20\r\n"
        "Zoë O'Neill,1,22001,A,{zoe}\r\nAda Lovelace,2,22002,A,{ada}\r\n"
        "Test Student,3,,A,\r\n"
    ),
    "moodle": (
        '\ufeffFirst name,Last name,ID number,Institution,Assignment: Project (Real),'
        "Assignment: Project (Feedback),Course total (Real),Last downloaded from this course\n"
        "Zoë,O'Neill,22001,,{zoe},fine,12.00,1771234567\nAda,Lovelace,22002,,{ada},,-,1771234567\n"
    ),
    "moodle, the worksheet of an assignment": (
        "Identifier,Full name,ID number,Status,Grade,Maximum Grade,Grade can be changed\n"
        "Participant 7,Zoë O'Neill,22001,Submitted,{zoe},20.00,Yes\n"
        "Participant 8,Ada Lovelace,22002,No submission,{ada},20.00,Yes\n"
    ),
    "blackboard": (
        "Last Name\tFirst Name\tUsername\tStudent ID\tTotal [Total Pts: up to 20 Score] |11\t"
        "Project [Total Pts: 20 Score] |12\n"
        "O'Neill\tZoë\tzoe\t22001\t12\t{zoe}\nLovelace\tAda\tada\t22002\t\t{ada}\n"
        "_PreviewUser\tprof\tprof_previewuser\t\t\t\n"
    ),
    "brightspace": (
        "OrgDefinedId,Username,Last Name,First Name,Project Points Grade <Numeric MaxPoints:20>,"
        "Calculated Final Grade Numerator,End-of-Line Indicator\n"
        "22001,zoe,O'Neill,Zoë,{zoe},,#\n22002,ada,Lovelace,Ada,{ada},,#\n"
    ),
}


@pytest.mark.parametrize("content", GRADEBOOKS.values(), ids=GRADEBOOKS)
@pytest.mark.parametrize(
    ("options", "highest"), [((), 20), (("--scale", "0", "10"), 10)], ids=["counts 20", "a scale"]
)
def test_a_gradebook_gets_grades_in_its_assignment_and_nothing_else(
    tmp_path, league, content, options, highest
):
    if "Maximum" not in content and "\ufeff" in content and not options:
        highest = 100  # Moodle doesn't say what the assignment counts
    path = tmp_path / "roster.csv"
    path.write_text(content.format(zoe="12", ada=""), encoding="utf-8", newline="")
    code, out, errors = tournament(
        "season", league, "--grades", "rank", *options, "--roster", path
    )
    assert (code, errors) == (0, "") and "in its column '" in out
    copy = (tmp_path / "roster.grades.csv").read_bytes().decode("utf-8")
    expected = content.format(zoe="0", ada=highest)
    assert (copy.count("\n"), copy.count("\r")) == (expected.count("\n"), expected.count("\r"))
    assert read(copy) == read(expected)


def read(text: str) -> list[list[str]]:
    """The cells, by the first delimiter that the titles have."""
    delimiter = next(one for one in "\t;," if one in text.splitlines()[0])
    return list(csv.reader(text.splitlines(), delimiter=delimiter))


TWO = (
    "Student,ID,Section,Week 1 (101),Week 2 (102),Final Score\n"
    "    Points Possible,,,20,10,(read only)\n\"Lovelace, Ada\",2,A,12,,\n"
)


def test_of_several_assignments_the_teacher_names_one(tmp_path, league):
    path = tmp_path / "roster.csv"
    path.write_text(TWO)
    command = ("season", league, "--grades", "rank", "--roster", path)
    assert tournament(*command, "--columns", "grade=Week 2 (102)")[0] == 0
    rows = read((tmp_path / "roster.grades.csv").read_text())
    assert rows[2] == ["Lovelace, Ada", "2", "A", "12", "10", ""]


def test_any_column_may_get_the_grades(tmp_path, league):
    path = tmp_path / "roster.csv"
    path.write_text("name,id,Mark of the league\nAda Lovelace,22002,\n")
    command = ("season", league, "--grades", "rank", "--roster", path, "--columns")
    assert tournament(*command, "grade=mark of the league")[0] == 0
    assert read((tmp_path / "roster.grades.csv").read_text())[1:] == [
        ["Ada Lovelace", "22002", "100"]
    ]


def test_rows_of_nobody_stay_where_there_is_no_assignment(tmp_path, league):
    path = tmp_path / "roster.csv"
    path.write_text(
        'Student,ID,Section\n    Points Possible,,\n"Lovelace, Ada",2,A\n"Student, Test",3,A\n'
    )
    assert tournament("season", league, "--grades", "rank", "--roster", path)[0] == 0
    assert read((tmp_path / "roster.grades.csv").read_text()) == [
        ["Student", "ID", "Section", "league network", "points", "grade"],
        ["    Points Possible", "", "", "", "", ""],
        ["Lovelace, Ada", "2", "A", "Ada_Lovelace", "100.0", "100"],
        ["Student, Test", "3", "A", "", "", ""],
    ]


def test_earlier_grades_are_not_overwritten(tmp_path, league):
    path, grades = tmp_path / "roster.csv", tmp_path / "roster.grades.csv"
    path.write_text("name\nAda Lovelace\n")
    grades.write_text("of last week\n")
    said = tournament("season", league, "--grades", "rank", "--roster", path).refusal
    assert "already exists, with earlier grades: move it away first" in said
    assert grades.read_text() == "of last week\n"


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
    assert (code, errors) == (0, f"graded, but not in {path}: Zoe_O_Neill\n")


@pytest.mark.parametrize("before", ["", "12"])
def test_an_anchor_in_the_roster_keeps_its_cell(tmp_path, league, before):
    path = tmp_path / "roster.csv"
    path.write_text(f"name,id,Mark\nAda Lovelace,22002,\nRef,,{before}\n")
    opened = League(league)
    file_network(opened, "Ref", tiny_network(1), tmp_path)
    opened.submissions.set_anchor("Ref", 0.0)
    command = ("season", league, "--grades", "rank", "--roster", path, "--columns", "grade=Mark")
    code, out, errors = tournament(*command)
    assert code == 0 and "the grades of 1 person are in" in out
    assert errors.startswith("anchors get no grade: Ref\n")
    assert read((tmp_path / "roster.grades.csv").read_text())[2] == ["Ref", "", before]


def test_the_table_may_be_written_into_the_league_and_again_but_not_over_its_files(league):
    for _ in range(2):
        assert tournament("season", league, "--csv", league / "season.csv").code == 0
    for name in ("summary.json", "league.sqlite", "submissions/season.csv"):
        said = tournament("season", league, "--csv", league / name).refusal
        assert "is a file of the league" in said


WITH_RANKS = ("--grades", "rank", "--roster", "roster.csv")


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("name\nAda\n", WITH_RANKS[2:], "--roster needs --grades, one of rank, "),
        ("name\nAda Lovelace\nAda Lovelace\n", WITH_RANKS, "have the same network"),
        ("name,id\nAda,22002\nAda Lovelace,\n", WITH_RANKS, "have the same network"),
        ("name\nAda\n", (*WITH_RANKS, "--scale", "1", "1"), "two different numbers"),
        ("name\nAda\n", ("--grades", "anchors", *WITH_RANKS[2:]), "no anchor has played"),
        ("name,id,Mark\nAda,22002,\n", (*WITH_RANKS, "--columns", "grade=M"), "has no column 'M'"),
        (
            TWO, WITH_RANKS,
            "which column gets the grades, 'Week 1 (101)' or 'Week 2 (102)'? Name it "
            "with --columns, such as grade='Week 1 (101)'",
        ),
        ("name\nAda\n", (*WITH_RANKS, "--csv", "roster.csv"), "would overwrite the"),
        ("name\nAda\n", (*WITH_RANKS, "--csv", "roster.grades.csv"), "would overwrite the"),
        ("", (*WITH_RANKS[:-1], "missing.csv", "--csv", "season.csv"), "missing.csv"),
        ("", ("--csv", "."), "it must be a file, not the folder '.'"),
        ("", ("--scale", "1", "10"), "--scale needs --grades, one of rank, "),
        ("", ("--grades", "rank", "--columns", "name=Name"), "give --roster too"),
    ],
)
def test_what_cannot_be_joined_is_one_sentence_and_leaves_nothing(
    tmp_path, monkeypatch, league, text, options, said
):
    monkeypatch.chdir(tmp_path)
    Path("roster.csv").write_text(text)
    before = sorted(tmp_path.iterdir())
    code, out, errors = tournament("season", league, *options)
    assert (code, errors.count("\n")) == (2, 1) and said in errors
    assert out == "" or said == "have the same network", "the table comes before the roster"
    assert (sorted(tmp_path.iterdir()), Path("roster.csv").read_text()) == (before, text)
