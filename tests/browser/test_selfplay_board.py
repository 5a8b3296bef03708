"""The page of a run in a browser: its games, its board of Hex, and NoGo's displays of strategy."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from golois.games.game import Game, after_moves
from golois.games.rules import Hex, NoGo
from golois.go.coords import BLACK, gtp_to_point
from golois.records.finished_games import FinishedGame, write_finished_games
from selfplay.journal import write_journal
from selfplay.layout import Layout, Shard
from selfplay.nogo_display import marks_of
from selfplay.options import Options
from selfplay.page import write_page
from tournament.matches.games import MatchGame, kept_games

SIZE = 4
SWAPPED = [1, 1, 5, 10]
OF_LEAGUE = [2, 7]
SHOWN = """
const all = (selector) => [...document.querySelectorAll(`[data-part=board] ${selector}`)];
const number = (node, name) => Number(node.getAttribute(name));
const colours = ["empty", "black", "white"];
return {
  hexagons: all(".hexagon").length,
  sides: all(".side").map((side) => side.classList[1]),
  centres: all(".stone .body").map((body) => [number(body, "cx"), number(body, "cy")]),
  stones: all(".stone").map((stone) => colours.indexOf(stone.classList[1])),
  matrix: ["a", "b", "c", "d"].map((name) => all("text")[0].getScreenCTM()[name]),
  count: document.querySelector("[data-part=count]").textContent,
};
"""
SHOW_PLY = """
const slider = document.querySelector("[data-part=slider]");
slider.value = arguments[0];
slider.dispatchEvent(new Event("input"));
"""
CHOOSE_GROUP = """
const group = document.querySelector("[data-part=group]");
group.value = arguments[0];
group.dispatchEvent(new Event("change"));
return [...document.querySelector("[data-part=list]").options].map((option) => option.text);
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    """Of a run of Hex with a game that begins with a swap, and a game of the league."""
    layout = Layout(tmp_path_factory.mktemp("hex"))
    options = Options(game="hex", size=SIZE, swap=True)
    layout.games(Shard(1, 0)).parent.mkdir()
    count = len(SWAPPED)
    game = FinishedGame(SWAPPED, BLACK, [{}] * count, [0.5] * count)
    write_finished_games(layout.games(Shard(1, 0)), options.rules(), [game])
    with kept_games(layout.league_games / "0000-0001.csv", {}, options.rules()) as kept:
        kept.add(MatchGame("drawn 1", 0, "0000", "0001", "black", tuple(OF_LEAGUE)))
    layout.league.write_text("iteration,elo,elo_halfwidth\n0,0,0\n1,10,20\n")
    measured = {"player": 0, "policy_loss": 1.5, "value_loss": 0.5, "black_wins": 0.5}
    rows = [{"iteration": number, "games": 10 * number, **measured} for number in range(2)]
    write_journal(layout.journal, rows)
    write_page(layout, options)
    return layout.page


@pytest.mark.parametrize(
    ("width", "scheme"),
    [(400, "dark"), pytest.param(1200, "light", marks=pytest.mark.slow)],
)
def test_curves_can_be_read_on_any_screen(browser, page, width, scheme):
    axe = pytest.importorskip("axe_core_python.selenium").Axe()
    browser.open(page, width=width, scheme=scheme)
    texts = browser.run(
        """
        return [...document.querySelectorAll(".curves text")].map((text) =>
          [text.getBoundingClientRect().height, getComputedStyle(text).fill]);
        """
    )
    ink = browser.run("return getComputedStyle(document.body).color")
    assert len(texts) > 20 and {fill for _, fill in texts} == {ink}
    assert min(height for height, _ in texts) > 10
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert browser.run("return document.documentElement.scrollWidth") <= width
    found = axe.run(browser.driver)
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]] == []


def position(moves: list[int]) -> list[int]:
    return after_moves(Hex(SIZE, swap=True), moves).stones().ravel().tolist()


def are_neighbours(first: int, second: int) -> bool:
    rows, columns = (b - a for a, b in zip(divmod(first, SIZE), divmod(second, SIZE), strict=True))
    return (rows, columns) in {(0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1)}


