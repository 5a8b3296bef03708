"""Hand-made games for the tests of the import, and one call that imports them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from golois.records.importing import ImportSummary, import_games
from golois.records.packed_file import GameFile, Record

HEAD = "(;FF[4]GM[1]SZ[19]KM[7.5]RE[B+R]"
SHORT_GAME = f"{HEAD};B[pd];W[dd];B[pq])"

# Moves of the course's text, White 0 and Black 1: the first has no label.
TEXT_GAME = "6.5 W 3 72 1 -1.00 0.00 60 0 0.53 0.40 361 1 0.07 -3.10 "


def import_bytes(folder: Path, data: bytes | str, name: str = "games") -> ImportSummary:
    """Imports one source of this content to `folder/out.games`."""
    source = folder / name
    source.write_bytes(data.encode() if isinstance(data, str) else data)
    return import_games([source], folder / "out.games")


def read_games(folder: Path, data: bytes | str, name: str = "games") -> list[Record]:
    """The records that come out of an import of this content."""
    import_bytes(folder, data, name)
    return list(GameFile.open(folder / "out.games"))


def altered(path: Path, at: int, data: bytes) -> Path:
    """The file, with these bytes from there on."""
    content = bytearray(path.read_bytes())
    content[at : at + len(data)] = data
    path.write_bytes(content)
    return path


def moves_of(record: Record) -> list[tuple[int, int]]:
    """(colour, point) of each move."""
    return list(zip(record.colours.tolist(), record.points.tolist(), strict=True))


def record_of(points: Sequence[int], colours: Sequence[int], **changes) -> Record:
    """A game that Black won, of these moves and without values."""
    fields = {
        "komi": 7.5,
        "rules": "",
        "result": "B+R",
        "points": np.array(points, np.uint16),
        "colours": np.array(colours, np.uint8),
        "values": np.full(len(points), np.nan, np.float32),
        "source": "",
        "played_out": False,
    }
    return Record(**{**fields, **changes})
