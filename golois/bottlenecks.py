"""Training a chain of inverted bottlenecks in the native core, forward and back."""

from enum import IntEnum

import numpy as np

from golois.errors import GoloisError
from golois.native import Exclusive, buffer, check, ffi, last_error, lib


class Instructions(IntEnum):
    """What the kernels are compiled for, from the slowest."""

    PLAIN = 0
    AVX2 = 1
    AVX512 = 2
    AMX = 3


def best_instructions(most: Instructions = Instructions.AMX) -> Instructions:
    """Return the fastest that this processor has, of at most `most`."""
    return Instructions(lib.golois_best_instructions(most))


class Bottlenecks:
    """Computes x + norm(relu(norm(relu(norm(x w1)) * wd)) w2) for each block, and its gradient.

    Each normalization is over the batch. The weights of a block, as of their gradients, are one
    array: w1 `[trunk, filters]`, gamma and beta, wd `[3, 3, filters]`, gamma and beta, w2
    `[filters, trunk]`, gamma and beta. The statistics of a block are the mean and the variance of
    its three normalizations, over the batch, in this order.

    Args:
        blocks: of the chain.
        size: of the board.
        trunk: channels between the blocks, a multiple of 16.
        filters: channels inside a block, a multiple of 16.
        epsilon: of the normalizations.
        half: whether to keep what the gradient needs in bfloat16, and to multiply such numbers
            where the processor can; sums are in float32 even then.
        most: don't use faster instructions than these.
        num_threads: among which a batch is divided. The same number gives the same bits.

    Raises:
        GoloisError: no multiples of 16, or a compiler without vectors.

    Source: Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018; Ioffe
        and Szegedy, "Batch Normalization", 2015.
    """

    def __init__(
        self,
        blocks: int,
        size: int,
        trunk: int,
        filters: int,
        *,
        epsilon: float,
        half: bool = False,
        most: Instructions = Instructions.AMX,
        num_threads: int = 1,
    ):
        handle = lib.golois_bottlenecks_create(
            blocks, size, trunk, filters, epsilon, half, most, num_threads
        )
        if handle == ffi.NULL:
            raise GoloisError(last_error())
        handle = ffi.gc(handle, lib.golois_bottlenecks_destroy)
        self._handle = Exclusive(handle, "Bottlenecks")
        self.num_weights = blocks * (2 * trunk * filters + 13 * filters + 2 * trunk)
        self.num_statistics = blocks * (4 * filters + 2 * trunk)

    def forward(self, x: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Compute the chain, and remember what its gradient needs.

        Args:
            x: float32 `[B, size, size, trunk]`.
            weights: float32 `[num_weights]`.

        Returns:
            The output, of the shape of `x`, and the statistics, float32 `[num_statistics]`.
        """
        x, weights = np.ascontiguousarray(x), np.ascontiguousarray(weights)
        out, statistics = np.empty_like(x), np.empty(self.num_statistics, np.float32)
        with self._handle as handle:
            status = lib.golois_bottlenecks_forward(
                handle, len(x), _view(x), _view(weights), *map(_room, (out, statistics))
            )
        check(status)
        return out, statistics

    def backward(self, gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Compute the gradient of the last `forward`.

        Args:
            gradient: of its output, float32 of the same shape.

        Returns:
            The gradients of its input, of the same shape, and of its weights.

        Raises:
            GoloisError: `forward` was not called.
        """
        gradient = np.ascontiguousarray(gradient)
        x, weights = np.empty_like(gradient), np.empty(self.num_weights, np.float32)
        with self._handle as handle:
            status = lib.golois_bottlenecks_backward(
                handle, _view(gradient), *map(_room, (x, weights))
            )
        check(status)
        return x, weights


def _view(array: np.ndarray):
    return ffi.from_buffer("float[]", array)


def _room(array: np.ndarray):
    return buffer(array, "float[]")