def test_neighbours_are_neighbours_on_the_page_names_upright_and_stones_round(browser, page):
    browser.open(page)
    shown = browser.run(SHOWN)
    centres = np.array(shown["centres"])
    distances = np.linalg.norm(centres[:, None] - centres, axis=2)
    points = range(SIZE**2)
    expected = [[are_neighbours(first, second) for second in points] for first in points]
    np.testing.assert_array_equal(np.isclose(distances, 1), expected)
    assert shown["hexagons"] == SIZE**2
    assert sorted(shown["sides"]) == ["black", "black", "white", "white"]
    right, down, left, up = shown["matrix"]
    assert right == up > 0 and down == left == 0


def test_the_board_shows_the_positions_of_hex_and_names_a_swap(browser, page):
    browser.open(page)
    for ply in range(len(SWAPPED) + 1):
        browser.run(SHOW_PLY, ply)
        assert browser.run(SHOWN)["stones"] == position(SWAPPED[:ply])
    browser.run(SHOW_PLY, 2)
    assert browser.run(SHOWN)["count"].endswith("move 2 of 4, swap")


def test_games_are_chosen_by_the_two_networks(browser, page):
    browser.open(page)
    assert browser.run(CHOOSE_GROUP, 0) == ["1: network 0 against itself, Black wins"]
    assert browser.run(CHOOSE_GROUP, 1) == ["1: network 0 against network 1, Black wins"]
    assert browser.run(SHOWN)["stones"] == position(OF_LEAGUE)


SPOILED = ["A2", "A3", "B1", "B2", "E5", "C1"]
MARKS = """
document.querySelector("[data-part=display]").value = arguments[0];
document.querySelector("[data-part=display]").dispatchEvent(new Event("change"));
return [...document.querySelectorAll(".mark, .spoiled")].map((node) => {
  const { x, y, width, height } = node.getBBox();
  const point = [x + width / 2, y + height / 2].map(Math.round);
  return [node.tagName, node.classList[1] ?? node.textContent, ...point];
});
"""
KINDS_OF_MARKS = {
    "▲": ("polygon", "black"), "△": ("polygon", "white"), "b": ("circle", "black"),
    "w": ("circle", "white"), "×": ("path", "nobody"),
}  # fmt: skip


@pytest.fixture
def nogo_page(tmp_path) -> tuple[Path, list[int]]:
    """Of a run of NoGo 5×5 with one game, whose sixth move spoils the layout at A1."""
    layout, options = Layout(tmp_path), Options(game="nogo", size=5)
    layout.games(Shard(1, 0)).parent.mkdir()
    random, game = Random(3), after_moves(NoGo(5), (gtp_to_point(name, 5) for name in SPOILED))
    while not game.is_over:
        game.play(random.choice(game.candidates()))
    moves = [move for _, move in game.moves]
    over = FinishedGame(moves, game.winner, [{}] * len(moves), [0.5] * len(moves))
    write_finished_games(layout.games(Shard(1, 0)), options.rules(), [over])
    rows = [{"iteration": number, "games": number, "player": 0} for number in range(2)]
    write_journal(layout.journal, rows)
    write_page(layout, options)
    return layout.page, moves


def test_the_displays_of_strategy_are_those_of_the_terminal(browser, nogo_page):
    page, moves = nogo_page
    browser.open(page)
    game = Game(NoGo(5))
    for ply, move in enumerate([*moves, None]):
        browser.run(SHOW_PLY, ply)
        expected = [
            [*KINDS_OF_MARKS[mark], 1 + point % 5, 1 + point // 5]
            for point, mark in marks_of(game.stones().ravel().tolist()).items()
        ]
        assert browser.run(MARKS, "triangles") == expected
        assert browser.run(MARKS, "none") == []
        if move is not None:
            game.play(move)
    browser.run(SHOW_PLY, 4)
    shown = browser.run(MARKS, "prediction")
    assert ["text", "6"] in [one[:2] for one in shown]
