"""The zip of every game as SGF, to which new games are added."""

import os
import shutil
import zipfile
from collections.abc import Mapping, Set
from pathlib import Path

ZIP_DATE = (1980, 1, 1, 0, 0, 0)


def zip_entry(name: str) -> zipfile.ZipInfo:
    """Return a zip entry with a fixed date, so that equal content gives equal bytes."""
    entry = zipfile.ZipInfo(name, ZIP_DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


class SgfArchive:
    """An archive brought up to date with a league's games; a context, at whose end it is in place.

    What an older archive holds isn't written anew, unless another stamp wrote it or games have
    left the league.

    Args:
        path: the archive; it is replaced in one step, and stays when nothing is missing in it.
        stamp: what a game's text depends on besides the game.
        game_ids: of all games that belong in it.

    Attributes:
        missing: the games that it doesn't have yet.
    """

    def __init__(self, path: Path, stamp: str, game_ids: Set[str]) -> None:
        self._path, self._stamp = path, stamp.encode()
        self._beside = path.with_name(f".new-{path.name}")
        present = self._present()
        kept = present if present is not None and present <= game_ids else None
        self._goes_on = kept is not None
        self.missing = set(game_ids - (kept or set()))
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
            os.replace(self._beside, self._path)
        else:
            self._beside.unlink()

    def add(self, texts: Mapping[str, str]) -> None:
        """Add the missing ones of the games, SGF by id, in their order."""
        for game_id, text in texts.items():
            if game_id in self.missing:
                assert self._zip is not None  # since something is missing
                self._zip.writestr(zip_entry(f"{game_id}.sgf"), text)
        self.missing.difference_update(texts)

    def _present(self) -> set[str] | None:
        """Return the games of an archive of the same stamp; None without one."""
        try:
            with zipfile.ZipFile(self._path) as archive:
                if archive.comment != self._stamp:
                    return None
                return {name.removesuffix(".sgf") for name in archive.namelist()}
        except (FileNotFoundError, zipfile.BadZipFile):
            return None
