"""Reads an untrusted file."""

import os
import stat
from pathlib import Path

from tournament.intake.faults import refuse


def take(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a regular file without following a link.

    Raises:
        Refused: it is not there, not a regular file, or larger than `max_bytes`.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    again = "give the path of the .h5 file that model.save('net.h5') wrote"
    try:
        if path.is_symlink():
            raise refuse("the file is a symbolic link", "give the path of the file itself")
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise refuse(f"the file cannot be opened: {error.strerror}", again) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise refuse("this is not a regular file", again)
        data = _read(descriptor, max_bytes + 1) if status.st_size <= max_bytes else b""
    finally:
        os.close(descriptor)
    if status.st_size > max_bytes or len(data) > max_bytes:
        raise refuse(
            f"the file has {status.st_size:,} bytes: at most {max_bytes:,} are taken",
            "make the network smaller, or save it without its optimizer: "
            "model.save('net.h5', include_optimizer=False)",
        )
    return data


def _read(descriptor: int, size: int) -> bytes:
    """Return up to `size` bytes, to the end of the file."""
    pieces = []
    while size > 0 and (piece := os.read(descriptor, size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
