"""The page of a network in a browser: a game, what the network says, two of them side by side."""

from collections.abc import Iterator

import numpy as np
import pytest

from golois.go.coords import gtp_to_point
from golois.sgf.reading import read_sgf
from tests.boards import board_server
from tests.fake_arena import FakeEvaluator
from tests.serving import wait_for
from tournament.board.networks import SharedNetwork
from tournament.board.server import BoardServer

pytestmark = pytest.mark.slow

LOADED = b"(;SZ[19]PB[Ada]PW[Grace]RE[W+R]KM[0.5]AB[pd][dp];W[dd];B[pp];W[dj])"
# Where a point of the first board is on the screen.
PLACE = """
const board = document.querySelector(".board");
board.scrollIntoView();
const [x, y] = [1 + arguments[0] % 19, 1 + Math.floor(arguments[0] / 19)];
const place = new DOMPoint(x, y).matrixTransform(board.getScreenCTM());
return [place.x, place.y];
"""
STONES = """
return [...document.querySelectorAll(".board")].map((board) =>
  [...board.querySelectorAll(".stone")].map((stone) => +stone.classList.contains("black")
    + 2 * stone.classList.contains("white")));
"""


@pytest.fixture(scope="module")
def server() -> Iterator[BoardServer]:
    networks = [SharedNetwork(name, FakeEvaluator()) for name in ("ada", "grace")]
    with board_server(networks) as running:
        yield running


@pytest.fixture
def page(browser, server):
    """A new game against the first network, which takes a few visits a move."""
    return new_game(browser, server)


def new_game(browser, server: BoardServer, **view):
    browser.visit(server.address, **view)
    browser.run("sessionStorage.clear()")
    browser.visit(server.address, **view)
    wait_for(lambda: browser.part("count").text == "Move 0 of 0")
    choose(browser, "unit", "visits")
    enter(browser, "amount", "4")
    browser.console()
    return browser


def choose(page, name: str, value: str) -> None:
    page.run(
        """
        const [select, value] = arguments;
        select.value = value;
        select.dispatchEvent(new Event("change"));
        """,
        page.part(name),
        value,
    )


def enter(page, name: str, value: str) -> None:
    field = page.part(name)
    field.clear()
    field.send_keys(value)


def press_point(page, vertex: str) -> None:
    """A press of the mouse on a point of the first board."""
    x, y = page.run(PLACE, gtp_to_point(vertex))
    for kind in ("mousePressed", "mouseReleased"):
        press = {"x": x, "y": y, "button": "left", "clickCount": 1}
        page.command("Input.dispatchMouseEvent", type=kind, **press)


def press(page, name: str) -> None:
    page.run("arguments[0].click()", page.part(name))


def at(page, ply: int, num_moves: int) -> None:
    """Waits for a position, and for what the network says about it."""
    wait_for(lambda: page.part("count").text == f"Move {ply} of {num_moves}")
    wait_for(lambda: "to play" in page.part("status").text or "over" in page.part("status").text)


def stones(page) -> list[int]:
    return page.run(STONES)[0]


def num_drawn(page, selector: str) -> int:
    return len(page.driver.find_elements("css selector", selector))


def test_a_game_is_played_taken_back_saved_and_loaded(page, tmp_path):
    for number, vertex in enumerate(("Q16", "D4", "K10"), start=1):
        press_point(page, vertex)
        at(page, 2 * number, 2 * number)
        assert stones(page)[gtp_to_point(vertex)] == 1
    assert sorted(stones(page))[-6:] == [1, 1, 1, 2, 2, 2]
    wait_for(lambda: num_drawn(page, ".heat") > 20)
    assert page.part("move").text.startswith("White ")
    assert "4 visits" not in page.part("readings").text
    press(page, "search")
    wait_for(lambda: "after 4 visits" in page.part("readings").text)
    assert "Expects B" in page.part("readings").text
    corners = "return document.querySelector('.chart .curve').points.length"
    assert page.run(corners) == 1 + 6
    choose(page, "overlay", "line")
    assert num_drawn(page, ".expected") > 0 == num_drawn(page, ".heat")
    choose(page, "overlay", "area")
    assert num_drawn(page, ".expected") == 0

    press(page, "undo")
    at(page, 4, 4)
    assert stones(page)[gtp_to_point("K10")] == 0
    assert page.console() == []
    press_point(page, "Q16")
    wait_for(lambda: page.part("problem").is_displayed())
    assert page.part("problem").text == "Black cannot play Q16 as move 5: occupied"
    at(page, 4, 4)
    assert all("400" in line["message"] for line in page.console())

    page.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    press(page, "save")
    (path,) = wait_for(lambda: [p for p in tmp_path.glob("*.sgf") if p.stat().st_size])
    assert path.name.endswith("_human_vs_ada.sgf")
    saved = read_sgf(path.read_bytes())
    assert len(saved.moves) == 4 and saved.komi == 7.5
    press(page, "new")
    at(page, 0, 0)
    page.part("load").send_keys(str(path))
    at(page, 4, 4)
    assert read_sgf(path.read_bytes()).replay().stones().ravel().tolist() == stones(page)
    assert page.part("stop").text == "Go on"  # a game that was loaded stays as it is
    assert page.console() == []


