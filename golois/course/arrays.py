"""The arrays that scripts pass to the course's calls: checked, and filled from a data set."""

import numpy as np

from golois.constants import BOARD_SIZE, NUM_PLANES, NUM_POINTS, PLANES_SHAPE
from golois.data.batch import Batch
from golois.data.dataset import Dataset
from golois.errors import ArgumentError, ArgumentTypeError

ROW_SHAPES = {
    "x": PLANES_SHAPE,
    "policy": (NUM_POINTS,),
    "value": (),
    "end": (BOARD_SIZE, BOARD_SIZE, 2),
    "groups": (BOARD_SIZE, BOARD_SIZE, 1),
}

PLANES_OF_YEARS = {
    NUM_PLANES: (slice(0, NUM_PLANES),),
    21: (slice(0, 21),),
    8: (slice(0, 2), slice(11, 17)),
}
"""Which of the 31 planes an x of so many planes holds: since 2022, in 2021, until 2020."""

ROWS_AT_ONCE = 1024


def checked_rows(arrays: dict[str, np.ndarray]) -> int:
    """The number of rows of x, once all arrays are known to fit.

    Raises ArgumentError: a shape that doesn't fit, or a read-only array; ArgumentTypeError:
    something else than a NumPy array of numbers.
    """
    num_rows = _num_rows(arrays)
    for name, array in arrays.items():
        _check_shape(name, array, num_rows)
    return num_rows


def fill_arrays(
    arrays: dict[str, np.ndarray], dataset: Dataset, positions: np.ndarray, symmetries: np.ndarray
) -> None:
    """Fill the arrays of `checked_rows`, by copies where needed; errors as for `Dataset.fill`."""
    num_rows = len(positions)
    copied = [name for name, array in arrays.items() if not _is_filled_in_place(name, array)]
    rows_at_once = min(ROWS_AT_ONCE, num_rows) if copied else num_rows
    copies = {name: np.empty((rows_at_once, *ROW_SHAPES[name]), np.float32) for name in copied}
    for start in range(0, num_rows, max(1, rows_at_once)):
        rows = slice(start, min(start + rows_at_once, num_rows))
        shown = {name: array[rows] for name, array in arrays.items()}
        filled = shown | {name: copy[: rows.stop - start] for name, copy in copies.items()}
        batch = Batch(
            filled["x"],
            filled["policy"],
            filled["value"].reshape(-1),
            filled["end"],
            filled.get("groups"),
        )
        dataset.fill(batch, positions[rows], symmetries[rows])
        for name in copied:
            _copy(name, filled[name], shown[name])


def _is_filled_in_place(name: str, array: np.ndarray) -> bool:
    if name == "x" and array.shape[1:] != PLANES_SHAPE:
        return False
    return array.dtype == np.float32 and array.flags.c_contiguous


def _copy(name: str, source: np.ndarray, target: np.ndarray) -> None:
    if name != "x":
        np.copyto(target, source.reshape(target.shape), casting="unsafe")
        return
    first = 0
    for planes in PLANES_OF_YEARS[target.shape[-1]]:
        after = first + planes.stop - planes.start
        np.copyto(target[..., first:after], source[..., planes], casting="unsafe")
        first = after


def _num_rows(arrays: dict[str, np.ndarray]) -> int:
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
            got = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
            raise ArgumentTypeError(f"expected a NumPy array of numbers as {name}: got {got}")
        if not array.flags.writeable:
            raise ArgumentError(f"expected a writable array as {name}: got a read-only one")
    if arrays["value"].dtype.kind != "f":
        raise ArgumentTypeError(
            f"expected a floating-point array as value: got {arrays['value'].dtype}"
        )
    return len(arrays["x"]) if arrays["x"].ndim else 0


def _check_shape(name: str, array: np.ndarray, num_rows: int) -> None:
    expected = (num_rows, *ROW_SHAPES[name])
    if name == "x" and array.shape[:-1] == expected[:-1] and array.shape[-1] in PLANES_OF_YEARS:
        return
    if array.shape == expected or (name == "value" and array.shape == (num_rows, 1)):
        return
    others = ", or of 21 or 8 planes" if name == "x" else f", with the {num_rows} rows of x"
    is_cut = name == "policy" and array.ndim == 2 and len(array) == num_rows
    remedy = f"; write to_categorical(policy, {NUM_POINTS})" if is_cut else ""
    raise ArgumentError(f"expected {name} of shape {expected}{others}: got {array.shape}{remedy}")
