"""The league of a run's networks: what is rated, and what its games come to."""

from math import log10
from pathlib import Path

import pytest

from golois.coords import BLACK, EMPTY, WHITE
from models.training.command_line import UsageError
from selfplay.journal import Elo, draw_curves, read_elo
from selfplay.layout import Layout
from selfplay.league import LeagueGame, _league_game, rated_iterations, ratings_of
from selfplay.match import MatchGame


def baked(folder: Path, count: int) -> Layout:
    (folder / "nets").mkdir()
    for number in range(count):
        (folder / "nets" / f"{number:04}.onnx").touch()
    return Layout(folder)


def test_every_so_many_networks_are_rated_and_the_last(tmp_path):
    layout = baked(tmp_path, 24)
    assert rated_iterations(layout, 10) == [0, 10, 20, 23]
    assert rated_iterations(layout, 0) == [0, 3, 6, 9, 12, 15, 18, 21, 23]
    assert rated_iterations(layout, 100) == [0, 23]


def test_one_network_is_no_league(tmp_path):
    with pytest.raises(UsageError, match="fewer than two networks"):
        rated_iterations(baked(tmp_path, 1), 0)


def games_of(first: int, second: int, wins: int, count: int) -> list[LeagueGame]:
    """The first wins so many, the colours in turn."""
    games = []
    for number in range(count):
        first_is_black = number % 2 == 0
        winner = BLACK if (number < wins) == first_is_black else WHITE
        games.append(_league_game((first, second), MatchGame(number, first_is_black, winner)))
    return games


def test_the_first_network_is_the_zero_and_a_share_is_its_elo():
    elo = ratings_of([0, 5, 9], games_of(0, 5, 200, 1000) + games_of(5, 9, 500, 1000))
    assert elo[0] == Elo(0, 0)
    assert elo[5].rating == pytest.approx(400 * log10(4), abs=5)  # 80 % of 1,000 games
    assert elo[9].rating == pytest.approx(elo[5].rating, abs=3)
    assert 15 < elo[5].halfwidth < 40 and elo[9].halfwidth > elo[5].halfwidth


def test_a_draw_does_not_count():
    draw = _league_game((0, 1), MatchGame(0, True, EMPTY))
    assert (draw.kind, draw.winner, draw.black, draw.white) == ("void", None, "0000", "0001")
    assert _league_game((0, 1), MatchGame(1, False, WHITE)).winner == "white"
    assert _league_game((0, 1), MatchGame(1, False, WHITE)).white == "0000"
    games = games_of(0, 1, 30, 60)
    assert ratings_of([0, 1], [*games, draw]) == ratings_of([0, 1], games)


def test_curves_show_the_league(tmp_path):
    rows = [{"iteration": float(number), "games": 10.0 * number} for number in range(3)]
    sizes = []
    for elo in ({}, {0: Elo(0, 0), 2: Elo(120, 40)}):
        draw_curves(tmp_path / "curves.png", rows, elo)
        png = (tmp_path / "curves.png").read_bytes()
        sizes.append(int.from_bytes(png[20:24], "big"))
    assert sizes[1] > sizes[0]  # the height of the picture


def test_no_file_is_no_rating(tmp_path):
    assert read_elo(tmp_path / "league.csv") == {}
