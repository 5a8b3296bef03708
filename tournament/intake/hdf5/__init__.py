"""The part of HDF5 that Keras writes, read without the HDF5 library; all else is refused in words.

    source.py    the bytes: bounds, a budget, checksums
    objects.py   the root, headers, types and attributes
    groups.py    the links of a group
    arrays.py    numbers, whole or in chunks

Every object of a file is checked here; numbers are read later, and only those needed. Read are
superblocks 0, 2 and 3; object headers 1 and 2; groups with a symbol table, with messages, or with a
fractal heap; attributes of numbers and text; arrays in one place or in chunks under a B-tree of
version 1, with gzip, shuffle and fletcher32.
The format: https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html

A file that is a zip and HDF5 at once has two contents, and is refused. Programs for HDF5 look for
a signature at 0, 512, 1024, 2048 and so on; what comes before is the file's user block. Programs
for zip look for a directory from the end, whatever comes before.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from tournament.intake.faults import Refused, printable, quoted, refusal
from tournament.intake.hdf5.arrays import Array, read_array
from tournament.intake.hdf5.groups import Link, read_links
from tournament.intake.hdf5.objects import (
    DATASPACE,
    DATATYPE,
    LINK,
    LINK_INFO,
    SIGNATURE,
    SYMBOL_TABLE,
    Attribute,
    GlobalHeap,
    find_root,
    read_attributes,
    read_header,
)
from tournament.intake.hdf5.source import Source, damaged, foreign

MAX_OBJECTS = 4_000
MAX_DEPTH = 12
MAX_ATTRIBUTES = 64
MAX_ATTRIBUTE_ELEMENTS = 4_000
MAX_UNPACKED = 32 << 20  # bytes of arrays in chunks
_FIRST_USER_BLOCK = 512
_ZIP_END, _ZIP_END_BYTES = b"PK\5\6", 22
_ZIP_MEMBER, _ZIP_ENTRY = b"PK\3\4", b"PK\1\2"
_NO_MEMBERS = bytes(12)  # their number on this disk and on all, the directory's size and place


@dataclass(frozen=True)
class Group:
    """A group: its links, which are not followed, and its attributes by name."""

    links: list[Link]
    attributes: dict[str, Attribute] = field(repr=False)


class File:
    """A whole file in memory. Every method raises Refused where it is damaged or foreign."""

    def __init__(self, data: bytes) -> None:
        self._source = Source(data)
        self._texts = GlobalHeap(self._source)
        self.root_address = find_root(self._source)

    def open(self, address: int, where: str) -> Group | Array:
        """Return the object at an address, `where` for the refusal; each can be opened once."""
        header = read_header(self._source, address)
        attributes = read_attributes(header)
        is_group = any(header.has(kind) for kind in (SYMBOL_TABLE, LINK_INFO, LINK))
        is_array = header.has(DATATYPE) and header.has(DATASPACE)
        if is_group and is_array:
            raise damaged(f"{quoted(where)} is a group and an array")
        if is_group:
            return Group(read_links(self._source, header), attributes)
        if is_array:
            return read_array(self._source, header, attributes, where)
        raise foreign(f"{quoted(where)}, neither a group nor an array")

    def texts(self, attribute: Attribute) -> list[str] | None:
        """Return the texts of an attribute in a row, None where it holds something else."""
        return attribute.texts(self._texts)


@dataclass(frozen=True)
class Contents:
    """What is in a file, each object by its path; the root is ""."""

    file: File
    groups: dict[str, Group]
    arrays: dict[str, Array]


def open_contents(data: bytes) -> Contents:
    """Return everything in a file, checked and not yet read."""
    if not data:
        raise refusal("other-file", kind="empty")
    start = hdf5_start(data)
    if start is not None and holds_zip(data):
        raise two_at_once()
    if start:
        raise foreign("a user block")
    if start is None:
        if data.lstrip()[:14].lower().startswith((b"<!doctype html", b"<html")):
            raise refusal("web-page")
        raise refusal("other-file", kind="not an HDF5 file")
    contents = _walk(File(data))
    _check_total(contents.arrays.values(), len(data))
    return contents


def _walk(file: File) -> Contents:
    """Open every object of the file, by hard links alone and each once."""
    root = file.open(file.root_address, "/")
    if not isinstance(root, Group):
        raise damaged("it does not begin with a group")
    _check_attributes(root, "/")
    contents = Contents(file, {"": root}, {})
    seen = {file.root_address}
    pending = [("", 0)]
    while pending:
        parent, depth = pending.pop()
        for path, address in _hard_links(contents.groups[parent], parent):
            if address in seen:
                raise foreign(f"two links to the object {quoted(path)}")
            seen.add(address)
            if len(seen) > MAX_OBJECTS or depth >= MAX_DEPTH:
                raise refusal("many-objects", most=MAX_OBJECTS, levels=MAX_DEPTH)
            opened = file.open(address, path)
            _check_attributes(opened, path)
            if isinstance(opened, Group):
                contents.groups[path] = opened
                pending.append((path, depth + 1))
            else:
                contents.arrays[path] = opened
    return contents


def _hard_links(group: Group, parent: str) -> Iterator[tuple[str, int]]:
    """Yield the path and the address of what is in a group; raises Refused at any other link."""
    if len(group.links) > MAX_OBJECTS:
        raise refusal("many-objects", most=MAX_OBJECTS, levels=MAX_DEPTH)
    if len({link.name for link in group.links}) != len(group.links):
        raise damaged(f"two entries of the group {quoted(parent)} have one name")
    for link in group.links:
        path = f"{parent}/{link.name.decode('utf-8', 'backslashreplace')}".lstrip("/")
        if b"/" in link.name:
            raise damaged(f"the name of {quoted(path)} holds a slash")
        if link.special:
            raise foreign(f"{quoted(path)}, {link.special}")
        yield path, link.address


def _check_attributes(opened: Group | Array, path: str) -> None:
    if len(opened.attributes) > MAX_ATTRIBUTES:
        raise foreign(f"{len(opened.attributes)} attributes of {quoted(path)}")
    for attribute in opened.attributes.values():
        plain = attribute.datatype.text or attribute.datatype.number is not None
        if attribute.num_elements > MAX_ATTRIBUTE_ELEMENTS or not plain:
            raise foreign(f"a long or foreign attribute of {quoted(path)}")


def _check_total(arrays: Iterable[Array], file_bytes: int) -> None:
    sizes = {True: 0, False: 0}
    for array in arrays:
        sizes[array.is_packed] += array.num_bytes
    if sizes[False] > file_bytes:
        raise damaged(
            f"the arrays have {sizes[False]:,} bytes, the file {file_bytes:,}: "
            "they share their numbers"
        )
    if sizes[True] > MAX_UNPACKED:
        raise refusal("unpacked", what="what is in chunks", number=sizes[True], most=MAX_UNPACKED)


def read_numbers(array: Array, title: str) -> np.ndarray:
    """Return an array in float32; raises Refused, with its title, if a number is not finite."""
    with np.errstate(over="ignore"):  # what is beyond float32 is infinite then
        numbers = array.read().astype(np.float32)
    if not np.isfinite(numbers).all():
        raise refusal("not-finite-weights", title=printable(title))
    return numbers


def hdf5_start(data: bytes) -> int | None:
    """Return where a program for HDF5 begins to read, None if it finds nothing."""
    places = [0, *(_FIRST_USER_BLOCK << power for power in range(len(data).bit_length()))]
    return next((at for at in places if data.startswith(SIGNATURE, at)), None)


def holds_zip(data: bytes) -> bool:
    """Return whether a program for zip may find members, or an empty zip, anywhere in a file."""
    at = data.find(_ZIP_END)
    has_members = _ZIP_MEMBER in data or _ZIP_ENTRY in data
    while 0 <= at <= len(data) - _ZIP_END_BYTES:
        if has_members or data.startswith(_NO_MEMBERS, at + 8):
            return True
        at = data.find(_ZIP_END, at + 1)
    return False


def two_at_once() -> Refused:
    """Return the refusal of a file that is a zip and an HDF5 file."""
    return refusal("other-file", kind="a zip and an HDF5 file at once")
