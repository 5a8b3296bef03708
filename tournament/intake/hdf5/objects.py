"""Where the root is, and what an object's header says: its messages, types and attributes."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from tournament.intake.faults import refusal
from tournament.intake.hdf5.source import UNDEFINED, Fields, Source, damaged, foreign

SIGNATURE = b"\x89HDF\r\n\x1a\n"
_SUPERBLOCK = "the superblock"
_SIZE_0, _SIZE_2 = 96, 44  # of versions 0 and 2; in 2 without checksum
MAX_MESSAGES = 4_100  # of one object; more links than that are in a structure of their own
DATASPACE, LINK_INFO, DATATYPE, LINK, EXTERNAL_FILES, LAYOUT = 0x01, 0x02, 0x03, 0x06, 0x07, 0x08
FILTERS, ATTRIBUTE, CONTINUATION, SYMBOL_TABLE, ATTRIBUTE_INFO = 0x0B, 0x0C, 0x10, 0x11, 0x15
_SEVERAL = (LINK, ATTRIBUTE, CONTINUATION)
_KNOWN = (
    DATASPACE, LINK_INFO, DATATYPE, LINK, EXTERNAL_FILES, LAYOUT, FILTERS, ATTRIBUTE, CONTINUATION,
    SYMBOL_TABLE, ATTRIBUTE_INFO,
)
# Free room, fill values, group info, a comment, times of change, the number of links: of no use.
_PASSED_OVER = (0x00, 0x04, 0x05, 0x0A, 0x0D, 0x0E, 0x12, 0x16)
_SHARED = 0x02
# Before a message are its kind, its size and its flags; in version 2 maybe its number.
_PREFIX_1, _PREFIX_2, _PREFIX_2_NUMBERED = "<HHB3x", "<BHB", "<BHB2x"
_HEADER = "an object's header"
MAX_RANK = 32
_SHAPE = "a shape"
_INTEGER, _FLOAT, _STRING, _VARIABLE = 0, 1, 3, 9
# Offset and bits of the whole; then place and size of exponent and mantissa, and the bias.
_IEEE = {
    2: (0, 16, 10, 5, 0, 10, 15),
    4: (0, 32, 23, 8, 0, 23, 127),
    8: (0, 64, 52, 11, 0, 52, 1023),
}
_ATTRIBUTE = "an attribute"
_TEXTS = "a heap of texts"
_COLLECTION_PREFIX, _OBJECT_PREFIX = 16, 16


def find_root(source: Source) -> int:
    """Return the address of the root group's header."""
    start = len(SIGNATURE)
    version = source.fields(start, 1, _SUPERBLOCK).unsigned(1)
    if version == 0:
        fields = source.fields(start, _SIZE_0 - start, _SUPERBLOCK)
        fields.skip(1)
        for part in ("free space", "root group"):
            fields.expect(0, of=f"the {part} in version")
        fields.skip(1)
        fields.expect(0, of="shared headers in version")
    elif version in (2, 3):
        fields = source.checked(0, _SIZE_2, _SUPERBLOCK)
        fields.skip(start + 1)
    else:
        raise foreign(f"a superblock of version {version}")
    if fields.take(2) != b"\x08\x08":
        raise foreign("addresses or lengths that are not of 8 bytes")
    if version == 0:
        # After two sizes of nodes and flags; also where free space is listed, and the root's name.
        base, end, driver, root = fields.numbers("<9xQ8xQQ8xQ")
        special = "" if driver == UNDEFINED else "a driver of its own"
    else:
        if fields.unsigned(1):
            raise damaged("it was not closed when it was written")
        base, extension, end, root = fields.numbers("<4Q")
        special = "" if extension == UNDEFINED else "an extension of the superblock"
    if base != 0:
        raise foreign("a user block")
    if end > source.size:
        raise refusal("incomplete", number=source.size, end=end)
    if special:
        raise foreign(special)
    return root


@dataclass(frozen=True)
class Header:
    """The messages of one object by their kind, in their order."""

    messages: dict[int, list[bytes]]

    def has(self, kind: int) -> bool:
        """Return whether there is a message of this kind."""
        return kind in self.messages

    def one(self, kind: int, what: str) -> Fields:
        """Return the message of which such an object has exactly one."""
        if kind not in self.messages:
            raise damaged(f"{_HEADER} lacks {what}")
        return Fields(self.messages[kind][0], what)

    def all(self, kind: int, what: str) -> Iterator[Fields]:
        """Return all messages of a kind; `what` they are, for the refusal."""
        return (Fields(data, what) for data in self.messages.get(kind, ()))


