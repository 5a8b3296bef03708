"""The packed file: instant to open, refused when it is not what it says, and never a crash."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from golois.data.dataset import Dataset
from golois.errors import DataFormatError
from golois.go.coords import BLACK, WHITE
from golois.native import buffer, check, ffi, lib
from golois.records.ladders import add_ladders
from golois.records.packed_file import ROW, GameFile, Record, text_indices
from golois.records.packing import write_games
from golois.records.phases import phase_report
from tests.games import HEAD, SHORT_GAME, altered, import_bytes, record_of

HEADER_BYTES = 128


@pytest.fixture
def path(tmp_path) -> Path:
    """Three games; the second lists its colours and captures."""
    captures = f"{HEAD};W[aa];B[ab];W[pd];B[ba];W[dd])"
    return import_bytes(tmp_path, SHORT_GAME + captures + SHORT_GAME).path


def test_rows_are_as_the_core_writes_them(path):
    games = GameFile.open(path)
    assert ROW.itemsize == 32
    assert games.rows["first_word"].tolist() == [0, 3, 3 + 5 + 1 + 2]
    assert games.rows["num_capture_words"].tolist() == [0, 2, 0]
    assert games.rows["flags"].tolist() == [0, 2, 0]
    assert games.rows["first_position"].tolist() == [0, 3, 8]
    assert games.rows["num_positions"].tolist() == [3, 5, 3]
    games.verify()


def test_the_words_are_as_the_format_says(path):
    words = np.frombuffer(path.read_bytes(), "<u2", count=14, offset=HEADER_BYTES)
    moves, colours, captures = words[3:8], words[8], words[9:11]
    assert (moves & 511).tolist() == [0, 19, 72, 1, 60]
    assert (moves >> 9).tolist() == [127] * 5
    assert colours == 0b10101
    assert captures.tolist() == [0x8000 | 3, 0]


def games_of_sources(num_games: int) -> str:
    """Games of two moves; each names another source."""
    return "\n".join(f"(;RU[any]RE[B+R]SO[{n}];B[pd];W[dd])" for n in range(num_games))


@pytest.mark.slow
def test_more_texts_than_16_bits_keep_their_games(tmp_path):
    """Such a file has version 5, which programs that know 16 bits refuse."""
    num_games = (1 << 16) + 5
    path = import_bytes(tmp_path, games_of_sources(num_games)).path
    assert int.from_bytes(path.read_bytes()[8:12], "little") == 5
    games = GameFile.open(path)
    games.verify()
    last = num_games - 1
    for index in (0, (1 << 16) - 2, (1 << 16) - 1, 1 << 16, last):
        assert (games[index].rules, games[index].source) == ("any", f"{index}")
    assert text_indices(games.rows).tolist() == list(range(1, num_games + 1))
    assert sum(phases[0].num_positions for phases in phase_report(games).values()) == 2 * num_games
    light = {f"{n}": 0.0 for n in range(1, last)}
    dataset = Dataset(path, validation_games=np.array([0]), source_weights=light)
    origins, _ = dataset.origins(dataset.draw(0, 8, "train"), "train")
    assert set(origins.tolist()) == {last}
    add_ladders(path)
    assert GameFile.open(path)[last].source == f"{last}"


def test_as_many_texts_as_16_bits_have_an_older_version(tmp_path):
    num_games = (1 << 16) - 1
    path = import_bytes(tmp_path, games_of_sources(num_games)).path
    assert int.from_bytes(path.read_bytes()[8:12], "little") == 1
    assert GameFile.open(path)[num_games - 1].source == f"{num_games - 1}"


def test_it_is_a_sequence_of_records(path):
    games = GameFile.open(path)
    assert len(games) == len(list(games)) == 3
    assert games[-1].points.tolist() == games[0].points.tolist() == [72, 60, 319]
    for index in (3, -4):
        with pytest.raises(IndexError, match="has 3 games: there is no game"):
            games[index]


def test_histograms(path):
    games = GameFile.open(path)
    assert games.komi_histogram() == {7.5: 3}
    assert games.length_histogram(4) == {0: 2, 4: 1}
    assert games.num_valued_positions() == 0


def test_a_huge_file_opens_at_once(path, tmp_path):
    """The words of a copy are 1 TiB of a hole: opening must not read them."""
    huge = tmp_path / "huge.games"
    rows, hole = GameFile.open(path).rows.tobytes(), 1 << 40
    layout = ffi.new("golois_file_layout *")
    layout.num_games, layout.num_words, layout.num_positions = 3, hole // 2, 11
    layout.words_offset, layout.games_offset = HEADER_BYTES, HEADER_BYTES + hole
    layout.provenance_offset = layout.file_size = HEADER_BYTES + hole + len(rows)
    header = np.zeros(HEADER_BYTES, np.uint8)
    check(lib.golois_packed_file_header(layout, buffer(header, "uint8_t[]"), header.size))
    with open(huge, "wb") as file:
        file.write(header)
        file.seek(layout.games_offset)
        file.write(rows)
    assert len(GameFile.open(huge)) == 3


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "the file has 0 bytes"),
        (7, "not a packed file .*at byte 0"),
        (100, "header is cut short: 100 of 128 bytes"),
        (-1, "at byte 64"),
        (None, "that its header names at byte 64"),  # whole, and a byte more
    ],
)
def test_a_file_of_another_length_is_refused(path, size, words):
    content = path.read_bytes()
    path.write_bytes(content + b"\0" if size is None else content[:size])
    with pytest.raises(DataFormatError, match=rf"out\.games: .*{words}.*import the games again"):
        GameFile.open(path)


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (0, "not a packed file .*at byte 0"),
        (8, "the version is not 1, 2 with targets, 3 for .*, or 6 with ownership .*at byte 8"),
        (16, "the header is damaged .*at byte 12"),
        (64, "the header is damaged .*at byte 12"),
    ],
)
def test_an_altered_header_is_refused(path, at, words):
    with pytest.raises(DataFormatError, match=rf"out\.games: .*{words}"):
        GameFile.open(altered(path, at, b"\xff"))


@pytest.mark.parametrize(
    ("section", "offset"),
    [("words", "words_offset"), ("games", "games_offset"), ("provenance", "provenance_offset")],
)
def test_verify_finds_every_altered_section(path, section, offset):
    at = getattr(GameFile.open(path)._layout, offset)
    games = GameFile.open(altered(path, at + 3, b"\xff"))
    words = rf"the {section} at bytes {at} to \d+ have the CRC-32"
    with pytest.raises(DataFormatError, match=words):
        games.verify()


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("first_word", "words outside of the file"),
        ("num_moves", "more than 32767 moves"),
        ("num_capture_words", "words outside of the file"),
    ],
)
def test_a_row_beyond_the_words_is_refused(path, field, words):
    at = GameFile.open(path)._layout.games_offset + ROW.itemsize + ROW.fields[field][1]
    games = GameFile.open(altered(path, at, b"\xff\xff"))
    words = rf"game 1 has {words}: its row at byte \d+ .*damaged"
    with pytest.raises(DataFormatError, match=words):
        games[1]


def test_a_row_without_its_text_is_refused(path):
    at = GameFile.open(path)._layout.games_offset + ROW.fields["text"][1]
    with pytest.raises(DataFormatError, match="refers to text .*, of 2"):
        GameFile.open(altered(path, at, b"\xff\xff"))[0]


def record(**changes) -> Record:
    return replace(record_of([72, 60], [BLACK, WHITE]), **changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"komi": 6.3}, "komi must be a multiple of 1/4"),
        ({"komi": 100.5}, "komi must be a multiple of 1/4"),
        ({"result": "B+many"}, "is not a result"),
        ({"result": "B+99999"}, "has a margin above 16383.5"),
        ({"points": np.array([72], np.uint16)}, "of one length"),
        ({"points": np.array([72, 362], np.uint16)}, "point up to 361"),
        ({"points": np.array([72, 65541])}, "points from 0 to 361"),
        ({"points": np.array([72, 72], np.uint16)}, "move 2: an occupied point"),
        ({"points": np.array([361, 361], np.uint16)}, "no labelled move"),
        ({"colours": np.array([1, 3], np.uint8)}, "colour of 1 or 2"),
        ({"values": np.array([0.5, 1.5], np.float32)}, "values must be from 0 to 1"),
    ],
)
def test_bad_records_are_not_written(tmp_path, changes, words):
    with pytest.raises(DataFormatError, match=rf"record 1: .*{words}"):
        write_games([record(), record(**changes)], tmp_path / "out.games")
    assert list(tmp_path.iterdir()) == []
