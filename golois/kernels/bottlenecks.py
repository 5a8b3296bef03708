"""Training a chain of inverted bottlenecks in the native core, forward and back."""

from dataclasses import asdict, dataclass

import numpy as np

from golois.errors import ArgumentError, GoloisError
from golois.native import Exclusive, buffer, check, ffi, last_error, lib

PLAIN, FASTEST = 0, 4
"""Sets of instructions that the kernels are compiled for (csrc/abi/golois_abi.h)."""


def has_fast_kernels() -> bool:
    """Return whether this processor and build have kernels faster than TensorFlow's."""
    return lib.golois_best_instructions(FASTEST) > PLAIN


@dataclass(frozen=True)
class BottleneckShape:
    """What the blocks of a chain have in common.

    `trunk` and `filters` count channels, multiples of 16. `kernels` is 1: each filter is convolved
    by 3x3; or 2: also by 5x5, into channels behind those. `swish` is x sigmoid(x), otherwise ReLU.
    `squeezed` counts hidden units of squeeze-and-excitation, 0 for none.
    """

    size: int
    trunk: int
    filters: int
    kernels: int = 1
    swish: bool = False
    squeezed: int = 0

    @property
    def num_weights(self) -> int:
        """Return how many weights a block has."""
        wide, taps = self.kernels * self.filters, 9 if self.kernels == 1 else 9 + 25
        widening, narrowing = self.filters * (self.trunk + 2), (wide + 2) * self.trunk
        gates = 2 * self.trunk * self.squeezed
        return widening + self.filters * taps + 2 * wide + narrowing + gates

    @property
    def num_statistics(self) -> int:
        """Return how many numbers the statistics of a block have."""
        return 2 * (self.filters + self.kernels * self.filters + self.trunk)


class Bottlenecks:
    """Computes x + gate(norm(act(norm(act(norm(x w1)) * wd)) w2)) for each block, and its gradient.

    Each normalization is over the batch. The gate, if there is one, multiplies each channel by
    sigmoid(swish(mean w3) w4) of the channels' means over the board. The weights of a block, as of
    their gradients, are one array: w1 `[trunk, filters]`, gamma and beta, wd `[3, 3, filters]` and
    perhaps `[5, 5, filters]`, gamma and beta, w2 `[kernels * filters, trunk]`, gamma and beta, and
    of a gate w3 `[trunk, squeezed]` and w4 `[squeezed, trunk]`. The statistics of a block are mean
    and variance of its three normalizations, in this order.

    With `half`, bfloat16 keeps what the gradient needs, and the processor multiplies it where it
    can; sums are float32. The same `num_threads` gives the same bits. Raises GoloisError: no
    multiples of 16, more than two sizes of kernels, or a compiler without vectors. Source: Sandler
    et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018; Ioffe and Szegedy,
    "Batch Normalization", 2015; Hu et al., "Squeeze-and-Excitation Networks", 2017.
    """

    def __init__(
        self,
        blocks: int,
        shape: BottleneckShape,
        *,
        epsilon: float,
        half: bool = False,
        num_threads: int = 1,
    ):
        fields = ffi.new("golois_bottleneck_shape *", {"blocks": blocks, **asdict(shape)})
        handle = lib.golois_bottlenecks_create(fields, epsilon, half, FASTEST, num_threads)
        if handle == ffi.NULL:
            raise GoloisError(last_error())
        handle = ffi.gc(handle, lib.golois_bottlenecks_destroy)
        self._handle = Exclusive(handle, "Bottlenecks")
        self._position = (shape.size, shape.size, shape.trunk)
        self._num_positions = 0  # of the last forward
        self.num_weights = blocks * shape.num_weights
        self.num_statistics = blocks * shape.num_statistics

    def forward(self, x: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Compute the chain, and remember what its gradient needs; return output and statistics.

        All arrays are float32: `x` and the output `[B, size, size, trunk]`, `weights`
        `[num_weights]`, statistics `[num_statistics]`. Raises ArgumentError: another shape or type.
        """
        x = _checked("x", x, (len(x), *self._position))
        weights = _checked("weights", weights, (self.num_weights,))
        out, statistics = np.empty_like(x), np.empty(self.num_statistics, np.float32)
        with self._handle as handle:
            status = lib.golois_bottlenecks_forward(
                handle, len(x), _view(x), _view(weights), *map(_room, (out, statistics))
            )
            check(status)
            self._num_positions = len(x)
        return out, statistics

    def backward(self, gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the last `forward`'s gradients, float32, of its input and of its weights."""
        with self._handle as handle:
            # Without a forward, it is the core that refuses.
            num_positions = self._num_positions or len(gradient)
            gradient = _checked("gradient", gradient, (num_positions, *self._position))
            x, weights = np.empty_like(gradient), np.empty(self.num_weights, np.float32)
            status = lib.golois_bottlenecks_backward(
                handle, _view(gradient), *map(_room, (x, weights))
            )
        check(status)
        return x, weights


def _checked(name: str, array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The array, C-contiguous; the core trusts its buffers, so that others are refused here."""
    if array.dtype != np.float32 or array.shape != shape:
        raise ArgumentError(
            f"expected float32 {list(shape)} as {name}: got {array.dtype} {list(array.shape)}"
        )
    return np.ascontiguousarray(array)


def _view(array: np.ndarray):
    return ffi.from_buffer("float[]", array)


def _room(array: np.ndarray):
    return buffer(array, "float[]")
