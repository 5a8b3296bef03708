"""Late days: which missed weeks they make up for, counted by hand."""

from datetime import datetime, timedelta

import pytest

from tests.fake_arena import file_network, tiny_network
from tests.runs import tournament
from tests.serving import issue_tokens
from tests.unit.tournament.test_season import placing
from tournament.errors import OptionsError
from tournament.league.late_days import Late, late_weeks_of
from tournament.league.league import League
from tournament.league.settings import FILE, read_deadline, read_settings, term_of
from tournament.league.weeks import Week
from tournament.server.ledger import open_ledger

# The deadlines of four weeks: Fridays, 18:00 UTC.
DAYS = ("2026-10-02", "2026-10-09", "2026-10-16", "2026-10-23")
WEEKS = [Week(day, read_deadline(f"{day} 18:00 UTC").first_late, "kept") for day in DAYS]
ONE, TWO, THREE, FOUR = DAYS
TERM = """
[term]
zone = "UTC"
deadlines = ["2026-10-02 18:00", "2026-10-09 18:00", "2026-10-16 18:00", "2026-10-23 18:00"]
late_days = 3
"""


@pytest.mark.parametrize(
    ("received", "played", "left", "expected"),
    [
        # Three hours late are one day; so are 24 hours, and a second more is a second day.
        (["2026-10-02 21:00:00"], (TWO, THREE, FOUR), 3, {ONE: Late(TWO, 1)}),
        (["2026-10-03 18:00:00"], (TWO, THREE, FOUR), 1, {ONE: Late(TWO, 1)}),
        (["2026-10-03 18:00:01"], (TWO, THREE, FOUR), 3, {ONE: Late(TWO, 2)}),
        (["2026-10-03 18:00:01"], (TWO, THREE, FOUR), 1, {}),
        # In the second after the deadline, which the deadline itself includes until its end.
        (["2026-10-02 18:00:01"], (TWO, THREE, FOUR), 3, {ONE: Late(TWO, 1)}),
        # The first file decides, whatever the order in which they are listed.
        (["2026-10-08 12:00:00", "2026-10-04 10:00:00"], (TWO, THREE), 3, {ONE: Late(TWO, 2)}),
        # No days left, or none at all.
        (["2026-10-05 18:00:01"], (TWO, THREE, FOUR), 3, {}),
        (["2026-10-02 21:00:00"], (TWO, THREE, FOUR), 0, {}),
        # Two weeks missed: no file came between the first two deadlines.
        (["2026-10-10 17:00:00"], (THREE, FOUR), 3, {TWO: Late(THREE, 1)}),
        # A network that was taken out in the third week: both late files use days.
        (["2026-10-04 12:00:00", "2026-10-17 12:00:00"], (TWO, FOUR), 3,
         {ONE: Late(TWO, 2), THREE: Late(FOUR, 1)}),
        (["2026-10-04 12:00:00", "2026-10-17 19:00:00"], (TWO, FOUR), 3, {ONE: Late(TWO, 2)}),
        # Too many days for the first week leave all of them for a later week.
        (["2026-10-07 12:00:00", "2026-10-17 19:00:00"], (TWO, FOUR), 3, {THREE: Late(FOUR, 2)}),
        # The file plays nowhere, or after the last table.
        (["2026-10-02 21:00:00"], (), 3, {}),
        (["2026-10-23 21:00:00"], (ONE, TWO, THREE), 3, {}),
        ([], (TWO, THREE, FOUR), 3, {}),
    ],
)
def test_late_days_by_hand(received, played, left, expected):
    times = [datetime.fromisoformat(f"{time}+00:00") for time in received]
    assert late_weeks_of(WEEKS, DAYS, played, times, left) == expected


def test_a_week_without_a_table_uses_no_days():
    received = [datetime.fromisoformat("2026-10-02 21:00:00+00:00")]
    assert late_weeks_of(WEEKS, DAYS[1:], DAYS[1:], received, 3) == {}


@pytest.fixture
def league(tmp_path) -> League:
    """Ada, Grace and Kurt in this order in each of four weeks; Kurt has missed the first one."""
    league = League(tmp_path / "league")
    (league.folder / FILE).write_text(TERM)
    term = league.settings().term
    for number, (day, deadline) in enumerate(zip(DAYS, term.deadlines, strict=True)):
        league.weeks.close(deadline)
        names = ("Ada", "Grace", "Kurt")[: 3 if number else 2]
        rows = [placing(day, name, rank, rank, -rank) for rank, name in enumerate(names, 1)]
        league.weeks.note_placings(day, rows)
        league.weeks.keep(day, deadline.first_late)
    return league


