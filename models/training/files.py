"""Files that are whole or absent: written beside, then renamed."""

import os
from collections.abc import Callable
from pathlib import Path


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a file beside `path`, with the same ending, then rename it to `path`.

    A process killed at any moment leaves the old file or the new one.
    """
    beside = path.with_name(f".{path.stem}.partial{path.suffix}")
    write(beside)
    os.replace(beside, path)
