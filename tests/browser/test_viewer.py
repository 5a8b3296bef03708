"""The board that replays: it shows the positions of the rules, and does as keys and fingers say."""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from golois.constants import PASS
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE, point_to_gtp
from tests.fake_standings import game, random_points, small_league, snapshot_of_games
from tournament.game.record import GameRecord
from tournament.game.sgf import to_sgf
from tournament.players.protocol import Choice
from tournament.report.meetings import game_address, meeting_key
from tournament.report.site import write_site
from tournament.report.standings import Standings

NUM_GAMES = 20
NUM_PLIES = 400
NUM_OPENING = 3
# Steps from the first position to the last by the keyboard; what the page shows at each.
REPLAY = """
const shown = [];
const text = (name) => document.querySelector(`[data-part="${name}"]`).textContent;
const press = (key) =>
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const stones = [...document.querySelectorAll("[data-part=board] .stone")];
const colours = ["empty", "black", "white"];
press("Home");
for (let ply = 0; ply <= arguments[0]; ply++) {
  shown.push({
    stones: stones.map((stone) => colours.indexOf(stone.classList[1])).join(""),
    captured: [null, Number(text("black-captured")), Number(text("white-captured"))],
    move: text("move"),
  });
  press("ArrowRight");
}
return shown;
"""

TO_THE_END = """
document.activeElement.blur();
scrollTo(0, 0);
document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }));
"""

# Follows two links, and lets the file of the second one come before that of the first; when both
# have come, the meeting's list and whatever problem is shown.
FOLLOW_TWO_LINKS = """
const [first, second, done] = arguments;
const asked = [], body = document.body;
const next = (what) => new Promise((tell) => addEventListener(what, tell, { once: true }));
const settled = (script) => new Promise((tell) => {
  for (const event of ["load", "error"]) script.addEventListener(event, tell);
  HTMLElement.prototype.append.call(body, script);
});
body.append = (script) => asked.push(script);
(async () => {
  for (const link of [first, second]) {
    const followed = next("hashchange");
    location.hash = link;
    await followed;
  }
  for (const script of asked.reverse()) await settled(script);
  delete body.append;
  const part = (name) => document.querySelector(`[data-part="${name}"]`);
  done([part("meeting").textContent, part("problem").hidden]);
})();
"""


def long_game(number: int) -> GameRecord:
    points = random_points(NUM_PLIES, number)
    moves = [
        Choice(point, 100 + i, round(0.03 + i / 1000, 3), (i % 101) / 100)
        for i, point in enumerate(points[NUM_OPENING:])
    ]
    short = game(number, "ada", "bob", "black")
    return replace(short, opening=tuple(points[:NUM_OPENING]), moves=tuple(moves))


@pytest.fixture(scope="module")
def records() -> list[GameRecord]:
    return [long_game(number) for number in range(NUM_GAMES)]


@pytest.fixture(scope="module")
def site(tmp_path_factory, records) -> Path:
    standings = Standings(snapshot_of_games(["ada", "bob"], records))
    return write_site(standings, tmp_path_factory.mktemp("site")).parent


@pytest.fixture(scope="module")
def opened(browser, site, records):
    open_game(browser, site, records[0])
    return browser


@pytest.fixture
def viewer(opened):
    """The first of the games, at its end."""
    opened.run(TO_THE_END)
    return opened


def open_game(browser, site: Path, record: GameRecord, place: str = "") -> None:
    row = snapshot_of_games(["ada", "bob"], [record]).games[0]
    path, _, fragment = game_address(row).partition("#")
    browser.open(site / path, f"#{fragment}{place}")


def wait_until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def count(browser) -> str:
    return browser.part("count").text


@pytest.mark.parametrize(
    "numbers", [range(2), pytest.param(range(2, NUM_GAMES), marks=pytest.mark.slow)]
)
def test_board_is_the_native_board_after_every_move(browser, site, records, numbers):
    num_captured = 0
    for record in (records[number] for number in numbers):
        open_game(browser, site, record)
        shown = browser.run(REPLAY, NUM_PLIES)
        board, last = Board(), "The empty board"
        points: Iterable[int | None] = [*record.opening, *(move.point for move in record.moves)]
        for ply, point in enumerate([*points, None]):
            stones = board.stones()
            assert shown[ply]["stones"] == "".join(map(str, stones.ravel())), ply
            assert shown[ply]["captured"] == [None, *captured(board)]
            assert shown[ply]["move"] == last
            if point is not None:
                last = f"{'Black' if board.to_play == BLACK else 'White'} {point_to_gtp(point)}"
                board.play(point)
        num_captured += sum(captured(board))
    assert num_captured > 60 * len(numbers)
    assert browser.console() == []


def captured(board: Board) -> list[int]:
    """How many stones Black and White have taken: the opponent's played, less those that stand."""
    stones = board.stones()
    played = {
        colour: sum(mover == colour and point != PASS for mover, point in board.moves)
        for colour in (BLACK, WHITE)
    }
    return [played[colour] - int((stones == colour).sum()) for colour in (WHITE, BLACK)]


def test_cost_and_judgement_of_each_move(viewer, site, records):
    expected = {1: "A move of the opening, chosen by neither network"}
    for ply in (4, 5, NUM_PLIES):
        move = records[0].moves[ply - NUM_OPENING - 1]
        seconds, chance = move.cpu_seconds, 100 * (1 - move.value_white)
        cpu = f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000 * seconds:.0f} ms"
        expected[ply] = f"{move.num_visits} visits · {cpu} CPU · Black's chance {chance:.0f}\u00a0%"
    for ply, text in expected.items():
        open_game(viewer, site, records[0], f"/{ply}")
        assert viewer.part("cost").get_property("textContent") == text


