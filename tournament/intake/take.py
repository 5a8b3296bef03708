"""Reads an untrusted file, and says how large it may be."""

import os
import stat
from pathlib import Path

from tournament.intake.faults import Fault, Refused, fault, refusal

MAX_COUNTED = 32_000_000  # bytes of a file whose numbers are counted although it is refused
MIN_BYTES = 4_000_000
BYTES_PER_PARAMETER = 16  # four for the weight, eight for Adam's numbers, and room for the rest


def take(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a regular file without following a link.

    A file of more than `max_bytes` is returned too, if it isn't larger than MAX_COUNTED: then
    `too_large` says why it is refused.

    Raises:
        Refused: it doesn't exist, is not a regular file, or is larger than both.
    """
    at_most = max(max_bytes, MAX_COUNTED)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if path.is_symlink():
            raise refusal("link")
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise refusal("not-opened", error=error.strerror) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise refusal("no-file", kind=kind)
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(at_most + 1) if status.st_size <= at_most else b""
    finally:
        os.close(descriptor)
    if status.st_size > at_most or len(data) > at_most:
        raise too_large(max(status.st_size, len(data)), max_bytes)
    return data


def too_large(num_bytes: int, max_bytes: int, in_layers: int = 0, elsewhere: int = 0) -> Refused:
    """Return the refusal of a file by its size.

    `in_layers` are the parameters of the network, 0 where they are not known, `elsewhere` the
    numbers of the optimizer.
    """
    known = "large-optimizer" if elsewhere else "large-network"
    return refusal(
        known if in_layers else "large-file", number=num_bytes, most=max_bytes,
        parameters=in_layers, numbers=elsewhere,
    )


def file_limit(max_params: int) -> int:
    """Return the bytes that a file may have under a budget of so many parameters."""
    return max(MIN_BYTES, BYTES_PER_PARAMETER * max_params)


def over_budget(num_stored: int, max_params: int, count: str) -> tuple[Fault, ...]:
    """Return the fault of a file whose layers hold too many numbers for the budget, or none.

    `num_stored` includes moving statistics; `count` is "total" or "trainable".
    """
    # A BatchNormalization with renorm has two trainable numbers of seven; no layer has fewer.
    at_least = num_stored if count == "total" else num_stored // 4
    if at_least <= max_params:
        return ()
    kind = "parameters" if count == "total" else "trainable parameters"
    return (fault("stored-budget", number=num_stored, most=max_params, kind=kind),)
