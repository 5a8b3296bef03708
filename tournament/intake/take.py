"""Takes a stranger's file."""

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
    if path.is_symlink():
        raise refuse("the file is a symbolic link", "give the path of the file itself")
    try:
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise refuse(f"the file cannot be opened: {error.strerror}", again) from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise refuse("this is not a regular file", again)
        data = file.read(max_bytes + 1) if status.st_size <= max_bytes else b""
    if status.st_size > max_bytes or len(data) > max_bytes:
        raise refuse(
            f"the file has {status.st_size:,} bytes: at most {max_bytes:,} are taken",
            "make the network smaller, or save it without its optimizer: "
            "model.save('net.h5', include_optimizer=False)",
        )
    return data
