"""The course's own calls, so that a script written for the course's loader runs unchanged.

`getValidation`, `getBatch` and `setSoft` fill the caller's arrays from `games.data` in the current
folder: the course's text file or a packed one. A text file is packed once, beside it or in the
user's cache folder. The names are the course's; they appear nowhere else in the kit.
"""

import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from golois.batch import Batch
from golois.dataset import Dataset
from golois.errors import ArgumentError, ArgumentTypeError, DataFormatError
from golois.files import write_whole
from golois.importing import ImportProgress
from golois.packed_copy import packed_copy
from golois.sampling import Permutation, random_words, uniform_symmetries
from golois.shapes import BOARD_SIZE, NUM_POINTS, PLANES_SHAPE

DATA_FILE = "games.data"
VALIDATION_FILE = "validation.data"
SEED = 0

ROW_SHAPES = {
    "x": PLANES_SHAPE,
    "policy": (NUM_POINTS,),
    "value": (),
    "end": (BOARD_SIZE, BOARD_SIZE, 2),
    "groups": (BOARD_SIZE, BOARD_SIZE, 1),
}


def getValidation(x, policy, value, end) -> None:  # noqa: N802
    """Fill the arrays with N positions from N different games, the same at every call.

    Those games leave the training positions. The choice is kept in `validation.data`.

    Args:
        x: [N, 19, 19, 31] planes. policy: [N, 361] one-hot. value: [N], P(White wins).
        end: [N, 19, 19, 2], the last stones of the game: of the side to move, of its opponent,
            turned like the planes (the course's loader doesn't turn them).

    Raises:
        ArgumentError: shapes that don't fit, or fewer than N games in the file.
        ArgumentTypeError: something else than a NumPy array of numbers.
        DataFormatError: no games.data here, or a validation.data for another N.
    """
    arrays = {"x": x, "policy": policy, "value": value, "end": end}
    session = _session(Path.cwd())
    _fill(arrays, session.write_validation)


def getBatch(x, policy, value, end, groups=None, index=None) -> None:  # noqa: N802
    """Fill the arrays with training positions, each under a random symmetry.

    Args:
        x, policy, value, end: as for getValidation.
        groups: [N, 19, 19, 1], 0 on empty points, else 1 + a number of the chain; may be left out.
        index: row k is training position index + k, modulo their number, of a fixed shuffled
            order; when left out, positions are drawn at random, others at each call.

    Raises: as getValidation.
    """
    arrays = {"x": x, "policy": policy, "value": value, "end": end}
    if groups is not None:
        arrays["groups"] = groups
    session = _session(Path.cwd())
    _fill(arrays, lambda batch: session.write_training(batch, index))


def setSoft(soft) -> None:  # noqa: N802
    """Accepted for old scripts; it has no effect, as in the course's loader."""


