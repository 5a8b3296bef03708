"""The bytes of a file: read within their bounds, a bounded number of times, and checked."""

import struct

import numpy as np

from tournament.intake.faults import Refused, refusal

UNDEFINED = (1 << 64) - 1
CHECKSUM_BYTES = 4
_MASK = 0xFFFFFFFF


def damaged(what: str) -> Refused:
    """Return the refusal of a file whose parts contradict each other."""
    return refusal("damaged-file", what=what)


def foreign(what: str) -> Refused:
    """Return the refusal of something that HDF5 allows and Keras does not write."""
    return refusal("foreign", what=what)


def lookup3(data: bytes) -> int:
    """Return the 32-bit hash of bytes, Bob Jenkins' `hashlittle` of 2006 from an initial 0."""
    size = len(data)
    a = b = c = (0xDEADBEEF + size) & _MASK
    if size == 0:
        return c
    whole = (size - 1) // 12  # the last block is mixed otherwise
    words = struct.unpack(f"<{3 * (whole + 1)}I", data + bytes(12 * (whole + 1) - size))
    for at in range(0, 3 * whole, 3):
        a += words[at]
        b += words[at + 1]
        c += words[at + 2]
        a = (a - c ^ (c << 4 | (c & _MASK) >> 28)) & _MASK
        c += b
        b = (b - a ^ (a << 6 | a >> 26)) & _MASK
        a += c
        c = (c - b ^ (b << 8 | b >> 24)) & _MASK
        b += a
        a = (a - c ^ (c << 16 | c >> 16)) & _MASK
        c += b
        b = (b - a ^ (a << 19 | (a & _MASK) >> 13)) & _MASK
        a += c
        c = (c - b ^ (b << 4 | b >> 28)) & _MASK
        b += a
    a, b, c = a + words[-3] & _MASK, b + words[-2] & _MASK, c + words[-1] & _MASK
    last = [a, b, c]
    for place, by in enumerate((14, 11, 25, 16, 4, 14, 24)):
        x, y = (place + 2) % 3, (place + 1) % 3
        turned = (last[y] << by | last[y] >> 32 - by) & _MASK
        last[x] = (last[x] ^ last[y]) - turned & _MASK
    return last[2]


def fletcher32(data: bytes) -> int:
    """Return the checksum of a chunk, sums of 16-bit big-endian words."""
    words = np.frombuffer(data + bytes(len(data) % 2), ">u2").astype(np.uint64)
    weights = np.arange(words.size, 0, -1, dtype=np.uint64)
    low = int(words.sum())
    # Each product is below 2^41: blocks of 2^15 can't overflow.
    high = sum(
        int((words[at : at + 32768] * weights[at : at + 32768]).sum())
        for at in range(0, words.size, 32768)
    )
    # Additions with carry leave a sum modulo 65535, and 0 for nothing but zeros.
    low, high = ((total - 1) % 65535 + 1 if total else 0 for total in (low, high))
    return high << 16 | low


class Fields:
    """The fields of one structure, `what` for the refusal, read from left to right."""

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

    def unsigned(self, size: int) -> int:
        """Return the next whole number, of `size` bytes, the lowest first."""
        return int.from_bytes(self.take(size), "little")

    def address(self) -> int:
        """Return the next field as an address, which has eight bytes."""
        return self.unsigned(8)

    def numbers(self, form: str) -> tuple[int, ...]:
        """Return the numbers of several fields, in the form that `struct` has for them."""
        return struct.unpack(form, self.take(struct.calcsize(form)))

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
        data = self.read(address, size + CHECKSUM_BYTES, what)
        if lookup3(data[:size]) != int.from_bytes(data[size:], "little"):
            raise damaged(f"the checksum of {what} does not match")
        return Fields(data[:size], what)
