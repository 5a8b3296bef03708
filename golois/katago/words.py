"""A KataGo file as a stream of words and blocks of weights, each checked before it is taken."""

import gzip
import re
import zlib
from collections.abc import Iterator
from math import isfinite, prod
from pathlib import Path
from typing import BinaryIO, NoReturn, cast

import numpy as np

from golois.errors import DataFormatError

MAX_BYTES = 4 << 30  # of an unpacked file; the largest network that KataGo published has 0.4 GB
_CHUNK = 1 << 24  # bytes that are read at a time, since a read reserves as much memory
_MARK = b"@BIN@"
_SPACES = re.compile(rb"\s*")
_WORD = re.compile(rb"\S{1,200}")


class Words:
    """A position in an unpacked file, and the layer that is read there.

    A number or weight that is not what it must be raises a DataFormatError, which names the file
    and the layer.
    """

    def __init__(self, path: str | Path) -> None:
        """Read the file; raise DataFormatError unless it can be unpacked."""
        self.path = Path(path)
        self.layer = ""
        self._at = 0
        self._data = self._unpacked()
        kind = self.path.name.removesuffix(".gz")
        self._is_text = kind.endswith(".txt") or (
            not kind.endswith(".bin") and _MARK not in self._data
        )

    def _unpacked(self) -> bytes:
        opener = gzip.open if self.path.suffix == ".gz" else open
        try:
            with opener(self.path, "rb") as file:
                data = b"".join(_chunks(cast(BinaryIO, file)))
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataFormatError(
                f"{self.path}: not a KataGo network: cannot unpack it ({error})"
            ) from error
        except OSError as error:
            raise DataFormatError(f"cannot read {self.path}: {error.strerror}") from error
        if len(data) > MAX_BYTES:
            self.refuse(f"not a KataGo network: more than {MAX_BYTES >> 30} GB unpacked")
        return data

    def refuse(self, fault: str) -> NoReturn:
        """Raise a DataFormatError that names the file, and the layer if there is one."""
        where = f"{self.path}: {self.layer}" if self.layer else f"{self.path}"
        raise DataFormatError(f"{where}: {fault}")

    def word(self, what: str) -> str:
        """Take the next word; `what` says what is expected."""
        found = _WORD.match(self._data, self._next())
        if found is None:
            self.refuse(f"the file ends where {what} is expected")
        self._at = found.end()
        return found.group().decode("ascii", "replace")

    def _next(self) -> int:
        """Where the next word starts, or the file ends."""
        found = _SPACES.match(self._data, self._at)
        return found.end() if found else self._at

    def name(self) -> str:
        """Take a layer's name, which later faults tell."""
        self.layer = self.word("the next layer")
        return self.layer

    def integer(self, what: str, least: int = 0) -> int:
        """Take a whole number of at least `least`."""
        word = self.word(what)
        if not re.fullmatch(r"[+-]?\d{1,9}", word):
            self.refuse(f"expected {what}, a whole number: got {word[:40]!r}")
        if int(word) < least:
            self.refuse(f"expected {what} of at least {least}: got {word}")
        return int(word)

    def flag(self, what: str) -> bool:
        """Take a 0 or a 1."""
        number = self.integer(what)
        if number > 1:
            self.refuse(f"expected {what} as 0 or 1: got {number}")
        return bool(number)

    def number(self, what: str) -> float:
        """Take a number, which may be NaN or infinity."""
        word = self.word(what)
        try:
            return float(word)
        except ValueError:
            self.refuse(f"expected {what}, a number: got {word[:40]!r}")

    def positive(self, what: str) -> float:
        """Take a finite number above 0."""
        number = self.number(what)
        if not (isfinite(number) and number > 0):
            self.refuse(f"expected {what} above 0: got {number}")
        return number

    def weights(self, *shape: int) -> np.ndarray:
        """Take a block of float32 of a shape, the last axis fastest; all are finite."""
        count = prod(shape)
        array = self._decimal(count) if self._is_text else self._binary(count)
        if not np.isfinite(array).all():
            self.refuse("a weight is no number")
        return array.reshape(shape)

    def _binary(self, count: int) -> np.ndarray:
        start = self._next()
        if start < len(self._data) and not self._data.startswith(_MARK, start):
            self.refuse("no binary weights where they should be; a text file?")
        start += len(_MARK)
        self._at = start + 4 * count
        self._require(self._at)
        return np.frombuffer(self._data, "<f4", count, start).astype(np.float32)

    def _decimal(self, count: int) -> np.ndarray:
        self._require(self._at + 2 * count)  # a space and a digit each
        return np.array([self.number("a weight") for _ in range(count)], np.float32)

    def _require(self, end: int) -> None:
        if end > len(self._data):
            self.refuse("the file ends inside the weights of this layer")


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yield a file, until it is longer than MAX_BYTES."""
    size = 0
    while size <= MAX_BYTES and (chunk := file.read(_CHUNK)):
        size += len(chunk)
        yield chunk
