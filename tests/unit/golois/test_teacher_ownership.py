"""A teacher's ownership of each point: packed, read, turned with its position, and trained on."""

from pathlib import Path

import numpy as np
import pytest

import train
from golois.__main__ import main
from golois.data.batch import Batch
from golois.data.dataset import Dataset
from golois.errors import DataFormatError
from golois.go.symmetry import NUM_SYMMETRIES, transform_board
from golois.records.ladders import add_ladders
from golois.records.packed_file import GameFile, Record
from golois.records.packing import write_games
from golois.records.targets import Targets
from tests.games import altered, record_of

LENGTH = 4


def game(ownership: np.ndarray | None = None, is_labelled: bool = True, **changes) -> Record:
    """Four moves and their labels."""
    policies = np.zeros((LENGTH, 362), np.float32)
    policies[:, 5] = 1
    halves = np.full(LENGTH, 0.5, np.float32)
    targets = Targets(policies, halves, halves, ownership) if is_labelled else None
    return record_of((60, 300, 72, 288), (1, 2, 1, 2), targets=targets, **changes)


def expected(seed: int) -> np.ndarray:
    """White's ownership before each of the moves; none before the second."""
    shares = np.random.default_rng(seed).integers(-127, 128, (LENGTH, 361)) / np.float32(127)
    shares[1] = np.nan
    return shares.astype(np.float32)


@pytest.fixture
def packed(tmp_path) -> Path:
    """Games without labels, with ownership, and with labels alone; the last was played out."""
    games = [game(is_labelled=False), game(expected(1)), game(expected(2)), game(played_out=True)]
    write_games(games, tmp_path / "owned.games")
    return tmp_path / "owned.games"


def rows(path: Path, symmetry: int = 0) -> Batch:
    dataset = Dataset(path, validation_fraction=0)
    return dataset.rows(np.arange(16), np.full(16, symmetry))


def test_ownership_comes_back(packed):
    games = GameFile.open(packed)
    games.verify()
    assert games.data[8] == 6 and games.num_owned_positions() == 6
    assert games[0].targets is None and games[3].targets.ownership is None
    for number in (1, 2):
        np.testing.assert_array_equal(games[number].targets.ownership, expected(number))


def test_it_takes_a_byte_a_point_and_a_file_without_stays_as_it_was(packed, tmp_path):
    write_games([game(is_labelled=False), *[game()] * 2, game(played_out=True)], tmp_path / "plain")
    plain, owned = (GameFile.open(path) for path in (tmp_path / "plain", packed))
    assert plain.data[8] == 2 and not plain.has_ownership and not plain.data[107:112].any()
    assert owned.data.size - plain.data.size == 361 * 16
    end, other = plain._layout.provenance_offset, owned._layout.provenance_offset
    assert np.array_equal(owned.data[128:end], plain.data[128:end])
    assert np.array_equal(owned.data[other:], plain.data[end:])


@pytest.mark.parametrize("symmetry", range(NUM_SYMMETRIES))
def test_a_batch_shows_it_turned_and_to_the_side_to_move(packed, symmetry):
    batch = rows(packed, symmetry)
    assert batch.owners_known.tolist() == [0] * 4 + [1, 0, 1, 1] * 2 + [1] * 4
    assert batch.ownership_known.tolist() == [0] * 12 + [1] * 4
    for row in np.flatnonzero(batch.owners_known[:12]):
        white = expected(row // 4)[row % 4].reshape(19, 19) * (-1 if row % 2 == 0 else 1)
        np.testing.assert_allclose(batch.owners[row], transform_board(white, symmetry), rtol=1e-6)
    assert not batch.owners[batch.owners_known == 0].any() and not batch.area[:12].any()
    assert batch.area[12:].any() and np.array_equal(batch.owners[12:], batch.area[12:])


def test_ladders_leave_it_alone(packed):
    before = rows(packed)
    assert add_ladders(packed).num_bytes
    GameFile.open(packed).verify()
    for mine, theirs in zip(rows(packed), before, strict=True):
        assert np.array_equal(mine, theirs, equal_nan=True)


def test_info_tells_how_many_positions_have_it(packed, capsys):
    assert main(["info", str(packed)]) == 0
    assert "with a teacher's ownership 37.5%" in " ".join(capsys.readouterr().out.split())


def test_damage_is_refused_in_a_sentence(packed, capsys):
    content, at = packed.read_bytes(), GameFile.open(packed)._layout.ownership_offset
    for place, words in (
        (at + 400, f"the ownership at bytes {at} to {at + 361 * 16} have the CRC-32"),
        (107, "the version is not 1, 2"),
        (108, "the header is damaged"),
    ):
        altered(packed, place, bytes([content[place] ^ 0xFF]))
        assert main(["info", str(packed)]) == 2
        said = capsys.readouterr().err
        assert words in said and said.count("\n") == 1
        packed.write_bytes(content)


@pytest.mark.parametrize("wrong", ["shape", "range", "part"])
def test_what_cannot_be_packed_is_refused(tmp_path, wrong):
    ownership = expected(1)
    if wrong == "shape":
        ownership = ownership[:, :-1]
    else:
        ownership[0, 3] = 1.01 if wrong == "range" else np.nan
    with pytest.raises(DataFormatError, match=r"ownership must be \[P, 361\] from −1 to 1"):
        write_games([game(ownership)], tmp_path / "wrong.games")
    assert not (tmp_path / "wrong.games").exists()


@pytest.mark.usefixtures("without_graphs", "without_curves")
def test_it_trains_the_ownership_head_alone(tmp_path, capsys):
    """No game was played out, so there is no score to learn."""
    write_games([game(expected(seed)) for seed in range(9)], tmp_path / "owned.games")
    tiny = ["--model", "mobilenet", "--set", "blocks=1", "--set", "filters=4", "--set", "trunk=4"]
    data = ["--data", str(tmp_path / "owned.games"), "--validation-fraction", "0.4"]
    command = ["--smoke", *tiny, *data, "--out", str(tmp_path / "run"), "--aux"]
    assert train.main([*command, "score"]) == 2
    assert "--aux score needs games that were played to the end" in capsys.readouterr().err
    assert train.main([*command, "ownership"]) == 0
    head, *log = (tmp_path / "run" / "history.csv").read_text().splitlines()
    losses = dict(zip(head.split(","), log[-1].split(","), strict=True))
    assert float(losses["ownership_loss"]) > 0 and float(losses["val_ownership_loss"]) > 0
