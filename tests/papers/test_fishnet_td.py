"""What TD(λ) learns of a game, against returns that are written out, and runs that are killed."""

from itertools import pairwise

import numpy as np
import pytest

from golois.errors import ArgumentError
from golois.go.board import Board
from golois.go.coords import BLACK, EMPTY, opponent
from papers.fishnet.game import FishNet, Scoring
from papers.fishnet.network import NUM_WEIGHTS, IsnNetwork
from papers.fishnet.td_game import TdOptions, play_td_game
from tests import reference_fishnet as reference

SIZE = 4
CAPTURED = 0.4


@pytest.fixture(scope="module")
def network() -> IsnNetwork:
    return IsnNetwork(np.random.default_rng(8).normal(0, 0.3, NUM_WEIGHTS), SIZE)


class Replay:
    """A game of the network again, with what its players see."""

    def __init__(self, network: IsnNetwork, moves):
        game, board, colour = FishNet(network), Board(SIZE), BLACK
        self.players, self.stones, self.rewards, self.inputs, self.outputs = [], [], [], [], []
        for move in moves:
            game.play(int(move), colour)
            board.play(int(move), colour)
            stones, outputs = board.stones().ravel(), game.outputs(colour).reshape(-1, 7)
            self.players.append(colour)
            self.stones.append(stones)
            self.inputs.append(game.inputs(colour))
            self.outputs.append(outputs)
            self.rewards.append(
                np.array(
                    [
                        reference.rewards(reference.state(stone, colour), output, CAPTURED)
                        for stone, output in zip(stones, outputs, strict=True)
                    ]
                )
            )
            colour = opponent(colour)

    def captured(self, first: int, last: int, colour: int) -> np.ndarray:
        """What a colour has gained by captures after move `first`, up to move `last`: [points]."""
        gained = np.zeros(SIZE * SIZE)
        for before, after in pairwise(self.stones[first : last + 1]):
            gone = (before != EMPTY) & (after == EMPTY)
            gained += CAPTURED * gone * np.where(before == colour, -1, 1)
        return gained

    def last_rewards(self, colour: int) -> np.ndarray:
        """What points are worth at the end, by flood fill of empty regions: [points, 2]."""
        stones, found = self.stones[-1].astype(int), np.zeros((SIZE * SIZE, 2))
        found[stones == colour, 0] = 1
        found[stones == opponent(colour), 0] = -1
        for region in reference.groups((stones == EMPTY).astype(int), SIZE):
            around = {q for p in region for q in reference.neighbours(p, SIZE)} - region
            owners = {int(stones[q]) for q in around}
            if len(owners) == 1:
                found[list(region)] = 1 if owners == {colour} else -1
        return found

    def n_step(self, at: int, later: int) -> np.ndarray:
        """The return of a position through the position `later`, or to the end."""
        player, end = self.players[at], min(later, len(self.stones) - 1)
        gained = self.captured(at, end, player)[:, None]
        if later >= len(self.stones):
            return self.last_rewards(player) + gained
        sign = 1 if self.players[later] == player else -1
        return sign * self.rewards[later] + gained

    def returns(self, at: int, trace_decay: float, stride: int) -> np.ndarray:
        """(1 − λ) Σ λ^(n−1) G(n), and what is left of λ for the return to the end."""
        total, weight = np.zeros((SIZE * SIZE, 2)), 1.0
        for later in range(at + stride, len(self.stones), stride):
            total += (1 - trace_decay) * weight * self.n_step(at, later)
            weight *= trace_decay
        return total + weight * self.n_step(at, len(self.stones))


def expected_gradient(network, replay: Replay, trace_decay: float, stride: int) -> np.ndarray:
    total = np.zeros(NUM_WEIGHTS)
    for at, colour in enumerate(replay.players):
        errors = np.zeros((SIZE * SIZE, 7))
        wanted = replay.returns(at, trace_decay, stride)
        for point, stone in enumerate(replay.stones[at]):
            kind = reference.state(int(stone), colour)
            for output, target in reference.targets(kind, wanted[point], CAPTURED).items():
                errors[point, output] = replay.outputs[at][point, output] - target
        total += network.gradient(replay.inputs[at], errors)
    return total


@pytest.mark.parametrize("every_move", [False, True])
@pytest.mark.parametrize("trace_decay", [0.0, 0.9, 1.0])
def test_games_teach_the_written_out_returns(network, trace_decay, every_move):
    """λ = 0 is one step, λ = 1 is Monte Carlo; captures are rewards on the way."""
    captures = 0
    for seed in range(2):
        options = TdOptions(beta=0.2, trace_decay=trace_decay, every_move=every_move, max_moves=45)
        game, gradient = play_td_game(network, options, seed)
        replay = Replay(network, game.moves)
        captures += np.abs(replay.captured(0, len(game.moves) - 1, BLACK)).sum() > 0
        stride = 1 if every_move else 2
        expected = expected_gradient(network, replay, trace_decay, stride)
        np.testing.assert_allclose(gradient, expected, atol=2e-3)
        by_points = replay.last_rewards(BLACK) @ (CAPTURED, 1 - CAPTURED)
        gained = replay.captured(0, len(game.moves) - 1, BLACK).sum()
        assert game.score_black == pytest.approx(by_points.sum() + gained, abs=1e-4)
    assert captures == 2


def test_a_game_follows_from_its_seed_and_ends_after_two_passes_or_at_the_limit(network):
    first, second, other = (play_td_game(network, TdOptions(), seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first[0].moves, second[0].moves)
    np.testing.assert_array_equal(first[1], second[1])
    assert first[0].moves.tolist() != other[0].moves.tolist()
    game, _ = play_td_game(network, TdOptions(max_moves=3), 0)
    assert len(game.moves) == 3 and game.is_cut
    game, _ = play_td_game(network, TdOptions(max_moves=2000), 0)
    assert not game.is_cut and game.moves[-2:].tolist() == [SIZE * SIZE] * 2


def test_a_large_beta_plays_the_best_move(network):
    game, _ = play_td_game(network, TdOptions(beta=1000, max_moves=6), 3)
    replay, colour = FishNet(network), BLACK
    for move in game.moves:
        values = replay.values()
        assert values[move] >= np.nanmax(values) - 0.01
        replay.play(int(move), colour)
        colour = opponent(colour)


def test_draws_are_in_proportion(network):
    """A first move is drawn with e^(beta·value), of all moves and the pass."""
    values, draws = FishNet(network).values(), 1000
    shares = np.exp(0.5 * (values - values.max()))
    shares /= shares.sum()
    options = TdOptions(beta=0.5, max_moves=1)
    moves = [play_td_game(network, options, seed)[0].moves[0] for seed in range(draws)]
    found = np.bincount(moves, minlength=SIZE * SIZE + 1)
    chi2 = ((found - draws * shares) ** 2 / (draws * shares)).sum()
    assert chi2 < 45  # 16 degrees of freedom: p is below 0.0002


def test_options_out_of_range_are_refused():
    for bad in ({"beta": -1}, {"trace_decay": 1.1}, {"step": 2}, {"max_moves": 0}):
        with pytest.raises(ArgumentError, match=next(iter(bad))):
            TdOptions(**bad)
    assert TdOptions().scoring == Scoring(CAPTURED, CAPTURED)
