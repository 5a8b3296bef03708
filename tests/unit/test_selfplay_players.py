"""The players that networks are measured against: by hand, by brute force and by solved games."""

import shutil

import numpy as np
import pytest

from golois.coords import BLACK, opponent
from golois.errors import ArgumentError
from golois.games import Game
from golois.rules import Go, Hex, NoGo
from models.training.command_line import UsageError
from selfplay.oracles import won_positions
from selfplay.players import OPPONENTS, AtRandom, AverageLib, Perfect, Rollouts, opened_opponent

GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
RULES = (Go(5, max_moves=50), NoGo(4), Hex(4), Hex(3, swap=True))


def after(rules, moves) -> Game:
    game = Game(rules)
    for move in moves:
        game.play(move)
    return game


def liberties_a_chain(stones: np.ndarray, colour: int) -> int:
    """Ten times the liberties over the chains, by merging neighbours until nothing changes."""
    points = [tuple(point) for point in np.argwhere(stones == colour)]
    chains = [{point} for point in points]
    merged = True
    while merged:
        merged = False
        for first in chains:
            for second in chains:
                if first is not second and any(_touch(a, b) for a in first for b in second):
                    first |= second
                    chains.remove(second)
                    merged = True
                    break
            if merged:
                break
    empty = [tuple(point) for point in np.argwhere(stones == 0)]
    count = sum(any(_touch(point, stone) for stone in chain) for chain in chains for point in empty)
    return 10 * count // max(1, len(chains))


def _touch(a, b) -> bool:
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        (name, rules)
        for name in ("random", "averagelib", "rollouts:20", "perfect")
        for rules in RULES
        if OPPONENTS[name.partition(":")[0]].plays(rules)
    ],
    ids=str,
)
def test_players_play_a_whole_game_and_leave_each_position_alone(name, rules):
    game = Game(rules)
    with opened_opponent(name, rules) as player:
        while not game.is_over:
            before = (game.key, game.num_moves)
            move = player.move(game, 7)
            assert move == player.move(game, 7) and (game.key, game.num_moves) == before
            game.play(move)


def test_a_player_at_random_gives_every_point_its_chance():
    moves = [AtRandom().move(Game(NoGo(2)), seed) for seed in range(200)]
    assert all(moves.count(point) > 25 for point in range(4))
    assert AtRandom().move(after(Go(2), [0, 1, 3]), 0) in (2, 4)  # passes last


def test_averagelib_takes_the_most_liberties_a_chain():
    assert AverageLib().move(Game(Go(3)), 0) == 4  # four liberties; a corner has two, an edge three
    # A chain of two beside the corner has six liberties; taking one of the corner's gives less.
    assert AverageLib().move(after(NoGo(4), [5, 0]), 0) in (6, 9)


@pytest.mark.parametrize("rules", [Go(4, max_moves=20), NoGo(4)], ids=str)
def test_averagelib_is_brute_force(rules):
    for seed in range(6):
        game = Game(rules)
        while not game.is_over:
            mover, stones = game.to_play, game.stones()
            move = AverageLib().move(game, seed)
            scores = {}
            for point in game.candidates():
                row, column = divmod(point, 4)
                around = [(row + r, column + c) for r, c in ((0, 1), (1, 0), (0, -1), (-1, 0))]
                on_board = [place for place in around if min(place) >= 0 and max(place) < 4]
                is_own = all(stones[place] == mover for place in on_board)
                if point == game.pass_point or (isinstance(rules, Go) and is_own):
                    continue
                game.play(point)
                scores[point] = liberties_a_chain(game.stones(), mover) - liberties_a_chain(
                    game.stones(), opponent(mover)
                )
                game.take_back()
            best = [point for point, score in scores.items() if score == max(scores.values())]
            assert move in (best or [game.pass_point])
            game.play(AtRandom().move(game, seed))


@pytest.mark.parametrize("rules", [NoGo(3), Hex(3)], ids=str)
def test_perfect_play_keeps_every_win_and_rollouts_most(rules):
    won = [one for one in won_positions(rules, 60) if len(one.wins) < one.choices]
    assert all(Perfect().move(after(rules, one.moves), 0) in one.wins for one in won)
    kept = [Rollouts(1000).move(after(rules, one.moves), 0) in one.wins for one in won]
    assert np.mean(kept) > 0.9
    at_random = [AtRandom().move(after(rules, one.moves), 0) in one.wins for one in won]
    assert np.mean(at_random) < 0.8


def test_rollouts_need_a_game_that_ends_by_itself():
    with pytest.raises(ArgumentError, match="eyes"):
        Game(Go(5)).rollout_move(10)
    with pytest.raises(ArgumentError, match="num_playouts"):
        Game(NoGo(3)).rollout_move(0)


@pytest.mark.parametrize(
    ("name", "rules", "words"),
    [
        ("alphago", NoGo(3), "--against must be one of random, .*, not 'alphago'"),
        ("averagelib", Hex(5), "averagelib does not play Hex"),
        ("rollouts", Go(5), "rollouts does not play Go"),
        ("perfect", NoGo(5), "perfect does not play NoGo"),
        ("gnugo", NoGo(5), "gnugo does not play NoGo"),
        ("rollouts:0", NoGo(5), "a number of playouts, 1 or more, after a colon, not '0'"),
        ("random:3", NoGo(5), "takes nothing after a colon, not '3'"),
    ],
)
def test_no_such_opponent(name, rules, words):
    with pytest.raises(UsageError, match=words):
        opened_opponent(name, rules)


@pytest.mark.skipif(GNUGO is None, reason="needs GNU Go: apt install gnugo")
def test_gnugo_plays_legal_moves_that_its_seed_decides():
    rules = Go(5, komi=22.5, max_moves=50)
    game = Game(rules)
    with opened_opponent("gnugo:1", rules) as gnugo:
        first = gnugo.move(game, 0)
        assert first == 12  # the centre
        game.play(first)
        answers = {gnugo.move(game, 3) for _ in range(3)}
        assert len(answers) == 1 and game.is_legal(answers.pop())
    assert game.moves == [(BLACK, 12)]


def test_without_gnugo_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_args, **_options: None)
    with pytest.raises(UsageError, match="apt install gnugo"), opened_opponent("gnugo", Go(5)):
        pass
