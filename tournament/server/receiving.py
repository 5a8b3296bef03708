"""Receives one file from the network into a temporary file until it is complete."""

import asyncio
import errno
import hashlib
import os
import secrets
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tournament.errors import TournamentError

MAX_SECONDS = 300  # 4 MB at 14 kB a second
MIN_FREE_BYTES = 200_000_000  # what journals, games and pages still need
_FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


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
    if shutil.disk_usage(folder).free < MIN_FREE_BYTES:
        raise DiskFullError("the disk is almost full")
    path = folder / f"{secrets.token_hex(8)}.part"
    try:
        with open(path, "xb") as file:
            async with asyncio.timeout(MAX_SECONDS):
                received = await _write(chunks, file, max_bytes)
            await asyncio.to_thread(_flush, file)
    except TimeoutError as error:
        path.unlink(missing_ok=True)
        raise TooSlowError(f"the file did not arrive within {MAX_SECONDS} seconds") from error
    except OSError as error:
        path.unlink(missing_ok=True)
        if error.errno in _FULL_DISK:
            raise DiskFullError("the disk is full") from error
        raise
    except BaseException:
        path.unlink(missing_ok=True)
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