def test_a_loaded_game_has_its_handicap_its_curve_and_every_position(page, tmp_path):
    (tmp_path / "game.sgf").write_bytes(LOADED)
    (tmp_path / "bad.sgf").write_bytes(b"(;SZ[9];B[dd])")
    page.part("load").send_keys(str(tmp_path / "game.sgf"))
    at(page, 3, 3)
    assert page.part("komi").get_property("value") == "0.5"
    assert page.part("loaded").text == "Ada (Black) against Grace (White), result W+R"
    press(page, "first")
    at(page, 0, 3)
    assert page.part("status").text == "White to play; ada waits."
    assert sorted(stones(page))[-3:] == [0, 1, 1]
    body = page.driver.find_element("tag name", "body")
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    body.send_keys(keys.ARROW_RIGHT)
    at(page, 1, 3)
    body.send_keys(keys.END)
    at(page, 3, 3)
    corners = "return document.querySelector('.chart .curve').points.length"
    wait_for(lambda: page.run(corners) == 1 + 3)
    page.part("load").send_keys(str(tmp_path / "bad.sgf"))
    wait_for(lambda: "bad.sgf: the board must have 19×19" in page.part("problem").text)
    press(page, "stop")  # on, with the network as White
    at(page, 3, 3)
    press(page, "new")
    at(page, 0, 0)
    assert not page.part("loaded").is_displayed()
    page.run("sessionStorage.clear()")


class Weak(FakeEvaluator):
    """A network that knows nothing: every point has the same share."""

    def evaluate(self, planes):
        policy, values = super().evaluate(planes)
        return np.full_like(policy, 1 / 361), values


OPACITIES = """
return [...document.querySelectorAll(".heat")]
  .map((square) => +square.getAttribute("fill-opacity"));
"""


def test_a_weak_network_does_not_look_sure(browser):
    with board_server([SharedNetwork("weak", Weak())]) as running:
        page = new_game(browser, running)
        wait_for(lambda: num_drawn(page, ".heat") == 361)
        assert max(page.run(OPACITIES)) < 0.1
        labels = page.driver.find_elements("css selector", ".share")
        assert [label.text for label in labels] == ["0.3"] * 10
        assert page.part("score").text == "It is too early to count the score."


def drawn_policy(page, policy: list[float]) -> dict[int, tuple[float, str]]:
    """How opaque each square is, and its number, of a policy on the empty board."""
    return page.run(
        """
        const element = document.querySelector(".seen").cloneNode(true);
        const board = new SeenBoard(element, () => {}, () => {});
        board.show(new Array(361).fill(EMPTY), undefined, "");
        board.drawPolicy(arguments[0]);
        return [...element.querySelectorAll(".heat")].map((square) => [
          +square.getAttribute("fill-opacity"),
          square.nextElementSibling?.matches(".share") ? square.nextElementSibling.textContent : "",
        ]);
        """,
        policy,
    )


def test_a_share_looks_alike_in_every_policy(page):
    """Fifteen shares of 2 %, and then another one that is sure."""
    fifteen = [0.02] * 15 + [0.7 / 346] * 346
    sure = [0.9, 0.02, 0.004, *[0.076 / 358] * 358]
    of_fifteen, of_sure = (drawn_policy(page, policy) for policy in (fifteen, sure))
    assert [label for _, label in of_fifteen] == ["2"] * 15 + [""] * 346
    assert of_sure[1] == of_fifteen[0] and of_sure[0][0] > 0.8
    assert [label for _, label in of_sure] == ["90", "2", "0.4"]


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ({"owned": 0, "stones": [1, 2]}, "It is too early to count the score."),
        ({"owned": 361, "stones": [1]}, "It is too early to count the score."),
        ({"owned": 180, "stones": [1, 2]}, "It is too early to count the score."),
        ({"owned": 181, "stones": [1, 2]}, "White leads by 7.5 points if the game ended here."),
        ({"owned": 0, "stones": [], "is_over": True}, "White wins by 7.5 points."),
    ],
)
def test_the_score_is_counted_once_most_points_belong_to_a_colour(page, position, words):
    asked = {
        "area": [1] * position["owned"] + [0] * (361 - position["owned"]),
        "stones": position["stones"],
        "is_over": position.get("is_over", False),
        "lead_black": -7.5,
    }
    assert page.run("return scoreText(arguments[0])", asked) == words


