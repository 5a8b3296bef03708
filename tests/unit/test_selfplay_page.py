"""The page of a run: which games it shows, and the same as SGF."""

import json
import re
from pathlib import Path

import pytest

from golois.coords import BLACK, WHITE
from golois.finished_games import FinishedGame, write_finished_games
from golois.games import Game
from selfplay.layout import Layout, Shard
from selfplay.match import MatchGame
from selfplay.options import Options
from selfplay.page import MOST_OF_AN_ITERATION, write_page
from selfplay.round_robin import LeagueGame


def shard_of(layout: Layout, options: Options, iteration: int, games: list[list[int]]) -> None:
    path = layout.games(Shard(iteration, 0))
    path.parent.mkdir(exist_ok=True)
    finished = []
    for moves in games:
        game = Game(options.rules())
        for move in moves:
            game.play(move)
        winner = game.winner or BLACK  # of a game that ends early, by resignation
        finished.append(FinishedGame(moves, winner, [{}] * len(moves), [0.5] * len(moves)))
    write_finished_games(path, options.rules(), finished)


def shown_by(layout: Layout, options: Options) -> dict:
    write_page(layout, options)
    found = re.search(r'id="shown">(.*?)</script>', layout.page.read_text(), re.DOTALL)
    return json.loads(found[1]) if found else {}


def test_a_run_without_games_has_a_page(tmp_path):
    layout = Layout(tmp_path)
    assert shown_by(layout, Options(size=3)) == {}
    assert "No game has been played yet" in layout.page.read_text()
    assert layout.sgf.read_text() == ""


def test_it_shows_the_last_iteration_and_the_league(tmp_path):
    layout, options = Layout(tmp_path), Options(game="go", size=3, komi=2.5, komis="4.5")
    shard_of(layout, options, 1, [[0, 9, 9]])
    shard_of(layout, options, 2, [[4, 9, 9], [4, 0]])
    played = LeagueGame.of(("0000", "0002"), MatchGame(1, False, WHITE, [4, 1, 9, 9]))
    before = {**vars(played), "black": "0001"}
    del before["moves"]  # as leagues were written at first
    league = {"settings": {}, "played": [vars(played), before]}
    layout.league_games.mkdir()
    (layout.league_games / "0000-0002.json").write_text(json.dumps(league))
    layout.league.write_text("iteration,elo,elo_halfwidth\n2,31.4,12.2\n")
    shown = shown_by(layout, options)
    assert (shown["size"], shown["isHex"]) == (3, False)
    assert [(game["title"], game["moves"]) for game in shown["games"]] == [
        ("iteration 2 against itself, Black wins", [4, 9, 9]),
        ("iteration 2 against itself, Black wins", [4, 0]),
        ("network 2 against network 0, White wins", [4, 1, 9, 9]),
    ]
    assert ">+31</td>" in layout.page.read_text() and "± 12" in layout.page.read_text()
    last = layout.sgf.read_text().split("(")[-1]
    assert last.startswith(";FF[4]GM[1]SZ[3]RU[Go]PB[network 2]PW[network 0]RE[W+]KM[2.5]\n")
    assert last.endswith(";B[bb]\n;W[ba]\n;B[]\n;W[])\n")


@pytest.mark.parametrize(
    ("options", "moves", "expected"),
    [
        (Options(size=3), [0, 4], "GM[1]SZ[3]RU[NoGo]PB[iteration 1]PW[itself]RE[B+]\n;B[aa]"),
        (Options(game="hex", size=3, swap=True), [1, 1], ";B[a2]\n;W[swap-pieces])"),
        (Options(game="hex", size=3), [5, 1], "GM[11]SZ[3]RU[Hex]"),
        (Options(game="hex", size=3), [5, 1], ";B[b3]\n;W[a2])"),  # reflected, as for MoHex
    ],
)
def test_other_games_as_sgf(options, moves, expected, tmp_path):
    layout = Layout(tmp_path)
    shard_of(layout, options, 1, [moves])
    assert shown_by(layout, options)["isHex"] == (options.game == "hex")
    assert expected in layout.sgf.read_text()


def test_of_many_games_it_shows_the_first(tmp_path):
    layout, options = Layout(tmp_path), Options(size=3)
    shard_of(layout, options, 1, [[0]] * (MOST_OF_AN_ITERATION + 1))
    assert len(shown_by(layout, options)["games"]) == MOST_OF_AN_ITERATION


def test_a_name_cannot_become_markup(tmp_path: Path):
    layout = Layout(tmp_path / "<b>")
    layout.path.mkdir()
    shown_by(layout, Options(size=3))
    assert "<b>" not in layout.page.read_text().replace("&lt;b&gt;", "")
