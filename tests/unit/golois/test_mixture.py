"""Weights of phases and of sources, and several files as one."""

import numpy as np
import pytest

from golois.data.dataset import Dataset
from golois.data.mixture import Mixture
from golois.data.sampling import WeightedPositions
from golois.errors import ArgumentError
from golois.games.rules import NoGo
from golois.go.coords import BLACK
from golois.records.finished_games import FinishedGame, write_finished_games
from golois.records.importing import import_games
from golois.records.packed_file import GameFile
from golois.records.packing import write_games
from tests.data import EMBEDDED_GAMES, GOLDEN_FOLDERS

DRAWS = 8000
SHARE_TOLERANCE = 0.025  # over four standard deviations of a share of DRAWS


@pytest.fixture(scope="module")
def small_file(tmp_path_factory):
    """The golden games as a file of their own."""
    path = tmp_path_factory.mktemp("games") / "small.games"
    import_games([GOLDEN_FOLDERS[0] / "games.data"], path)
    return path


@pytest.fixture(scope="module")
def two_sources(tmp_path_factory, small_file):
    """One file with games of two sources, twenty from the embedded file and the golden ones."""
    path = tmp_path_factory.mktemp("games") / "two.games"
    embedded = GameFile.open(EMBEDDED_GAMES)
    write_games([*(embedded[i] for i in range(20)), *GameFile.open(small_file)], path)
    return path