def test_two_networks_look_at_one_position(page):
    press(page, "compare")
    wait_for(lambda: num_drawn(page, ".seen:not([hidden]) .heat") > 300)
    press_point(page, "C3")
    at(page, 2, 2)
    first, second = page.run(STONES)
    assert first == second and sum(first) == 3
    names = page.run("return [...document.querySelectorAll('.reading h2')].map(x => x.textContent)")
    assert names == ["ada", "grace"]
    assert num_drawn(page, ".chart .curve") == 2
    choose(page, "black", "1")  # the second network plays against the first, until it is stopped
    wait_for(lambda: int(page.part("count").text.split()[-1]) > 6)
    press(page, "stop")
    wait_for(lambda: "waits" in page.part("status").text)
    assert page.console() == []


def test_keys_play_and_a_reload_keeps_the_game(page):
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    board = page.driver.find_element("css selector", ".board")
    board.send_keys(keys.ARROW_UP, keys.ARROW_LEFT)
    assert page.part("aim").get_property("textContent") == "J11, empty"
    board.send_keys(keys.ENTER)
    at(page, 2, 2)
    assert stones(page)[gtp_to_point("J11")] == 1
    page.driver.refresh()
    at(page, 2, 2)
    assert stones(page)[gtp_to_point("J11")] == 1
    press(page, "pass")
    wait_for(lambda: page.part("count").text in ("Move 4 of 4", "Move 3 of 3"))
    assert page.console() == []


def test_a_reload_keeps_a_stopped_game_and_who_plays_it(page):
    press(page, "stop")
    press_point(page, "Q16")
    at(page, 1, 1)
    choose(page, "white", "1")
    page.driver.refresh()
    at(page, 1, 1)
    wait_for(lambda: page.part("status").text == "White to play; grace waits.")
    assert page.part("black").get_property("value") == "you"


def test_a_network_that_thinks_for_long_can_be_stopped(page):
    choose(page, "unit", "seconds")
    assert page.part("amount").get_property("value") == "1"
    enter(page, "amount", "600")
    press_point(page, "Q16")
    wait_for(lambda: page.part("status").text == "ada is thinking.")
    press_point(page, "D4")
    assert "It is the turn of ada." in page.part("problem").text
    press(page, "stop")
    wait_for(lambda: page.part("status").text == "White to play; ada waits.")
    press_point(page, "D4")  # now in its place
    at(page, 2, 2)
    assert stones(page)[gtp_to_point("D4")] == 2
    press(page, "undo")
    at(page, 1, 1)
    press(page, "stop")
    wait_for(lambda: page.part("status").text == "ada is thinking.")
    press(page, "undo")
    wait_for(lambda: page.part("count").text == "Move 0 of 0")
    assert page.part("status").text == "Black to play."
    assert page.console() == []


def test_a_finger_aims_before_it_plays(browser, server):
    page = new_game(browser, server, width=400)
    x, y = page.run(PLACE, gtp_to_point("Q16"))

    def tap() -> None:
        point = [{"x": x, "y": y}]
        page.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=point)
        page.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    tap()
    wait_for(lambda: "tap again" in page.part("aim").get_property("textContent"))
    assert page.part("count").text == "Move 0 of 0"
    tap()
    at(page, 2, 2)
    assert stones(page)[gtp_to_point("Q16")] == 1


@pytest.mark.parametrize(
    ("scheme", "width", "is_double"),
    [
        ("light", 1400, True),
        ("dark", 400, False),
        ("dark", 1400, True),
        ("light", 400, True),
    ],
)
def test_the_page_fits_and_is_accessible(browser, server, scheme, width, is_double):
    axe = pytest.importorskip("axe_core_python.selenium").Axe()
    page = new_game(browser, server, width=width, scheme=scheme)
    press_point(page, "Q16")
    at(page, 2, 2)
    if is_double:
        press(page, "compare")
    wait_for(lambda: num_drawn(page, ".seen:not([hidden]) .heat") > (300 if is_double else 50))
    assert page.run("return document.documentElement.scrollWidth") <= width
    found = axe.run(page.driver)
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]] == []
    assert page.console() == []
