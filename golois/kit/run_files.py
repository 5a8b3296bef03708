"""The files of a run's folder by name, and what a network is called after its file."""

import os
from pathlib import Path

RUN_FILES = ("best.h5", "best.keras")
"""What the network of a run is called in the run's folder."""


def network_file(path: str | Path) -> Path:
    """Return a network's file: `best.h5` of it where a run's folder is given."""
    best = Path(path) / "best.h5"
    try:
        return best if best.is_file() else Path(path)
    except OSError:  # a name that is too long, or a folder of others: what opens the path says so
        return Path(path)


def named_by(path: Path) -> Path:
    """Return the path whose last part names a network: its file's, or the folder of its run."""
    if path.name in RUN_FILES:
        return path.parent
    return path.with_suffix("") if path.name else path


def name_of_file(path: Path) -> str:
    """Return what the network in a file is called: as its run, or as the file without suffix."""
    return named_by(Path(os.path.abspath(path))).name or path.stem
