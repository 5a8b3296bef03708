"""Arrays of numbers: whole in one place, within their object's header, or in chunks."""

import struct
import zlib
from dataclasses import dataclass, field
from math import prod

import numpy as np

from tournament.intake.faults import quoted, refusal
from tournament.intake.hdf5.groups import read_tree
from tournament.intake.hdf5.objects import (
    DATASPACE,
    DATATYPE,
    EXTERNAL_FILES,
    FILTERS,
    LAYOUT,
    Attribute,
    Header,
    read_datatype,
    read_shape,
)
from tournament.intake.hdf5.source import (
    CHECKSUM_BYTES,
    UNDEFINED,
    Fields,
    Source,
    damaged,
    fletcher32,
    foreign,
)

MAX_FILTERS = 4
_GZIP, _SHUFFLE, _FLETCHER32 = 1, 2, 3
_CHUNK = "a chunk"
MAX_RANK = 8
MAX_LENGTH = 1 << 30  # of an axis; an array without numbers may have such a one
_COMPACT, _CONTIGUOUS, _CHUNKED, _VIRTUAL = range(4)
_OLD_CHUNKS = 3  # the version of a layout whose chunks are listed by a B-tree of version 1
Filter = tuple[int, tuple[int, ...]]  # its number, and what it was called with


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
        raise damaged("a list of filters has a shuffle of odd elements")
    return number, values


def undo_all(filters: list[Filter], skipped: int, data: bytes, size: int) -> bytes:
    """Return a chunk of `size` bytes as it was; bit N of `skipped` leaves out filter N."""
    at_most = size + CHECKSUM_BYTES * len(filters)
    for place, (number, values) in reversed(list(enumerate(filters))):
        if skipped >> place & 1:
            continue
        if number == _GZIP:
            data = _inflate(data, at_most)
        elif number == _SHUFFLE:
            whole = len(data) // values[0] * values[0]
            shuffled = np.frombuffer(data[:whole], np.uint8).reshape(values[0], -1)
            data = shuffled.T.tobytes() + data[whole:]
        else:
            data, stored = data[:-CHECKSUM_BYTES], data[-CHECKSUM_BYTES:]
            if int.from_bytes(stored, "little") != fletcher32(data):
                raise damaged("the checksum of a chunk does not match")
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