def read_header(source: Source, address: int) -> Header:
    """Return the header at an address, with the blocks in which it goes on."""
    source.once(address, _HEADER)
    prefix, block = _begin(source, address)
    found: dict[int, list[bytes]] = {}
    pending, number = [block], 0
    for block in pending:  # grows on the way
        while block.left >= struct.calcsize(prefix):  # what is left in version 2 is a gap
            kind, size, flags = block.numbers(prefix)
            data = block.take(size)
            number += 1
            if kind not in (*_PASSED_OVER, *_KNOWN):
                raise foreign(f"an object with a message of kind {kind}")
            if flags & _SHARED and kind not in _PASSED_OVER:
                raise foreign("objects that share a part of their description")
            if number > MAX_MESSAGES:
                raise foreign(f"an object of more than {MAX_MESSAGES} messages")
            if kind == CONTINUATION:
                pending.append(_continued(source, Fields(data, _HEADER), prefix))
            elif kind not in _PASSED_OVER:
                found.setdefault(kind, []).append(data)
    if any(len(messages) > 1 for kind, messages in found.items() if kind not in _SEVERAL):
        raise damaged(f"{_HEADER} says something twice")
    return Header(found)


def _begin(source: Source, address: int) -> tuple[str, Fields]:
    """Return how a header's messages are written, and those of its first block."""
    if source.view(address, 4, _HEADER) != b"OHDR":
        fields = source.fields(address, 16, _HEADER)
        fields.expect(1)
        (size,) = fields.numbers("<7xI")  # after the numbers of messages and of links
        return _PREFIX_1, source.fields(address + 16, size, _HEADER)
    fields = source.fields(address, 6, _HEADER)
    fields.skip(4)
    fields.expect(2)
    flags = fields.unsigned(1)
    size_bytes = 1 << (flags & 3)
    before = 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    size = source.fields(address + before, size_bytes, _HEADER).unsigned(size_bytes)
    block = source.checked(address, before + size_bytes + size, _HEADER)
    block.skip(before + size_bytes)
    return _PREFIX_2_NUMBERED if flags & 4 else _PREFIX_2, block


def _continued(source: Source, place: Fields, prefix: str) -> Fields:
    """Return the messages of a further block."""
    address, size = place.numbers("<QQ")
    source.once(address, _HEADER)
    if prefix is _PREFIX_1:
        return source.fields(address, size, _HEADER)
    block = source.checked(address, max(size - 4, 0), _HEADER)
    block.signature(b"OCHK")
    return block


def read_shape(fields: Fields) -> tuple[int, ...] | None:
    """Return the length of each axis, () of a single element, None where there is none at all."""
    version = fields.expect(1, 2)
    rank, flags, kind = fields.take(3)
    if version == 1:
        fields.skip(4)
    if rank > MAX_RANK or flags > 1:
        raise damaged(f"{_SHAPE} has {rank} axes and flags {flags}")
    if version == 2 and kind == 2:
        return None
    shape = tuple(fields.unsigned(8) for _ in range(rank))
    if version == 2 and kind != (1 if rank else 0):
        raise damaged(f"{_SHAPE} has {rank} axes and is of kind {kind}")
    return shape


@dataclass(frozen=True)
class Datatype:
    """One kind of elements.

    size: bytes of an element in its place.
    number: the kind for NumPy, None for text and for all that is not taken.
    text: how a text is written: "fixed" in its place, "variable" elsewhere, or "" for no text.
    padding: of a fixed text: 0 a zero ends it, 1 zeros fill it up, 2 spaces do.
    """

    size: int
    number: np.dtype | None = None
    text: str = ""
    padding: int = 0


def read_datatype(fields: Fields) -> Datatype:
    """Return the kind that a message describes."""
    kind = fields.unsigned(1) & 15  # the rest is a version: these kinds are the same in all
    bits, size = fields.unsigned(3), fields.unsigned(4)
    order = ">" if bits & 1 else "<"
    if kind == _INTEGER:
        offset, precision = fields.numbers("<HH")
        if size in (1, 2, 4, 8) and not offset and precision == 8 * size:
            return Datatype(size, np.dtype(f"{order}{'i' if bits & 8 else 'u'}{size}"))
    if kind == _FLOAT:
        form, implied, vax, sign = fields.numbers("<HHBBBBI"), bits >> 4 & 3, bits & 64, bits >> 8
        if _IEEE.get(size) == form and implied == 2 and not vax and sign & 255 == 8 * size - 1:
            return Datatype(size, np.dtype(f"{order}f{size}"))
    if kind == _STRING:
        return Datatype(size, text="fixed" if bits & 15 < 3 and size else "", padding=bits & 15)
    if kind == _VARIABLE:
        return Datatype(size, text="variable" if bits & 15 == 1 and size == 16 else "")
    return Datatype(size)


