"""The checksums of HDF5: Jenkins' lookup3 of structures, Fletcher's of chunks."""

import struct

import numpy as np

_MASK = 0xFFFFFFFF


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
    c = (c ^ b) - _rotated(b, 14) & _MASK
    a = (a ^ c) - _rotated(c, 11) & _MASK
    b = (b ^ a) - _rotated(a, 25) & _MASK
    c = (c ^ b) - _rotated(b, 16) & _MASK
    a = (a ^ c) - _rotated(c, 4) & _MASK
    b = (b ^ a) - _rotated(a, 14) & _MASK
    return (c ^ b) - _rotated(b, 24) & _MASK


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> 32 - by) & _MASK


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
    return _folded(high) << 16 | _folded(low)


def _folded(total: int) -> int:
    """Return a sum modulo 65535 as additions with carry leave it: 0 for nothing but zeros."""
    return (total - 1) % 65535 + 1 if total else 0
