"""Object headers, versions 1 and 2: the messages that say what an object is."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tournament.intake.hdf5.reasons import damaged, foreign
from tournament.intake.hdf5.source import Fields, Source

MAX_MESSAGES = 4_100  # of one object; more links than that are in a structure of their own
DATASPACE, LINK_INFO, DATATYPE, LINK, EXTERNAL_FILES, LAYOUT = 0x01, 0x02, 0x03, 0x06, 0x07, 0x08
FILTERS, ATTRIBUTE, CONTINUATION, SYMBOL_TABLE, ATTRIBUTE_INFO = 0x0B, 0x0C, 0x10, 0x11, 0x15
_SEVERAL = (LINK, ATTRIBUTE)
_KNOWN = (
    DATASPACE, LINK_INFO, DATATYPE, LINK, EXTERNAL_FILES, LAYOUT, FILTERS, ATTRIBUTE, CONTINUATION,
    SYMBOL_TABLE, ATTRIBUTE_INFO,
)
# Free room, fill values, group info, a comment, times of change, the number of links: of no use.
_PASSED_OVER = (0x00, 0x04, 0x05, 0x0A, 0x0D, 0x0E, 0x12, 0x16)
_SHARED = 0x02
_WHAT = "an object's header"


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
            raise damaged(f"{_WHAT} lacks {what}")
        return Fields(self.messages[kind][0], what)

    def all(self, kind: int, what: str) -> Iterator[Fields]:
        """Return all messages of a kind; `what` they are, for the refusal."""
        return (Fields(data, what) for data in self.messages.get(kind, ()))


def read_header(source: Source, address: int) -> Header:
    """Return the header at an address, with the blocks in which it goes on."""
    source.once(address, _WHAT)
    if source.view(address, 4, _WHAT) == b"OHDR":
        form, block = _begin_2(source, address)
    else:
        form, block = _begin_1(source, address)
    messages: dict[int, list[bytes]] = {}
    pending, number = [block], 0
    for block in pending:  # grows on the way
        for kind, data in form.messages(block):
            number += 1
            if number > MAX_MESSAGES:
                raise foreign(f"an object of more than {MAX_MESSAGES} messages")
            if kind == CONTINUATION:
                pending.append(form.continued(source, Fields(data, _WHAT)))
            elif kind not in _PASSED_OVER:
                messages.setdefault(kind, []).append(data)
    if any(len(found) > 1 for kind, found in messages.items() if kind not in _SEVERAL):
        raise damaged(f"{_WHAT} says something twice")
    return Header(messages)


@dataclass(frozen=True)
class _Form:
    """How messages are written: before each are its kind, its size and its flags."""

    version: int
    prefix: struct.Struct

    def messages(self, block: Fields) -> Iterator[tuple[int, bytes]]:
        while block.left >= self.prefix.size:  # what is left in version 2 is a gap
            kind, size, flags = block.numbers(self.prefix)
            data = block.take(size)
            if kind in _PASSED_OVER:
                yield 0, b""
                continue
            if kind not in _KNOWN:
                raise foreign(f"an object with a message of kind {kind}")
            if flags & _SHARED:
                raise foreign("objects that share a part of their description")
            yield kind, data

    def continued(self, source: Source, place: Fields) -> Fields:
        """Return the messages of a further block."""
        address, size = place.address(), place.address()
        source.once(address, _WHAT)
        if self.version == 1:
            return source.fields(address, size, _WHAT)
        block = source.checked(address, max(size - 4, 0), _WHAT)
        block.signature(b"OCHK")
        return block


_FORM_1 = _Form(1, struct.Struct("<HHB3x"))
_FORM_2, _FORM_2_NUMBERED = _Form(2, struct.Struct("<BHB")), _Form(2, struct.Struct("<BHB2x"))


def _begin_1(source: Source, address: int) -> tuple[_Form, Fields]:
    fields = source.fields(address, 16, _WHAT)
    fields.expect(1)
    fields.skip(1 + 2 + 4)  # reserved, the numbers of messages and of links
    return _FORM_1, source.fields(address + 16, fields.unsigned(4), _WHAT)


def _begin_2(source: Source, address: int) -> tuple[_Form, Fields]:
    fields = source.fields(address, 6, _WHAT)
    fields.signature(b"OHDR")
    fields.expect(2)
    flags = fields.unsigned(1)
    size_bytes = 1 << (flags & 3)
    before = 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    size = source.fields(address + before, size_bytes, _WHAT).unsigned(size_bytes)
    block = source.checked(address, before + size_bytes + size, _WHAT)
    block.skip(before + size_bytes)
    return _FORM_2_NUMBERED if flags & 4 else _FORM_2, block
