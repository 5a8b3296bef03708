"""In a seki a player may pass (docs/teacher/rules.md), on the boards of tests/seki_positions.py."""

import numpy as np
import pytest

from golois.games.game import Game
from golois.games.rules import Go
from golois.go.coords import BLACK, EMPTY, WHITE
from golois.search.tree import Tree
from tests.fake_network import uniform
from tests.seki_positions import SekiPosition, seki_positions

POSITIONS = seki_positions()
# A shared liberty may be filled without atari, and so may an eye, so both have other moves first.
WITH_SAFE_MOVES = "two points each"
NUM_VISITS = 32


def game_of(position: SekiPosition, to_play: int) -> Game:
    rules = Go(position.size, komi=position.komi(to_play), passes="arena", max_moves=722)
    return Game(rules, position.board(to_play))


def tree_of(game: Game) -> Tree:
    tree = Tree(game)
    tree.search(lambda planes: uniform(planes, game.policy_size), NUM_VISITS)
    return tree


def can_be_taken(game: Game, move: int) -> bool:
    """Whether the opponent can answer a move by taking its chain."""
    after, colour = game.copy(), game.to_play
    after.play(move)
    num_stones = (after.stones() == colour).sum()
    for answer in np.flatnonzero(after.legal_moves()[:-1]).tolist():
        taken = after.copy()
        taken.play(answer)
        if (taken.stones() == colour).sum() < num_stones - 1:
            return True
    return False


def test_there_are_two_hundred_positions_and_more():
    boards = {position.stones.tobytes() for position in POSITIONS}
    assert len(boards) == len(POSITIONS) >= 200
    assert {position.size for position in POSITIONS} >= {5, 6, 7, 8, 9, 11, 13, 19}


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_a_pass_is_considered_beside_the_moves_that_give_a_group_away(to_play):
    for position in POSITIONS:
        game = game_of(position, to_play)
        *moves, last = game.candidates()
        if WITH_SAFE_MOVES in position.name:
            assert last != game.pass_point, position.name
            continue
        assert last == game.pass_point and moves, position.name
        assert all(can_be_taken(game, move) for move in moves), position.name


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_both_pass_and_the_groups_stay(to_play):
    for position in POSITIONS[::6]:
        if WITH_SAFE_MOVES in position.name:
            continue
        game = game_of(position, to_play)
        while not game.is_over:
            game.play(tree_of(game).best_move())
        own = position.in_seki & (position.stones == to_play)
        assert (game.stones()[own] == to_play).all(), position.name
        assert game.winner == to_play, position.name


def test_the_pass_weighs_as_much_as_the_whole_policy():
    game = game_of(POSITIONS[0], BLACK)
    moves = tree_of(game).root_moves()
    num_points = POSITIONS[0].size ** 2
    priors = dict(zip(moves.points.tolist(), moves.priors.tolist(), strict=True))
    total = 1 + 2 / num_points
    assert priors.pop(game.pass_point) == pytest.approx(1 / total)
    assert list(priors.values()) == pytest.approx([1 / num_points / total] * 2)


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_no_pass_while_another_move_gives_nothing_away(to_play):
    position = next(each for each in POSITIONS if each.name == "an eye each, edge of 9×9, 0.5")
    num_boards = 0
    for point in np.flatnonzero(~position.in_seki & (position.stones != EMPTY)).tolist():
        stones = position.stones.copy()
        stones.flat[point] = EMPTY
        without = SekiPosition(position.name, stones, position.in_seki)
        if not without.board(to_play).settled().flat[point]:
            candidates = game_of(without, to_play).candidates()
            assert point in candidates and position.size**2 not in candidates
            num_boards += 1
    assert num_boards > 3