def games_and_parts(dataset: Dataset, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The game of each position, and its place in the game, [0, 1); nothing may be held out."""
    rows = dataset.file.rows
    games = np.searchsorted(rows["first_position"], positions, side="right") - 1
    places = positions - rows["first_position"][games].astype(np.int64)
    return games, places / rows["num_positions"][games]


def test_phase_weights_decide_the_share_of_each_part():
    dataset = Dataset(EMBEDDED_GAMES, validation_fraction=0, phase_weights=(1, 2, 0, 1))
    games, places = games_and_parts(dataset, dataset.draw(0, DRAWS, "train"))
    shares = np.bincount((4 * places + 1e-9).astype(int), minlength=4) / DRAWS
    np.testing.assert_allclose(shares, [0.25, 0.5, 0, 0.25], atol=SHARE_TOLERANCE)
    assert len(np.unique(games)) > 1900


def test_source_weights_decide_the_share_of_each_source(two_sources):
    sources = [text["source"] for text in GameFile.open(two_sources).provenance["texts"]]
    rare, common = sources[-1], "katago_b6.sgfs.xz"
    plain = Dataset(two_sources, validation_fraction=0)
    per_source = {
        name: sum(
            int(plain.file.rows["num_positions"][i])
            for i, record in enumerate(plain.file)
            if record.source == name
        )
        for name in (rare, common)
    }
    dataset = Dataset(two_sources, validation_fraction=0, source_weights={rare: 3})
    games, _ = games_and_parts(dataset, dataset.draw(0, DRAWS, "train"))
    share = np.mean([dataset.file[int(game)].source == rare for game in games])
    expected = 3 * per_source[rare] / (3 * per_source[rare] + per_source[common])
    assert share == pytest.approx(expected, abs=SHARE_TOLERANCE)


def test_equal_weights_draw_every_position():
    positions = WeightedPositions(np.array([3, 0, 4]), np.ones(3), np.ones(2))(0, 0, 7000)
    counts = np.bincount(positions, minlength=7)
    assert abs(counts - 1000).max() < 150  # five standard deviations


def test_a_weighted_draw_is_a_function_of_its_number():
    dataset = Dataset(EMBEDDED_GAMES, seed=3, phase_weights=(1, 3))
    whole = dataset.draw(0, 40, "train")
    np.testing.assert_array_equal(dataset.draw(16, 24, "train"), whole[16:])
    other = Dataset(EMBEDDED_GAMES, seed=4, phase_weights=(1, 3)).draw(0, 40, "train")
    assert (other != whole).any()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"phase_weights": (1, -1)}, "phase_weights must be finite numbers from 0"),
        ({"phase_weights": (0, 0)}, "phase_weights must have a weight above 0"),
        ({"source_weights": {"nobody": 1}}, "does not have: nobody; it has .*katago_b6.sgfs.xz"),
        ({"source_weights": {"katago_b6.sgfs.xz": float("nan")}}, "source_weights must be finite"),
    ],
)
def test_wrong_weights_are_refused_in_words(options, words):
    with pytest.raises(ArgumentError, match=words):
        Dataset(EMBEDDED_GAMES, **options)


@pytest.fixture(scope="module")
def mixture(small_file) -> Mixture:
    large = Dataset(EMBEDDED_GAMES, seed=1)
    small = Dataset(small_file, seed=1, validation_fraction=0.3)
    return Mixture([(large, 3), (small, 1)], seed=5)


def test_a_mixture_draws_by_weight_whatever_the_sizes(mixture):
    positions, _ = mixture.sampled_rows(DRAWS, 0)
    from_small = positions >= mixture.sources[0].num_positions("train")
    assert from_small.mean() == pytest.approx(0.25, abs=SHARE_TOLERANCE)


def test_rows_of_a_mixture_are_rows_of_its_sources(mixture):
    for take in ("sampled_rows", "walked_rows"):
        positions, symmetries = getattr(mixture, take)(300, 2, "train", True)
        batch = mixture.rows(positions, symmetries)
        first = mixture.sources[0].num_positions("train")
        assert (positions < first).any() and (positions >= first).any()
        for row in (0, 100, 299):
            source = mixture.sources[int(positions[row] >= first)]
            within = positions[row : row + 1] - (first if positions[row] >= first else 0)
            expected = source.rows(within, symmetries[row : row + 1])
            for ours, theirs in zip(batch, expected, strict=True):
                np.testing.assert_array_equal(ours[row], theirs[0])


def test_a_mixture_passes_over_each_source_by_its_weight(mixture):
    """A quarter of the draws are of the small source, each under the next symmetry in its turn."""
    first, small = (source.num_positions("train") for source in mixture.sources)
    turns = {}
    for nth_pass in range(9):
        step = -(-nth_pass * small * 4 // 64)  # the first batch of a pass over the small source
        rows = mixture.sampled_rows(64, step, symmetry="ordered")
        for position, symmetry in zip(*rows, strict=True):
            if position >= first:
                turns.setdefault(int(position), []).append((int(symmetry) - nth_pass) % 8)
    assert max(map(len, turns.values())) > 1
    assert all(len(set(starts)) == 1 for starts in turns.values())


def test_rows_of_a_mixture_keep_the_order_that_is_asked_for(mixture):
    first = mixture.sources[0].num_positions("train")
    positions = np.array([first, 0, first + 1, 1])
    batch = mixture.rows(positions, np.zeros(4), "train")
    for row, position in enumerate(positions):
        one = mixture.rows(np.array([position]), np.zeros(1), "train")
        np.testing.assert_array_equal(batch.planes[row], one.planes[0])


def test_a_walk_through_a_mixture_shows_each_held_out_position_once(mixture):
    total = mixture.num_positions("validation")
    positions = np.concatenate(
        [
            mixture.walked_rows(min(1000, total - start), start, "validation")[0]
            for start in range(0, total, 1000)
        ]
    )
    np.testing.assert_array_equal(np.sort(positions), np.arange(total))


def test_held_out_positions_come_by_weight_and_each_once(mixture):
    large, small = mixture.sources
    positions = mixture.proportional_rows(400)
    assert len(np.unique(positions)) == len(positions) == 400
    assert (positions >= large.num_positions("validation")).sum() == 100
    np.testing.assert_array_equal(positions[:300], large.walked_rows(300, 0, "validation")[0])
    everything = 4 * max(large.num_positions("validation"), small.num_positions("validation"))
    total = mixture.num_positions("validation")
    np.testing.assert_array_equal(np.sort(mixture.proportional_rows(everything)), np.arange(total))


def test_a_mixtures_batch_is_a_function_of_its_number(mixture):
    again = Mixture(list(zip(mixture.sources, (3, 1), strict=True)), seed=5)
    for ours, theirs in zip(mixture.sample(32, 7), again.sample(32, 7), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    other = Mixture(list(zip(mixture.sources, (3, 1), strict=True)), seed=6)
    assert (other.sample(32, 7).policy != again.sample(32, 7).policy).any()


def test_wrong_mixtures_are_refused_in_words(small_file):
    dataset = Dataset(small_file, validation_fraction=0)
    for weighted in ([], [(dataset, 0)], [(dataset, float("inf"))]):
        with pytest.raises(ArgumentError, match="each source needs a weight above 0"):
            Mixture(weighted)
    with pytest.raises(ArgumentError, match="the same format of planes, not bits, float32"):
        Mixture([(dataset, 1), (Dataset(small_file, planes="bits"), 1)])
    with pytest.raises(ArgumentError, match="has no positions for validation"):
        Mixture([(dataset, 1)]).sample(4, 0, "validation")


def test_targets_that_nobody_asked_for_are_left_out(mixture):
    batch = mixture.sample(8, 0, targets=("policy",))
    assert batch.value_white is None and batch.ownership is None and batch.groups is None
    np.testing.assert_array_equal(batch.policy, mixture.sample(8, 0).policy)


def test_games_of_a_mixture_give_their_source_its_share_of_positions(small_file):
    """The golden games are of another length, so that as many games would be another share."""
    sources = [Dataset(EMBEDDED_GAMES, seed=1), Dataset(small_file, seed=1, validation_fraction=0)]
    mixture = Mixture([(sources[0], 1), (sources[1], 3)], seed=1)
    border = sources[0].num_positions("train")
    counts = [0, 0]
    for step in range(1500):
        positions = mixture.draw_game(step, "train")
        owner = int(positions[0] >= border)
        own = sources[owner].draw_game(step, "train") + border * owner
        np.testing.assert_array_equal(positions, own)
        counts[owner] += len(positions)
    assert counts[1] / sum(counts) == pytest.approx(0.75, abs=0.03)
    batch = mixture.sample_game(4, targets=("policy",))
    assert len(batch.planes) == len(mixture.draw_game(4, "train"))


def test_a_game_without_a_position_to_train_on_is_an_empty_batch(tmp_path):
    path = tmp_path / "shard.games"
    games = [FinishedGame([4], BLACK, [policy], [0.1]) for policy in ({}, {4: 1})]
    write_finished_games(path, NoGo(3), games)
    mixture = Mixture([(Dataset(path, validation_fraction=0), 1)])
    assert sorted(len(mixture.sample_game(step).planes) for step in range(4)) == [0, 0, 1, 1]
    assert len(mixture.sample(0, 0).planes) == 0
