"""Many links of a group: a fractal heap holds them, a B-tree of version 2 lists them.

What Keras's networks need of it: heaps of blocks that the root names itself, not compressed,
and objects within these blocks. That is room for 512 kB of links.
"""

from bisect import bisect_right
from collections.abc import Iterator

from tournament.intake.hdf5.checksum import lookup3
from tournament.intake.hdf5.reasons import damaged, foreign
from tournament.intake.hdf5.source import UNDEFINED, Fields, Source

MAX_BLOCK = 1 << 20
MAX_DEPTH = 4
_HEAP, _TREE = "a heap of links", "a list of links"
_HEAP_HEADER, _TREE_HEADER, _NODE_FRAME = 142, 34, 10
_BY_NAME, _RECORD, _HEAP_ID = 5, 11, 7  # a record is a hash and a heap ID


def read_dense(source: Source, heap: int, names: int) -> list[bytes]:
    """Return the messages of all links, by the addresses of the heap and of the tree."""
    blocks = _Heap(source, heap)
    return [blocks.read(record[4:]) for record in _read_records(source, names)]


def _encoded_size(limit: int) -> int:
    """Return how many bytes hold the numbers up to a limit."""
    return (max(limit, 1).bit_length() + 7) // 8


class _Heap:
    """The objects of a fractal heap by their IDs."""

    def __init__(self, source: Source, address: int) -> None:
        source.once(address, _HEAP)
        fields = source.checked(address, _HEAP_HEADER, _HEAP)
        fields.signature(b"FRHP")
        fields.expect(0)
        if (fields.unsigned(2), fields.unsigned(2)) != (_HEAP_ID, 0):
            raise foreign("links that are compressed, or under IDs of another length")
        self._has_checksums = bool(fields.unsigned(1) & 2)
        largest = fields.unsigned(4)
        fields.skip(12 * 8)  # how much of what there is, and where there is room
        self._width = fields.unsigned(2)
        self._first, self._direct = fields.unsigned(8), fields.unsigned(8)
        bits = fields.unsigned(2)
        fields.skip(2)
        root, rows = fields.address(), fields.unsigned(2)
        sound = 0 < self._first <= self._direct <= MAX_BLOCK and 0 < self._width <= 64
        if not sound or not 8 <= bits <= 64:
            raise damaged(f"{_HEAP} has blocks of odd sizes")
        self._source, self._header = source, address
        self._offset_bytes = (bits + 7) // 8
        self._length_bytes = min(_encoded_size(self._direct), _encoded_size(largest))
        self._blocks: dict[int, bytes] = {}
        self._places = [(0, self._first, root)] if rows == 0 else list(self._rows(root, rows))
        self._starts = [start for start, _, _ in self._places]

    def _rows(self, root: int, rows: int) -> Iterator[tuple[int, int, int]]:
        """Yield the offset, the size and the address of each block that the root block names."""
        sizes = [self._first << max(row - 1, 0) for row in range(min(rows, 64))]
        if rows > 64 or sizes[-1] > self._direct:
            raise foreign("a group of so many links")
        self._source.once(root, _HEAP)
        size = 13 + self._offset_bytes + 8 * self._width * rows
        fields = self._source.checked(root, size, _HEAP)
        fields.signature(b"FHIB")
        self._check_owner(fields, 0)
        start = 0
        for size in sizes:
            for _ in range(self._width):
                yield start, size, fields.address()
                start += size

    def read(self, heap_id: bytes) -> bytes:
        """Return an object."""
        fields = Fields(heap_id, _HEAP)
        if fields.unsigned(1) & 0xF0:
            raise foreign("links that are very long or very short")
        offset, length = fields.unsigned(self._offset_bytes), fields.unsigned(self._length_bytes)
        place = bisect_right(self._starts, offset) - 1
        start, size, address = self._places[place]
        if address == UNDEFINED or offset - start + length > size or not length:
            raise damaged(f"{_HEAP} has no object where a link should be")
        if place not in self._blocks:
            self._blocks[place] = self._block(start, size, address)
        return self._blocks[place][offset - start : offset - start + length]

    def _block(self, start: int, size: int, address: int) -> bytes:
        data = self._source.read(address, size, _HEAP)
        fields = Fields(data, _HEAP)
        fields.signature(b"FHDB")
        self._check_owner(fields, start)
        if self._has_checksums:
            at = size - fields.left
            if lookup3(data[:at] + bytes(4) + data[at + 4 :]) != fields.unsigned(4):
                raise damaged(f"the checksum of {_HEAP} does not match")
        return data

    def _check_owner(self, fields: Fields, start: int) -> None:
        fields.expect(0)
        if (fields.address(), fields.unsigned(self._offset_bytes)) != (self._header, start):
            raise damaged(f"{_HEAP} has a block of another one")


def _read_records(source: Source, address: int) -> Iterator[bytes]:
    """Yield the records of a tree."""
    source.once(address, _TREE)
    fields = source.checked(address, _TREE_HEADER, _TREE)
    fields.signature(b"BTHD")
    fields.expect(0)
    fields.expect(_BY_NAME, of="kind")
    node_bytes, record_bytes, depth = (fields.unsigned(size) for size in (4, 2, 2))
    fields.skip(2)  # when nodes are split and joined
    root, number = fields.address(), fields.unsigned(2)
    sound = record_bytes == _RECORD and 64 <= node_bytes <= MAX_BLOCK and depth <= MAX_DEPTH
    if not sound:
        raise damaged(f"{_TREE} has nodes of odd sizes")
    pointers = _pointer_sizes(node_bytes, depth)
    pending = [(root, number, depth)] if root != UNDEFINED else []
    while pending:
        address, number, level = pending.pop()
        source.once(address, _TREE)
        frame = 6 + number * _RECORD + (number + 1) * sum(pointers[level])
        if frame + 4 > node_bytes:
            raise damaged(f"{_TREE} has a node of too many links")
        node = source.checked(address, frame, _TREE)
        node.signature(b"BTIN" if level else b"BTLF")
        node.expect(0)
        node.expect(_BY_NAME, of="kind")
        yield from [node.take(_RECORD) for _ in range(number)]
        while level and node.left:
            child, count, _ = (node.unsigned(size) for size in pointers[level])
            pending.append((child, count, level - 1))


def _pointer_sizes(node_bytes: int, depth: int) -> list[tuple[int, ...]]:
    """Return by level the sizes of a child's address, its records, and all records below it."""
    room = node_bytes - _NODE_FRAME
    below = room // _RECORD
    count_bytes, total_bytes = _encoded_size(below), 0
    sizes: list[tuple[int, ...]] = [(0,)]
    for _ in range(depth):
        sizes.append((8, count_bytes, total_bytes))
        pointer = sum(sizes[-1])
        number = (room - pointer) // (_RECORD + pointer)
        below = (number + 1) * below + number
        total_bytes = _encoded_size(below)
    return sizes
