"""The 31 planes, bit for bit as the course's own loader wrote them."""

import numpy as np
import pytest

from golois.data.dataset import Dataset
from golois.records.importing import import_games
from tests.data import GOLDEN_FOLDERS


@pytest.fixture(scope="module", params=GOLDEN_FOLDERS, ids=lambda folder: folder.parent.name)
def golden(request, tmp_path_factory):
    """The golden arrays, and a Dataset of the same games."""
    packed = tmp_path_factory.mktemp("golden") / "golden.games"
    import_games([request.param / "games.data"], packed)
    with np.load(request.param / "planes.npz") as arrays:
        return dict(arrays), Dataset(packed, validation_fraction=0)


def positions_of(dataset: Dataset, games: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """The numbers of the positions that lie `moves` moves into `games`."""
    first_positions = dataset.file.rows["first_position"]
    positions = []
    for game, move in zip(games, moves, strict=True):
        record = dataset.file[int(game)]
        before = (record.points[:move] < 361) & np.isfinite(record.values[:move])
        positions.append(int(first_positions[game]) + int(before.sum()))
    return np.array(positions)


def test_every_plane_of_every_position_agrees(golden):
    arrays, dataset = golden
    expected = np.unpackbits(arrays["planes"], axis=1)[:, : 361 * 31].reshape(-1, 19, 19, 31)
    positions = positions_of(dataset, arrays["game"], arrays["move"])
    batch = dataset.rows(positions, np.zeros(len(positions)))
    differing = np.argwhere((batch.planes != expected).any((1, 2)))
    assert len(expected) > 300
    assert differing.tolist() == []


def test_groups_are_the_same_chains(golden):
    arrays, dataset = golden
    positions = positions_of(dataset, arrays["game"], arrays["move"])
    groups = dataset.rows(positions, np.zeros(len(positions))).groups[..., 0].astype(int)
    for ours, theirs in zip(groups, arrays["groups"].astype(int), strict=True):
        pairs = set(zip(ours.ravel(), theirs.ravel(), strict=True))
        assert len(pairs) == len({our for our, _ in pairs}) == len({their for _, their in pairs})
        assert (0, 0) in pairs
