"""league.toml: a title, and the deadlines of a term, in a time zone that is said."""

import pytest

import submit
from tests.fake_arena import league_of
from tournament.__main__ import _parser
from tournament.errors import OptionsError
from tournament.league.league import League
from tournament.league.settings import (
    DEFAULT_LEAGUE,
    Settings,
    Term,
    read_deadline,
    read_settings,
    term_of,
)
from tournament.report.league_zip import export_leagues, import_leagues
from tournament.report.snapshot import snapshot_of


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "2026-11-28 23:59 Europe/Paris",
            "Saturday, 28 November 2026, 23:59:00 Europe/Paris (22:59:00 UTC)",
        ),
        (
            "2026-07-04T23:59:30+02:00",
            "Saturday, 04 July 2026, 23:59:30 UTC+0200 (21:59:30 UTC)",
        ),
        ("2026-11-28T23:59Z", "Saturday, 28 November 2026, 23:59:00 UTC"),
        ("2026-11-28 23:59 UTC", "Saturday, 28 November 2026, 23:59:00 UTC"),
        (  # 02:30 is there twice in this night: the first, in summer time
            "2026-10-25 02:30 Europe/Paris",
            "Sunday, 25 October 2026, 02:30:00 Europe/Paris (00:30:00 UTC)",
        ),
    ],
)
def test_a_deadline_says_its_zone(text, said):
    assert str(read_deadline(text)) == said


def test_the_last_second_is_included_whole_and_hours_beside_a_skipped_one_are_times():
    deadline = read_deadline("2026-11-28 23:59:59 Europe/Paris")
    assert deadline.includes("2026-11-28T22:59:59.999999+00:00")
    assert not deadline.includes("2026-11-28T23:00:00.000000+00:00")
    for text in ("2026-03-29 01:59 Europe/Paris", "2026-03-29 03:00 Europe/Paris"):
        assert read_deadline(text).moment.strftime("%Y-%m-%d %H:%M") in text


@pytest.mark.parametrize(
    "text",
    ["", "tomorrow", "2026-11-28", "2026-11-28 23:59", "2026-11-28T23:59:00",
     "2026-11-28 23:59 Europe/Atlantis", "2026-11-28 23:59 ../etc/passwd", "2026-13-28 23:59 UTC",
     "2026-11-28T23:59Z Europe/Paris", "2026-11-28 Europe/Paris", "2026-W48-6 UTC", "20261128 UTC"],
)
def test_a_day_without_a_time_or_a_time_without_a_zone_is_refused(text):
    with pytest.raises(OptionsError, match="with its time zone"):
        read_deadline(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0001-01-01 00:00 UTC", "not in 1"),
        ("0001-01-01T00:00:00+02:00", "not in 1"),
        ("9999-12-31T23:59:59-02:00", "not in 9999"),
        ("2026-03-29 02:30 Europe/Paris", "no 02:30 on 29 March 2026 in Europe/Paris"),
        ("2026-03-29 02:00 Europe/Paris", "no 02:00 on 29 March 2026 in Europe/Paris"),
    ],
)
def test_a_time_that_no_clock_will_show_is_refused(text, said):
    with pytest.raises(OptionsError, match=said):
        read_deadline(text)


WEEKLY = {"zone": "Europe/Paris", "first": "2026-10-09 23:59", "until": "2026-10-31"}


def moments(term: Term) -> list[str]:
    """The first moment after each deadline, in UTC."""
    return [one.first_late[:19] for one in term.deadlines]


def test_every_week_at_the_same_time_of_the_clock():
    """Summer time ends on 25 October."""
    assert moments(term_of(WEEKLY)) == [
        "2026-10-09T21:59:01", "2026-10-16T21:59:01", "2026-10-23T21:59:01", "2026-10-30T22:59:01"
    ]
    term = term_of({**WEEKLY, "without": ["2026-10-16"]})
    assert [one.day for one in term.deadlines] == ["2026-10-09", "2026-10-23", "2026-10-30"]