@dataclass(frozen=True)
class Chunks:
    """The chunks of one array.

    tree: the address of the tree that lists them.
    shape: of the array.
    chunk: the length of a chunk along each axis.
    """

    source: Source = field(repr=False)
    tree: int
    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    dtype: np.dtype
    filters: list[Filter]

    @property
    def number(self) -> int:
        """How many chunks there are."""
        return prod(-(-n // size) for n, size in zip(self.shape, self.chunk, strict=True))

    @property
    def chunk_bytes(self) -> int:
        """Of one chunk when it is unpacked."""
        return prod(self.chunk) * self.dtype.itemsize

    def read(self) -> np.ndarray:
        """Return the array; each chunk has to be there, once."""
        result = np.empty(self.shape, self.dtype)
        seen: set[tuple[int, ...]] = set()
        for key, address in self._listed():
            size, skipped, *start, element = struct.unpack(f"<II{len(self.shape) + 1}Q", key)
            within = element == 0 and all(
                at < n and at % step == 0
                for at, n, step in zip(start, self.shape, self.chunk, strict=True)
            )
            if not within or tuple(start) in seen:
                raise damaged(f"{_CHUNK} is not where it belongs, or there twice")
            seen.add(tuple(start))
            data = self.source.read(address, size, _CHUNK)
            content = undo_all(self.filters, skipped, data, self.chunk_bytes)
            block = np.frombuffer(content, self.dtype).reshape(self.chunk)
            place = tuple(slice(at, at + step) for at, step in zip(start, self.chunk, strict=True))
            target = result[place]
            target[...] = block[tuple(slice(n) for n in target.shape)]
        if missing := self.number - len(seen):
            raise damaged(f"an array lacks {missing} of its chunks")
        return result

    def _listed(self) -> list[tuple[bytes, int]]:
        """Return the chunks' keys and addresses, from left to right."""
        if self.tree == UNDEFINED:
            return []
        offsets = struct.Struct(f"<8x{len(self.shape) + 1}Q")
        return [*read_tree(self.source, self.tree, 1, offsets.size, offsets.unpack)]


@dataclass(frozen=True)
class Array:
    """An array that can be read.

    stored: its numbers, or where they are.
    attributes: by name.
    """

    shape: tuple[int, ...]
    dtype: np.dtype
    stored: memoryview | Chunks
    attributes: dict[str, Attribute] = field(repr=False)

    @property
    def num_elements(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)

    @property
    def num_bytes(self) -> int:
        """What unpacking takes: the chunks at an edge are larger than what they add."""
        stored = self.stored
        return stored.number * stored.chunk_bytes if isinstance(stored, Chunks) else len(stored)

    @property
    def is_packed(self) -> bool:
        """Whether it is stored in chunks, which have to be put together."""
        return isinstance(self.stored, Chunks)

    def read(self) -> np.ndarray:
        """Return the numbers; the result may share the file's memory."""
        if isinstance(self.stored, Chunks):
            return self.stored.read()
        return np.frombuffer(self.stored, self.dtype).reshape(self.shape)


def read_array(
    source: Source, header: Header, attributes: dict[str, Attribute], where: str
) -> Array:
    """Return an array of plain numbers in this file; raises Refused, with its path `where`."""
    if header.has(EXTERNAL_FILES):
        raise foreign(f"the numbers of {quoted(where)} in another file")
    layout = header.one(LAYOUT, "the layout of an array")
    version, kind = layout.unsigned(1), layout.unsigned(1)
    if version not in (3, 4):
        raise foreign(f"an array with a layout of version {version}")
    if kind == _VIRTUAL:
        raise foreign(f"{quoted(where)}, a virtual array")
    dtype = read_datatype(header.one(DATATYPE, "the type of an array")).number
    if dtype is None:
        raise refusal("no-numbers", path=where)
    shape = read_shape(header.one(DATASPACE, "the shape of an array"))
    if shape is None or len(shape) > MAX_RANK or max(shape, default=0) > MAX_LENGTH:
        raise foreign(f"{quoted(where)} without numbers, or with too many or too long axes")
    if kind == _CHUNKED:
        if version != _OLD_CHUNKS:
            raise foreign(f"{quoted(where)} in chunks that are listed as HDF5 1.10 or later does")
        stored = _chunks(source, header, layout, shape, dtype)
        return Array(shape, dtype, stored, attributes)
    if kind not in (_COMPACT, _CONTIGUOUS) or header.has(FILTERS):
        raise foreign(f"an array, {quoted(where)}, with a layout of kind {kind}")
    found = _whole(source, layout, kind)
    declared = prod(shape) * dtype.itemsize
    if declared != len(found):
        raise damaged(
            f"{quoted(where)} has shape {quoted(shape)}, {declared} bytes: "
            f"{len(found)} bytes are stored"
        )
    return Array(shape, dtype, found, attributes)


def _whole(source: Source, layout: Fields, kind: int) -> memoryview:
    """Return the bytes of an array that is in one place; none where there is no place."""
    if kind == _COMPACT:
        return memoryview(layout.take(layout.unsigned(2)))
    address, size = layout.numbers("<QQ")
    return memoryview(b"") if address == UNDEFINED else source.view(address, size, "an array")


def _chunks(
    source: Source, header: Header, layout: Fields, shape: tuple[int, ...], dtype: np.dtype
) -> Chunks:
    axes, tree = layout.numbers("<BQ")  # an axis more, for the bytes of an element
    sizes = layout.numbers(f"<{axes}I")
    if axes != len(shape) + 1 or not all(sizes) or sizes[-1] != dtype.itemsize:
        raise damaged("the chunks of an array do not fit it")
    steps = read_filters(header.one(FILTERS, "filters")) if header.has(FILTERS) else []
    return Chunks(source, tree, shape, sizes[:-1], dtype, steps)
