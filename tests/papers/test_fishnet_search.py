"""Alpha-beta over FishNet's evaluations against minimax, and SelNet's gradient and choice."""

import numpy as np
import pytest

from golois.errors import ArgumentError
from golois.go.coords import BLACK, WHITE, opponent
from golois.kernels.irreps import Fields, share_kernel
from papers.fishnet.game import FishNet, Scoring
from papers.fishnet.network import NUM_SELECTION_WEIGHTS, NUM_WEIGHTS, IsnNetwork, SelectionNetwork
from tests import reference_fishnet as reference

STEP = 0.15


@pytest.fixture(scope="module")
def weights() -> np.ndarray:
    return np.random.default_rng(5).normal(0, 0.4, NUM_WEIGHTS)


def games(weights, size: int, moves) -> tuple[FishNet, reference.ReferenceFishNet]:
    game = FishNet(IsnNetwork(weights, size), step=STEP)
    slow = reference.ReferenceFishNet(weights, size, Scoring(), STEP)
    colour = BLACK
    for move in moves:
        game.play(move, colour)
        slow.play(move, colour)
        colour = opponent(colour)
    return game, slow


@pytest.mark.parametrize(
    ("size", "depth", "moves"),
    [
        (3, 1, [4]),
        (3, 2, [4, 1, 3]),
        (3, 3, [4, 1, 3, 0, 7, 8]),
        (2, 3, [0, 4]),  # a game that two passes end is not searched on
    ],
)
def test_a_full_search_is_minimax(weights, size, depth, moves):
    game, slow = games(weights, size, moves)
    found = game.search(depth)
    assert found.value == pytest.approx(reference.minimax(slow, depth), abs=5e-4)


def test_a_search_changes_nothing_and_prunes(weights):
    """Of one ply it is the best value."""
    game, _ = games(weights, 4, [5, 6, 9])
    values = game.values()
    found = game.search(1)
    assert found.value == np.nanmax(values) and values[found.move] == found.value
    assert found.num_evaluations == np.isfinite(values).sum()
    found = game.search(3)
    np.testing.assert_array_equal(game.values(), values)
    assert found.num_evaluations < np.isfinite(values).sum() ** 3 / 2


@pytest.fixture(scope="module")
def selection_weights() -> np.ndarray:
    return np.random.default_rng(6).normal(0, 0.4, NUM_SELECTION_WEIGHTS)


def test_selnet_has_342_weights_and_is_the_papers_network(weights, selection_weights):
    """One sum a point, without a sigmoid, of what the player is shown before its move."""
    assert NUM_SELECTION_WEIGHTS == 342
    game, slow = games(weights, 4, [5, 6, 9])
    shown = reference.inputs(slow.stones(), 4, WHITE, slow.seen[WHITE])
    np.testing.assert_array_equal(game.selection_inputs(), shown)
    network = SelectionNetwork(selection_weights, 4)
    expected = reference.sums(widened(selection_weights), shown)[..., 0].ravel()
    found = game.selection(network)
    legal = np.isfinite(found)
    assert found[16] == 0 and legal.sum() == 14
    np.testing.assert_allclose(found[:16][legal[:16]], expected[legal[:16]], atol=2e-4)


def widened(selection_weights) -> np.ndarray:
    """The weights of a network of seven outputs whose first one is SelNet's."""
    inputs, hidden = Fields(T=14), Fields(T=4, S=2, D=2, F=2)
    weights = [selection_weights[:280]]
    start = 280
    for source in (hidden, inputs):
        narrow, wide = (share_kernel(source, Fields(T=count), 3) for count in (1, 7))
        own = np.zeros(wide.num_free)
        first = wide.index[..., :1]
        own[first[narrow.sign != 0]] = selection_weights[start + narrow.index][narrow.sign != 0]
        start += narrow.num_free
        weights.append(own)
    return np.concatenate(weights)


def test_selnets_gradient_is_that_of_finite_differences(selection_weights):
    size, step = 3, 1e-5
    shown = np.pad(np.random.default_rng(1).integers(9, 13, (3, 3)), 1, constant_values=13)
    empty = shown[1:-1, 1:-1] == reference.EMPTY_INPUT
    errors = np.zeros((size, size, 7))
    errors[..., 0] = empty * np.random.default_rng(2).normal(size=(size, size))
    gradient = SelectionNetwork(selection_weights, size).gradient(shown, errors)

    def loss(moved) -> float:
        return float((reference.sums(widened(moved), shown) * errors).sum())

    for at in range(0, NUM_SELECTION_WEIGHTS, 20):
        change = step * (np.arange(NUM_SELECTION_WEIGHTS) == at)
        slope = loss(selection_weights + change) - loss(selection_weights - change)
        assert gradient[at] == pytest.approx(slope / (2 * step), abs=2e-3)


def test_selnet_bounds_the_moves_of_a_position(weights, selection_weights):
    """And with room for all moves the value is that of the full search."""
    game, _ = games(weights, 4, [5, 6, 9])
    network = SelectionNetwork(selection_weights, 4)
    assert game.search(3, network, [16]).value == pytest.approx(game.search(3).value, abs=1e-5)
    narrow = game.search(3, network, [3, 2, 1])
    best = np.argsort(np.nan_to_num(-game.selection(network)[:16], nan=np.inf))[:3]
    assert narrow.move in (*best, 16)
    # The root has its pass, 4 positions theirs, and up to 12 positions one move and the pass.
    assert narrow.num_evaluations <= 1 + 4 + 12 * 2


def test_searches_refuse_what_cannot_be(weights, selection_weights):
    game, _ = games(weights, 4, [])
    network, larger = (SelectionNetwork(selection_weights, size) for size in (4, 5))
    for search, words in (
        (lambda: game.search(0), "depth"),
        (lambda: game.search(2, larger), "different sizes"),
        (lambda: game.search(2, network, []), "number of moves"),
        (lambda: SelectionNetwork(weights, 5), "342 weights"),
    ):
        with pytest.raises(ArgumentError, match=words):
            search()
