"""FishNet's rewards, inputs, network and values: by the paper's tables and by slow references."""

import numpy as np
import pytest

from golois.errors import ArgumentError, IllegalMoveError
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE
from golois.kernels.irreps import Fields, transform_fields
from golois.native import buffer, ffi, lib
from papers.fishnet.game import ChainRules, FishNet, Scoring
from papers.fishnet.network import NUM_WEIGHTS, IsnNetwork
from tests import reference_fishnet as reference

EMPTY_POINT, OWN_STONE, ENEMY_STONE = range(3)
STATES = {"+": EMPTY_POINT, "o": OWN_STONE, "•": ENEMY_STONE}
NONE = None


def point_rewards(state: int, outputs: np.ndarray, captured: float) -> tuple[float, float]:
    """What a point is worth to the player if stones count 1, and if they count 0 (Table III)."""
    rewards = np.empty(2, np.float32)
    promised = ffi.from_buffer("float[]", outputs.astype(np.float32))
    lib.golois_point_rewards(state, promised, captured, buffer(rewards, "float[]"))
    return float(rewards[0]), float(rewards[1])


def point_targets(state: int, rewards: tuple[float, float], captured: float) -> np.ndarray:
    """The seven outputs that promise such rewards, NaN where the state has none."""
    targets = np.full(7, np.nan, np.float32)
    lib.golois_point_targets(state, rewards, captured, buffer(targets, "float[]"))
    return targets


def table_1(c: float, s: float) -> dict[str, dict[str, float | None]]:
    """What a point is worth by how it ends and what it is now, as the paper prints it."""
    return {
        "white +": {"+": 1, "o": NONE, "•": 1 + c},
        "white o": {"+": s, "o": s, "•": s + c},
        "atari": {"+": 0, "o": -c, "•": c},
        "black •": {"+": -s, "o": -(s + c), "•": -s},
        "black +": {"+": -1, "o": -(1 + c), "•": NONE},
    }


def table_4(c: float) -> dict[str, tuple[float | None, ...]]:
    """The targets of Z+, Zo, Z•, A+o, A+•, Ao and A•, as the paper prints them."""
    half = c / (2 + c)
    return {
        "white +": (1, NONE, 1, 1, 0, NONE, 1),
        "white o": (1, 1, 1, 0, 0, 0, 0),
        "atari": (1 / 2, 1 / (2 + c), (1 + c) / (2 + c), 0, 0, half, half),
        "black •": (0, 0, 0, 0, 0, 0, 0),
        "black +": (0, 0, NONE, 0, 1, 1, NONE),
    }


CASES = [
    (c, status, now)
    for c in (0, 0.4, 1)
    for status, row in table_1(c, 0).items()
    for now, reward in row.items()
    if reward is not None
]


@pytest.mark.parametrize(("c", "status", "now"), CASES)
def test_targets_are_those_of_table_4_and_promise_the_rewards_of_table_1(c, status, now):
    wanted = (table_1(c, 1)[status][now], table_1(c, 0)[status][now])
    targets = point_targets(STATES[now], wanted, c)
    printed = table_4(c)[status]
    for output, value in enumerate(targets):
        if not np.isnan(value):
            assert value == pytest.approx(printed[output], abs=1e-6)
    assert point_rewards(STATES[now], targets, c) == pytest.approx(wanted, abs=1e-6)
    with_stones, without = point_rewards(STATES[now], targets, c)
    for s in (0, 0.4, 1):
        reward = s * with_stones + (1 - s) * without
        assert reward == pytest.approx(table_1(c, s)[status][now], abs=1e-6)


def test_a_state_has_only_its_own_outputs_and_targets_stay_shares():
    for now, used in (("+", (0, 3, 4)), ("o", (1, 5)), ("•", (2, 6))):
        targets = point_targets(STATES[now], (0.0, 0.0), 0.4)
        assert tuple(np.flatnonzero(~np.isnan(targets))) == used
        for rewards in ((3, 3), (-3, -3), (3, -3)):
            targets = point_targets(STATES[now], rewards, 0.4)
            assert ((targets >= 0) & (targets <= 1) | np.isnan(targets)).all()


@pytest.fixture(scope="module")
def weights() -> np.ndarray:
    return np.random.default_rng(3).normal(0, 0.4, NUM_WEIGHTS)


def random_inputs(size: int, seed: int) -> np.ndarray:
    board = np.random.default_rng(seed).integers(0, 13, (size, size))
    return np.pad(board, 1, constant_values=reference.OFF_BOARD)


def test_the_network_is_the_papers_on_every_size(weights):
    assert NUM_WEIGHTS == 714
    for size in (5, 9):
        shown = random_inputs(size, size)
        found = IsnNetwork(weights, size).sums(shown)
        expected = reference.sums(weights, shown)
        used = ~np.isnan(found)
        assert used.sum(axis=-1).min() == 2 and used.sum(axis=-1).max() == 3
        np.testing.assert_allclose(found[used], expected[used], atol=2e-4)


def test_the_network_turns_with_the_board(weights):
    for size in (9, 13, 19):
        network, shown = IsnNetwork(weights, size), random_inputs(size, size)
        found = network.sums(shown)
        for element in range(1, 8):
            turned = transform_fields(shown[..., np.newaxis], Fields(T=1), element)[..., 0]
            expected = transform_fields(found, Fields(T=7), element)
            np.testing.assert_allclose(network.sums(turned), expected, atol=1e-4)


