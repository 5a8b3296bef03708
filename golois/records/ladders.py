"""Ladders in packed files: found once, so that batches need not read them at each position."""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from golois.errors import DataFormatError, GoloisError
from golois.kit.files import replaced_file
from golois.kit.processes import num_cpus
from golois.native import buffer, check, ffi, last_error, lib
from golois.planes.row_shapes import GO
from golois.records.packed_file import GameFile
from golois.records.packing import HEADER_BYTES, ROW_ALIGNMENT, header_of

GAMES_AT_A_TIME = 1024


class FoundLadders(NamedTuple):
    """The games of a file, and the bytes that its ladders add; 0 if the file had ladders."""

    num_games: int
    num_bytes: int


def add_ladders(
    path: str | Path, *, on_progress: Callable[[int, int], None] | None = None
) -> FoundLadders:
    """Find the ladders of all positions of a packed file of Go, and write them into it.

    Batches stay the same, in two thirds of the time. The new file replaces the old file when it is
    whole. `on_progress` gets the games done and all games. Raises DataFormatError: no packed file
    of Go, or a damaged one; OSError: the file cannot be read or written.
    """
    path = Path(path)
    games = GameFile.open(path)
    if games.game != GO:
        raise DataFormatError(f"{path} has games of {games.title}: only Go has ladders")
    if games.has_ladders:
        return FoundLadders(len(games), 0)
    starts, words = _find(games, on_progress or (lambda done, total: None))
    section = starts.tobytes() + words.tobytes()
    section += bytes(-len(section) % ROW_ALIGNMENT)
    with replaced_file(path) as file:
        before, after = _around(games)
        for part in (bytes(HEADER_BYTES), before, section, after):
            file.write(part)
        file.seek(0)
        file.write(_header(games, section, words.size))
    return FoundLadders(len(games), len(section))


def _find(
    games: GameFile, on_progress: Callable[[int, int], None]
) -> tuple[np.ndarray, np.ndarray]:
    """Where each game's words begin, uint32, and the ladder words of all games, uint16."""
    counts, parts = [np.zeros(1, "<u4")], [np.empty(0, "<u2")]
    for first in range(0, len(games), GAMES_AT_A_TIME):
        num_games = min(GAMES_AT_A_TIME, len(games) - first)
        found = lib.golois_ladders_find(games.handle, first, num_games, num_cpus())
        if found == ffi.NULL:
            raise games.damaged(last_error())
        found = ffi.gc(found, lib.golois_ladders_destroy)
        count = np.empty(num_games, "<u4")
        words = np.empty(lib.golois_ladders_num_words(found), "<u2")
        pointers = buffer(count, "uint32_t[]"), num_games, buffer(words, "uint16_t[]"), words.size
        check(lib.golois_ladders_copy(found, *pointers))
        counts.append(count)
        parts.append(words)
        on_progress(first + num_games, len(games))
    words = np.concatenate(parts)
    if words.size >= 2**32:
        raise GoloisError(f"{games.path} has more ladders than a file can hold: split it")
    starts = np.concatenate(counts).cumsum(dtype="<u4")[:-1]
    return starts, words


def _around(games: GameFile) -> tuple[memoryview, memoryview]:
    """The bytes of the file between its header and the ladders, and those behind them."""
    at = lib.golois_packed_file_layout(games.handle).games_offset
    return games.data[HEADER_BYTES:at].data, games.data[at:].data


def _header(games: GameFile, section: bytes, num_words: int) -> memoryview:
    """The header of the file with this section before its games."""
    layout = ffi.new("golois_file_layout *", lib.golois_packed_file_layout(games.handle))
    layout.ladders_offset = layout.games_offset
    layout.num_ladder_words = num_words
    layout.ladders_crc = zlib.crc32(section)
    layout.games_offset += len(section)
    layout.provenance_offset += len(section)
    layout.file_size += len(section)
    for offset in ("targets_offset", "ownership_offset"):
        if at := getattr(layout, offset):
            setattr(layout, offset, at + len(section))
    return header_of(layout)
