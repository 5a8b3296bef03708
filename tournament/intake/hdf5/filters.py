"""Undoes what was done to a chunk before it was stored: gzip, shuffle, Fletcher's checksum."""

import zlib
from dataclasses import dataclass

import numpy as np

from tournament.intake.hdf5.checksum import fletcher32
from tournament.intake.hdf5.reasons import damaged, foreign
from tournament.intake.hdf5.source import Fields

MAX_FILTERS = 4
_GZIP, _SHUFFLE, _FLETCHER32 = 1, 2, 3
_CHECKSUM = 4
_WHAT = "a list of filters"


@dataclass(frozen=True)
class Filter:
    """One step, and the numbers that it was called with."""

    number: int
    values: tuple[int, ...]

    def undo(self, data: bytes, max_bytes: int) -> bytes:
        """Return the bytes before this step, of which there are at most `max_bytes`."""
        if self.number == _GZIP:
            return _inflate(data, max_bytes)
        if self.number == _SHUFFLE:
            return _unshuffle(data, self.values[0])
        return _without_checksum(data)


def read_filters(fields: Fields) -> list[Filter]:
    """Return the steps in the order in which they were taken."""
    version = fields.expect(1, 2)
    number = fields.unsigned(1)
    fields.skip(6 if version == 1 else 0)
    if number > MAX_FILTERS:
        raise foreign(f"{number} filters on an array")
    return [_read_filter(fields, version) for _ in range(number)]


def _read_filter(fields: Fields, version: int) -> Filter:
    number = fields.unsigned(2)
    name_bytes = fields.unsigned(2) if version == 1 or number >= 256 else 0
    fields.skip(2)  # whether it may be left out
    num_values = fields.unsigned(2)
    fields.skip(-(-name_bytes // 8) * 8 if version == 1 else name_bytes)
    values = tuple(fields.unsigned(4) for _ in range(num_values))
    fields.skip(4 if version == 1 and num_values % 2 else 0)
    if number not in (_GZIP, _SHUFFLE, _FLETCHER32):
        raise foreign(f"an array with filter {number} (gzip, shuffle and fletcher32 are read)")
    if number == _SHUFFLE and (not values or not 0 < values[0] <= 8):
        raise damaged(f"{_WHAT} has a shuffle of odd elements")
    return Filter(number, values)


def undo_all(filters: list[Filter], skipped: int, data: bytes, size: int) -> bytes:
    """Return a chunk of `size` bytes as it was; bit N of `skipped` leaves out filter N."""
    at_most = size + _CHECKSUM * len(filters)
    for place, step in reversed(list(enumerate(filters))):
        if not skipped >> place & 1:
            data = step.undo(data, at_most)
    if len(data) != size:
        raise damaged(f"a chunk has {len(data)} bytes instead of {size}")
    return data


def _inflate(data: bytes, max_bytes: int) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        unpacked = unpacking.decompress(data, max_bytes)
    except zlib.error:
        raise damaged("a chunk cannot be unpacked") from None
    if not unpacking.eof and len(unpacked) >= max_bytes:
        raise damaged(f"a chunk unpacks to more than {max_bytes} bytes")
    return unpacked


def _unshuffle(data: bytes, size: int) -> bytes:
    whole = len(data) // size * size
    shuffled = np.frombuffer(data[:whole], np.uint8).reshape(size, -1)
    return shuffled.T.tobytes() + data[whole:]


def _without_checksum(data: bytes) -> bytes:
    content, stored = data[:-_CHECKSUM], data[-_CHECKSUM:]
    if int.from_bytes(stored, "little") != fletcher32(content):
        raise damaged("the checksum of a chunk does not match")
    return content