def test_curves_have_a_corner_for_each_move_that_a_network_chose(viewer):
    corners = viewer.run("""
        return [...document.querySelectorAll('.chart .curve')].map((line) => line.points.length);
    """)
    num_black, num_white = NUM_PLIES // 2 - 2, NUM_PLIES // 2 - 1
    assert corners == 3 * [num_black, num_white]


def test_keys_move_through_the_game(viewer):
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    actions = pytest.importorskip("selenium.webdriver").ActionChains

    def pressed(*names: str, held: str | None = None) -> str:
        chain = actions(viewer.driver)
        chain = chain.key_down(held) if held else chain
        chain = chain.send_keys(*names)
        (chain.key_up(held) if held else chain).perform()
        return count(viewer)

    assert count(viewer) == "Move 400 of 400"
    assert pressed(keys.ARROW_LEFT, keys.ARROW_LEFT) == "Move 398 of 400"
    assert pressed(keys.ARROW_LEFT, held=keys.SHIFT) == "Move 388 of 400"
    assert pressed(keys.HOME) == "Move 0 of 400"
    assert pressed(keys.ARROW_LEFT) == "Move 0 of 400"
    assert pressed(keys.ARROW_RIGHT, held=keys.SHIFT) == "Move 10 of 400"
    assert pressed(keys.END, keys.ARROW_RIGHT) == "Move 400 of 400"
    pressed(" ")
    assert viewer.part("play").text == "Pause"
    wait_until(lambda: count(viewer) != "Move 0 of 400")
    pressed(" ")
    assert viewer.part("play").text == "Play"
    assert count(viewer) in ("Move 1 of 400", "Move 2 of 400", "Move 3 of 400")


def test_every_control_is_reached_by_tab_and_shows_its_focus(viewer):
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    actions = pytest.importorskip("selenium.webdriver").ActionChains
    reached = []
    for _ in range(20):
        actions(viewer.driver).send_keys(keys.TAB).perform()
        name, outline = viewer.run("""
            const element = document.activeElement;
            return [element.dataset.part, getComputedStyle(element).outlineStyle];
        """)
        assert outline != "none"
        reached.append(name)
    buttons = ["first", "back10", "back", "play", "forward", "forward10", "last"]
    wanted = [*buttons, "slider", "download"]
    assert [name for name in reached if name in wanted] == wanted


def test_fingers_tap_and_swipe_the_board(viewer):
    box = viewer.part("board").rect
    left, middle, right = (box["x"] + share * box["width"] for share in (0.2, 0.5, 0.8))
    y = box["y"] + box["height"] / 2

    def touched(*path: float) -> str:
        for i, x in enumerate(path):
            kind = "touchMove" if i else "touchStart"
            viewer.command("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y}])
        viewer.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        return count(viewer)

    assert touched(left) == "Move 399 of 400"
    assert touched(left) == "Move 398 of 400"
    assert touched(right) == "Move 399 of 400"
    assert touched(middle, middle + 20, right) == "Move 398 of 400"
    assert touched(middle, middle - 20, left) == "Move 399 of 400"


def test_a_press_on_a_curve_goes_to_its_move(viewer):
    chart = viewer.part("value-chart").rect
    x = chart["x"] + chart["width"] * (42 + 350 / 4) / 400
    press = {"x": x, "y": chart["y"] + 30, "button": "left", "clickCount": 1}
    for kind in ("mousePressed", "mouseReleased"):
        viewer.command("Input.dispatchMouseEvent", type=kind, **press)
    assert count(viewer) == "Move 100 of 400"


def test_download_is_the_sgf(viewer, records, tmp_path):
    viewer.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    viewer.part("download").click()
    path = tmp_path / f"2026-03-14_ada_vs_bob_{records[0].result}.sgf"
    # Chromium holds the name with an empty file before it moves the whole one there.
    wait_until(lambda: path.exists() and path.stat().st_size)
    assert path.read_text(encoding="utf-8") == to_sgf(records[0])


def test_the_other_games_of_the_two_are_a_press_away(browser, site, records):
    open_game(browser, site, records[0])
    links = browser.part("meeting").find_elements("css selector", "a")
    assert len(links) == NUM_GAMES and links[0].get_attribute("aria-current") == "page"
    links[7].click()
    wait_until(lambda: records[7].game_id in browser.part("about").text)


@pytest.mark.parametrize("first", ["ada", "nobody"])
def test_of_two_links_the_last_is_shown_whichever_file_comes_first(browser, tmp_path, first):
    standings = Standings(small_league())
    page = write_site(standings, tmp_path).parent / "game.html"
    browser.open(page, f"#{meeting_key('bob', 'cyd')}")
    links = [meeting_key(first, "bob"), meeting_key("ada", "cyd")]
    meeting, is_well = browser.driver.execute_async_script(FOLLOW_TWO_LINKS, *links)
    assert is_well and "cyd" in meeting and "bob" not in meeting


@pytest.mark.parametrize("place", ["", "#../../x", "#0123456789ab", "#%zz/%zz"])
def test_an_address_without_a_game_is_said_in_words(browser, site, place):
    browser.open(site / "game.html", place)
    assert "game" in browser.part("problem").text
    assert not any(line["source"] == "javascript" for line in browser.console())
