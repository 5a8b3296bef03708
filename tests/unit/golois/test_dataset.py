"""Batches: pure functions of a seed, right for every row, split by game."""

import numpy as np
import pytest

from golois.data.batch import Batch, unpack_planes
from golois.data.dataset import Dataset
from golois.data.mixture import Mixture
from golois.data.sampling import Permutation, uniform_positions, uniform_symmetries
from golois.errors import ArgumentError
from golois.go.board import Board
from golois.go.coords import BLACK
from golois.go.symmetry import transform_board, transform_point
from golois.records.packing import write_games
from tests.data import EMBEDDED_GAMES
from tests.diagrams import board_after
from tests.games import moves_of, record_of


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return Dataset(EMBEDDED_GAMES, seed=7)


def assert_equal(left: Batch, right: Batch) -> None:
    for name in Batch._fields:
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name), err_msg=name)


def test_rows_are_what_a_replay_shows(dataset):
    """Every array of a row, rebuilt from the record by playing it on a Board."""
    file = dataset.file
    first_positions = file.rows["first_position"]
    positions, symmetries = Dataset(EMBEDDED_GAMES, validation_fraction=0).sampled_rows(20, 0)
    everything = Dataset(EMBEDDED_GAMES, validation_fraction=0).rows(positions, symmetries)
    for row, (position, symmetry) in enumerate(zip(positions, symmetries, strict=True)):
        game = int(np.searchsorted(first_positions, position, side="right")) - 1
        record = file[game]
        labelled = [
            i for i, p in enumerate(record.points) if p < 361 and np.isfinite(record.values[i])
        ]
        ply = labelled[position - int(first_positions[game])]
        board, last = Board(), Board()
        for i, (point, colour) in enumerate(zip(record.points, record.colours, strict=True)):
            if i < ply:
                board.play(int(point), int(colour))
            last.play(int(point), int(colour))

        planes = board.planes(record.komi, int(symmetry))
        np.testing.assert_array_equal(everything.planes[row], planes)
        expected_point = transform_point(int(record.points[ply]), symmetry)
        assert np.flatnonzero(everything.policy[row]).tolist() == [expected_point]
        assert everything.policy[row].sum() == 1
        assert everything.value_white[row] == pytest.approx(record.values[ply], abs=1e-6)
        mine, theirs = (last.stones() == c for c in (board.to_play, 3 - board.to_play))
        ownership = transform_board(np.stack([mine, theirs], -1), symmetry)
        np.testing.assert_array_equal(everything.ownership[row], ownership)
        check_groups(everything.groups[row, :, :, 0], transform_board(board.stones(), symmetry))
        mine, theirs = (last.area() == c for c in (board.to_play, 3 - board.to_play))
        area = transform_board(mine.astype(int) - theirs, symmetry)
        np.testing.assert_array_equal(everything.area[row], area)
        next_point = int(record.points[ply + 1]) if ply + 1 < len(record.points) else 361
        reply = [transform_point(next_point, symmetry)] if next_point < 361 else []
        assert np.flatnonzero(everything.reply[row]).tolist() == reply


def test_the_final_area_is_what_the_scorer_counts():
    dataset = Dataset(EMBEDDED_GAMES, validation_fraction=0)
    games = range(0, 2000, 20)
    firsts = dataset.file.rows["first_position"][games].astype(np.int64)
    batch = dataset.rows(firsts, np.arange(len(games)) % 8, targets=("area",))
    for game, area in zip(games, batch.area, strict=True):
        record = dataset.file[game]
        first = int(np.flatnonzero(np.isfinite(record.values) & (record.points < 361))[0])
        sign = 1 if record.colours[first] == BLACK else -1
        assert area.sum() == sign * board_after(moves_of(record)).score_black()


def check_groups(groups: np.ndarray, stones: np.ndarray) -> None:
    """Groups are numbered chains: equal for neighbours of one colour, different for others."""
    np.testing.assert_array_equal(groups > 0, stones > 0)
    for axis in (0, 1):
        left = [np.take(a, range(18), axis) for a in (groups, stones)]
        right = [np.take(a, range(1, 19), axis) for a in (groups, stones)]
        both = (left[1] > 0) & (right[1] > 0)
        np.testing.assert_array_equal((left[0] == right[0])[both], (left[1] == right[1])[both])


