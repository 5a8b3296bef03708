"""The adversaries that follow a script: where each plays, and what a match with them keeps."""

import pytest

from golois.games.game import Game, after_moves
from golois.games.rules import Go, NoGo
from golois.go.coords import gtp_to_point
from papers.restnet.adversaries import ADVERSARIES, spiral
from selfplay.command import main
from tournament.errors import OptionsError
from tournament.matches.games import read_kept
from tournament.players.registry import find_player
from tournament.players.simple import AtRandom

SIZE = 5


def points(*names: str) -> set[int]:
    return {gtp_to_point(name, SIZE) for name in names}


def after(*moves: str) -> Game:
    return after_moves(Go(SIZE), (gtp_to_point(move, SIZE) for move in moves))


def answers(script: str, game: Game) -> set[int]:
    """Where it plays, by many seeds."""
    with find_player(f"scripted:{script}", game.rules)(True) as new_player:
        return {new_player(seed).choose(game).point for seed in range(150)}


def line(number: int) -> set[int]:
    return {
        point
        for point in range(SIZE**2)
        if min(min(place, SIZE - 1 - place) for place in divmod(point, SIZE)) == number
    }


def test_a_spiral_has_each_point_once_and_ends_in_the_centre():
    assert spiral(3) == [0, 1, 2, 5, 8, 7, 6, 3, 4]
    assert sorted(spiral(19)) == list(range(361)) and spiral(19)[-1] == 180
    assert answers("spiral", after("A5", "B5")) == points("C5")


def test_the_edge_is_filled_before_the_next_line():
    game = after()
    assert answers("edge", game) <= line(0) and len(answers("edge", game)) > 8
    for point in sorted(line(0)):
        game.play(point)
        game.play(game.pass_point)
    assert answers("edge", game) <= line(1)


def test_the_mirror_turns_the_last_move_or_plays_beside():
    assert answers("mirror", after()) == points("C3")
    assert answers("mirror", after("A1")) == points("E5")
    assert answers("mirror", after("B1")) == points("D5")
    assert answers("mirror", after("E5", "A1")) == points("D5", "E4")
    assert answers("mirror", after("A1", "pass")) == points("C3")


def test_the_ring_surrounds_the_largest_chain():
    around = points("B3", "B4", "D3", "D4", "C2", "C5")
    assert answers("ring", after("C3", "A1", "C4", "A2", "E5")) == around
    assert len(answers("ring", after())) > 8


def test_one_passes_whatever_happens():
    assert answers("pass", after("A1")) == {SIZE**2}


@pytest.mark.parametrize("script", ADVERSARIES)
def test_games_come_to_their_end(script):
    rules = Go(SIZE, max_moves=80)
    game = Game(rules)
    with find_player(f"scripted:{script}", rules)(True) as new_player:
        players = [new_player(1), AtRandom(2)]
        while not game.is_over:
            game.play(players[game.num_moves % 2].choose(game).point)
    assert game.num_moves >= 2


@pytest.mark.parametrize("name", ["scripted", "scripted:", "scripted:foo"])
def test_an_unknown_script_is_refused(name):
    with pytest.raises(OptionsError, match="scripted takes"):
        find_player(name, Go(SIZE))


def test_scripts_play_go_alone():
    with pytest.raises(OptionsError, match="does not play"):
        find_player("scripted:edge", NoGo(SIZE))


def test_each_attacker_has_its_rate_and_its_games(tmp_path, capsys):
    given = ["attack", "random", "scripted:edge", "scripted:pass", "--size=5", "--drawn=2"]
    assert main([*given, "--games=2", "--out", str(tmp_path / "games.csv")], "") == 0
    shown = capsys.readouterr().out
    rows = [row.split("|") for row in shown.splitlines() if "scripted" in row and "%" in row]
    assert [row[1].strip() for row in rows] == ["scripted:edge", "scripted:pass"]
    for row, script in zip(rows, ("edge", "pass"), strict=True):
        _, games = read_kept(tmp_path / f"games_scripted_{script}.csv", Go(5, max_moves=50))
        won = sum(game.points("attacker") == 1 for game in games)
        assert len(games) == 4 and int(row[2]) == won


def test_several_attackers_need_files_of_their_own(tmp_path, capsys):
    out = ["--size=5", "--out", str(tmp_path / "games.csv")]
    assert main(["attack", "random", "random", "random", *out], "") == 2
    assert "one file" in capsys.readouterr().err
    before = ["--before", "games.csv"]
    assert main(["attack", "random", "random", "averagelib", *out, *before], "") == 2
    assert "--before compares with one attacker" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
