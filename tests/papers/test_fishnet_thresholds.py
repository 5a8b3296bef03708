"""The limits of FishNet2's classes, found where they were put, and chains of games."""

import numpy as np
import pytest

from golois.errors import DataFormatError
from golois.go.board import Board
from papers.fishnet.game import ChainRules, Scoring
from papers.fishnet.network import NUM_WEIGHTS
from papers.fishnet.saved import SavedNetwork
from papers.fishnet.td_game import TdOptions, play_td_game
from papers.fishnet.td_options import Options
from papers.fishnet.thresholds import (
    SIZES,
    ChainSeen,
    chains_of_game,
    limits_of,
    measured_limits,
    written,
)
from tests import reference_fishnet as reference

CROSSINGS = {1: (0.5, 1.0, 1.5), 2: (0.6, 1.1, 1.6), 3: (0.7, 1.2, 1.7)}


def drawn_chains(stones: int, count: int, eyes: float = 0.3) -> list[ChainSeen]:
    """Chains whose likelihood of capture crosses 0.75, 0.5 and 0.25 at CROSSINGS."""
    random = np.random.default_rng(stones)
    openings = random.uniform(0, 3, count)
    _, middle, upper = CROSSINGS[stones]
    likely = 1 / (1 + 3 ** ((openings - middle) / (upper - middle)))
    taken = random.random(count) < likely
    return [
        ChainSeen(stones, float(x), eyes, bool(y)) for x, y in zip(openings, taken, strict=True)
    ]


@pytest.mark.slow
def test_planted_limits_are_found():
    chains = [chain for stones in CROSSINGS for chain in drawn_chains(stones, 20_000)]
    found = measured_limits(chains)
    assert list(found) == list(range(1, SIZES + 1))
    for stones, wanted in CROSSINGS.items():
        assert found[stones] == pytest.approx(wanted, abs=0.06)
    assert found[4] == found[SIZES] == pytest.approx(CROSSINGS[2], abs=0.08)
    with_an_eye = [ChainSeen(2, chain.openings, 0.75, False) for chain in drawn_chains(2, 5_000)]
    assert measured_limits(chains + with_an_eye) == found  # which do not count


@pytest.mark.parametrize(
    "chains",
    [
        drawn_chains(1, 99),
        [ChainSeen(1, 1.0, 0.0, False)] * 200,
        [ChainSeen(1, float(i % 5), 0.0, i % 5 > 2) for i in range(200)],
    ],
    ids=["few", "none captured", "rising"],
)
def test_no_limits_are_made_up(chains):
    with pytest.raises(ValueError):
        limits_of(chains)


@pytest.fixture(scope="module")
def saved() -> SavedNetwork:
    weights = np.random.default_rng(2).normal(0, 0.3, NUM_WEIGHTS)
    return SavedNetwork(weights, Scoring(), 0.1, chains=ChainRules(0.2, ((0.5, 1.0, 1.5),)))


def sums_of_classes(stones, player, outputs, least_eye: float) -> list[tuple[int, float, float]]:
    """Stones, eyes and openings of all chains, as the classes count them."""
    states = np.where(stones == 0, 0, np.where(stones == player, 1, 2))
    own = outputs[np.arange(len(stones)), states]
    seen = np.stack([own, outputs[:, 3], outputs[:, 4]])
    sums = reference.group_sums(stones, 5, player, seen, least_eye)
    return [(len(group), eyes, openings) for group, (eyes, openings) in sums.items()]


def test_all_chains_of_a_game_are_seen_as_the_classes_see_them(saved):
    options = TdOptions(beta=0.5, max_moves=41, chains=saved.chains)
    chains = chains_of_game(saved, 5, options, 3, least_eye=0.4)  # not that of the network
    moves = play_td_game(saved.network(5), options, 3)[0].moves
    assert {chain.is_captured for chain in chains} == {False, True}
    game, board, colour, expected = saved.game(saved.network(5)), Board(5), 1, []
    for ply, move in enumerate(moves):
        game.play(int(move), colour)
        board.play(int(move), colour)
        if ply % 4 == 0:
            outputs = game.outputs(colour).reshape(-1, 7)
            expected += sums_of_classes(board.stones().ravel(), colour, outputs, 0.4)
        colour = 3 - colour
    seen = [(chain.stones, chain.eyes, chain.openings) for chain in chains]
    np.testing.assert_allclose(sorted(seen), sorted(expected), atol=1e-5)


def test_a_file_keeps_the_rules_of_its_chains(saved, tmp_path):
    saved.save(tmp_path / "net.npz")
    assert SavedNetwork.load(tmp_path / "net.npz").chains == saved.chains
    numbers = dict(np.load(tmp_path / "net.npz"))
    np.savez(tmp_path / "other.npz", **{**numbers, "openings": np.array([[2.0, 1.0, 0.0]])})
    with pytest.raises(DataFormatError):
        SavedNetwork.load(tmp_path / "other.npz")
    text = written({1: (0.5, 1.0, 1.75), 2: (0.6, 1.1, 2.0)})  # limits, as they are printed
    options = Options(least_eye=0.2, openings=text)
    assert options.of_games().chains == ChainRules(0.2, ((0.5, 1.0, 1.75), (0.6, 1.1, 2.0)))
