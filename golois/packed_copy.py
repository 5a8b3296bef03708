"""The packed copy of a file of games: made once, beside the file or in the user's cache folder."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from golois.errors import DataFormatError
from golois.importing import ImportProgress, import_games
from golois.records import GameFile, is_packed

SUFFIX = ".games"
MOST_OF_NAME = 40  # characters, of up to four bytes: file systems take 255 bytes


def packed_copy(
    source: str | Path, *, on_progress: Callable[[ImportProgress], None] | None = None
) -> Path:
    """The file itself if it is packed, else its packed copy, imported now if missing or stale.

    A copy is stale when it is older than the file or comes from one of another size. The file is
    anything that `import_games` reads; `on_progress` is called as there, if a copy is made.

    Raises:
        DataFormatError: no game could be read.
        OSError: the file doesn't exist, or neither folder can be written.
    """
    source = Path(source)
    if is_packed(source):
        return source
    beside = source.with_name(source.name + SUFFIX)
    in_cache = _cache_folder() / _cached_name(source)
    for copy in (beside, in_cache):
        if _is_current(copy, source):
            return copy
    copy = beside if os.access(source.parent, os.W_OK) else in_cache
    copy.parent.mkdir(parents=True, exist_ok=True)
    import_games([source], copy, on_progress=on_progress)
    return copy


def _is_current(copy: Path, source: Path) -> bool:
    if not copy.exists() or copy.stat().st_mtime_ns < source.stat().st_mtime_ns:
        return False
    try:
        sources = GameFile.open(copy).provenance.get("sources", [])
    except DataFormatError:
        return False
    return [entry["bytes"] for entry in sources] == [source.stat().st_size]


def _cache_folder() -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    return Path(root).expanduser() / "golois"


def _cached_name(path: Path) -> str:
    """A name that no other path has; the file's own is in it for people who look there."""
    digest = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()
    return f"{path.name[:MOST_OF_NAME]}-{digest[:32]}{SUFFIX}"
