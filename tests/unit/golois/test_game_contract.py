"""The contract of `golois.Game`, run for every game: whoever plays one of them plays them all."""

import random

import numpy as np
import pytest

from golois.errors import ArgumentError, IllegalMoveError
from golois.games.game import Game, after_moves
from golois.games.rules import Go, Hex, NoGo, Rules
from golois.go.coords import BLACK, EMPTY, WHITE
from golois.go.symmetry import transform_board
from golois.search.tree import Tree
from papers.fishnet.game import FishNet, Scoring
from papers.fishnet.network import NUM_WEIGHTS, IsnNetwork
from tests.fake_network import hashed
from tests.reference_games import reference_game, reference_planes

SMALL = (
    Go(2, komi=1.0, max_moves=30),
    Go(3, komi=0.5, planes="zero", max_moves=40),
    Go(5, komi=0.5, max_moves=60),
    NoGo(2),
    NoGo(3, planes="zero"),
    NoGo(5),
    Hex(2, swap=True),
    Hex(3),
    Hex(5, swap=True),
)
LARGER = (
    Go(7, komi=0.5, max_moves=80, planes="zero"),
    Go(9, komi=0.5, max_moves=60),
    NoGo(9),
    Hex(11),
    Hex(9, swap=True),
)


def play_randomly(rules: Rules, seed: int, compares_planes: bool) -> float:
    """A random game, natively and slowly, compared after each move; its outcome for White."""
    rng = random.Random(seed)
    game, slow = Game(rules), reference_game(rules)
    keys = [game.key]
    while True:
        legal = slow.legal_moves()
        assert game.stones().reshape(-1).tolist() == list(slow.states[-1])
        assert set(np.flatnonzero(game.legal_moves()).tolist()) == legal
        assert set(game.candidates()) == legal
        assert game.is_over == (slow.outcome_white() is not None)
        if compares_planes:
            np.testing.assert_array_equal(game.planes(), reference_planes(slow, rules))
        if game.is_over:
            break
        assert game.to_play == slow.to_play
        # A pass ends a game of Go soon, so it is a move in twenty only.
        points = sorted(legal - {game.pass_point} if rng.random() < 0.95 else legal) or list(legal)
        move = rng.choice(points)
        game.play(move)
        slow.play(move)
        keys.append(game.key)
    outcome = game.outcome_white
    assert outcome == slow.outcome_white()
    for key in reversed(keys[:-1]):
        game.take_back()
        assert game.key == key
    assert game.num_moves == 0 and game.to_play == BLACK
    return outcome


@pytest.mark.parametrize("rules", [*SMALL, *LARGER], ids=str)
def test_a_random_game_is_that_of_the_slow_rules(rules):
    num_games = {2: 30, 3: 30, 5: 4}.get(rules.size, 1)
    outcomes = {play_randomly(rules, seed, compares_planes=True) for seed in range(num_games)}
    assert outcomes <= {0.0, 0.5, 1.0}
    if rules.size == 3:
        assert outcomes == {0.0, 1.0}


@pytest.mark.slow
@pytest.mark.parametrize("rules", [*SMALL, *LARGER], ids=str)
def test_thousands_of_random_games_are_those_of_the_slow_rules(rules):
    for seed in range(10_000 if rules in SMALL else 200):
        play_randomly(rules, seed + 100, compares_planes=False)


@pytest.mark.parametrize("rules", [*SMALL, *LARGER], ids=str)
def test_a_network_sees_each_symmetry_as_numpy_turns_it(rules):
    game, rng = Game(rules), random.Random(1)
    for _ in range(2):
        game.play(rng.choice(game.candidates()[:-1]))
    for symmetry in range(8):
        if symmetry in game.symmetries:
            turned = transform_board(game.planes(), symmetry)
            np.testing.assert_array_equal(game.planes(symmetry), turned)
        else:
            with pytest.raises(ArgumentError, match=f"no symmetry {symmetry}"):
                game.planes(symmetry)
    assert game.symmetries == ((0, 3) if isinstance(rules, Hex) else tuple(range(8)))


# The slow rules are too slow for the whole board, and know no passes of the arena.
FULL = (
    Go(5, passes="arena", max_moves=80),
    Go(9, komi=-3.0, passes="arena", planes="zero"),
    Go(13, max_moves=120),
    Go(19, passes="arena", max_moves=250),
    NoGo(13, planes="zero"),
    Hex(19, swap=True),
)
every_game = pytest.mark.parametrize("rules", [*SMALL, *LARGER, *FULL], ids=str)


def look(game: Game) -> tuple:
    """All that a game says of itself."""
    arrays = (game.stones(), game.legal_moves(), game.planes())
    plain = (game.key, game.num_moves, game.to_play, game.is_over, game.winner)
    return (*plain, tuple(game.moves), tuple(game.candidates()), *(one.tobytes() for one in arrays))


@every_game
def test_a_game_ends_comes_back_and_refuses_what_it_does_not_list(rules):
    rng, game = random.Random(3), Game(rules)
    seen = [look(game)]
    while not game.is_over:
        legal, candidates = game.legal_moves(), game.candidates()
        assert legal.shape == (game.pass_point + 1,) and legal[candidates].all() and candidates
        assert all(game.is_legal(move) == legal[move] for move in range(len(legal)))
        refused = [-1, game.pass_point + 1, *np.flatnonzero(~legal).tolist()]
        with pytest.raises(IllegalMoveError):
            game.play(rng.choice(refused))
        assert look(game) == seen[-1] and game.winner is None
        move, before = rng.choice(candidates), game.to_play
        game.play(move)
        assert game.moves[-1] == (before, move)
        seen.append(look(game))
    assert game.winner in (BLACK, WHITE, EMPTY) and not game.candidates()
    assert game.outcome_white == {BLACK: 0.0, WHITE: 1.0, EMPTY: 0.5}[game.winner]
    other = game.copy()
    assert look(after_moves(rules, (move for _, move in game.moves))) == seen[-1]
    for expected in reversed(seen[:-1]):
        game.take_back()
        assert look(game) == expected
    assert look(other) == seen[-1], "a copy is a game of its own"


@every_game
def test_a_search_leaves_the_game_alone_and_chooses_among_its_candidates(rules):
    game = Game(rules)
    for _ in range(3):
        game.play(game.candidates()[0])
        if game.is_over:
            return
        before = look(game)
        tree = Tree(game, seed=1)
        tree.search(lambda planes: hashed(planes, game.policy_size), 20)
        assert look(game) == before
        assert tree.best_move() in game.candidates()
        assert set(tree.root_moves().points.tolist()) == set(game.candidates())


@pytest.mark.parametrize("scoring", [Scoring(0, 1), Scoring(1, 0), Scoring()], ids=str)
@pytest.mark.parametrize("size", [2, 5, 9])
def test_a_scoring_of_the_isn_values_the_moves_of_go_and_no_others(size, scoring):
    """What is played for is no rule: the game beside FishNet is a `Game` of Go."""
    rng = np.random.default_rng(size)
    weights = rng.normal(0, 0.3, NUM_WEIGHTS).astype(np.float32)
    game, seen = Game(Go(size, max_moves=40)), FishNet(IsnNetwork(weights, size), scoring)
    while not game.is_over:
        assert (~np.isnan(seen.values()) == game.legal_moves()).all()
        colour, move = game.to_play, int(rng.choice(game.candidates()))
        game.play(move)
        seen.play(move, colour)
