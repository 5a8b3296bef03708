"""Solved positions as a measure, and matches, with networks that are functions."""

from types import SimpleNamespace

import numpy as np
import pytest

from golois.games.game import Game, after_moves
from golois.games.rules import Go, Hex, NoGo
from golois.go.coords import BLACK
from golois.kit.signals import Stopped
from golois.search.options import SearchOptions
from selfplay.oracles import (
    Won,
    kept_at_random,
    kept_wins,
    read_or_sample,
    won_positions,
)
from tests.fake_arena import Scripted
from tests.small_selfplay import play_match
from tournament.matches.match import score_of
from tournament.networks.evaluator import Evaluator
from tournament.players.fresh_search import FreshSearch
from tournament.players.protocol import NewPlayer
from tournament.players.simple import AtRandom, is_solvable
from tournament.ratings.ranking import Score


class Answers(Evaluator):
    """A network that gives every position the same policy and value."""

    def __init__(self, policy: list[float], value_white: float = 0.5, batch_size: int = 4):
        self.batch_size = batch_size
        self.policy = np.array(policy, np.float32)
        self.value_white = value_white

    def evaluate(self, planes):
        count = len(planes)
        return np.tile(self.policy, (count, 1)), np.full(count, self.value_white, np.float32)


class Perfect(Evaluator):
    """A network that knows NoGo 3×3, by asking the core about the stones on its planes.

    With sign −1 it takes wins for losses.
    """

    batch_size = 8

    def __init__(self, sign: int = 1):
        self.sign = sign

    def evaluate(self, planes):
        policies, values = zip(*(self._one(position) for position in planes), strict=True)
        return np.array(policies, np.float32), np.array(values, np.float32)

    def _one(self, position):
        is_black = position[0, 0, 16] == 1
        own, other = (np.flatnonzero(position[:, :, plane]).tolist() for plane in (0, 1))
        black, white = (own, other) if is_black else (other, own)
        game = with_stones(black, white)
        wins = [] if game is None else game.winning_moves()
        policy = np.full(9, 0.001)
        policy[wins] += self.sign
        policy = np.maximum(policy + (self.sign < 0), 0.001)
        wins_white = bool(wins) != is_black
        return policy / policy.sum(), 0.5 + self.sign * (0.49 if wins_white else -0.49)


def with_stones(black: list[int], white: list[int]) -> Game | None:
    """A game of NoGo with these stones, in an order that is legal."""
    game, left = Game(NoGo(3)), {BLACK: list(black), 3 - BLACK: list(white)}

    def place() -> bool:
        points = left[game.to_play]
        if not any(left.values()):
            return True
        for point in list(points):
            if game.is_legal(point):
                points.remove(point)
                game.play(point)
                if place():
                    return True
                game.take_back()
                points.append(point)
        return False

    return game if place() else None


def test_only_small_games_without_passes_are_solved():
    assert is_solvable(NoGo(4)) and is_solvable(Hex(3))
    assert not is_solvable(NoGo(5)) and not is_solvable(Go(3))


@pytest.mark.parametrize("rules", [NoGo(3), Hex(3)])
def test_won_positions_are_won_and_distinct(rules):
    won = won_positions(rules, 60)
    assert len(won) == 60 and won == won_positions(rules, 60)
    boards = set()
    for position in won:
        game = after_moves(rules, position.moves)
        assert position.wins == game.winning_moves() != []
        assert position.choices == len(game.candidates())
        boards.add((game.to_play, game.stones().tobytes()))
    assert len(boards) == 60
    assert won_positions(rules, 60, seed=1) != won


def test_positions_are_read_again_unless_the_search_was_stopped(tmp_path):
    def stop():
        raise Stopped

    path = tmp_path / "oracle.json"
    with pytest.raises(Stopped):
        read_or_sample(path, NoGo(3), 60, stop)
    assert not path.exists()
    won = read_or_sample(path, NoGo(3), 5)
    written = path.read_bytes()
    assert read_or_sample(path, NoGo(3), 50) == won and path.read_bytes() == written


def test_a_small_board_has_only_so_many():
    found = won_positions(NoGo(2), 10_000)
    assert 0 < len(found) < 100 and [] in [position.moves for position in found]


def test_what_a_network_keeps_is_counted():
    rules = NoGo(2)
    first = Won([], wins=[0, 3], choices=4)
    all_win = Won([], wins=[0, 1, 2, 3], choices=4)
    kept = kept_wins(rules, [first, first, all_win], Answers([0.1, 0.5, 0.2, 0.2], batch_size=2))
    assert (kept.share, kept.of_decisive, kept.positions) == (pytest.approx(1 / 3), 0, 3)
    kept = kept_wins(rules, [first], Answers([0.2, 0.1, 0.1, 0.6]))
    assert kept.share == kept.of_decisive == 1
    assert kept_at_random([first, all_win]) == 0.75
    after_one = Won([0], wins=[3], choices=3)  # illegal moves are not asked for
    assert kept_wins(rules, [after_one], Answers([0.9, 0.03, 0.02, 0.05])).share == 1
    assert kept_wins(NoGo(3), won_positions(NoGo(3), 40), Perfect()).share == 1


def searching(network) -> NewPlayer:
    """What makes the network's players."""
    return lambda seed: FreshSearch(network, SearchOptions(), 4, seed=seed)


@pytest.mark.slow
def test_the_better_network_wins_the_match():
    def match(first, second):
        games = play_match((searching(first), searching(second)), NoGo(3), 20, 1)
        assert [game.black for game in games] == 10 * ["first", "second"]
        return score_of(games)

    uniform = Answers([1 / 9] * 9)
    score = match(Perfect(), Perfect(-1))
    assert score.num_games == 20 and score.winrate > 0.6
    assert match(Perfect(-1), Perfect()).winrate < 0.4
    assert match(uniform, uniform).winrate == 0.5
    assert match(Perfect(), Perfect(-1)) == score


def test_a_pair_of_games_begins_with_as_many_drawn_moves_as_asked():
    alike = searching(Answers([1 / 9] * 9))
    for opening_moves, openings in ((0, 1), (2, 6)):
        games = play_match((alike, alike), NoGo(3), 12, 0, opening_moves=opening_moves)
        begun = [game.moves[:opening_moves] for game in games]
        assert begun[::2] == begun[1::2] and len(set(begun)) == openings


@pytest.mark.parametrize("workers", [1, 3])
def test_games_side_by_side_are_those_of_a_match_and_stop_like_it(workers):
    players, done = (searching(Perfect()), searching(Answers([1 / 9] * 9))), []
    games = play_match(
        players, NoGo(3), 12, 5, workers=workers, on_game=lambda: done.append(1)
    )
    assert games == play_match(players, NoGo(3), 12, 5) and len(done) == 12
    with pytest.raises(Stopped):
        play_match(players, NoGo(3), 12, 5, SimpleNamespace(signal=2), workers=workers)


def test_who_resigns_has_lost():
    games = play_match((AtRandom, lambda _: Scripted()), NoGo(3), 6, 0)
    assert score_of(games) == Score(6, 0)
    assert [game.winner for game in games] == 3 * ["black", "white"]
