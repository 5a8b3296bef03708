"""The labels found so far, in a file that a killed process leaves usable."""

import json
import struct
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from golois.errors import ArgumentError
from golois.kit.files import lock, naming

_MAGIC = b"golois labels "
_HEAD = struct.Struct("<III")  # number, bytes, CRC-32 of both and the content


class Journal:
    """Pieces of a long work, by number, appended to a file as they are found.

    `about` says what the work is: a file about other work is refused with ArgumentError, as is a
    file that another process uses. A piece that a killed process did not finish is dropped.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path = path
        self.pieces: dict[int, bytes] = {}
        path.touch()
        self._file = open(path, "r+b")  # noqa: SIM115  closed by __exit__
        try:
            with suppress(OSError):  # a file system without locks
                if not lock(self._file):
                    raise ArgumentError(f"another process uses {path}: wait for it, or stop it")
            self._read(_MAGIC + json.dumps(about, sort_keys=True).encode() + b"\n")
        except BaseException:
            with suppress(OSError):  # of a full disk, which the error says
                self._file.close()
            raise

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_error: Any) -> None:
        if not self.pieces:
            self.remove()
        with naming(self.path):
            self._file.close()

    def add(self, number: int, content: bytes) -> None:
        """Keep a piece, also if this process is killed at once."""
        self.pieces[number] = content
        head = _HEAD.pack(number, len(content), _checksum(number, content))
        with naming(self.path):
            self._file.write(head + content)
            self._file.flush()

    def remove(self) -> None:
        """Delete the file, whose pieces are no longer needed."""
        self.path.unlink(missing_ok=True)

    def _read(self, head: bytes) -> None:
        data = self._file.read()
        if not head.startswith(data[: len(head)]):
            raise ArgumentError(
                f"{self.path} was left by another labelling: give the same games, teacher and "
                "options; an older version of the kit may have left it: then remove the file"
            )
        end = len(head)
        while end + _HEAD.size <= len(data):
            number, size, checksum = _HEAD.unpack_from(data, end)
            content = data[end + _HEAD.size : end + _HEAD.size + size]
            if _checksum(number, content) != checksum or len(content) != size:
                break
            self.pieces[number] = content
            end += _HEAD.size + size
        with naming(self.path):
            self._file.seek(0)
            self._file.write(head)
            self._file.seek(end)
            self._file.truncate()
            self._file.flush()


def remove_journal(path: Path, about: Mapping[str, Any]) -> None:
    """Delete the journal of a work that is done; a file of another work, or in use, stays."""
    if path.exists():
        with suppress(ArgumentError), Journal(path, about) as journal:
            journal.remove()


def _checksum(number: int, content: bytes) -> int:
    return zlib.crc32(content, zlib.crc32(struct.pack("<II", number, len(content))))
