"""The loaded native core: `ffi`, `lib`, and how its statuses become exceptions."""

import numpy as np

from golois.errors import BuildError, GoloisError

ABI_VERSION = 1

try:
    from golois._native import ffi, lib
except ImportError as error:
    raise BuildError(
        "the native core golois._native is missing or does not load "
        f"({error}): run `pip install -r requirements.txt` in the project's folder; "
        "it needs a C++ compiler (Debian/Ubuntu: apt install g++)"
    ) from error

if lib.golois_abi_version() != ABI_VERSION:
    raise BuildError(
        f"expected version {ABI_VERSION} of the native core: got {lib.golois_abi_version()}; "
        "run `pip install -r requirements.txt` again"
    )


def check(status: int, error: type[GoloisError] = GoloisError) -> None:
    """Raises `error` with the core's last message when a status is not 0."""
    if status != 0:
        raise error(last_error())


def last_error() -> str:
    """The core's message about the last failure in this thread."""
    return ffi.string(lib.golois_last_error()).decode(errors="replace")


def buffer(array: np.ndarray, ctype: str):
    """A writable C view of a C-contiguous array; no copy."""
    return ffi.from_buffer(ctype, array, require_writable=True)
