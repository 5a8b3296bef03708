"""What later moves came to, against a slow walk through the records."""

from dataclasses import replace

import numpy as np
import pytest

from golois.data.dataset import Dataset
from golois.go.coords import WHITE
from golois.records.packed_file import GameFile, Record
from golois.records.packing import write_games
from tests.data import EMBEDDED_GAMES, LABELLED_GAMES
from tests.games import import_bytes

TARGETS = ("later_values", "surprise", "value_white")


def known(record: Record) -> tuple[list[float], list[float]]:
    """P(White wins) and White's lead before each move, NaN for none: of the label, else of it."""
    values, leads = record.values.astype(float).tolist(), [np.nan] * record.num_moves
    has_values = not all(np.isnan(values))
    labelled = [
        ply for ply, point in enumerate(record.points.tolist())
        if point < 361 and not (has_values and np.isnan(values[ply]))
    ]  # fmt: skip
    if record.targets is not None:
        labels = zip(labelled, record.targets.values, record.targets.leads, strict=True)
        for ply, value, lead in labels:
            values[ply] = values[ply] if np.isnan(value) else float(value)
            leads[ply] = float(lead)
    return values, leads


def later_mean(numbers: list[float], ply: int, horizon: float) -> float:
    total = weights = 0.0
    for ago, number in enumerate(numbers[ply + 1 :]):
        if not np.isnan(number):
            total += (1 - 1 / horizon) ** ago * number
            weights += (1 - 1 / horizon) ** ago
    return total / weights if weights else np.nan


def check(dataset: Dataset, positions: np.ndarray) -> np.ndarray:
    """Compare the rows of positions with the records, and return which values are known."""
    batch = dataset.rows(positions, np.arange(len(positions)) % 8, targets=TARGETS)
    for row, (game, ply) in enumerate(zip(*dataset.origins(positions, "train"), strict=True)):
        record = dataset.file[int(game)]
        values, leads = known(record)
        is_white = record.colours[ply] == WHITE
        averages = [later_mean(values, ply, horizon) for horizon in (6, 16, 50)]
        expected = averages if is_white else [1 - average for average in averages]
        np.testing.assert_allclose(batch.later_values[row], expected, rtol=1e-5, atol=1e-6)
        better = [averages[0] - values[ply], later_mean(leads, ply, 6) - leads[ply]]
        expected = better if is_white else [-number for number in better]
        np.testing.assert_allclose(batch.surprise[row], expected, rtol=1e-4, atol=1e-5)
    return ~np.isnan(np.hstack([batch.later_values, batch.surprise]))


@pytest.mark.parametrize(("path", "has_leads"), [(EMBEDDED_GAMES, False), (LABELLED_GAMES, True)])
def test_they_are_averages_of_the_values_that_a_file_has(path, has_leads):
    dataset = Dataset(path, validation_fraction=0)
    is_known = check(dataset, dataset.sampled_rows(24, 0)[0])
    assert is_known.all(axis=0).tolist() == [*[True] * 4, has_leads]


def test_gaps_are_left_out_and_what_no_later_move_has_is_unknown(tmp_path):
    """Games with a third of the labels, one game without any, and the last positions of all."""
    rng = np.random.default_rng(1)
    games = []
    labelled = GameFile.open(LABELLED_GAMES)
    for record in (labelled[0], labelled[1], labelled[2]):
        values, leads = record.targets.values.copy(), record.targets.leads.copy()
        values[rng.random(len(values)) < 0.67] = np.nan
        leads[rng.random(len(leads)) < 0.67] = np.nan
        targets = replace(record.targets, values=values, leads=leads)
        games.append(replace(record, values=np.full_like(record.values, np.nan), targets=targets))
    games.append(replace(games[0], targets=None))
    write_games(games, tmp_path / "gaps.games")
    dataset = Dataset(tmp_path / "gaps.games", validation_fraction=0)
    ends = np.cumsum(dataset.file.rows["num_positions"].astype(int))
    near_the_end = np.concatenate([np.arange(end - 6, end) for end in ends])
    is_known = check(dataset, np.concatenate([near_the_end, dataset.sampled_rows(80, 0)[0]]))
    assert 0 < is_known[:, 3].sum() < is_known[:, 0].sum() < len(is_known)
    last = np.arange(ends[2], ends[3])
    of_last = dataset.rows(last, 0 * last, targets=TARGETS)
    assert np.isnan(of_last.later_values).all() and np.isnan(of_last.surprise).all()
    assert np.isfinite(of_last.value_white).all(), "by the result"


@pytest.mark.parametrize(
    "text",
    [
        "HA[2]AB[dd][pp]KM[0.5]RE[W+R];W[dp];B[pd];W[cc];B[qq])",
        "RE[Draw];B[dp];W[pd];B[cc];W[qq])",
    ],
)
def test_a_result_in_the_place_of_values_is_no_later_value(tmp_path, text):
    """As of games with handicap, and of draws, whose moves the result labels."""
    import_bytes(tmp_path, f"(;FF[4]GM[1]SZ[19]{text}")
    dataset = Dataset(tmp_path / "out.games", validation_fraction=0)
    batch = dataset.rows(np.arange(4), np.zeros(4, int), targets=TARGETS)
    assert np.isnan(batch.later_values).all() and np.isnan(batch.surprise).all()
    assert not np.isnan(batch.value_white).any()
