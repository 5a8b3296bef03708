"""How much memory this process has from the heap, whatever it had before and gave back."""

import ctypes

_FIELDS = (
    "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks",
    "keepcost",
)


class _Mallinfo2(ctypes.Structure):
    """As mallinfo(3) of glibc describes it."""

    _fields_ = [(name, ctypes.c_size_t) for name in _FIELDS]


def heap_bytes() -> int:
    """Return the bytes that are in use now; 0 where the system does not tell."""
    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2  # since glibc 2.33
    except (AttributeError, OSError, TypeError):
        return 0
    mallinfo2.restype = _Mallinfo2
    info = mallinfo2()
    return info.uordblks + info.hblkhd
