"""Any bytes are survived, and whatever is packed comes back."""

import lzma

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from golois.constants import PASS
from golois.errors import ArgumentError, DataFormatError
from golois.records.importing import import_games
from golois.records.packed_file import GameFile, Record, is_packed
from golois.records.packing import write_games
from tests.games import SHORT_GAME, TEXT_GAME
from tests.random_records import records

FRAGMENTS = [
    *"()[];\\\n \0",
    *("B[aa]", "W[tt]", "AB[aa:ss]", "C[0.5 0.5 0 0 v=1]", "KM[", "RE[B+", "SZ[19]", "\n(;GM[1]"),
    *("W 3 ", "7.5 B", "361 1 ", "-1.00 ", "99999999999 ", "\xff", "\x1f\x8b", "PK\x03\x04"),
    *(SHORT_GAME, TEXT_GAME),
]
GARBAGE = st.one_of(
    st.binary(max_size=300),
    st.lists(st.sampled_from(FRAGMENTS), max_size=40).map(lambda f: "".join(f).encode("latin-1")),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("records")


@settings(max_examples=60, deadline=None)
@given(data=GARBAGE)
@example(data=b"GOLOIS\x1a\n")
def test_any_bytes_import_or_are_refused(folder, data):
    (folder / "source").write_bytes(data)
    try:
        summary = import_games([folder / "source"], folder / "out.games")
    except DataFormatError:
        return
    except ArgumentError as error:
        assert is_packed(folder / "source") and "is packed already" in str(error)
        return
    games = GameFile.open(summary.path)
    games.verify()
    assert sum(len(record.points) > 0 for record in games) == summary.num_games


@settings(max_examples=50, deadline=None)
@given(data=GARBAGE, at=st.integers(0, 10**6), byte=st.integers(0, 255))
def test_any_damage_to_a_packed_file_is_survived(folder, data, at, byte):
    """Whatever is altered, reading ends in records or in an error that names the file."""
    path = folder / "damaged.games"
    (folder / "source").write_bytes(SHORT_GAME.encode() * 3)
    content = bytearray(import_games([folder / "source"], path).path.read_bytes())
    content[at % len(content)] = byte
    if byte % 2:
        content[len(content) - len(data) :] = data
    path.write_bytes(content)
    try:
        assert all(record.num_moves >= 0 for record in GameFile.open(path))
    except DataFormatError as error:
        assert str(path) in str(error)


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=200), cut=st.integers(0, 200))
def test_damaged_compression_is_survived(folder, data, cut):
    packed = lzma.compress(SHORT_GAME.encode())
    (folder / "source").write_bytes(packed[:cut] + data)
    try:
        import_games([folder / "source"], folder / "out.games")
    except DataFormatError as error:
        assert "no games could be read from source" in str(error)


def num_positions(record: Record) -> int:
    on_board = record.points < PASS
    has_value = np.isfinite(record.values)
    return int((on_board & (has_value | ~has_value.any())).sum())


@settings(max_examples=50, deadline=None)
@given(written=st.lists(records().filter(num_positions), max_size=4))
def test_records_come_back_as_they_were_packed(folder, written):
    write_games(written, folder / "out.games")
    games = GameFile.open(folder / "out.games")
    games.verify()
    assert games.num_positions == sum(map(num_positions, written))
    for before, after in zip(written, games, strict=True):
        for name in ("komi", "rules", "result", "source", "played_out"):
            assert getattr(before, name) == getattr(after, name)
        for name in ("points", "colours", "values"):
            np.testing.assert_array_equal(getattr(before, name), getattr(after, name))
            assert getattr(before, name).dtype == getattr(after, name).dtype
