"""A file, and the objects in it."""

from dataclasses import dataclass, field

from tournament.intake.faults import quoted, refuse
from tournament.intake.hdf5.arrays import Array, read_array
from tournament.intake.hdf5.attributes import Attribute, read_attributes
from tournament.intake.hdf5.headers import (
    DATASPACE,
    DATATYPE,
    LINK,
    LINK_INFO,
    SYMBOL_TABLE,
    read_header,
)
from tournament.intake.hdf5.heaps import GlobalHeap
from tournament.intake.hdf5.links import Link, read_links
from tournament.intake.hdf5.reasons import SAVE_AGAIN, damaged
from tournament.intake.hdf5.source import Source
from tournament.intake.hdf5.superblock import find_root


@dataclass(frozen=True)
class Group:
    """A group: its links, which are not followed, and its attributes by name."""

    links: list[Link]
    attributes: dict[str, Attribute] = field(repr=False)


class File:
    """A file in memory. Every method raises Refused where the file is damaged or foreign.

    Args:
        data: the whole file.
    """

    def __init__(self, data: bytes) -> None:
        self._source = Source(data)
        self._texts = GlobalHeap(self._source)
        self.root_address = find_root(self._source)

    def open(self, address: int, where: str) -> Group | Array:
        """Return the object whose header is at an address; each can be opened once.

        Args:
            address: as a link gives it.
            where: the path of the object, for the refusal.
        """
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
        raise refuse(f"{quoted(where)} is neither a group nor an array", SAVE_AGAIN)

    def texts(self, attribute: Attribute) -> list[str] | None:
        """Return the texts of an attribute in a row, None where it holds something else."""
        return attribute.texts(self._texts)
