"""What the elements of an array or an attribute are: numbers, text, or something else."""

import struct
from dataclasses import dataclass

import numpy as np

from tournament.intake.hdf5.source import Fields

_INTEGER, _FLOAT, _STRING, _VARIABLE = 0, 1, 3, 9
# Offset and bits of the whole; then place and size of exponent and mantissa, and the bias.
_IEEE = {
    2: (0, 16, 10, 5, 0, 10, 15),
    4: (0, 32, 23, 8, 0, 23, 127),
    8: (0, 64, 52, 11, 0, 52, 1023),
}
_FLOAT_FORM = struct.Struct("<HHBBBBI")
_SIGN = {2: 15, 4: 31, 8: 63}


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
    if kind == _INTEGER:
        return Datatype(size, _integer(fields, bits, size))
    if kind == _FLOAT:
        return Datatype(size, _float(fields, bits, size))
    if kind == _STRING:
        return Datatype(size, text="fixed" if bits & 15 < 3 and size else "", padding=bits & 15)
    if kind == _VARIABLE:
        return Datatype(size, text="variable" if bits & 15 == 1 and size == 16 else "")
    return Datatype(size)


def _integer(fields: Fields, bits: int, size: int) -> np.dtype | None:
    offset, precision = fields.unsigned(2), fields.unsigned(2)
    if size not in (1, 2, 4, 8) or offset or precision != 8 * size:
        return None
    return np.dtype(f"{'>' if bits & 1 else '<'}{'i' if bits & 8 else 'u'}{size}")


def _float(fields: Fields, bits: int, size: int) -> np.dtype | None:
    """Return the kind of an IEEE float, None for one of another form."""
    form = fields.numbers(_FLOAT_FORM)
    implied, sign = bits >> 4 & 3, bits >> 8 & 255
    vax = bits & 0x40
    if vax or _IEEE.get(size) != form or implied != 2 or sign != _SIGN[size]:
        return None
    return np.dtype(f"{'>' if bits & 1 else '<'}f{size}")
