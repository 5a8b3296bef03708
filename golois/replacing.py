"""Files that appear only when they are complete."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows: what a killed process leaves stays there
    fcntl = None


@contextmanager
def replaced_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write beside `path`, which takes its place at the end, or vanishes on an error.

    What processes that were killed have left beside the same path is removed first.

    Raises:
        FileNotFoundError: the folder of `path` does not exist.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    _remove_abandoned(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(beside, "wb") as file:
            _lock(file)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _remove_abandoned(path: Path) -> None:
    prefix = f".{path.name}."
    for file in path.parent.iterdir():
        writer = file.name.removeprefix(prefix).removesuffix(".part")
        if file.name == f"{prefix}{writer}.part" and writer.isdecimal() and _is_abandoned(file):
            file.unlink(missing_ok=True)


def _is_abandoned(path: Path) -> bool:
    """Whether its lock is free: locks end with their process, but process ids are reused."""
    try:
        with open(path, "rb") as file:
            return _lock(file)
    except OSError:
        return False


def _lock(file: BinaryIO) -> bool:
    """Whether the file was free and is locked now, until it is closed."""
    if fcntl is None:
        return False
    with suppress(OSError):  # held by another, or a file system without locks
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
