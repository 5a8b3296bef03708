"""The loaded native core: `ffi`, `lib`, its statuses as exceptions, and arrays as it sees them."""

from collections.abc import Callable

import numpy as np

from golois.errors import ArgumentError, BuildError, ConcurrentUseError, GoloisError

ABI_VERSION = 3  # one more with each change of csrc/abi/golois_abi.h, here and in status.cpp
DAMAGED = 2  # the status of a packed file that is not what it says

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
        f"the native core has version {lib.golois_abi_version()}, and golois needs {ABI_VERSION}: "
        "run `pip install -r requirements.txt` again"
    )


class Exclusive:
    """A native handle for one thread at a time: `with exclusive as handle` around each call.

    A call during another call is refused and doesn't wait: two threads on one handle are a mistake
    that a queue would hide. `name` of the class is for the error's text.
    """

    __slots__ = ("_free", "_handle", "_name")

    def __init__(self, handle, name: str):
        self._handle = handle
        self._name = name
        self._free = [handle]  # whoever pops it has it: as atomic as a lock, at half the cost

    def __enter__(self):
        try:
            return self._free.pop()
        except IndexError:
            raise ConcurrentUseError(
                f"two threads use one {self._name} at a time: give each its own, or use a lock"
            ) from None

    def __exit__(self, kind, error, traceback) -> None:
        self._free.append(self._handle)


def check(status: int, error: type[GoloisError] = GoloisError) -> None:
    """Raise `error` with the core's last message when a status is not 0."""
    if status != 0:
        raise error(last_error())


def last_error() -> str:
    """The core's message about the last failure in this thread."""
    return ffi.string(lib.golois_last_error()).decode(errors="replace")


def buffer(array: np.ndarray, ctype: str):
    """A writable C view of a C-contiguous array; no copy."""
    return ffi.from_buffer(ctype, array, require_writable=True)


Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""What answers planes, float32 [k, size, size, planes]: a policy, float [k, policy_size], and
P(White wins), float [k]."""

_FLOAT32 = np.dtype(np.float32)


def planes_view(planes: np.ndarray, shape: tuple[int, ...]):
    """A writable C view; ArgumentError for planes that are not C-contiguous float32 [n, *shape]."""
    if planes.dtype != np.float32 or planes.shape[1:] != shape or not planes.flags.c_contiguous:
        raise ArgumentError(
            f"expected C-contiguous float32 planes [n, {', '.join(map(str, shape))}]: "
            f"got {planes.dtype} {list(planes.shape)}"
        )
    return buffer(planes, "float[]")


def answer_views(policy: np.ndarray, value_white: np.ndarray, policy_size: int):
    """C views of a batch's answers, of float32 copies where needed; ArgumentError: other shapes."""
    num_rows = len(value_white)
    if policy.shape != (num_rows, policy_size) or value_white.size != num_rows:
        raise ArgumentError(
            f"expected a policy [{num_rows}, {policy_size}] and values [{num_rows}]: "
            f"got {list(policy.shape)} and {list(value_white.shape)}"
        )
    return _floats(policy), _floats(value_white)


def _floats(array: np.ndarray):
    if array.dtype is not _FLOAT32 or not array.flags.c_contiguous:
        array = np.ascontiguousarray(array, _FLOAT32)
    return ffi.from_buffer("float[]", array)