def test_same_seed_same_batches_whatever_the_threads():
    batches = [Dataset(EMBEDDED_GAMES, seed=3, threads=n).sample(33, 5) for n in (1, 2, 7)]
    assert_equal(batches[0], batches[1])
    assert_equal(batches[0], batches[2])
    other = Dataset(EMBEDDED_GAMES, seed=4).sample(33, 5)
    assert (other.policy != batches[0].policy).any()


def test_walk_wraps_and_shows_every_position_once(dataset):
    num_positions = dataset.num_positions("validation")
    positions, _ = dataset.walked_rows(num_positions, 0, "validation")
    assert sorted(positions) == list(range(num_positions))
    wrapped, _ = dataset.walked_rows(10, num_positions - 4, "validation")
    np.testing.assert_array_equal(wrapped[4:], positions[:6])


def test_a_batch_of_a_game_has_all_of_its_positions_and_a_pass_each_game_once():
    small = Dataset(EMBEDDED_GAMES, validation_games=np.arange(12), seed=3)
    passes = []
    for first in (0, 12):
        games = []
        for step in range(first, first + 12):
            positions = small.draw_game(step, "validation")
            owners, plies = small.origins(positions, "validation")
            assert len(set(owners)) == 1 and (np.diff(plies) > 0).all()
            assert len(positions) == small.file.rows["num_positions"][owners[0]]
            assert (small.file[int(owners[0])].points[plies] < 361).all(), "a pass is none of them"
            games.append(int(owners[0]))
        assert sorted(games) == list(range(12))
        passes.append(games)
    assert passes[0] != passes[1], "another order at each pass"


def test_batches_of_games_are_functions_of_seed_and_step(dataset):
    again = Dataset(EMBEDDED_GAMES, seed=7, threads=1)
    assert_equal(dataset.sample_game(5), again.sample_game(5))
    upright = dataset.sample_game(5, symmetry=False, targets=("policy",))
    rows = dataset.rows(
        dataset.draw_game(5, "train"), np.zeros(len(upright.planes), np.uint8), targets=("policy",)
    )
    assert_equal(upright, rows)
    turned = dataset.sample_game(5, targets=("policy",))
    assert 0.02 < (turned.policy == upright.policy).all(1).mean() < 0.5
    other = Dataset(EMBEDDED_GAMES, seed=8)
    assert other.draw_game(5, "train").tolist() != dataset.draw_game(5, "train").tolist()


def test_games_are_split_by_seed_and_no_game_is_on_both_sides(dataset):
    num_games = len(dataset.file)
    train, validation = (dataset.num_games(split) for split in ("train", "validation"))
    assert train + validation == num_games
    assert 0.02 < validation / num_games < 0.08
    total = dataset.num_positions("train") + dataset.num_positions("validation")
    assert total == dataset.file.num_positions
    assert Dataset(EMBEDDED_GAMES, seed=8).num_positions("validation") != dataset.num_positions(
        "validation"
    )


def test_listed_games_are_held_out():
    for listed in ([2, 5], np.isin(np.arange(2029), [2, 5])):
        dataset = Dataset(EMBEDDED_GAMES, validation_games=np.array(listed))
        num_positions = dataset.file.rows["num_positions"].astype(int)
        assert dataset.num_positions("validation") == num_positions[2] + num_positions[5]
    with pytest.raises(ArgumentError, match="a mask of 2029 games, not of 2"):
        Dataset(EMBEDDED_GAMES, validation_games=np.array([True, False]))


def test_symmetry_moves_everything_together(dataset):
    plain = dataset.rows(np.arange(100, 108), np.zeros(8))
    turned = dataset.rows(np.arange(100, 108), np.arange(8))
    for row in range(8):
        for name in ("planes", "ownership", "groups", "area"):
            expected = transform_board(getattr(plain, name)[row], row)
            np.testing.assert_array_equal(getattr(turned, name)[row], expected)
        point = transform_point(int(plain.policy[row].argmax()), row)
        assert turned.policy[row].argmax() == point
        assert turned.reply[row].argmax() == transform_point(int(plain.reply[row].argmax()), row)
        assert turned.value_white[row] == plain.value_white[row]


