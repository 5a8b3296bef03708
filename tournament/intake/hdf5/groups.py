"""What is in a group, in the three forms in which a group may list it.

A symbol table is the form of old; in the new one the links are messages of the group's header,
and many links are in a fractal heap.
"""

import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from tournament.intake.hdf5.objects import LINK, LINK_INFO, SYMBOL_TABLE, Header
from tournament.intake.hdf5.source import UNDEFINED, Fields, Source, damaged, foreign, lookup3

_NAMES, _TREE, _TABLE, _LINK = "a heap of names", "a tree", "the table of a group", "a link"
_LINK_HEAP, _LIST = "a heap of links", "a list of links"
MAX_LEVEL = 8
_NODE_PREFIX = 24
Bounds = tuple[bytes, bytes]
_SOFT = "a soft link"
_SYMBOL = "<QQI20x"  # ends with what a reader may keep
_KINDS = {1: _SOFT, 64: "a link to another file"}
MAX_BLOCK = 1 << 20
MAX_DEPTH = 4
_HEAP_HEADER, _TREE_HEADER, _NODE_FRAME = 142, 34, 10
_BY_NAME, _RECORD, _HEAP_ID = 5, 11, 7  # a record is a hash and a heap ID


def read_tree(
    source: Source,
    address: int,
    kind: int,
    key_bytes: int,
    order: Callable[[bytes], object] | None = None,
) -> Iterator[tuple[bytes, int]]:
    """Yield the key before each entry of the leaves, and the entry's address; from left to right.

    Args:
        source: the file.
        address: of the root.
        kind: 0 for a group's tree, 1 for an array's.
        key_bytes: the size of a key.
        order: returns what sorts the keys. If given, a node out of order is refused: a search by
            the keys would miss its entries.
    """
    pending: list[tuple[int, int | None, Bounds | None]] = [(address, None, None)]
    while pending:
        address, expected, bounds = pending.pop()
        source.once(address, _TREE)
        fields = source.fields(address, _NODE_PREFIX, _TREE)
        fields.signature(b"TREE")
        fields.expect(kind, of="kind")
        level, number = fields.numbers("<BH")
        if level > MAX_LEVEL or expected not in (None, level):
            raise damaged(f"{_TREE} has a node of level {level} below one of {expected}")
        entries = source.fields(address + _NODE_PREFIX, number * (key_bytes + 8) + key_bytes, _TREE)
        keys, children = [entries.take(key_bytes)], []
        for _ in range(number):
            children.append(entries.address())
            keys.append(entries.take(key_bytes))
        if UNDEFINED in children:
            raise damaged(f"{_TREE} has an entry that leads nowhere")
        if order is not None:
            _check_order([order(key) for key in keys], bounds and [order(key) for key in bounds])
        if level == 0:
            yield from zip(keys, children, strict=False)
        else:
            inner = zip(children, pairwise(keys), strict=True)
            pending.extend((child, level - 1, around) for child, around in [*inner][::-1])


def _check_order(keys: list, bounds: list | None) -> None:
    if any(key >= following for key, following in pairwise(keys)):
        raise damaged(f"{_TREE} is not in order")
    if bounds is not None and [keys[0], keys[-1]] != bounds:
        raise damaged(f"{_TREE} has a node that is out of place")


@dataclass(frozen=True)
class Link:
    """One name in a group: the address of an object, or what the link is if it is not hard."""

    name: bytes
    address: int
    special: str = ""


def read_links(source: Source, header: Header) -> list[Link]:
    """Return the links of a group; the same name may be there twice, and nothing is followed."""
    found = [_read_link(fields) for fields in header.all(LINK, _LINK)]
    if header.has(SYMBOL_TABLE):
        found.extend(_of_table(source, header.one(SYMBOL_TABLE, _TABLE)))
    if header.has(LINK_INFO):
        fields = header.one(LINK_INFO, "a group")
        fields.expect(0)
        fields.skip(8 if fields.unsigned(1) & 1 else 0)  # the highest number of a link
        heap, names = fields.numbers("<QQ")
        if heap != UNDEFINED:
            blocks = _LinkHeap(source, heap)
            records = _read_records(source, names)
            found.extend(_read_link(Fields(blocks.read(record[4:]), _LINK)) for record in records)
    return found


def _of_table(source: Source, fields: Fields) -> Iterator[Link]:
    tree, heap = fields.numbers("<QQ")
    names = _read_names(source, heap)
    for _, node in read_tree(source, tree, 0, 8):
        source.once(node, _TABLE)
        fields = source.fields(node, 8, _TABLE)
        fields.signature(b"SNOD")
        fields.expect(1)
        (number,) = fields.numbers("<xH")
        symbols = source.fields(node + 8, struct.calcsize(_SYMBOL) * number, _TABLE)
        for _ in range(number):
            place, address, kind = symbols.numbers(_SYMBOL)
            if kind > 2:
                raise damaged(f"{_TABLE} has an entry of kind {kind}")
            end = names.find(b"\0", place)
            if end <= place:
                raise damaged("a name in a group has no end or no letters")
            yield Link(names[place:end], address, _SOFT if kind == 2 else "")


def _read_names(source: Source, address: int) -> bytes:
    """Return the names in a group, each of which ends with a zero."""
    source.once(address, _NAMES)
    fields = source.fields(address, 32, _NAMES)
    fields.signature(b"HEAP")
    fields.expect(0)
    size, place = fields.numbers("<3xQ8xQ")  # between them is where free room begins
    return source.read(place, size, _NAMES)