class _Session:
    """One folder's games: the validation choice and the training positions that are left."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._path = _packed(folder / DATA_FILE)
        self._all = Dataset(self._path, seed=SEED, validation_fraction=0, all_ownership=True)
        self._train = self._all
        self._validation = self._read_validation()
        self._num_random_calls = 0
        self._hold_out()

    def write_validation(self, batch: Batch) -> None:
        num_rows = len(batch.planes)
        if self._validation is None:
            self._validation = self._choose_validation(num_rows)
            self._hold_out()
            self._keep_validation()
        if len(self._validation) != num_rows:
            raise DataFormatError(
                f"expected {num_rows} positions in {self._folder / VALIDATION_FILE}: "
                f"got {len(self._validation)}; delete the file to choose anew, "
                f"or allocate {len(self._validation)} rows"
            )
        symmetries = uniform_symmetries(SEED, 0, num_rows)
        self._all.fill(batch, self._validation, symmetries)

    def write_training(self, batch: Batch, index: int | None) -> None:
        num_rows = len(batch.planes)
        if index is None:
            positions, symmetries = self._train.sampled_rows(num_rows, self._num_random_calls)
            self._num_random_calls += 1
        else:
            positions, symmetries = self._train.walked_rows(num_rows, int(index), symmetry=True)
        self._train.fill(batch, positions, symmetries)

    def _choose_validation(self, num_rows: int) -> np.ndarray:
        rows = self._all.file.rows
        num_positions = rows["num_positions"]
        usable = np.flatnonzero(num_positions)
        if num_rows > len(usable):
            raise ArgumentError(
                f"expected at most {len(usable)} rows, one a game of {self._path}: "
                f"got {num_rows}; allocate fewer rows or take a larger games.data"
            )
        games = usable[Permutation(len(usable), SEED)(np.arange(num_rows))]
        words = random_words(SEED, "course", games)
        within = (words % num_positions[games].astype(np.uint64)).astype(np.int64)
        return rows["first_position"][games].astype(np.int64) + within

    def _hold_out(self) -> None:
        if self._validation is None:
            return
        first_positions = self._all.file.rows["first_position"]
        games = np.searchsorted(first_positions, self._validation, side="right") - 1
        self._train = Dataset(self._path, seed=SEED, validation_games=games, all_ownership=True)

    def _read_validation(self) -> np.ndarray | None:
        path = self._folder / VALIDATION_FILE
        if not path.exists():
            return None
        words = path.read_text(encoding="ascii", errors="replace").split()
        is_listed = bool(words) and all(word.isdecimal() for word in words)
        if not is_listed or len(words) != int(words[0]) + 1:
            raise DataFormatError(
                f"{path}: expected a count and as many positions; delete the file to choose anew"
            )
        positions = np.array(words[1:], np.int64)
        if positions.size and positions.max() >= self._all.num_positions("train"):
            raise DataFormatError(
                f"{path}: expected positions below {self._all.num_positions('train')}: "
                f"got {positions.max()}; it belongs to another games.data, delete it"
            )
        return positions

    def _keep_validation(self) -> None:
        words = [len(self._validation), *self._validation.tolist()]
        text = " ".join(map(str, words)) + "\n"
        with suppress(OSError):  # a read-only folder: the choice is the same next time
            write_whole(self._folder / VALIDATION_FILE, text.encode("ascii"), durable=False)


@cache
def _session(folder: Path) -> _Session:
    return _Session(folder)


def _fill(arrays: dict[str, np.ndarray], write) -> None:
    """Check the caller's arrays and fill them, through copies where needed."""
    num_rows = _num_rows(arrays)
    for name, array in arrays.items():
        _check_shape(name, array, num_rows)
    targets = {name: _writable_float32(array) for name, array in arrays.items()}
    targets["value"] = targets["value"].reshape(num_rows)
    groups = targets.get("groups")
    write(Batch(targets["x"], targets["policy"], targets["value"], targets["end"], groups))
    for name, array in arrays.items():
        if targets[name].base is not array and targets[name] is not array:
            np.copyto(array, targets[name].reshape(array.shape), casting="unsafe")


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
    accepted = (expected, (num_rows, 1)) if name == "value" else (expected,)
    if array.shape not in accepted:
        raise ArgumentError(
            f"expected {name} of shape {expected}, with the {num_rows} rows of x: got {array.shape}"
        )


def _writable_float32(array: np.ndarray) -> np.ndarray:
    if array.dtype == np.float32 and array.flags.c_contiguous:
        return array
    return np.empty(array.shape, np.float32)


def _packed(source: Path) -> Path:
    if not source.exists():
        raise DataFormatError(
            f"expected {DATA_FILE} in {source.parent}: found none; copy the course's file there, "
            f"or make one with `python -m golois import SGF… -o {DATA_FILE}`"
        )
    return packed_copy(source, on_progress=_Progress(source))


class _Progress:
    """Says on stderr that a file is being packed, and every tenth of it."""

    def __init__(self, source: Path):
        self._source = source
        self._tenths = -1

    def __call__(self, progress: ImportProgress) -> None:
        tenths = 10 * progress.num_bytes // max(1, progress.total_bytes)
        if tenths > self._tenths:
            self._tenths = tenths
            done = f"{10 * tenths} %, {progress.num_games} games"
            print(f"golois: packing {self._source}, once: {done}", file=sys.stderr)