def test_the_gradient_is_that_of_finite_differences(weights):
    size, step = 4, 1e-5
    shown = random_inputs(size, 1)
    used = ~np.isnan(IsnNetwork(weights, size).sums(shown))
    errors = np.where(used, np.random.default_rng(2).normal(size=used.shape), 0)
    gradient = IsnNetwork(weights, size).gradient(shown, errors)

    def loss(moved) -> float:
        return float((reference.sums(moved, shown) * errors).sum())

    for at in [*range(0, NUM_WEIGHTS, 53), NUM_WEIGHTS - 1]:
        change = step * (np.arange(NUM_WEIGHTS) == at)
        slope = (loss(weights + change) - loss(weights - change)) / (2 * step)
        assert gradient[at] == pytest.approx(slope, abs=2e-3)


def test_what_cannot_be_is_refused(weights):
    network = IsnNetwork(weights, 5)
    game = FishNet(network)
    game.play(12, BLACK)
    with pytest.raises(IllegalMoveError):
        game.play(12, WHITE)
    for make, words in (
        (lambda: network.sums(np.zeros((7, 7))), "13 around it"),
        (lambda: IsnNetwork(weights[1:], 5), "714 weights"),
        (lambda: Scoring(stone=1.5), "stone must be from 0 to 1"),
        (lambda: ChainRules(least_eye=1.5), "least_eye must be from 0 to 1"),
        (lambda: ChainRules(openings=((1, 2),)), "three ascending numbers"),
        (lambda: ChainRules(openings=((1, 3, 2),)), "three ascending numbers"),
        (lambda: ChainRules(openings=((1, 2, 3),) * 17), "up to 16 rows"),
    ):
        with pytest.raises(ArgumentError, match=words):
            make()


def played(weights, size: int, seed: int, num_moves: int, step: float, chains: ChainRules):
    """A random game in both implementations, move by move."""
    scoring = Scoring(0.4, 0.4)
    game = FishNet(IsnNetwork(weights, size), scoring, step, chains)
    slow = reference.ReferenceFishNet(weights, size, scoring, step, chains)
    random = np.random.default_rng(seed)
    for _ in range(num_moves):
        move = random.choice(np.flatnonzero(slow.board.legal_moves()))
        yield game, slow, int(move), slow.board.to_play


FISHNET_2 = ChainRules(0.4, ((0.6, 1.0, 1.6), (0.8, 1.2, 1.9), (0.9, 1.5, 2.2)))


@pytest.mark.parametrize("chains", [ChainRules(), FISHNET_2], ids=["FishNet1", "FishNet2"])
def test_games_are_seen_as_by_the_reference(weights, chains):
    """Inputs with their classes, outputs and values, through captures and passes."""
    captures, classes = 0, set()
    for at, (game, slow, move, colour) in enumerate(played(weights / 2, 4, 5, 60, 0.15, chains)):
        if at % 20 == 19:
            np.testing.assert_allclose(game.values(), slow.values(), atol=5e-4)
        before = np.count_nonzero(slow.board.stones())
        _, outputs = slow.evaluated(move, colour)
        slow.play(move, colour)
        game.play(move, colour)
        captures += np.count_nonzero(slow.board.stones()) < before
        np.testing.assert_array_equal(game.inputs(colour), slow.shown[colour])
        classes.update(game.inputs(colour).ravel().tolist())
        found = game.outputs(colour)
        np.testing.assert_allclose(found[~np.isnan(found)], outputs[~np.isnan(found)], atol=1e-4)
    assert captures >= 3 and len(classes) >= 10


def test_values_are_what_playing_the_move_shows(weights):
    """And trying moves changes nothing."""
    game = FishNet(IsnNetwork(weights, 5))
    for move, colour in ((12, BLACK), (7, WHITE), (11, BLACK), (13, WHITE)):
        game.play(move, colour)
    before = game.outputs(BLACK)
    values = game.values()
    np.testing.assert_array_equal(values, game.values())
    np.testing.assert_array_equal(before, game.outputs(BLACK))
    assert np.isnan(values[[12, 7, 11, 13]]).all() and np.isfinite(values).sum() == 22
    game.play(17, BLACK)
    rewards = 0.0
    board = Board(5)
    for move, colour in ((12, BLACK), (7, WHITE), (11, BLACK), (13, WHITE), (17, BLACK)):
        board.play(move, colour)
    outputs_of = game.outputs(BLACK).reshape(-1, 7)
    for stone, outputs in zip(board.stones().ravel(), outputs_of, strict=True):
        kind = EMPTY_POINT if stone == 0 else OWN_STONE if stone == BLACK else ENEMY_STONE
        with_stones, without = point_rewards(kind, outputs, 0.4)
        rewards += 0.4 * with_stones + 0.6 * without
    assert values[17] == pytest.approx(rewards, abs=1e-4)


def test_colours_are_alike(weights):
    """White sees after Black's moves what Black sees after White's."""
    network = IsnNetwork(weights, 5)
    first, second = FishNet(network), FishNet(network)
    for move, colour in ((12, BLACK), (7, WHITE), (11, BLACK)):
        first.play(move, colour)
        second.play(move, BLACK + WHITE - colour)
    np.testing.assert_array_equal(first.outputs(BLACK), second.outputs(WHITE))