def _read_link(fields: Fields) -> Link:
    fields.expect(1)
    flags = fields.unsigned(1)
    kind = fields.unsigned(1) if flags & 8 else 0
    fields.skip(8 if flags & 4 else 0)  # the link's number
    fields.skip(1 if flags & 16 else 0)  # the character set
    name = fields.take(fields.unsigned(1 << (flags & 3)))
    if not name:
        raise damaged("a link has no name")
    if kind:
        return Link(name, 0, _KINDS.get(kind, "a special link"))
    return Link(name, fields.address())


def _encoded_size(limit: int) -> int:
    """Return how many bytes hold the numbers up to a limit."""
    return (max(limit, 1).bit_length() + 7) // 8


class _LinkHeap:
    """The objects of a fractal heap by their IDs."""

    def __init__(self, source: Source, address: int) -> None:
        source.once(address, _LINK_HEAP)
        fields = source.checked(address, _HEAP_HEADER, _LINK_HEAP)
        fields.signature(b"FRHP")
        fields.expect(0)
        if fields.numbers("<HH") != (_HEAP_ID, 0):
            raise foreign("links that are compressed, or under IDs of another length")
        flags, largest = fields.numbers("<BI")
        self._has_checksums = bool(flags & 2)
        fields.skip(12 * 8)  # how much of what there is, and where there is room
        width, first, direct, bits, root, rows = fields.numbers("<HQQH2xQH")
        sound = 0 < first <= direct <= MAX_BLOCK and 0 < width <= 64
        if not sound or not 8 <= bits <= 64:
            raise damaged(f"{_LINK_HEAP} has blocks of odd sizes")
        self._source, self._header = source, address
        self._offset_bytes = (bits + 7) // 8
        self._length_bytes = min(_encoded_size(direct), _encoded_size(largest))
        self._blocks: dict[int, bytes] = {}
        sizes = [first << max(row - 1, 0) for row in range(min(rows, 64)) for _ in range(width)]
        if rows > 64 or max(sizes, default=0) > direct:
            raise foreign("a group of so many links")
        self._places = [*self._listed(root, sizes)] if rows else [(0, first, root)]
        self._starts = [start for start, _, _ in self._places]

    def _listed(self, root: int, sizes: list[int]) -> Iterator[tuple[int, int, int]]:
        """Yield the offset, the size and the address of each block that the root block names."""
        self._source.once(root, _LINK_HEAP)
        size = 13 + self._offset_bytes + 8 * len(sizes)
        fields = self._source.checked(root, size, _LINK_HEAP)
        fields.signature(b"FHIB")
        self._check_owner(fields, 0)
        start = 0
        for size in sizes:
            yield start, size, fields.address()
            start += size

    def read(self, heap_id: bytes) -> bytes:
        """Return an object."""
        fields = Fields(heap_id, _LINK_HEAP)
        if fields.unsigned(1) & 0xF0:
            raise foreign("links that are very long or very short")
        offset, length = fields.unsigned(self._offset_bytes), fields.unsigned(self._length_bytes)
        place = bisect_right(self._starts, offset) - 1
        start, size, address = self._places[place]
        if address == UNDEFINED or offset - start + length > size or not length:
            raise damaged(f"{_LINK_HEAP} has no object where a link should be")
        if place not in self._blocks:
            self._blocks[place] = self._block(start, size, address)
        return self._blocks[place][offset - start : offset - start + length]

    def _block(self, start: int, size: int, address: int) -> bytes:
        data = self._source.read(address, size, _LINK_HEAP)
        fields = Fields(data, _LINK_HEAP)
        fields.signature(b"FHDB")
        self._check_owner(fields, start)
        if self._has_checksums:
            at = size - fields.left
            if lookup3(data[:at] + bytes(4) + data[at + 4 :]) != fields.unsigned(4):
                raise damaged(f"the checksum of {_LINK_HEAP} does not match")
        return data

    def _check_owner(self, fields: Fields, start: int) -> None:
        fields.expect(0)
        if (fields.address(), fields.unsigned(self._offset_bytes)) != (self._header, start):
            raise damaged(f"{_LINK_HEAP} has a block of another one")


def _read_records(source: Source, address: int) -> Iterator[bytes]:
    """Yield the records of a tree."""
    source.once(address, _LIST)
    fields = source.checked(address, _TREE_HEADER, _LIST)
    fields.signature(b"BTHD")
    fields.expect(0)
    fields.expect(_BY_NAME, of="kind")
    # Behind the depth stands when nodes are split and joined.
    node_bytes, record_bytes, depth, root, number = fields.numbers("<IHH2xQH")
    if record_bytes != _RECORD or not 64 <= node_bytes <= MAX_BLOCK or depth > MAX_DEPTH:
        raise damaged(f"{_LIST} has nodes of odd sizes")
    pointers = _pointer_sizes(node_bytes, depth)
    pending = [(root, number, depth)] if root != UNDEFINED else []
    while pending:
        address, number, level = pending.pop()
        source.once(address, _LIST)
        frame = 6 + number * _RECORD + (number + 1) * sum(pointers[level])
        if frame + 4 > node_bytes:
            raise damaged(f"{_LIST} has a node of too many links")
        node = source.checked(address, frame, _LIST)
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