class GlobalHeap:
    """Texts by the address of their collection and their number in it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._collections: dict[int, dict[int, tuple[int, int]]] = {}

    def read(self, collection: int, number: int, size: int) -> bytes:
        """Return the first `size` bytes of an object; each reading counts towards the budget."""
        if collection not in self._collections:
            self._collections[collection] = self._list(collection)
        start, length = self._collections[collection].get(number, (0, -1))
        if length < size:
            raise damaged("a text is not where an attribute says")
        return self._source.read(start, size, _TEXTS)

    def _list(self, collection: int) -> dict[int, tuple[int, int]]:
        """Return where each object of a collection is, and how long."""
        fields = self._source.fields(collection, _COLLECTION_PREFIX, _TEXTS)
        fields.signature(b"GCOL")
        fields.expect(1)
        end = collection + fields.numbers("<3xQ")[0]
        at, found = collection + _COLLECTION_PREFIX, {}
        while at + _OBJECT_PREFIX <= end:
            number, size = self._source.fields(at, _OBJECT_PREFIX, _TEXTS).numbers("<H6xQ")
            if number == 0:  # what follows is free
                break
            at += _OBJECT_PREFIX
            if at + size > end or number in found:
                raise damaged(f"{_TEXTS} contradicts itself")
            found[number] = (at, size)
            at += -(-size // 8) * 8
        return found


@dataclass(frozen=True)
class Attribute:
    """One attribute.

    shape: of its elements, () for a single one, None where it is there without one.
    data: the elements; a text of any length is elsewhere, and its place is here.
    """

    shape: tuple[int, ...] | None
    datatype: Datatype
    data: bytes

    @property
    def num_elements(self) -> int:
        """How many elements it has; 0 where it is there without one."""
        return 0 if self.shape is None else prod(self.shape)

    def texts(self, heap: GlobalHeap) -> list[str] | None:
        """Return its texts in a row, None where it holds something else."""
        if not self.datatype.text or self.shape is None:
            return None
        size = self.datatype.size
        elements = (self.data[at : at + size] for at in range(0, len(self.data), size))
        read = (self._text(element, heap) for element in elements)
        return [text.decode("utf-8", "backslashreplace") for text in read]

    def _text(self, element: bytes, heap: GlobalHeap) -> bytes:
        if self.datatype.text == "variable":
            size, collection, number = struct.unpack("<IQI", element)
            element = heap.read(collection, number, size) if size else b""
        elif self.datatype.padding:
            return element.rstrip(b"\0" if self.datatype.padding == 1 else b" ")
        return element.partition(b"\0")[0]


def read_attributes(header: Header) -> dict[str, Attribute]:
    """Return the attributes of an object by their names."""
    if header.has(ATTRIBUTE_INFO):
        fields = header.one(ATTRIBUTE_INFO, _ATTRIBUTE)
        fields.expect(0)
        fields.skip(2 if fields.unsigned(1) & 1 else 0)
        if fields.address() != UNDEFINED:  # they are outside of the header
            raise foreign("an object with many or very long attributes")
    found: dict[str, Attribute] = {}
    for fields in header.all(ATTRIBUTE, _ATTRIBUTE):
        name, attribute = _read_attribute(fields)
        if name in found:
            raise damaged("two attributes of an object have one name")
        found[name] = attribute
    return found


def _read_attribute(fields: Fields) -> tuple[str, Attribute]:
    version = fields.expect(1, 2, 3)
    flags = fields.unsigned(1)
    if version > 1 and flags:
        raise foreign("objects that share a part of their description")
    sizes = fields.numbers("<3H")  # of name, type and shape
    fields.skip(1 if version == 3 else 0)  # the character set, which is UTF-8 or a part of it
    parts = []
    for size in sizes:
        parts.append(fields.take(size))
        fields.skip(-size % 8 if version == 1 else 0)
    name, kind, space = parts
    datatype = read_datatype(Fields(kind, "an attribute's type"))
    shape = read_shape(Fields(space, "an attribute's shape"))
    if name.find(b"\0") != len(name) - 1:
        raise damaged("the name of an attribute does not end where it should")
    size = 0 if shape is None else prod(shape) * datatype.size
    text = name[:-1].decode("utf-8", "backslashreplace")
    return text, Attribute(shape, datatype, fields.take(size))
