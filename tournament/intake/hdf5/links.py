"""What is in a group, in the three forms in which a group may list it.

A symbol table is the form of old; in the new one the links are messages of the group's header,
and many links are in a heap (dense.py).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tournament.intake.hdf5.dense import read_dense
from tournament.intake.hdf5.headers import LINK, LINK_INFO, SYMBOL_TABLE, Header
from tournament.intake.hdf5.heaps import LocalHeap
from tournament.intake.hdf5.reasons import damaged
from tournament.intake.hdf5.source import UNDEFINED, Fields, Source
from tournament.intake.hdf5.tree import read_tree

_TABLE = "the table of a group"
_SOFT = "a soft link"
_SYMBOL = struct.Struct("<QQI20x")  # ends with what a reader may keep
_KINDS = {1: _SOFT, 64: "a link to another file"}


@dataclass(frozen=True)
class Link:
    """One name in a group: the address of an object, or what the link is if it is not hard."""

    name: bytes
    address: int
    special: str = ""


def read_links(source: Source, header: Header) -> list[Link]:
    """Return the links of a group; the same name may be there twice, and nothing is followed."""
    found = [_read_link(fields) for fields in header.all(LINK, "a link")]
    if header.has(SYMBOL_TABLE):
        found.extend(_of_table(source, header.one(SYMBOL_TABLE, _TABLE)))
    if header.has(LINK_INFO):
        fields = header.one(LINK_INFO, "a group")
        fields.expect(0)
        flags = fields.unsigned(1)
        fields.skip(8 if flags & 1 else 0)  # the highest number of a link
        heap, names = fields.address(), fields.address()
        if heap != UNDEFINED:
            dense = read_dense(source, heap, names)
            found.extend(_read_link(Fields(data, "a link")) for data in dense)
    return found


def _of_table(source: Source, fields: Fields) -> Iterator[Link]:
    tree, heap = fields.address(), fields.address()
    names = LocalHeap(source, heap)
    for _, node in read_tree(source, tree, 0, 8):
        source.once(node, _TABLE)
        fields = source.fields(node, 8, _TABLE)
        fields.signature(b"SNOD")
        fields.expect(1)
        fields.skip(1)
        number = fields.unsigned(2)
        symbols = source.fields(node + 8, _SYMBOL.size * number, _TABLE)
        for _ in range(number):
            name, address, kind = symbols.numbers(_SYMBOL)
            if kind > 2:
                raise damaged(f"{_TABLE} has an entry of kind {kind}")
            yield Link(names.name(name), address, _SOFT if kind == 2 else "")


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
