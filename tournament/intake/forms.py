"""Where other programs would find a zip or an HDF5 file; what is both at once has two contents.

Programs for HDF5 look for a signature at 0, 512, 1024, 2048 and so on; what comes before is the
file's user block. Programs for zip look for a directory from the end, whatever comes before.
"""

from collections.abc import Iterator

from tournament.intake.faults import Refused, refuse
from tournament.intake.hdf5 import SAVE_AGAIN, SIGNATURE

_FIRST_USER_BLOCK = 512
_ZIP_END, _ZIP_END_BYTES = b"PK\5\6", 22
_ZIP_MEMBER, _ZIP_ENTRY = b"PK\3\4", b"PK\1\2"
_NO_MEMBERS = bytes(12)  # their number on this disk and on all, the directory's size and place


def hdf5_start(data: bytes) -> int | None:
    """Return where a program for HDF5 begins to read, None if it finds nothing."""
    return next((at for at in _places(len(data)) if data.startswith(SIGNATURE, at)), None)


def holds_zip(data: bytes) -> bool:
    """Return whether a program for zip may find members, or an empty zip, anywhere in a file."""
    at = data.find(_ZIP_END)
    has_members = _ZIP_MEMBER in data or _ZIP_ENTRY in data
    while 0 <= at <= len(data) - _ZIP_END_BYTES:
        if has_members or data.startswith(_NO_MEMBERS, at + 8):
            return True
        at = data.find(_ZIP_END, at + 1)
    return False


def two_at_once() -> Refused:
    """Return the refusal of a file that is a zip and an HDF5 file."""
    return refuse("the file is a zip and an HDF5 file at once", SAVE_AGAIN)


def _places(size: int) -> Iterator[int]:
    at = 0
    while at < size:
        yield at
        at = 2 * at or _FIRST_USER_BLOCK