def test_a_list_may_be_in_any_order_and_a_day_may_have_several():
    table = {"zone": "UTC", "deadlines": ["2026-11-01 12:00", "2026-10-09 23:59:59"]}
    assert moments(term_of(table)) == ["2026-10-10T00:00:00", "2026-11-01T12:00:01"]
    table = {"zone": "UTC", "deadlines": ["2026-10-09 14:30", "2026-10-09 14:00"]}
    assert moments(term_of(table)) == ["2026-10-09T14:00:01", "2026-10-09T14:30:01"]


def test_which_deadline_is_next_and_which_is_due():
    term = term_of(WEEKLY)
    first, second, *_, last = term.deadlines
    before, between, after = "2026-10-09T21:59:00.5", "2026-10-10T00:00:00", "2027-01-01T00:00:00"
    assert (term.next(before), term.passed(before), term.due(before, None)) == (first, None, None)
    assert (term.next(between), term.passed(between)) == (second, first)
    assert term.due(between, None) == first and term.due(between, first.first_late) is None
    assert (term.next(after), term.passed(after)) == (None, last)
    assert term.due(after, first.first_late) == second, "one after the other"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "a text as its zone"),
        ({"zone": "UTC"}, "needs one of deadlines and first"),
        ({**WEEKLY, "deadlines": []}, "needs one of deadlines and first"),
        ({"zone": "UTC", "deadlines": []}, "at least one deadline"),
        ({"zone": "UTC", "deadlines": "2026-10-09 23:59"}, "must be a list of texts"),
        ({"zone": "UTC", "deadlines": ["2026-10-09 12:00", "2026-10-09T12:00:00"]},
         "the deadline Friday, 09 October 2026, 12:00:00 UTC twice"),
        ({"zone": "UTC", "deadlines": ["2026-10-09 23:59"], "until": "x"}, "leave out 'until'"),
        ({"zone": "UTC", "first": "2026-10-09 23:59"}, "a text as its until"),
        ({"zone": "UTC", "deadlines": ["2026-10-09"]}, "a time must be like"),
        ({**WEEKLY, "first": "2026-10-09"}, "'2026-10-09' has no time of day"),
        ({**WEEKLY, "until": "in autumn"}, "a wrong date"),
        ({**WEEKLY, "until": "9999-12-31"}, "must be in 2999 or before, not 9999-12-31"),
        ({**WEEKLY, "until": "2026-10-08"}, "at least one deadline"),
        ({**WEEKLY, "without": ["2026-10-10"]}, "no deadline on 2026-10-10"),
        ({**WEEKLY, "every": "week"}, "has no 'every'"),
    ],
)
def test_a_term_that_is_wrong_is_said(table, said):
    with pytest.raises(OptionsError, match=said):
        term_of(table)


def test_the_title_is_the_folders_name_or_that_of_the_file_on_page_and_in_archive(tmp_path):
    league = league_of(tmp_path)
    assert read_settings(league.folder) == Settings("League", term=None, trophies=True)
    (league.folder / "league.toml").write_text("title = 'Go à Paris'", encoding="utf-8")
    assert snapshot_of(league).title == "Go à Paris"
    export_leagues([league], tmp_path / "league.zip")
    (restored,) = import_leagues(tmp_path / "league.zip", tmp_path / "restored")
    assert snapshot_of(League(restored)).title == "Go à Paris"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = ", "is not TOML"),
        ("title = ''", "the title must be a text"),
        ("title = 3", "the title must be a text"),
        ("titel = 'Go'", "has the unknown key 'titel'"),
        ("term = 'weekly'", "term must be a table"),
        ("trophies = 'no'", "trophies must be true or false"),
        ("[term]", "a text as its zone"),
    ],
)
def test_a_file_that_is_wrong_is_said_with_its_path(tmp_path, text, said):
    (tmp_path / "league.toml").write_text(text)
    with pytest.raises(OptionsError, match=f"league.toml.*{said}"):
        read_settings(tmp_path)


def test_all_commands_mean_the_same_league_by_default():
    parsers = [submit._parser()]
    for name in ("run", "report", "withdraw", "reinstate", "anchor", "reveal", "serve", "tokens"):
        parsers.append(_parser(name)._subparsers._group_actions[0].choices[name])
    assert {parser.get_default("league") for parser in parsers} == {DEFAULT_LEAGUE}
