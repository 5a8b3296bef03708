"""A packed file, cut or altered anywhere, is refused by path and offset, and never crashes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golois.data.dataset import Dataset
from golois.errors import DataFormatError
from golois.records.packed_file import GameFile
from tests.games import HEAD, SHORT_GAME, import_bytes

CAPTURES = f"{HEAD};W[aa];B[ab];W[pd];B[ba];W[dd])"
HEADER_BYTES = 128


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("damage")


@pytest.fixture(scope="module")
def intact(folder) -> bytes:
    """Six games: with captures and listed colours, and without."""
    (folder / "in").mkdir()
    sgf = import_bytes(folder / "in", (SHORT_GAME + CAPTURES) * 3)
    return sgf.path.read_bytes()


# Places in a file, in hundred-thousandths of it: hypothesis refuses to draw floats once an
# evaluator of another test has told this process to flush denormals.
WHOLE = 100_000


@st.composite
def damages(draw) -> tuple[int, list[tuple[int, int]]]:
    """Where the file is cut, and which bytes are altered."""
    cut = draw(st.just(WHOLE) | st.integers(0, WHOLE))
    place = st.integers(0, WHOLE - 1)
    return cut, draw(st.lists(st.tuples(place, st.integers(0, 255)), max_size=8))


def apply_damage(content: bytes, damage) -> bytes:
    cut, altered = damage
    data = bytearray(content[: cut * len(content) // WHOLE])
    for place, byte in altered:
        if data:
            data[place * len(data) // WHOLE] = byte
    return bytes(data)


def read_everything(path) -> None:
    """What readers of a file do, each refused by itself."""
    file = GameFile.open(path)
    for read in (file.verify, lambda: [file[i] for i in range(len(file))]):
        refused_in_words(path, read)
    for index in range(len(file)):
        refused_in_words(path, lambda index=index: file[index])
    dataset = Dataset(path, validation_games=np.arange(0), threads=2)
    num_positions = dataset.num_positions("train")
    for start in range(0, min(num_positions, 64)):
        rows = np.array([start * num_positions // 64])
        refused_in_words(path, lambda rows=rows: dataset.rows(rows, rows % 8))


def refused_in_words(path, read) -> None:
    try:
        read()
    except DataFormatError as error:
        assert str(path) in str(error)
        assert any(c.isdigit() for c in str(error).replace(str(path), "")), error


@settings(max_examples=200, deadline=None)
@given(damage=damages())
def test_any_damage_is_refused_or_survived(folder, intact, damage):
    path = folder / "damaged.games"
    path.write_bytes(apply_damage(intact, damage))
    refused_in_words(path, lambda: read_everything(path))


@settings(max_examples=200, deadline=None)
@given(damage=damages())
def test_verify_or_open_finds_every_damage(folder, intact, damage):
    path = folder / "damaged.games"
    content = apply_damage(intact, damage)
    path.write_bytes(content)
    if content == intact:
        GameFile.open(path).verify()
        return
    with pytest.raises(DataFormatError, match=r"damaged\.games: .*byte"):
        GameFile.open(path).verify()


def test_a_batch_names_the_row_of_a_game_with_too_few_positions(folder, intact):
    path = folder / "passes.games"
    content = bytearray(intact)
    content[HEADER_BYTES : HEADER_BYTES + 6] = np.full(3, 127 << 9 | 361, "<u2").tobytes()
    path.write_bytes(content)
    at = GameFile.open(path)._layout.games_offset
    dataset = Dataset(path, validation_games=np.arange(0))
    words = rf"passes\.games: .*game 0 has fewer training positions .* row at byte {at} "
    with pytest.raises(DataFormatError, match=words):
        dataset.rows(np.array([0]), np.array([0]))
