"""The Atom feed: well-formed whatever people are called, and the same in every build."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.fake_arena import league_of
from tests.fake_standings import game, small_league, snapshot_of_games
from tests.terms import TERM, make_up_games
from tests.unit.tournament.test_site import Page
from tests.unit.tournament.test_weeks import MONDAY, SUNDAY, play
from tournament import report
from tournament.league.draws import Draw
from tournament.league.league import League
from tournament.league.settings import FILE, term_of
from tournament.league.weeks import RunWeek
from tournament.report.feed import feed_xml
from tournament.report.snapshot import Snapshot
from tournament.report.standings import Standings

SPACE = "{http://www.w3.org/2005/Atom}"
HOSTILE = "<b>&\"'\x00\x1b\ud800\ufffe]]>"


def parsed(content: bytes) -> tuple[ElementTree.Element, list[dict[str, str]]]:
    feed = ElementTree.fromstring(content)
    entries = []
    for entry in feed.iter(f"{SPACE}entry"):
        texts = {one.tag.removeprefix(SPACE): one.text or "" for one in entry}
        link = entry.find(f"{SPACE}link")
        assert link is not None
        entries.append({**texts, "link": link.get("href", "")})
    return feed, entries


def entries_of(snapshot: Snapshot) -> list[dict[str, str]]:
    return parsed(feed_xml(Standings(snapshot)))[1]


def in_a_term(folder: Path) -> League:
    """A league whose first week is closed and played."""
    league = league_of(folder)
    (league.folder / FILE).write_text(TERM)
    close_next(league)
    make_up_games(league)
    return league


def close_next(league: League) -> None:
    term = league.settings().term
    assert term is not None
    last = league.weeks.last()
    league.weeks.close(next(
        one for one in term.deadlines if last is None or one.first_late > last.first_late
    ))


def test_each_kept_week_is_an_entry_that_stays_the_same(tmp_path):
    league = in_a_term(tmp_path)
    report.build(league)
    site = league.folder / "site"
    assert parsed((site / "feed.xml").read_bytes())[1] == []
    report.keep(league)
    feed, (entry,) = parsed((site / "feed.xml").read_bytes())
    (week,) = league.weeks.all()
    assert entry["updated"] == week.kept_at == feed.findtext(f"{SPACE}updated")
    assert entry["id"].startswith("urn:uuid:")
    assert entry["content"].splitlines()[0].startswith("1. Ada: +")
    assert (site / entry["link"]).is_file()
    assert not (site / "weeks" / week.label / "feed.xml").exists()
    close_next(league)
    report.keep(league)
    again, (newer, older) = parsed((site / "feed.xml").read_bytes())
    assert older == entry and newer["id"] != entry["id"]
    assert again.findtext(f"{SPACE}id") == feed.findtext(f"{SPACE}id")
    report.build(league)
    assert parsed((site / "feed.xml").read_bytes())[1] == [newer, older]


def test_without_a_term_the_weeks_of_runs_are_entries_once_they_are_over(tmp_path):
    league = league_of(tmp_path)
    feed = league.folder / "site" / "feed.xml"
    play(league, SUNDAY, stop_after=3)
    assert parsed(feed.read_bytes())[1] == []
    play(league, SUNDAY)
    (entry,) = parsed(feed.read_bytes())[1]
    assert (entry["title"], entry["updated"], entry["link"]) == (
        "The table of 2026-W10", "2026-03-02T00:00:00+00:00", "index.html"
    )
    play(league, MONDAY, rounds=2)
    assert [one["id"] for one in parsed(feed.read_bytes())[1]][1:] == [entry["id"]]


def test_ids_follow_from_the_first_commitment_else_from_the_title_and_the_week():
    run = RunWeek("2026-W11", "2026-03-14T20:00:00+00:00", is_over=True)
    league = replace(small_league(), run_week=run)
    (by_title,) = entries_of(league)
    assert entries_of(replace(league, created_at="2027-01-01T00:00:00+00:00")) == [by_title]
    (other,) = entries_of(replace(league, title="Week 7"))
    assert other["id"] != by_title["id"]
    drawn = replace(league, draws=(Draw("ab" * 32, "2026-03-01T00:00:00+00:00"),))
    (by_draw,) = entries_of(drawn)
    assert by_draw["id"] != by_title["id"]
    assert entries_of(replace(drawn, title="Week 7")) == [by_draw]


def test_hostile_names_and_titles_are_text():
    snapshot = snapshot_of_games(
        [HOSTILE, "b"], [game(0, HOSTILE, "b", "black")], title=f"A {HOSTILE}"
    )
    feed, (entry,) = parsed(feed_xml(Standings(snapshot)))
    assert entry["content"].splitlines()[0].startswith("1. <b>&\"']]>: +")
    assert feed.findtext(f"{SPACE}title") == "A <b>&\"']]>"
    assert feed.findtext(f"{SPACE}author/{SPACE}name") == "A <b>&\"']]>"


@pytest.mark.parametrize("week", [None, "2026-10-09+"])
def test_the_page_leads_to_the_feed_of_the_league(tmp_path, week):
    league = in_a_term(tmp_path)
    report.keep(league)
    page = league.folder / "site" / "index.html"
    if week:  # a second week that ends on the same day
        term = term_of({"zone": "UTC", "deadlines": ["2026-10-09 23:59:30"]})
        league.weeks.close(term.deadlines[0])
        report.keep(league)
        page = page.parent / "weeks" / week / "index.html"
    (address,) = [one for one in Page(page).targets if one.endswith("feed.xml")]
    assert (page.parent / address).resolve() == (league.folder / "site" / "feed.xml").resolve()
