"""The zip of every game as SGF, to which new games are added."""

import os
import shutil
import zipfile
from collections.abc import Set
from pathlib import Path

ZIP_DATE = (1980, 1, 1, 0, 0, 0)


def zip_entry(name: str) -> zipfile.ZipInfo:
    """Return a zip entry with a fixed date, so that equal content gives equal bytes."""
    entry = zipfile.ZipInfo(name, ZIP_DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def sgf_entry(game_id: str, name: str, taken: Set[str]) -> zipfile.ZipInfo:
    """Return a game's entry, with its id as comment; a name that is taken gets a number."""
    stem, number, free = name.removesuffix(".sgf"), 1, name
    while free in taken:
        number += 1
        free = f"{stem}_{number}.sgf"
    entry = zip_entry(free)
    entry.comment = game_id.encode()
    return entry


class SgfArchive:
    """An archive brought up to date with a league's games; a context, at whose end it is in place.

    Entries are reused unless the stamp, which says what else a text depends on, has changed or
    games have left the league. The archive is replaced in one step. `missing` has the games to add.
    """

    def __init__(self, path: Path, stamp: str, game_ids: Set[str]) -> None:
        self._path, self._stamp = path, stamp.encode()
        self._beside = path.with_name(f".new-{path.name}")
        present = self._present()
        self._goes_on = present is not None and present.keys() <= game_ids
        kept = present if present is not None and self._goes_on else {}
        self.missing = set(game_ids - kept.keys())
        self._names = set(kept.values())
        self._zip: zipfile.ZipFile | None = None

    def __enter__(self) -> "SgfArchive":
        if self.missing or not self._goes_on:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._beside.unlink(missing_ok=True)
            if self._goes_on:
                shutil.copyfile(self._path, self._beside)
            self._zip = zipfile.ZipFile(self._beside, "a", zipfile.ZIP_DEFLATED)
            self._zip.comment = self._stamp
        return self

    def __exit__(self, error_type: type | None, *error: object) -> None:
        if self._zip is None:
            return
        self._zip.close()
        if error_type is None:
            self._beside.chmod(0o644)  # for a web server, whatever the umask
            os.replace(self._beside, self._path)
        else:
            self._beside.unlink()

    def add(self, game_id: str, name: str, text: str) -> None:
        """Add a game's SGF, unless it is there already."""
        if game_id not in self.missing:
            return
        assert self._zip is not None  # since something is missing
        entry = sgf_entry(game_id, name, self._names)
        self._zip.writestr(entry, text)
        self._names.add(entry.filename)
        self.missing.remove(game_id)

    def _present(self) -> dict[str, str] | None:
        """Return the names of the games, by id, of an archive of the same stamp; None without."""
        try:
            with zipfile.ZipFile(self._path) as archive:
                if archive.comment != self._stamp:
                    return None
                return {entry.comment.decode(): entry.filename for entry in archive.infolist()}
        except (FileNotFoundError, zipfile.BadZipFile):
            return None
