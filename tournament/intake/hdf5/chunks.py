"""Arrays that are stored in chunks, each for itself, perhaps compressed."""

import struct
from dataclasses import dataclass, field
from math import prod

import numpy as np

from tournament.intake.hdf5.filters import Filter, undo_all
from tournament.intake.hdf5.reasons import damaged
from tournament.intake.hdf5.source import UNDEFINED, Fields, Source
from tournament.intake.hdf5.tree import read_tree

_WHAT = "a chunk"


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
    def grid(self) -> tuple[int, ...]:
        """The number of chunks along each axis."""
        return tuple(-(-n // size) for n, size in zip(self.shape, self.chunk, strict=True))

    @property
    def chunk_bytes(self) -> int:
        """Of one chunk when it is unpacked."""
        return prod(self.chunk) * self.dtype.itemsize

    @property
    def num_bytes(self) -> int:
        """Of all chunks when they are unpacked; those at an edge are larger than what they add."""
        return prod(self.grid) * self.chunk_bytes

    def read(self) -> np.ndarray:
        """Return the array; each chunk has to be there, once."""
        result = np.empty(self.shape, self.dtype)
        missing = prod(self.grid)
        seen: set[tuple[int, ...]] = set()
        for key, address in self._listed():
            size, skipped = key.unsigned(4), key.unsigned(4)
            start = tuple(key.unsigned(8) for _ in self.shape)
            within = key.unsigned(8) == 0 and all(  # no chunk begins within an element
                at < n and at % step == 0
                for at, n, step in zip(start, self.shape, self.chunk, strict=True)
            )
            if not within or start in seen:
                raise damaged(f"{_WHAT} is not where it belongs, or there twice")
            seen.add(start)
            missing -= 1
            data = self.source.read(address, size, _WHAT)
            content = undo_all(self.filters, skipped, data, self.chunk_bytes)
            block = np.frombuffer(content, self.dtype).reshape(self.chunk)
            place = tuple(slice(at, at + step)
                          for at, step in zip(start, self.chunk, strict=True))
            target = result[place]
            target[...] = block[tuple(slice(n) for n in target.shape)]
        if missing:
            raise damaged(f"an array lacks {missing} of its chunks")
        return result

    def _listed(self) -> list[tuple[Fields, int]]:
        if self.tree == UNDEFINED:
            return []
        offsets = struct.Struct(f"<8x{len(self.shape) + 1}Q")
        entries = read_tree(self.source, self.tree, 1, offsets.size, offsets.unpack)
        return [(Fields(key, _WHAT), address) for key, address in entries]
