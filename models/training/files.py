"""Files that are whole or absent: written beside, then renamed."""

import os
from collections.abc import Callable
from errno import EIO
from pathlib import Path


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a file beside `path`, with the same ending, then rename it to `path`.

    A process killed at any moment leaves the old file or the new one; an error leaves nothing else.

    Raises:
        OSError: as on a full disk; it names `path`.
    """
    beside = path.with_name(f".{path.stem}.partial{path.suffix}")
    try:
        write(beside)
        os.replace(beside, path)
    except (OSError, RuntimeError) as error:  # h5py's of a full disk is a RuntimeError
        number, reason = getattr(error, "errno", None), getattr(error, "strerror", None)
        raise OSError(number or EIO, reason or f"not written: {error}", str(path)) from error
    finally:
        beside.unlink(missing_ok=True)