def test_planes_are_the_same_in_every_format():
    by_format = {
        planes: Dataset(EMBEDDED_GAMES, seed=7, planes=planes).sample(24, 3).planes
        for planes in ("float32", "uint8", "bits")
    }
    assert by_format["uint8"].dtype == by_format["bits"].dtype == np.uint8
    assert by_format["bits"].nbytes * 32 == pytest.approx(by_format["float32"].nbytes, rel=1e-3)
    np.testing.assert_array_equal(by_format["uint8"], by_format["float32"])
    np.testing.assert_array_equal(unpack_planes(by_format["bits"]), by_format["float32"])


def test_first_position_of_a_game_is_the_empty_board():
    batch = Dataset(EMBEDDED_GAMES, validation_fraction=0).rows(np.array([0]), np.array([0]))
    np.testing.assert_array_equal(batch.planes[0], Board().planes(7.5))
    assert batch.planes[0, 0, 0, 0] == 1 and Board().to_play == BLACK


def test_the_side_to_move_is_who_moves(tmp_path):
    """Also where White begins and where one colour moves twice: planes 0 and the own stones."""
    record = record_of([288, 72, 300, 60, 40, 319], [2, 1, 2, 1, 1, 2])
    write_games([record], tmp_path / "games")
    batch = Dataset(tmp_path / "games", validation_fraction=0).rows(np.arange(6), np.zeros(6, int))
    assert batch.policy.argmax(axis=1).tolist() == record.points.tolist()
    assert batch.planes[:, 0, 0, 0].tolist() == (record.colours == BLACK).tolist()


def test_wrong_arguments_are_refused_in_words(dataset):
    with pytest.raises(ArgumentError, match='split must be "train" or "validation"'):
        dataset.sample(4, 0, split="test")
    with pytest.raises(ArgumentError, match="has no positions for validation"):
        Dataset(EMBEDDED_GAMES, validation_fraction=0).walk(4)
    for position, symmetry, words in (
        (10**9, 0, "there is no position"),
        *((0, other, f"symmetries must be from 0 to 7, not {other}") for other in (-1, 8, 256)),
    ):
        with pytest.raises(ArgumentError, match=words):
            dataset.rows(np.array([position]), np.array([symmetry]))
    for options in (
        {"validation_fraction": 1.5}, {"planes": "float16"}, {"validation_games": np.array([10**6])}
    ):  # fmt: skip
        with pytest.raises(ArgumentError, match=next(iter(options))):
            Dataset(EMBEDDED_GAMES, **options)


def test_arrays_that_do_not_fit_are_refused(dataset):
    rows, symmetries = np.arange(4), np.zeros(4)
    batch = Batch.empty(4)
    for changed, words in (
        ({"policy": np.empty((3, 361), np.float32)}, r"float32 \[4, 361\] as policy"),
        ({"value_white": np.empty(4)}, "as value_white: got float64"),
        ({"planes": np.empty((4, 19, 19, 62), np.float32)[..., ::2]}, "C-contiguous .* as planes"),
    ):
        with pytest.raises(ArgumentError, match=words):
            dataset.fill(batch._replace(**changed), rows, symmetries)
    with pytest.raises(ArgumentError, match="expected 4 symmetries, one of each position: got 3"):
        dataset.fill(batch, rows, symmetries[:3])


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 16, 17, 1000])
def test_permutation_is_one(size):
    permutation = Permutation(size, seed=9)
    assert sorted(permutation(np.arange(size))) == list(range(size))


def test_draws_are_uniform():
    counts = np.bincount(uniform_positions(10, 1, 0, 20_000), minlength=10)
    assert abs(counts - 2000).max() < 250  # about 5.5 standard deviations
    counts = np.bincount(uniform_symmetries(1, 0, 16_000), minlength=8)
    assert abs(counts - 2000).max() < 250


def test_it_tells_what_it_holds():
    dataset = Dataset(EMBEDDED_GAMES, planes="bits")
    words = repr(Mixture([(dataset, 1)]))
    assert words.startswith("Mixture of ") and "katago_b6.games: games 1,935 train" in words
    assert "positions 561,666 train + 27,010 validation, planes 19×19×31 (course)" in words
