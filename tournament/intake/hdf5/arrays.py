"""Arrays of numbers: whole in one place, within their object's header, or in chunks."""

from dataclasses import dataclass, field
from math import prod

import numpy as np

from tournament.intake.faults import quoted, refuse
from tournament.intake.hdf5.attributes import Attribute
from tournament.intake.hdf5.chunks import Chunks
from tournament.intake.hdf5.dataspace import read_shape
from tournament.intake.hdf5.datatypes import read_datatype
from tournament.intake.hdf5.filters import read_filters
from tournament.intake.hdf5.headers import (
    DATASPACE,
    DATATYPE,
    EXTERNAL_FILES,
    FILTERS,
    LAYOUT,
    Header,
)
from tournament.intake.hdf5.reasons import SAVE_AGAIN, damaged, foreign
from tournament.intake.hdf5.source import UNDEFINED, Fields, Source
from tournament.intake.remedies import IN_FLOAT32

MAX_RANK = 8
MAX_LENGTH = 1 << 30  # of an axis; an array without numbers may have such a one
_COMPACT, _CONTIGUOUS, _CHUNKED, _VIRTUAL = range(4)
_OLD_CHUNKS = 3  # the version of a layout whose chunks are listed by a B-tree of version 1


@dataclass(frozen=True)
class Array:
    """An array that can be read.

    stored: its numbers, or where they are.
    attributes: by name.
    """

    shape: tuple[int, ...]
    dtype: np.dtype
    stored: "memoryview | Chunks"
    attributes: dict[str, Attribute] = field(repr=False)

    @property
    def num_elements(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)

    @property
    def num_bytes(self) -> int:
        """What unpacking takes: the chunks at an edge are larger than what they add."""
        return self.stored.num_bytes if isinstance(self.stored, Chunks) else len(self.stored)

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
    """Return an array of plain numbers which this file holds; raises Refused for any other.

    Args:
        source: the file.
        header: of the array.
        attributes: of the array.
        where: its path, for the refusal.
    """
    if header.has(EXTERNAL_FILES):
        raise refuse(f"the numbers of {quoted(where)} are in another file", SAVE_AGAIN)
    layout = header.one(LAYOUT, "the layout of an array")
    version, kind = layout.unsigned(1), layout.unsigned(1)
    if version not in (3, 4):
        raise foreign(f"an array with a layout of version {version}")
    if kind == _VIRTUAL:
        raise refuse(f"{quoted(where)} is a virtual array", SAVE_AGAIN)
    dtype = read_datatype(header.one(DATATYPE, "the type of an array")).number
    if dtype is None:
        raise refuse(
            f"{quoted(where)} does not hold plain numbers",
            f"for a network in bfloat16: {IN_FLOAT32}",
        )
    shape = read_shape(header.one(DATASPACE, "the shape of an array"))
    if shape is None or len(shape) > MAX_RANK or max(shape, default=0) > MAX_LENGTH:
        raise refuse(f"{quoted(where)} has no numbers, or too many or too long axes", SAVE_AGAIN)
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
        raise refuse(
            f"{quoted(where)} has shape {quoted(shape)}, {declared} bytes: "
            f"{len(found)} bytes are stored", SAVE_AGAIN,
        )
    return Array(shape, dtype, found, attributes)


def _whole(source: Source, layout: Fields, kind: int) -> memoryview:
    """Return the bytes of an array that is in one place; none where there is no place."""
    if kind == _COMPACT:
        return memoryview(layout.take(layout.unsigned(2)))
    address, size = layout.address(), layout.address()
    if address == UNDEFINED:
        return memoryview(b"")
    return source.view(address, size, "an array")


def _chunks(
    source: Source, header: Header, layout: Fields, shape: tuple[int, ...], dtype: np.dtype
) -> Chunks:
    axes = layout.unsigned(1)  # one more than the array has, for the bytes of an element
    tree = layout.address()
    sizes = tuple(layout.unsigned(4) for _ in range(axes))
    if axes != len(shape) + 1 or not all(sizes) or sizes[-1] != dtype.itemsize:
        raise damaged("the chunks of an array do not fit it")
    steps = read_filters(header.one(FILTERS, "filters")) if header.has(FILTERS) else []
    return Chunks(source, tree, shape, sizes[:-1], dtype, steps)
