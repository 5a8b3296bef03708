"""Files that appear when they are whole, locks on files, and their SHA-256."""

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]  # where there is no such module

DEVICES = Path("/dev")

BESIDE = ".new-"
"""What the names begin with that `write_whole` writes to."""


def write_whole(
    path: Path, content: bytes | Callable[[Path], None], *,
    durable: bool = True, public: bool = False,
) -> None:
    """Write a file beside `path`, then rename it to `path`, in a folder that is made when missing.

    A process killed at any moment leaves the old file or the new one. `content` is bytes, or a
    function that writes them to a path of the same ending. `durable` waits for the disk. The new
    file has the permissions of the old one, but a `public` file may be read by every user, such as
    a web server's, whatever the umask. A link at `path`, which may be a stranger's, is replaced and
    not followed. Raises OSError: as on a full disk, or where a folder or a device is; it names
    `path`.
    """
    _refuse_other_than_file(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{BESIDE}{os.urandom(8).hex()}{path.suffix}")
    try:
        if isinstance(content, bytes):
            beside.write_bytes(content)
        else:
            content(beside)
        if durable:
            with open(beside, "rb+") as file:
                os.fsync(file.fileno())
        if public:
            beside.chmod(0o644)
        elif path.exists() and not path.is_symlink():
            shutil.copymode(path, beside)
        os.replace(beside, path)
    except (OSError, RuntimeError) as error:  # h5py's of a full disk is a RuntimeError
        number, reason = getattr(error, "errno", None), getattr(error, "strerror", None)
        raise OSError(
            number or errno.EIO, reason or f"not written: {error}", str(path)
        ) from error
    finally:
        _remove(beside)


def sha256_of(path: str | os.PathLike) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def open_private(path: str | Path, flags: int) -> int:
    """Open a file that, when this makes it, only its user may read; an `opener` for `open`."""
    return os.open(path, flags, 0o600)


def remove_unfinished(folder: Path) -> None:
    """Remove what killed calls of `write_whole` have left, where nobody else writes."""
    for path in folder.glob(f"{BESIDE}*"):
        path.unlink()


def flush_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock(file: IO | int, *, wait: bool = False) -> bool:
    """Lock an open file or folder until it closes; False if taken, OSError without locks."""
    if fcntl is None:
        raise OSError(errno.ENOLCK, "no locks on this system")
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def replaced_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write beside `path`, which takes its place at the end, or vanishes on an error.

    A link stays a link, to the new file. The new file has the permissions of the old one. First,
    what killed processes have left is removed. Raises FileNotFoundError: no such folder;
    IsADirectoryError: `path` is a folder; OSError: a device, a pipe, or not writable.
    """
    path = place_of(path)
    _remove_abandoned(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with naming(path, beside):
            with open(beside, "wb") as file:
                with suppress(OSError):  # without locks, what a killed process leaves stays there
                    lock(file)
                yield file
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                shutil.copymode(path, beside)
            os.replace(beside, path)
    finally:
        _remove(beside)


def place_of(path: Path) -> Path:
    """Return where `replaced_file` writes to, which links lead to; it raises the same."""
    _refuse_other_than_file(path)
    if path.is_symlink():
        path = path.resolve()
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    return path


@contextmanager
def naming(path: Path, beside: Path | None = None) -> Iterator[None]:
    """Let an OSError name `path` where it names no file, as of a full disk, or `beside`."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(beside)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _remove(path: Path) -> None:
    """Remove a file, if it is there; where nobody can write, it is not."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _refuse_other_than_file(path: Path) -> None:
    """Root could rename a file over /dev/null, or over the link /dev/stdout."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    is_other = path.exists() and not path.is_file()
    if is_other or (path.is_symlink() and path.parent.resolve() == DEVICES):
        raise OSError(errno.EINVAL, "it is a device or a pipe, and not a file", str(path))


def _remove_abandoned(path: Path) -> None:
    prefix = f".{path.name}."
    for file in path.parent.iterdir():
        writer = file.name.removeprefix(prefix).removesuffix(".part")
        if file.name == f"{prefix}{writer}.part" and writer.isdecimal() and _is_abandoned(file):
            file.unlink(missing_ok=True)


def _is_abandoned(path: Path) -> bool:
    """Nobody holds its lock: locks end with their process, where process numbers are used again."""
    try:
        with open(path, "rb") as file:
            return lock(file)
    except OSError:
        return False
