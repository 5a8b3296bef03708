"""The site as a browser shows it: from the disk, at any width, light and dark, and to everybody."""

import time
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from tests.fake_standings import game, small_records, snapshot_of_games
from tournament.game.record import GameRecord
from tournament.report import pages
from tournament.report.formats import network_page
from tournament.report.meetings import game_address, meeting_address
from tournament.report.site import ASSETS, COPIED, publish, write_site
from tournament.report.standings import Standings

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&$title"
LONG = "W" * 64
PAGES = {
    "front": "index.html",
    "network": network_page("cyd"),
    "game": meeting_address("ada", "cyd"),
}
MINOR = {"better", "winrate", "parameters", "visits", "cpu", "forfeits"}
# Of each row of the ranking: its columns, and whether they are shown.
COLUMNS = """
return [...document.querySelectorAll(".ranking tr")].map((row) =>
  [...row.children].map((cell) => [cell.classList[0], getComputedStyle(cell).display !== "none"]));
"""


def split(address: str) -> tuple[str, str]:
    path, _, fragment = address.partition("#")
    return path, f"#{fragment}" if fragment else ""


def with_opinions(record: GameRecord) -> GameRecord:
    """The game as its players might judge it: it turns after the loser's second move."""
    falls = (0.45, 0.4, 0.5, 0.6, 0.8, 0.7, 0.85, 0.9, 0.95)  # P(the winner wins)
    values = [fall if record.winner == "white" else 1 - fall for fall in falls]
    moves = zip(record.moves, values, strict=True)
    return replace(record, moves=tuple(replace(move, value_white=at) for move, at in moves))


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    records = [with_opinions(record) for record in small_records()]
    standings = Standings(snapshot_of_games(["cyd", "bob", "ada"], records, num_scheduled=30))
    return write_site(standings, tmp_path_factory.mktemp("site")).parent


@pytest.fixture(scope="module")
def wide_site(tmp_path_factory) -> Path:
    """Long names and a long reason, in a league whose crosstable has a page of its own."""
    names = [LONG, *(f"{LONG[2:]}{i:02d}" for i in range(45))]
    reason = "expected a finite value: got " + "nan" * 100
    lost = [game(0, LONG, names[1], "white", kind="forfeit", reason=reason)]
    standings = Standings(snapshot_of_games(names, lost, title=LONG))
    return write_site(standings, tmp_path_factory.mktemp("wide")).parent


@pytest.mark.parametrize("page", PAGES)
def test_pages_load_from_the_disk_fit_any_window_and_are_accessible(browser, site, page):
    """Contrast, names, landmarks, heads of tables: all that axe-core can measure."""
    axe = pytest.importorskip("axe_core_python.selenium").Axe()
    path, place = split(PAGES[page])
    browser.open(site / path, place)
    assert browser.run("return document.querySelectorAll('h1').length") == 1
    lost = browser.run("return document.querySelectorAll('.phases, .turns .board').length")
    assert lost == (1 + 5 if page == "network" else 0)
    assert browser.console() == []
    assert_fits(browser, page)
    for width, scheme in ((1400, "light"), (360, "dark")):
        browser.view(width=width, scheme=scheme)
        found = axe.run(browser.driver)
        (contrast,) = (rule for rule in found["passes"] if rule["id"] == "color-contrast")
        assert len(contrast["nodes"]) > 20
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]] == []


def test_pages_of_long_names_fit_any_window(browser, wide_site):
    game = meeting_address(LONG, f"{LONG[2:]}00")
    for page in ("index.html", "crosstable.html", network_page(LONG), game):
        path, place = split(page)
        browser.open(wide_site / path, place)
        assert_fits(browser, page)


def assert_fits(browser, page: str) -> None:
    for width in (1400, 768, 360):
        browser.view(width=width, scheme="light")
        assert browser.run("return document.documentElement.scrollWidth") <= width, (page, width)


def test_narrow_windows_leave_columns_of_the_ranking_out(browser, site):
    browser.open(site / "index.html")
    for width, left_out in ((1400, set()), (768, MINOR), (400, {*MINOR, "score"})):
        browser.view(width=width, scheme="light")
        rows = browser.run(COLUMNS)
        assert len(rows) == 1 + 3 and all(row == rows[0] for row in rows)
        assert {column for column, is_shown in rows[0] if not is_shown} == left_out
        assert len(rows[0]) == 11


def test_a_link_to_a_game_that_left_says_so(browser, site):
    path, place = split(f"{PAGES['game']}/gone")
    browser.open(site / path, place)
    assert "It may have been removed from the league." in browser.part("problem").text
    assert not browser.part("content").is_displayed()


def test_skipping_to_the_content_keeps_the_game(browser, site):
    path, place = split(PAGES["game"])
    browser.open(site / path, place)
    browser.run("document.querySelector('.skip').focus(); document.querySelector('.skip').click()")
    time.sleep(0.2)
    assert browser.run("return [location.hash, document.activeElement.id]") == [place, "main"]
    assert browser.part("content").is_displayed()
    assert not browser.part("problem").is_displayed()


def test_who_opens_a_game_of_the_list_by_keyboard_stays_there(browser, site):
    path, place = split(PAGES["game"])
    browser.open(site / path, place)
    browser.run("document.querySelectorAll('.meeting a')[2].focus()")
    browser.driver.switch_to.active_element.send_keys("\ue007")  # Enter
    deadline = time.monotonic() + 10
    while browser.run("return document.activeElement.ariaCurrent") != "page":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert browser.run("return document.querySelectorAll('.meeting a')[2].ariaCurrent") == "page"


def test_light_and_dark_differ(browser, site):
    papers = set()
    browser.open(site / "index.html")
    for scheme in ("light", "dark"):
        browser.view(width=1400, scheme=scheme)
        papers.add(browser.run("return getComputedStyle(document.body).backgroundColor"))
    assert len(papers) == 2


def test_hostile_names_stay_text(browser, tmp_path):
    lost = game(0, HOSTILE, "b", "white", kind="forfeit", reason=HOSTILE)
    standings = Standings(snapshot_of_games([HOSTILE, "b"], [lost], title=HOSTILE))
    folder = write_site(standings, tmp_path).parent
    for page in ("index.html", network_page(HOSTILE), game_address(standings.snapshot.games[0])):
        path, place = split(page)
        browser.open(folder / path, place)
        assert browser.run("return document.images.length") == 0
        assert HOSTILE in browser.run("return document.body.innerText")
        assert HOSTILE in browser.driver.title
        assert browser.console() == []


@pytest.mark.slow
def test_front_page_of_200_networks_is_small(browser, tmp_path):
    names = [f"Network_of_a_student_{i:03d}" for i in range(200)]
    first = snapshot_of_games(names, [game(0, names[0], names[1], "black")])
    games = tuple(
        replace(first.games[0], game_id=f"{i}", black=black, white=white, pair_id="")
        for i, (black, white) in enumerate(permutations(names, 2))
    )
    standings = Standings(replace(first, games=games, num_scheduled=len(games)))
    for name in COPIED:
        publish(tmp_path / name, (ASSETS / name).read_bytes())
    page = tmp_path / "index.html"
    publish(page, pages.index(standings).encode())
    assert page.stat().st_size < 1_000_000
    browser.open(page)
    assert browser.run("return document.querySelectorAll('.ranking tbody tr').length") == 200
    assert browser.run("return document.querySelectorAll('*').length") < 5000
