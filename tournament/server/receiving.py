"""Receives one file from the network, its bytes alone or in a form, into a temporary file.

A form is multipart (RFC 7578). Memory has at most the head of a part and a possible delimiter.
"""

import asyncio
import errno
import hashlib
import os
import re
import secrets
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

from tournament.errors import TournamentError
from tournament.server import limits

FILE_FIELD = "file"
_KIND = "multipart/form-data"
_BOUNDARY = re.compile(r';\s*boundary=(?:"([ -!#-~]{1,70})"|([!#-+\--:<-~]{1,70}))\s*(?:;|$)', re.I)
_END_OF_LINE = re.compile(rb"[ \t]{0,100}\r\n")
_MAYBE_ONE = re.compile(rb"-?|[ \t]{0,100}\r?")  # until more has come
_PARAMETER = re.compile(r';\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))')
_PLAIN = {"", "binary", "8bit", "7bit"}
_FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class FormError(TournamentError, ValueError):
    """The form cannot be read, or has not exactly one file."""


def is_form(content_type: str) -> bool:
    """Return whether a Content-Type is that of parts, and not of the file itself."""
    return content_type.strip().lower().startswith("multipart/")


class Form:
    """A form with one file, read while it comes: the part with a file's name, or the field `file`.

    `file_name` is known when the file has been read. A body that is no form with a boundary raises
    a FormError.
    """

    def __init__(self, content_type: str, chunks: AsyncIterator[bytes]):
        found = _BOUNDARY.search(content_type)
        if content_type.partition(";")[0].strip().lower() != _KIND or found is None:
            raise FormError(f"expected {_KIND} with a boundary, or the bytes of the file alone")
        self._delimiter = b"\r\n--" + (found[1] or found[2]).encode()
        self._chunks, self.file_name = chunks, ""
        self._held = bytearray(b"\r\n")  # before the first delimiter it may be left out
        self._rest = 0
        self._has_file = self._in_file = self._in_head = self._is_over = False

    async def file(self) -> AsyncIterator[bytes]:
        """Return the bytes of the file as they come.

        Raises:
            FormError: no file or several, a form that breaks off, or much besides the file.
        """
        async for chunk in self._chunks:
            self._held += chunk
            for piece in self._pieces():
                if self._in_file:
                    yield piece
                else:
                    self._pass_over(len(piece))
        if not self._is_over:
            raise FormError("the form breaks off, or has no part of its boundary: send it again")
        if not self._has_file:
            raise FormError(f"the form has no file: send one in the field {FILE_FIELD!r}")

    def _pieces(self) -> Iterator[bytes]:
        """Return what can be said of the bytes so far: pieces of the part under way."""
        while not self._is_over:
            if self._in_head:
                if not self._read_head():
                    return
                continue
            at = self._held.find(self._delimiter)
            if at < 0:
                yield self._taken(max(0, len(self._held) - len(self._delimiter) + 1))
                return
            yield self._taken(at)
            after = bytes(self._held[len(self._delimiter) : len(self._delimiter) + 103])
            if after.startswith(b"--"):
                self._is_over, self._in_file = True, False
            elif end := _END_OF_LINE.match(after):
                self._in_head, self._in_file = True, False
                self._pass_over(len(self._taken(len(self._delimiter) + end.end())))
            elif _MAYBE_ONE.fullmatch(after):
                return
            else:  # the file has a line that only begins like a delimiter
                yield self._taken(2)
        yield self._taken(len(self._held))

    def _read_head(self) -> bool:
        end = 0 if self._held.startswith(b"\r\n") else self._held.find(b"\r\n\r\n") + 2
        if end == 1 and len(self._held) <= limits.MAX_PART_HEAD:
            return False
        if end == 1 or end > limits.MAX_PART_HEAD:
            raise FormError(
                f"a part of the form has a head of more than {limits.MAX_PART_HEAD:,} bytes"
            )
        head = self._taken(end + 2)
        self._pass_over(len(head))
        self._in_head = False
        self._begin_part(_fields(head.decode("utf-8", "replace")))
        return True

    def _begin_part(self, head: dict[str, str]) -> None:
        told = {name.lower(): _unquoted(quoted) if bare is None else bare
                for name, quoted, bare in _parameters(head.get("content-disposition", ""))}
        is_file = "filename" in told or "filename*" in told or told.get("name") == FILE_FIELD
        if not is_file:
            return
        if self._has_file:
            raise FormError("the form has several files: send one")
        if head.get("content-transfer-encoding", "").lower() not in _PLAIN:
            raise FormError("the file is encoded: send its bytes as they are")
        self._has_file = self._in_file = True
        extended = unquote(told.get("filename*", "").rpartition("'")[2], errors="replace")
        self.file_name = extended or told.get("filename", "")

    def _taken(self, number: int) -> bytes:
        taken = bytes(self._held[:number])
        del self._held[:number]
        return taken

    def _pass_over(self, number: int) -> None:
        self._rest += number
        if self._rest > limits.MAX_FORM_REST:
            raise FormError(
                f"the form has more than {limits.MAX_FORM_REST:,} bytes besides its file"
            )


def _fields(head: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in head.split("\r\n"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _parameters(disposition: str) -> Iterator[tuple[str, str, str | None]]:
    """Return name, quoted value and value without quotes: one of the two is meant."""
    for found in _PARAMETER.finditer(disposition):
        yield found[1], found[2] or "", found[3] if found[2] is None else None


def _unquoted(value: str) -> str:
    """Return a quoted value: curl puts a backslash before quotes, browsers write %22."""
    return re.sub(r'\\(["\\])', r"\1", value).replace("%22", '"')


class TooLargeError(TournamentError, ValueError):
    """The file has more bytes than are taken."""


class TooSlowError(TournamentError, TimeoutError):
    """The file did not come in time."""


class DiskFullError(TournamentError, OSError):
    """The file cannot be kept."""


@dataclass(frozen=True)
class Received:
    """A whole file that has reached the disk."""

    path: Path
    sha256: str
    num_bytes: int


async def receive(chunks: AsyncIterator[bytes], folder: Path, max_bytes: int) -> Received:
    """Write the incoming bytes to a new file; leave nothing behind on failure.

    Raises:
        TooLargeError, TooSlowError, DiskFullError: as they say.
    """
    if shutil.disk_usage(folder).free < limits.MIN_FREE_BYTES:
        raise DiskFullError("the disk is almost full")
    path = folder / f"{secrets.token_hex(8)}.part"
    try:
        with open(path, "xb") as file:
            async with asyncio.timeout(limits.RECEIVE_SECONDS):
                received = await _write(chunks, file, max_bytes)
            await asyncio.to_thread(_flush, file)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, TimeoutError):
            raise TooSlowError(
                f"the file did not arrive within {limits.RECEIVE_SECONDS} seconds"
            ) from error
        if isinstance(error, OSError) and error.errno in _FULL_DISK:
            raise DiskFullError("the disk is full") from error
        raise
    return Received(path, *received)


async def _write(chunks: AsyncIterator[bytes], file: BinaryIO, max_bytes: int) -> tuple[str, int]:
    digest, num_bytes = hashlib.sha256(), 0
    async for chunk in chunks:
        num_bytes += len(chunk)
        if num_bytes > max_bytes:
            raise TooLargeError(f"the file has more than {max_bytes:,} bytes")
        digest.update(chunk)
        file.write(chunk)
    return digest.hexdigest(), num_bytes


def _flush(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
