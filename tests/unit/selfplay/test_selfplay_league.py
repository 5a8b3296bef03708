"""The league of a run's networks: what is rated, and what its games come to."""

from itertools import combinations
from math import log10
from pathlib import Path
from random import Random

import pytest

from golois.games.rules import NoGo
from golois.kit.command import UsageError
from golois.kit.signals import StopRequest
from selfplay import networks
from selfplay.journal import playing_now, read_elo
from selfplay.layout import Layout
from selfplay.league import ERROR_RATE, baked_iterations, fallen, rated_iterations
from selfplay.options import Options
from tournament.matches import round_robin
from tournament.matches.games import MatchGame
from tournament.matches.match import results_of
from tournament.matches.round_robin import Elo, RoundRobin, elo_over_first
from tournament.players.simple import AtRandom


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
    assert playing_now([{"player": 0}, {"player": 1}, {"player": 1}], [0, 1, 2]) == 1
    assert playing_now([], [0, 1]) == 1  # without a journal the last one
    assert read_elo(tmp_path / "league.csv") == {}
    (tmp_path / "one").mkdir()
    with pytest.raises(UsageError, match="fewer than two networks"):
        baked_iterations(baked(tmp_path / "one", 1))


def game_of(first: str, second: str, number: int, first_wins: bool | None) -> MatchGame:
    """A game of two networks, the colours in turn; None for a draw."""
    names = (first, second) if number % 2 == 0 else (second, first)
    winner = None if first_wins is None else "white" if first_wins == number % 2 else "black"
    return MatchGame(f"drawn {number // 2 + 1}", number % 2, *names, winner)


def games_of(first: int, second: int, wins: int, count: int) -> list[MatchGame]:
    """The first wins so many."""
    names = (f"{first:04}", f"{second:04}")
    return [game_of(*names, number, number < wins) for number in range(count)]


def test_the_first_network_is_the_zero_and_a_share_is_its_elo():
    games = games_of(0, 5, 200, 1000) + games_of(5, 9, 500, 1000)
    first, fifth, ninth = elo_over_first(["0000", "0005", "0009"], games).values()
    assert first == Elo(0, 0)
    assert fifth.rating == pytest.approx(400 * log10(4), abs=5)  # 80 % of 1,000 games
    assert ninth.rating == pytest.approx(fifth.rating, abs=3)
    assert 15 < fifth.halfwidth < 40 and ninth.halfwidth > fifth.halfwidth


def test_a_draw_is_half_a_win_for_both():
    draw = game_of("a", "b", 0, None)
    assert list(results_of("a", [draw, *games_of(0, 1, 1, 1)])) == [0.5]
    drawn = [game_of("0000", "0001", number, None) for number in range(20)]
    with_draws, without = (
        elo_over_first(["0000", "0001"], games)["0001"]
        for games in (games_of(0, 1, 20, 20) + drawn, games_of(0, 1, 30, 40))
    )
    assert with_draws.rating == pytest.approx(without.rating, abs=1e-6)


def test_games_of_another_network_are_not_taken_for_its_own(tmp_path, monkeypatch):
    """A run that was made anew has the same name and another artefact."""
    opened = []

    def at_random(artefact, *_):
        opened.append(artefact.read_bytes())
        return AtRandom

    monkeypatch.setattr(networks, "opened_player", at_random)
    rivals, options = [], Options(game="nogo", size=3)
    for name in "ab":
        (tmp_path / f"{name}.onnx").write_text(name)
        rivals.append(networks.rival(name, tmp_path / f"{name}.onnx", options, 4))
    rounds = RoundRobin(tmp_path, options.rules(), games=2, seed=0)
    first, again = (rounds.play(rivals, StopRequest()) for _ in range(2))
    assert first == again and len(first) == 2 and opened == [b"a", b"b"]
    (tmp_path / "b.onnx").write_text("c")
    assert rounds.play(rivals, StopRequest()) == first  # by the same seed
    assert opened == [b"a", b"b", b"a", b"c"]
    (path,) = tmp_path.glob("a-b-with-*.csv")
    whole = path.read_bytes()
    path.write_bytes(b"opening,game\n")  # damaged, or of another version
    assert round_robin.read_games(tmp_path, NoGo(3), ["a", "b"]) == {}
    rounds.play(rivals, StopRequest())
    assert opened[4:] == [b"a", b"c"] and path.read_bytes() == whole
    assert round_robin.read_games(tmp_path, NoGo(3), ["a", "b"]) == {("a", "b"): first}
    (tmp_path / "b.onnx").write_text("b")
    rounds.play(rivals, StopRequest())
    assert opened[6:] == [], "the games of the first settings are still there"


def test_a_network_that_has_fallen_is_noticed_by_the_league():
    rises = games_of(0, 4, 10, 100) + games_of(0, 8, 10, 100)
    assert fallen([0, 4, 8], 8, rises + games_of(4, 8, 50, 100)) == ""
    found = fallen([0, 4, 8], 8, rises + games_of(4, 8, 90, 100))
    assert "than the network of iteration 4" in found and "nets/0004.h5" in found
    assert fallen([0, 4, 8], 8, rises + games_of(4, 8, 52, 100)) == ""  # may be chance
    # A network that the gate has discarded has not fallen, nor the first one.
    assert fallen([0, 4, 8], 4, rises + games_of(4, 8, 90, 100)) == ""
    assert fallen([0, 4, 8], 0, rises + games_of(4, 8, 90, 100)) == ""


def test_of_equal_networks_hardly_any_is_said_to_have_fallen():
    random, leagues, said = Random(1), 150, 0
    for _ in range(leagues):
        games = []
        for first, second in combinations(range(8), 2):
            names = (f"{first:04}", f"{second:04}")
            games += [game_of(*names, number, random.random() < 0.5) for number in range(20)]
        said += fallen(range(8), 7, games) != ""
    assert said <= 2 * ERROR_RATE * leagues
