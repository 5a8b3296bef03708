"""The league of a run's networks: what is rated, and what its games come to."""

from itertools import combinations
from math import log10
from pathlib import Path
from random import Random

import pytest

from golois.coords import BLACK, EMPTY, WHITE
from golois.kit.command import UsageError
from golois.kit.signals import StopRequest
from selfplay import round_robin
from selfplay.journal import Elo, draw_curves, playing_now, read_elo
from selfplay.layout import Layout
from selfplay.league import ERROR_RATE, baked_iterations, fallen, rated_iterations
from selfplay.match import MatchGame
from selfplay.options import Options
from selfplay.round_robin import Entrant, LeagueGame, RoundRobin, elo_over_first, results_of


def baked(folder: Path, count: int) -> Layout:
    (folder / "nets").mkdir()
    for number in range(count):
        (folder / "nets" / f"{number:04}.onnx").touch()
    return Layout(folder)


def test_every_so_many_networks_are_rated_the_last_and_the_one_that_plays(tmp_path):
    iterations = baked_iterations(baked(tmp_path, 24))
    assert rated_iterations(iterations, 23, 10) == [0, 10, 20, 23]
    assert rated_iterations(iterations, 23, 0) == [0, 3, 6, 9, 12, 15, 18, 21, 23]
    assert rated_iterations(iterations, 21, 100) == [0, 21, 23]


def test_the_network_that_plays_is_the_journals_or_the_last_one():
    assert playing_now([{"player": 0}, {"player": 1}, {"player": 1}], [0, 1, 2]) == 1
    assert playing_now([], [0, 1]) == 1


def test_one_network_is_no_league(tmp_path):
    with pytest.raises(UsageError, match="fewer than two networks"):
        baked_iterations(baked(tmp_path, 1))


def games_of(first: int, second: int, wins: int, count: int) -> list[LeagueGame]:
    """The first wins so many, the colours in turn."""
    games = []
    for number in range(count):
        first_is_black = number % 2 == 0
        winner = BLACK if (number < wins) == first_is_black else WHITE
        names = (f"{first:04}", f"{second:04}")
        games.append(LeagueGame.of(names, MatchGame(number, first_is_black, winner)))
    return games


def test_the_first_network_is_the_zero_and_a_share_is_its_elo():
    games = games_of(0, 5, 200, 1000) + games_of(5, 9, 500, 1000)
    first, fifth, ninth = elo_over_first(["0000", "0005", "0009"], games).values()
    assert first == Elo(0, 0)
    assert fifth.rating == pytest.approx(400 * log10(4), abs=5)  # 80 % of 1,000 games
    assert ninth.rating == pytest.approx(fifth.rating, abs=3)
    assert 15 < fifth.halfwidth < 40 and ninth.halfwidth > fifth.halfwidth


def test_a_draw_is_half_a_win_for_both():
    names = ("a", "b")
    draw = LeagueGame.of(names, MatchGame(0, True, EMPTY))
    assert (draw.kind, draw.winner, draw.black, draw.white) == ("played", None, "a", "b")
    assert LeagueGame.of(names, MatchGame(1, False, WHITE)).winner == "white"
    assert LeagueGame.of(names, MatchGame(1, False, WHITE)).white == "a"
    assert list(results_of("a", [draw, *games_of(0, 1, 1, 1)])) == [0.5]
    drawn = [
        LeagueGame.of(("0000", "0001"), MatchGame(number, number % 2 == 0, EMPTY))
        for number in range(20)
    ]
    with_draws, without = (
        elo_over_first(["0000", "0001"], games)["0001"]
        for games in (games_of(0, 1, 20, 20) + drawn, games_of(0, 1, 30, 40))
    )
    assert with_draws.rating == pytest.approx(without.rating, abs=1e-6)


def test_the_draws_of_an_older_file_count_too():
    stored = {**vars(LeagueGame.of(("a", "b"), MatchGame(0, True, EMPTY))), "kind": "void"}
    assert LeagueGame.read(stored).kind == "played"


def test_games_of_another_network_are_not_taken_for_its_own(tmp_path, monkeypatch):
    """A run that was made anew has the same name and another artefact."""
    matches = []

    def fake_match(players, rules, num_games, seed, stop):
        matches.append(players)
        return [MatchGame(number, number % 2 == 0, BLACK) for number in range(num_games)]

    monkeypatch.setattr(round_robin, "opened_player", lambda artefact, *_: artefact.read_bytes())
    monkeypatch.setattr(round_robin, "play_match", fake_match)
    entrants = []
    for name in "ab":
        (tmp_path / f"{name}.onnx").write_text(name)
        entrants.append(Entrant(name, tmp_path / f"{name}.onnx", Options()))
    rounds = RoundRobin(tmp_path, games=2, simulations=4, workers=1)
    for _ in range(2):
        assert len(rounds.play(entrants, StopRequest(), lambda: None)) == 2
    assert matches == [(b"a", b"b")]
    (tmp_path / "b.onnx").write_text("c")
    rounds.play(entrants, StopRequest(), lambda: None)
    assert matches == [(b"a", b"b"), (b"a", b"c")]
    (tmp_path / "a-b.json").write_text('{"settings": ')  # damaged, as a power cut may leave it
    assert round_robin.read_games(tmp_path, ["a", "b"]) == {}
    rounds.play(entrants, StopRequest(), lambda: None)
    assert matches == [(b"a", b"b"), (b"a", b"c"), (b"a", b"c")]
    assert len(round_robin.read_games(tmp_path, ["a", "b"])["a", "b"]) == 2


def test_a_network_that_has_fallen_is_noticed_by_the_league():
    rises = games_of(0, 4, 10, 100) + games_of(0, 8, 10, 100)
    assert fallen([0, 4, 8], 8, rises + games_of(4, 8, 50, 100)) == ""
    found = fallen([0, 4, 8], 8, rises + games_of(4, 8, 90, 100))
    assert "that of iteration 4 is" in found and "nets/0004.h5" in found
    assert fallen([0, 4, 8], 8, rises + games_of(4, 8, 52, 100)) == ""  # may be chance


def test_a_network_that_the_gate_has_discarded_has_not_fallen():
    games = games_of(0, 4, 10, 100) + games_of(0, 8, 10, 100) + games_of(4, 8, 90, 100)
    assert fallen([0, 4, 8], 4, games) == ""
    assert fallen([0, 4, 8], 0, games) == ""  # no earlier one


def test_of_equal_networks_hardly_any_is_said_to_have_fallen():
    random, leagues, said = Random(1), 150, 0
    for _ in range(leagues):
        games = []
        for first, second in combinations(range(8), 2):
            games += [
                LeagueGame.of(
                    (f"{first:04}", f"{second:04}"),
                    MatchGame(number, number % 2 == 0, random.choice((BLACK, WHITE))),
                )
                for number in range(20)
            ]
        said += fallen(range(8), 7, games) != ""
    assert said <= 2 * ERROR_RATE * leagues


def test_curves_show_the_league(tmp_path):
    numbers = [{"iteration": number, "games": 10.0 * number} for number in range(3)]
    rows = [{**row, "kept": 0.5, "moves_a_game": 4.0} for row in numbers]
    sizes = []
    for elo in ({}, {0: Elo(0, 0), 2: Elo(120, 40)}):
        draw_curves(tmp_path / "curves.png", rows, elo)
        png = (tmp_path / "curves.png").read_bytes()
        sizes.append(int.from_bytes(png[20:24], "big"))
    assert sizes[1] > sizes[0]  # the height of the picture


def test_no_file_is_no_rating(tmp_path):
    assert read_elo(tmp_path / "league.csv") == {}
