"""Fields of the board's symmetry group D4, and the kernels that commute with it; NumPy only.

D4 has five irreducible representations. With r a quarter turn counter-clockwise and s the
reflection that swaps left and right:

| field | channels | r | s |
|---|--:|---|---|
| T, trivial | 1 | T | T |
| S, symmetrical | 1 | −S | S |
| D, diagonal | 1 | −D | −D |
| C, chiral | 1 | C | −C |
| F, faithful | 2 | (−F2, F1) | (−F1, F2) |
| R, regular | 8 | one channel for each element of the group, which it permutes | |

Source: Blair, "Learning the game of Go with Internal Symmetry Networks", 2009; Cohen and Welling,
"Group Equivariant Convolutional Networks", 2016, for R.
"""

from dataclasses import astuple, dataclass
from functools import cache

import numpy as np

WINDOWS = (1, 3, 5, 7)
"""The widths of a kernel that layers have."""

_TURN = np.roll(np.eye(8).reshape(2, 4, 8), 1, axis=1).reshape(8, 8)
_REFLECTION = np.eye(8).reshape(2, 4, 8)[::-1, [0, 3, 2, 1]].reshape(8, 8)
# The matrices of r and s on the channels of each field, in the order of `Fields`.
_GENERATORS = tuple(
    (np.array(r, np.float64), np.array(s, np.float64))
    for r, s in (
        ([[1]], [[1]]),
        ([[-1]], [[1]]),
        ([[-1]], [[-1]]),
        ([[1]], [[-1]]),
        ([[0, -1], [1, 0]], [[-1, 0], [0, 1]]),
        (_TURN, _REFLECTION),
    )
)
_SIZES = tuple(len(turn) for turn, _ in _GENERATORS)
_ELEMENTS = tuple((turns, reflections) for reflections in (0, 1) for turns in range(4))


# R is T + S + D + C + 2 F seen from another basis: as many free weights. The group only permutes
# its channels, so any function of single channels keeps the symmetry, such as ReLU. On S, D, C and
# F only odd functions do, such as tanh.
#
# In all of these bases the group permutes the numbers of a kernel and changes signs. So the average
# over the group of a kernel with a single 1 repeats one number with signs, or is zero. Such
# averages don't overlap, and together they are the basis of all equivariant kernels.
@dataclass(frozen=True)
class Fields:
    """How many fields of each kind a board has; its channels are in this order, field by field."""

    T: int = 0
    S: int = 0
    D: int = 0
    C: int = 0
    F: int = 0
    R: int = 0

    @property
    def numbers(self) -> tuple[int, ...]:
        """The six numbers, in order."""
        return astuple(self)

    @property
    def channels(self) -> int:
        """All channels of a point."""
        return sum(number * size for number, size in zip(self.numbers, _SIZES, strict=True))

    def field_of_channel(self) -> np.ndarray:
        """The field that each channel belongs to, counted from 0 over all kinds: [channels]."""
        return np.repeat(np.arange(sum(self.numbers)), np.repeat(_SIZES, self.numbers))


@dataclass(frozen=True, eq=False)
class Sharing:
    """Where each free weight stands in an array, and with which sign: `weights[index] * sign`.

    `index`, int32, and `sign`, float32, have the array's shape. A fixed zero has the sign 0.
    """

    num_free: int
    index: np.ndarray
    sign: np.ndarray

    def expand(self, weights: np.ndarray) -> np.ndarray:
        """The array that free weights [num_free] stand for."""
        return weights[self.index] * self.sign if self.num_free else np.zeros_like(self.sign)


def count_free(source: Fields, target: Fields, window: int) -> int:
    """Count the free weights of `share_kernel`, without making anything of that size."""
    return sum(
        before * after * _share_pair(one, other, window).num_free
        for one, before in enumerate(source.numbers)
        for other, after in enumerate(target.numbers)
        if before and after
    )


def share_kernel(source: Fields, target: Fields, window: int) -> Sharing:
    """Share the weights of a kernel `[window, window, source's, target's channels]`; odd window."""
    num_free, rows = 0, []
    for one, before in enumerate(source.numbers):
        row = []
        for other, after in enumerate(target.numbers):
            pair = _share_pair(one, other, window)
            blocks = np.arange(before * after).reshape(1, 1, before, 1, after, 1)
            index = pair.index[:, :, None, :, None, :] + pair.num_free * blocks + num_free
            sign = np.broadcast_to(pair.sign[:, :, None, :, None, :], index.shape)
            shape = (window, window, before * _SIZES[one], after * _SIZES[other])
            row.append((index.reshape(shape), sign.reshape(shape)))
            num_free += before * after * pair.num_free
        rows.append([np.concatenate(parts, axis=3) for parts in zip(*row, strict=True)])
    index, sign = (np.concatenate(parts, axis=2) for parts in zip(*rows, strict=True))
    return Sharing(num_free, (index * (sign != 0)).astype(np.int32), sign.astype(np.float32))


def share_bias(fields: Fields) -> Sharing:
    """Share the numbers [channels] that may be added to fields: one for each T and R."""
    kernel = share_kernel(Fields(T=1), fields, 1)
    return Sharing(kernel.num_free, kernel.index[0, 0, 0], kernel.sign[0, 0, 0])


def transform_fields(array: np.ndarray, fields: Fields, element: int) -> np.ndarray:
    """Transform fields [..., rows, columns, channels]; 0 is none, 1 … 3 turns, 4 … 7 reflected."""
    moved = _move(array, element, axes=(array.ndim - 3, array.ndim - 2))
    parts, start = [], 0
    for kind, number in enumerate(fields.numbers):
        end = start + number * _SIZES[kind]
        part = moved[..., start:end].reshape(*moved.shape[:-1], number, _SIZES[kind])
        parts.append((part @ _matrix(kind, element).T).reshape(*moved.shape[:-1], -1))
        start = end
    return np.concatenate(parts, axis=-1).astype(array.dtype)


@cache
def _share_pair(source: int, target: int, window: int) -> Sharing:
    """Share the kernel from one field to another, each given by its place among `Fields`."""
    shape = (window, window, _SIZES[source], _SIZES[target])
    index, sign = np.zeros(shape, np.int64), np.zeros(shape)
    num_free = 0
    for place in np.ndindex(shape):
        if sign[place]:
            continue  # an earlier one's average reaches it
        unit = np.zeros(shape)
        unit[place] = 1.0
        average = np.mean([_act(unit, source, target, e) for e in range(len(_ELEMENTS))], axis=0)
        if average.any():
            index[average != 0] = num_free
            sign += np.sign(average)
            num_free += 1
    return Sharing(num_free, index, sign)


def _act(kernel: np.ndarray, source: int, target: int, element: int) -> np.ndarray:
    """A kernel [rows, columns, source, target] as the group moves it: K'[gν] = ρ(g) K[ν] ρ(g)⁻¹."""
    moved = _move(kernel, element, axes=(0, 1))
    return _matrix(source, element) @ moved @ _matrix(target, element).T


def _move(array: np.ndarray, element: int, axes: tuple[int, int]) -> np.ndarray:
    turns, reflections = _ELEMENTS[element]
    return np.rot90(np.flip(array, axes[1]) if reflections else array, turns, axes)


@cache
def _matrix(kind: int, element: int) -> np.ndarray:
    turn, reflection = _GENERATORS[kind]
    turns, reflections = _ELEMENTS[element]
    return np.linalg.matrix_power(turn, turns) @ np.linalg.matrix_power(reflection, reflections)
