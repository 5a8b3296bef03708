"""Where games come from: files, folders and archives, read as streams and never unpacked."""

import bz2
import errno
import gzip
import hashlib
import io
import lzma
import tarfile
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple, TypeVar

from golois.kit.files import sha256_of

CHUNK = 1 << 20  # bytes
ITEMS_AHEAD = 4
MAX_NESTING = 4  # a .gz in a .tar in a .xz, but no quine

# What folders and archives are searched for; a file named on its own may be called anything.
SUFFIXES = frozenset(
    (".sgf", ".sgfs", ".data", ".zip", ".tar", ".gz", ".xz", ".bz2", ".tgz", ".txz", ".tbz2")
)

COMPRESSIONS: tuple[tuple[bytes, Callable[[BinaryIO], Any]], ...] = (
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
    (b"BZh", bz2.BZ2File),
)
ZIP_MAGIC = b"PK\x03\x04"
TAR_MAGIC, TAR_MAGIC_AT = b"ustar", 257

# What the archive modules raise on a damaged or unsupported file.
UNREADABLE = (
    OSError,
    EOFError,
    RuntimeError,  # zipfile, on encryption and unknown methods
    ValueError,  # tarfile, on numbers; zipfile, on names that are not in UTF-8
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)


Item = TypeVar("Item")


class Piece(NamedTuple):
    """Some bytes of the stream at a location; or why the stream ends before its end."""

    location: str
    data: bytes
    fault: str | None = None


@dataclass(frozen=True)
class Source:
    """A file or folder named by the user, and the files in it, sorted."""

    path: Path
    files: tuple[Path, ...]

    @classmethod
    def at(cls, path: str | Path) -> "Source":
        """The source at a path; OSError where there is none, a pipe, or it cannot be listed."""
        path = Path(path)
        if not path.is_dir():
            path.stat()
            if not path.is_file():
                raise OSError(errno.EINVAL, "it is a device or a pipe: give a file", str(path))
            return cls(path, (path,))
        files = (file for file in path.rglob("*") if file.is_file())
        relative = sorted(file.relative_to(path).as_posix() for file in files)
        return cls(path, tuple(path / name for name in relative if _is_of_interest(name)))

    @property
    def name(self) -> str:
        """The last part of the path: what a record's source is called."""
        return self.path.resolve().name

    @property
    def num_bytes(self) -> int:
        """The size of all files together, still compressed."""
        return sum(file.stat().st_size for file in self.files)

    def sha256(self) -> str:
        """Of a file, its own; of a folder, that of what `sha256sum` prints for its files."""
        if self.path.is_file():
            return sha256_of(self.path)
        digest = hashlib.sha256()
        for file in self.files:
            name = self.location(file).partition("/")[2]
            digest.update(f"{sha256_of(file)}  {name}\n".encode(errors="replace"))
        return digest.hexdigest()

    def location(self, file: Path) -> str:
        """The file's name for reports: from the source's own name on."""
        return PurePosixPath(self.name, file.relative_to(self.path).as_posix()).as_posix()


def buffered(stream: Any) -> io.BufferedReader:
    """A stream with `peek`, over a stream that a file, an archive or a decompressor opens."""
    return io.BufferedReader(stream, CHUNK)


def read_pieces(file: io.BufferedReader, location: str) -> Iterator[Piece]:
    """All streams in a file or archive, at least a piece each; a damaged stream ends in a fault."""
    return _readable(location, _pieces(file, location, 0))


def read_ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The items, made by another thread while the caller works on earlier items."""
    end: Any = object()
    with ThreadPoolExecutor(1) as thread:
        coming = deque(thread.submit(next, items, end) for _ in range(ITEMS_AHEAD))
        while (item := coming.popleft().result()) is not end:
            coming.append(thread.submit(next, items, end))
            yield item


def _pieces(file: io.BufferedReader, location: str, depth: int) -> Iterator[Piece]:
    head = file.peek(TAR_MAGIC_AT + len(TAR_MAGIC))
    if depth > MAX_NESTING:
        yield Piece(location, b"", f"archives inside of archives, more than {MAX_NESTING} deep")
    elif head.startswith(ZIP_MAGIC):
        yield from _zip_pieces(file, location, depth)
    elif head[TAR_MAGIC_AT:].startswith(TAR_MAGIC):
        yield from _tar_pieces(file, location, depth)
    elif (decompress := _decompressor(head)) is not None:
        yield from _pieces(buffered(decompress(file)), location, depth + 1)
    else:
        yield Piece(location, b"")
        while data := file.read(CHUNK):
            yield Piece(location, data)


def _decompressor(head: bytes) -> Callable[[BinaryIO], Any] | None:
    return next((opener for magic, opener in COMPRESSIONS if head.startswith(magic)), None)


def _zip_pieces(file: io.BufferedReader, location: str, depth: int) -> Iterator[Piece]:
    if depth > 0:
        yield Piece(location, b"", "a .zip inside of an archive: unpack the outer archive")
        return
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if _is_of_interest(member.filename):
                name = f"{location}/{member.filename}"
                yield from _readable(name, _member_pieces(archive, member, name, depth))


def _member_pieces(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, location: str, depth: int
) -> Iterator[Piece]:
    with archive.open(member) as stream:
        yield from _pieces(buffered(stream), location, depth + 1)


def _tar_pieces(file: io.BufferedReader, location: str, depth: int) -> Iterator[Piece]:
    with tarfile.open(fileobj=file, mode="r|") as archive:
        for member in archive:
            if member.isfile() and _is_of_interest(member.name):
                stream = buffered(archive.extractfile(member))
                name = f"{location}/{member.name}"
                yield from _readable(name, _pieces(stream, name, depth + 1))


def _readable(location: str, pieces: Iterator[Piece]) -> Iterator[Piece]:
    try:
        yield from pieces
    except UNREADABLE as error:
        yield Piece(location, b"", str(error) or type(error).__name__)


def _is_of_interest(name: str) -> bool:
    path = PurePosixPath(name)
    is_hidden = any(part.startswith(".") for part in path.parts)
    return path.suffix.lower() in SUFFIXES and not is_hidden
