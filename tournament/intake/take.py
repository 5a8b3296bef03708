"""Reads an untrusted file, and says how large it may be."""

import os
import stat
from pathlib import Path

from tournament.intake.faults import Fault, Refused, refuse

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
    again = "give the path of the file that model.save('net.h5') wrote"
    try:
        if path.is_symlink():
            raise refuse("the file is a symbolic link", "give the path of the file itself")
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise refuse(f"the file cannot be opened: {error.strerror}", again) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise refuse(f"this is {kind}", again)
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
    text = f"the file has {num_bytes:,} bytes: at most {max_bytes:,} are taken"
    if in_layers:
        text += f"; the network has {in_layers:,} parameters, its optimizer {elsewhere:,} numbers"
    remedy = "save it without its optimizer: model.save('net.h5', include_optimizer=False)"
    if in_layers and not elsewhere:
        remedy = "make the network smaller, or judge it with a larger --max-bytes"
    elif not in_layers:
        remedy = f"make the network smaller, or {remedy}"
    return refuse(text, remedy)


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
    text = f"the layers in the file have {num_stored:,} parameters: the budget is {max_params:,}"
    return (Fault(f"{text} {kind}", "use fewer filters or blocks"),)
