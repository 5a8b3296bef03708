"""The arrays between networks and the core: planes to evaluate, and the answers."""

from collections.abc import Callable

import numpy as np

from golois.errors import ArgumentError
from golois.native import buffer, ffi

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
    """C views of a batch's answers, of float32 copies where they are something else.

    Raises:
        ArgumentError: the policy is not [n, policy_size], or there are not n values.
    """
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
