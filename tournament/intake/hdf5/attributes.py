"""The attributes of an object: a name, and numbers or text."""

import struct
from dataclasses import dataclass
from math import prod

from tournament.intake.hdf5.dataspace import read_shape
from tournament.intake.hdf5.datatypes import Datatype, read_datatype
from tournament.intake.hdf5.headers import ATTRIBUTE, ATTRIBUTE_INFO, Header
from tournament.intake.hdf5.heaps import GlobalHeap
from tournament.intake.hdf5.reasons import damaged, foreign
from tournament.intake.hdf5.source import UNDEFINED, Fields

_WHAT = "an attribute"
_SIZES = struct.Struct("<3H")  # of name, type and shape


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
        read = (
            _unpadded(element, self.datatype.padding) if self.datatype.text == "fixed"
            else _elsewhere(element, heap)
            for element in elements
        )
        return [text.decode("utf-8", "backslashreplace") for text in read]


def read_attributes(header: Header) -> dict[str, Attribute]:
    """Return the attributes of an object by their names."""
    if header.has(ATTRIBUTE_INFO):
        _refuse_dense(header.one(ATTRIBUTE_INFO, _WHAT))
    found: dict[str, Attribute] = {}
    for fields in header.all(ATTRIBUTE, _WHAT):
        name, attribute = _read_attribute(fields)
        if name in found:
            raise damaged("two attributes of an object have one name")
        found[name] = attribute
    return found


def _refuse_dense(fields: Fields) -> None:
    """Refuse attributes that are kept outside of the object's header."""
    fields.expect(0)
    flags = fields.unsigned(1)
    fields.skip(2 if flags & 1 else 0)
    if fields.address() != UNDEFINED:
        raise foreign("an object with many or very long attributes")


def _read_attribute(fields: Fields) -> tuple[str, Attribute]:
    version = fields.expect(1, 2, 3)
    flags = fields.unsigned(1)
    if version > 1 and flags:
        raise foreign("objects that share a part of their description")
    sizes = fields.numbers(_SIZES)
    if version == 3:
        fields.skip(1)  # the character set, which is UTF-8 or a part of it
    unit = 8 if version == 1 else 1
    name, kind, space = (_part(fields, size, unit) for size in sizes)
    datatype = read_datatype(Fields(kind, "an attribute's type"))
    shape = read_shape(Fields(space, "an attribute's shape"))
    size = 0 if shape is None else prod(shape) * datatype.size
    if name.find(b"\0") != len(name) - 1:
        raise damaged("the name of an attribute does not end where it should")
    text = name[:-1].decode("utf-8", "backslashreplace")
    return text, Attribute(shape, datatype, fields.take(size))


def _part(fields: Fields, size: int, unit: int) -> bytes:
    """Return bytes that are filled up to a multiple of a unit."""
    data = fields.take(size)
    fields.skip(-size % unit)
    return data


def _unpadded(element: bytes, padding: int) -> bytes:
    if padding == 0:
        return element.partition(b"\0")[0]
    return element.rstrip(b"\0" if padding == 1 else b" ")


def _elsewhere(element: bytes, heap: GlobalHeap) -> bytes:
    fields = Fields(element, _WHAT)
    size, collection, number = fields.unsigned(4), fields.address(), fields.unsigned(4)
    return heap.read(collection, number, size).partition(b"\0")[0] if size else b""
