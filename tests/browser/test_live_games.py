"""Boards and clocks of the games under way, on the page that the server shows."""

import json
import os

import pytest

from tests.fake_arena import league_of
from tests.serving import issue_tokens, serving, wait_for
from tournament.report import build

pytest.importorskip("selenium")
pytest.importorskip("fastapi")
HOSTILE = "<img src=x onerror=alert(1)>"


def game(number: int, points: list[int]) -> dict:
    black, white = ({"name": name, "cpu_seconds": 62.5, "last_seconds": last}
                    for name, last in ((HOSTILE, 1.5), ("Grace", None)))
    return {"id": f"g{number}", "points": points, "black": black, "white": white}


def test_the_front_page_shows_the_games_under_way_and_their_end(browser, tmp_path):
    league = league_of(tmp_path)
    build(league)

    def tell(*games: dict) -> None:
        league.live_path.write_text(json.dumps({"games": games}))

    # A corner stone is taken; the last move is a pass.
    tell(game(1, [1, 0, 19, 361]), game(2, [60]))
    with serving(league.folder, issue_tokens(league.folder)) as server:
        browser.visit(f"http://127.0.0.1:{server.port}/site/index.html")
        wait_for(lambda: browser.part("live").is_displayed())
        assert boards(browser) == [["black", "black"], ["black"]]
        text = browser.part("live-games").text
        assert f"Move 4\nBlack: {HOSTILE} 62.5 s (1.50 s)\nWhite: Grace 62.5 s" in text
        assert not browser.run("return document.querySelectorAll('main img').length")
        tell(game(2, [60, 61]))
        browser.run("return lookAtGames()")  # sooner than the page does by itself
        assert boards(browser) == [["black", "white"]]
        tell()
        browser.run("return lookAtGames()")
        assert not browser.part("live").is_displayed()
        assert browser.console() == []
        tell(game(3, [60]))
        os.utime(league.live_path, (0, 0))  # of a run that was killed long ago
        browser.visit(f"http://127.0.0.1:{server.port}/site/index.html")
        assert browser.run("return gamesUnderWay().then((games) => games.length)") == 0


def boards(browser) -> list[list[str]]:
    """The stones on each board that is shown, in the order of the points."""
    return browser.run("""
      const items = document.querySelectorAll('[data-part="live-games"] li:not([hidden])');
      return [...items].map((item) => [...item.querySelectorAll(".stone:not(.empty)")].map(
        (stone) => stone.classList[1]))""")


def test_a_page_from_the_disk_asks_for_nothing(browser, tmp_path):
    league = league_of(tmp_path)
    browser.open(build(league).page)
    assert not browser.part("live").is_displayed() and browser.console() == []