def hand_in_late(league: League, owner: str, late: timedelta, state: str = "accepted") -> None:
    """An upload so long after the first deadline."""
    issue_tokens(league.folder)
    ledger = open_ledger(league.folder)
    moment = datetime.fromisoformat(WEEKS[0].first_late) - timedelta(seconds=1) + late
    with ledger.transaction():
        ledger.insert("uploads", {
            "id": owner, "owner": owner, "file_name": "net.h5", "sha256": owner, "num_bytes": 1,
            "received_at": moment.isoformat(timespec="microseconds"), "state": state,
            "num_failures": 0, "faults": "[]",
        })
    ledger.close()


def season(league: League, *options) -> str:
    code, out, errors = tournament("season", league.folder, "--grades", "rank", *options)
    assert (code, errors) == (0, "")
    return out


def test_grades_take_the_share_of_the_next_week(tmp_path, league):
    second = [placing(TWO, "Kurt", 1, 1, 9), placing(TWO, "Grace", 2, 2, 0),
              placing(TWO, "Ada", 3, 3, -9)]
    league.weeks.note_placings(TWO, second)
    out = season(league)
    assert grade_and_days(out, "Kurt") == ["25", "0"]  # (0 + 1 + 0 + 0) / 4
    unknown = "hand_in.sqlite is missing, or you may not write it"
    assert unknown in out
    hand_in_late(league, "Kurt", timedelta(days=2, seconds=1))
    out = season(league)
    assert unknown not in out
    assert grade_and_days(out, "Kurt") == ["50", "3"]  # (1 + 1 + 0 + 0) / 4
    assert grade_and_days(out, "Ada") == ["75", "0"]  # (1 + 0 + 1 + 1) / 4
    assert row_of(out, "Kurt")[5] == "late"
    roster = tmp_path / "students.csv"
    roster.write_text("name\nKurt\nAda\nGrace\n")
    season(league, "--roster", roster)
    titles, *cells = (tmp_path / "students.grades.csv").read_text().splitlines()
    assert titles == "name,league network,points,late days,grade"
    assert cells[0] == "Kurt,Kurt,150.0,3,50" and cells[1].endswith(",0,75")
    assert cells[2].endswith(",0,37.5")  # (0 + 1/2 + 1/2 + 1/2) / 4
    canvas = tmp_path / "canvas.csv"
    canvas.write_text(
        "Student,ID,Section,Project (101)\n    Points Possible,,,100\n"
        "Kurt,1,A,\nAda,2,A,\nGrace,3,A,\n"
    )
    season(league, "--roster", canvas)
    assert (tmp_path / "canvas.grades.csv").read_text().splitlines()[2] == "Kurt,1,A,50"


def grade_and_days(out: str, name: str) -> list[str]:
    return row_of(out, name)[2:4]


def row_of(out: str, name: str) -> list[str]:
    (line,) = [line for line in out.splitlines() if name in line]
    return line.split()


@pytest.mark.parametrize("state", ["refused", "queued"])
def test_only_an_accepted_file_counts(league, state):
    hand_in_late(league, "Kurt", timedelta(hours=1), state)
    out = season(league)
    assert grade_and_days(out, "Kurt") == ["0", "0"] and row_of(out, "Kurt")[5] == "–"


def test_a_file_of_submit_py_counts_too(tmp_path, league):
    file_network(
        league, "Kurt", tiny_network(1), tmp_path, submitted_at="2026-10-03T12:00:00.250+00:00"
    )
    out = season(league)
    assert row_of(out, "Kurt")[3] == "1" and row_of(out, "Kurt")[5] == "late"


def test_without_late_days_nothing_is_shown_of_them(league):
    (league.folder / FILE).write_text(TERM.replace("late_days = 3", ""))
    hand_in_late(league, "Kurt", timedelta(hours=1))
    assert "late" not in season(league)


@pytest.mark.parametrize("days", ['"3"', "-1", "true", "1.5"])
def test_late_days_that_are_no_number_are_refused(league, days):
    path = league.folder / FILE
    path.write_text(TERM.replace("late_days = 3", f"late_days = {days}"))
    with pytest.raises(OptionsError, match=r"late_days in \[term\] must be a number such as 3"):
        read_settings(league.folder)
    code, _, errors = tournament("season", league.folder, "--grades", "rank")
    assert code == 2 and "late_days" in errors


def test_a_term_without_the_setting_has_no_late_days():
    assert term_of({"zone": "UTC", "deadlines": ["2026-10-02 18:00"]}).late_days == 0
