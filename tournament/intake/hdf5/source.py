"""The bytes of a file, read within their bounds and a bounded number of times."""

import struct

from tournament.intake.hdf5.checksum import lookup3
from tournament.intake.hdf5.reasons import damaged

UNDEFINED = (1 << 64) - 1
_CHECKSUM = 4


class Fields:
    """The fields of one structure, read from left to right; numbers are little-endian.

    Args:
        data: the bytes of the structure.
        what: it is, for the refusal.
    """

    __slots__ = ("_at", "_data", "_what")

    def __init__(self, data: bytes, what: str) -> None:
        self._data, self._what, self._at = data, what, 0

    @property
    def left(self) -> int:
        """The number of bytes that are not read yet."""
        return len(self._data) - self._at

    def take(self, size: int) -> bytes:
        """Return the next bytes; raises Refused where there are fewer."""
        start, end = self._at, self._at + size
        if end > len(self._data):
            raise damaged(f"{self._what} is cut short")
        self._at = end
        return self._data[start:end]

    def rest(self) -> bytes:
        """Return all bytes that are left."""
        return self.take(self.left)

    def unsigned(self, size: int) -> int:
        """Return the next whole number, of `size` bytes, the lowest first."""
        return int.from_bytes(self.take(size), "little")

    def address(self) -> int:
        """Return the next field as an address, which has eight bytes."""
        return self.unsigned(8)

    def numbers(self, form: struct.Struct) -> tuple[int, ...]:
        """Return the numbers of several fields at once, where there are many to read."""
        return form.unpack(self.take(form.size))

    def skip(self, size: int) -> None:
        """Pass over bytes that mean nothing here."""
        self.take(size)

    def signature(self, expected: bytes) -> None:
        """Read the bytes that begin the structure; raises Refused where others stand there."""
        if self.take(len(expected)) != expected:
            raise damaged(f"{self._what} is not where it should be")

    def expect(self, *values: int, of: str = "version") -> int:
        """Return the next byte, which is one of these values."""
        value = self.unsigned(1)
        if value not in values:
            raise damaged(f"{self._what} has {of} {value}")
        return value


class Source:
    """The bytes of a file.

    A structure is read at one address once, and all structures together have no more bytes than
    twice the file: so no loop of references and no overlap costs more than the file's size.
    """

    def __init__(self, data: bytes) -> None:
        self.size = len(data)
        self._data = memoryview(data)
        self._budget = 2 * len(data)
        self._seen: set[int] = set()

    def read(self, address: int, size: int, what: str) -> bytes:
        """Return the bytes at an address."""
        self._budget -= size
        if self._budget < 0:
            raise damaged("its structures overlap")
        return bytes(self.view(address, size, what))

    def view(self, address: int, size: int, what: str) -> memoryview:
        """Return the bytes at an address, not copied; the caller bounds how often it asks."""
        if address + size > self.size:
            raise damaged(f"{what} is not within the file")
        return self._data[address : address + size]

    def fields(self, address: int, size: int, what: str) -> Fields:
        """Return the fields of a structure; `what` it is, for the refusal."""
        return Fields(self.read(address, size, what), what)

    def once(self, address: int, what: str) -> None:
        """Note that a structure is read; raises Refused the second time."""
        if address in self._seen:
            raise damaged(f"{what} is used twice")
        self._seen.add(address)

    def checked(self, address: int, size: int, what: str) -> Fields:
        """Return the bytes at an address without the checksum of them that follows."""
        data = self.read(address, size + _CHECKSUM, what)
        if lookup3(data[:size]) != int.from_bytes(data[size:], "little"):
            raise damaged(f"the checksum of {what} does not match")
        return Fields(data[:size], what)
