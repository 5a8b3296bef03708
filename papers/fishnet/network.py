"""Blair's networks for Go as the core evaluates them: the one of 714 weights, and SelNet's 342.

Source: Blair, "Learning the game of Go with Internal Symmetry Networks", 2009.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from golois.errors import ArgumentError
from golois.kernels.irreps import Fields, Sharing, share_kernel
from golois.native import buffer, check, ffi, last_error, lib

NUM_INPUTS = 14
NUM_OUTPUTS = 7
HIDDEN = Fields(T=4, S=2, D=2, F=2)

_SHARINGS = (
    share_kernel(Fields(T=NUM_INPUTS), HIDDEN, 3),
    share_kernel(HIDDEN, Fields(T=NUM_OUTPUTS), 3),
    share_kernel(Fields(T=NUM_INPUTS), Fields(T=NUM_OUTPUTS), 3),
)
NUM_WEIGHTS = sum(sharing.num_free for sharing in _SHARINGS)
"""Those from inputs to hidden units, from hidden units to outputs, and of the shortcut: 714."""

INNER = slice(0, _SHARINGS[0].num_free)
"""Those from inputs to hidden units among them."""

SHORTCUT = slice(NUM_WEIGHTS - _SHARINGS[2].num_free, NUM_WEIGHTS)
"""Those from inputs to outputs."""

NUM_KERNEL_NUMBERS = sum(sharing.index.size for sharing in _SHARINGS)
"""Those of the three kernels that the weights stand for: 3150."""

_KERNEL_ENDS = np.cumsum([sharing.index.size for sharing in _SHARINGS])[:-1]

_SELECTION_OUTPUT = Fields(T=1)
_SELECTION_SHARINGS = (
    _SHARINGS[0],
    share_kernel(HIDDEN, _SELECTION_OUTPUT, 3),
    share_kernel(Fields(T=NUM_INPUTS), _SELECTION_OUTPUT, 3),
)
NUM_SELECTION_WEIGHTS = sum(sharing.num_free for sharing in _SELECTION_SHARINGS)
"""Those of SelNet, which has one output: 342. INNER are the same."""


def expand(weights: np.ndarray) -> np.ndarray:
    """The 3150 numbers of the three kernels that 714 weights stand for: float32."""
    if np.shape(weights) != (NUM_WEIGHTS,):
        raise ArgumentError(f"the network has {NUM_WEIGHTS} weights, not {np.shape(weights)}")
    parts = (kernel.ravel() for kernel in _parts(_SHARINGS, weights))
    return np.concatenate([part.astype(np.float32) for part in parts])


def reduce_gradient(gradient: np.ndarray) -> np.ndarray:
    """How a loss changes with the 714 weights, given how it does with the 3150 numbers."""
    return _reduced(_SHARINGS, np.split(gradient, _KERNEL_ENDS))


def _reduced(sharings: Sequence[Sharing], gradients: Sequence[np.ndarray]) -> np.ndarray:
    parts = []
    for sharing, gradient in zip(sharings, gradients, strict=True):
        signed = gradient.ravel() * sharing.sign.ravel()
        parts.append(np.bincount(sharing.index.ravel(), signed, sharing.num_free))
    return np.concatenate(parts)


def _parts(sharings: Sequence[Sharing], weights: np.ndarray) -> Iterator[np.ndarray]:
    start = 0
    for sharing in sharings:
        yield sharing.expand(np.asarray(weights[start : start + sharing.num_free]))
        start += sharing.num_free


class IsnNetwork:
    """Blair's network on one size of board, for any number of games and threads; it never changes.

    `weights` are [714], in the order of NUM_WEIGHTS. Raises ArgumentError: another number of
    weights, or a size outside 2 … 19.
    """

    def __init__(self, weights: np.ndarray, size: int):
        self._adopt(expand(weights), size)

    def _adopt(self, kernels: np.ndarray, size: int) -> None:
        handle = lib.golois_isn_create(size, _floats(kernels), kernels.size)
        if handle == ffi.NULL:
            raise ArgumentError(last_error())
        self.size = size
        self.handle = ffi.gc(handle, lib.golois_isn_destroy)

    def sums(self, inputs: np.ndarray) -> np.ndarray:
        """The outputs before the sigmoid: float32 [size, size, 7], NaN where a state has none.

        `inputs` is uint8 [size + 2, size + 2], the input that is 1 at each point: 0 … 12 on the
        board, 13 around it. Raises ArgumentError: other inputs.
        """
        sums = np.full((self.size, self.size, NUM_OUTPUTS), np.nan, np.float32)
        shown = np.ascontiguousarray(inputs, np.uint8)
        target = buffer(sums, "float[]")
        status = lib.golois_isn_sums(self.handle, _bytes(shown), shown.size, target, sums.size)
        check(status, ArgumentError)
        return sums

    def gradient(self, inputs: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """A loss's gradient by the weights, [714], from that by the sums, [size, size, 7]."""
        shown = np.ascontiguousarray(inputs, np.uint8)
        wrong = np.ascontiguousarray(errors, np.float32)
        numbers = np.zeros(NUM_KERNEL_NUMBERS)
        status = lib.golois_isn_gradient(
            self.handle,
            _bytes(shown),
            shown.size,
            _floats(wrong),
            wrong.size,
            buffer(numbers, "double[]"),
            numbers.size,
        )
        check(status, ArgumentError)
        return self._reduced(numbers)

    _reduced = staticmethod(reduce_gradient)


class SelectionNetwork(IsnNetwork):
    """SelNet of 342 weights: what a move adds to the value, seen before it; else `IsnNetwork`."""

    def __init__(self, weights: np.ndarray, size: int):
        if np.shape(weights) != (NUM_SELECTION_WEIGHTS,):
            raise ArgumentError(
                f"SelNet has {NUM_SELECTION_WEIGHTS} weights, not {np.shape(weights)}"
            )
        inner, *outer = _parts(_SELECTION_SHARINGS, weights)
        widened = [np.pad(kernel, ((0, 0),) * 3 + ((0, NUM_OUTPUTS - 1),)) for kernel in outer]
        kernels = [kernel.ravel().astype(np.float32) for kernel in (inner, *widened)]
        self._adopt(np.concatenate(kernels), size)

    def _reduced(self, numbers: np.ndarray) -> np.ndarray:
        inner, *outer = np.split(numbers, _KERNEL_ENDS)
        first = [kernel.reshape(-1, NUM_OUTPUTS)[:, 0] for kernel in outer]
        return _reduced(_SELECTION_SHARINGS, [inner, *first])


def _floats(array: np.ndarray):
    return ffi.from_buffer("float[]", np.ascontiguousarray(array, np.float32))


def _bytes(array: np.ndarray):
    return ffi.from_buffer("uint8_t[]", array)
