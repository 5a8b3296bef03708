"""Batches for training, straight from a packed file of games."""

import os
from typing import NamedTuple

import numpy as np

from golois.errors import ArgumentError, DataFormatError
from golois.native import DAMAGED, buffer, check, ffi, last_error, lib
from golois.records import GameFile
from golois.sampling import Permutation, random_words, uniform_positions, uniform_symmetries
from golois.shapes import BOARD_SIZE, NUM_PLANES, NUM_POINTS, PACKED_PLANES_SIZE, PLANES_SHAPE

SPLITS = ("train", "validation")


class PlanesFormat(NamedTuple):
    """A layout of planes in memory: the core's number for it, NumPy's type and a row's shape."""

    code: int
    dtype: type
    row_shape: tuple[int, ...]


PLANES_FORMATS = {
    "float32": PlanesFormat(0, np.float32, PLANES_SHAPE),
    "uint8": PlanesFormat(1, np.uint8, PLANES_SHAPE),
    "bits": PlanesFormat(2, np.uint8, (PACKED_PLANES_SIZE,)),
}


class Batch(NamedTuple):
    """What a network trains on; rows of all arrays belong together, float32 but for the planes.

    planes: [B, 19, 19, 31] of 0 and 1, float32 or uint8; or their bits, uint8 [B, 1399], the
        highest bit of a byte first, as `unpack_planes` reads them.
    policy: [B, 361], one-hot of the move played.
    value_white: [B], P(White wins) in [0, 1] before the move: the label, else the game's result.
    ownership: [B, 19, 19, 2], the game's last stones: of the side to move, of its opponent; zero
        where the game was not played out, so that its last stones are no target.
    groups: [B, 19, 19, 1], 0 on empty points, else a number of the chain.
    ownership_known: [B], 1 where the game was played out, else 0: the sample weight of ownership.
    """

    planes: np.ndarray
    policy: np.ndarray
    value_white: np.ndarray
    ownership: np.ndarray
    groups: np.ndarray
    ownership_known: np.ndarray

    @classmethod
    def empty(cls, num_rows: int, planes: str = "float32") -> "Batch":
        """Uninitialised arrays of `num_rows` rows, planes in a format of PLANES_FORMATS."""
        planes_format = PLANES_FORMATS[planes]
        return cls(
            np.empty((num_rows, *planes_format.row_shape), planes_format.dtype),
            np.empty((num_rows, NUM_POINTS), np.float32),
            np.empty(num_rows, np.float32),
            np.empty((num_rows, BOARD_SIZE, BOARD_SIZE, 2), np.float32),
            np.empty((num_rows, BOARD_SIZE, BOARD_SIZE, 1), np.float32),
            np.empty(num_rows, np.float32),
        )


class Dataset:
    """The training positions of a packed file, split by game into training and validation.

    A batch is a pure function of the file, the seed and its number, whatever the number of
    threads. It holds no list of positions, and no state that a resumed run would need; threads
    may share it.

    Args:
        path: a packed file, see `python -m golois import`.
        seed: decides the split, the order and the symmetries.
        validation_fraction: the chance of a game to be held out; each game is drawn by itself.
        validation_games: indices of the games to hold out, instead of a fraction.
        threads: worker threads of a batch; all cores when None.
        planes: "float32", "uint8" (a quarter of the bytes) or "bits" (a thirty-second): how the
            batches of this data set hold their planes.
        all_ownership: show the last stones also of games that were not played out, dead ones
            included, as the course's loader does; ownership_known still tells which they are.

    Raises:
        DataFormatError: no packed file, or a damaged one.
        ArgumentError: an unknown format of planes, a fraction outside [0, 1), or a game that the file does not have.
    """

    def __init__(
        self,
        path: str | os.PathLike,
        *,
        seed: int = 0,
        validation_fraction: float = 0.05,
        validation_games: np.ndarray | None = None,
        threads: int | None = None,
        planes: str = "float32",
        all_ownership: bool = False,
    ):
        if planes not in PLANES_FORMATS:
            raise ArgumentError(f"expected planes out of {', '.join(PLANES_FORMATS)}: got {planes!r}")
        self.file = GameFile.open(path)
        self.seed = seed
        self.threads = threads or os.cpu_count() or 1
        self.planes = planes
        self.all_ownership = all_ownership
        if validation_games is None:
            held_out = _drawn_games(len(self.file), seed, validation_fraction)
        else:
            held_out = _listed_games(len(self.file), validation_games)
        handle = lib.golois_dataset_create(
            self.file.handle, buffer(held_out, "uint8_t[]"), held_out.size
        )
        if handle == ffi.NULL:
            raise DataFormatError(f"{path}: {last_error()}")
        self._handle = ffi.gc(handle, lib.golois_dataset_destroy)
        self._orders = {split: Permutation(self.num_positions(split), seed) for split in SPLITS}

    def num_games(self, split: str) -> int:
        """Games in "train" or "validation"."""
        return lib.golois_dataset_num_games(self._handle, _is_validation(split))

    def num_positions(self, split: str) -> int:
        """Training positions in "train" or "validation"."""
        return lib.golois_dataset_num_positions(self._handle, _is_validation(split))

    def sample(
        self, batch_size: int, step: int, split: str = "train", symmetry: bool = True
    ) -> Batch:
        """Batch number `step` of positions drawn uniformly with replacement.

        Args:
            step: 0, 1, 2, …; the same step gives the same batch.
            symmetry: show each row under a random one of the eight symmetries.

        Raises:
            ArgumentError: the split has no position.
        """
        return self.rows(*self.sampled_rows(batch_size, step, split, symmetry), split)

    def walk(
        self, batch_size: int, start: int = 0, split: str = "validation", symmetry: bool = False
    ) -> Batch:
        """Rows start … start + batch_size − 1, modulo their number, of a fixed shuffled order.

        Raises:
            ArgumentError: the split has no position.
        """
        return self.rows(*self.walked_rows(batch_size, start, split, symmetry), split)

    def sampled_rows(
        self, batch_size: int, step: int, split: str = "train", symmetry: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """The positions and symmetries, each [batch_size], that `sample` shows."""
        first = step * batch_size
        num_positions = self._require_positions(split)
        positions = uniform_positions(num_positions, self.seed, first, batch_size)
        return positions, self._symmetries(symmetry, first, batch_size)

    def walked_rows(
        self, batch_size: int, start: int = 0, split: str = "train", symmetry: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The positions and symmetries, each [batch_size], that `walk` shows."""
        rows = np.arange(start, start + batch_size) % self._require_positions(split)
        return self._orders[split](rows), self._symmetries(symmetry, start, batch_size)

    def rows(self, positions: np.ndarray, symmetries: np.ndarray, split: str = "train") -> Batch:
        """The batch of given positions.

        Args:
            positions: int [B], 0 … num_positions(split) − 1, in the order of the file.
            symmetries: int [B], 0 … 7.

        Raises:
            ArgumentError: a position that the split does not have.
        """
        batch = Batch.empty(len(positions), self.planes)
        self.fill(batch, positions, symmetries, split)
        return batch

    def fill(
        self, batch: Batch, positions: np.ndarray, symmetries: np.ndarray, split: str = "train"
    ) -> None:
        """As `rows`, into arrays that exist; targets that are None are left out.

        Args:
            batch: C-contiguous arrays of a Batch's shapes and types; planes, in this data set's
                format, must be there.

        Raises:
            ArgumentError: arrays of another length, type or layout, or a position that the split
                does not have.
            DataFormatError: a damaged file.
        """
        positions = np.ascontiguousarray(positions, np.int64)
        symmetries = np.ascontiguousarray(symmetries, np.uint8)
        self._require_room(batch, len(positions), len(symmetries))
        status = lib.golois_dataset_fill(
            self._handle,
            _is_validation(split),
            buffer(positions, "int64_t[]"),
            buffer(symmetries, "uint8_t[]"),
            len(positions),
            ffi.from_buffer(batch.planes, require_writable=True),
            PLANES_FORMATS[self.planes].code,
            _floats(batch.policy),
            _floats(batch.value_white),
            _floats(batch.ownership),
            self.all_ownership,
            _floats(batch.groups),
            _floats(batch.ownership_known),
            self.threads,
        )
        if status == DAMAGED:
            raise self.file.damaged(last_error())
        check(status, ArgumentError)

    def _require_room(self, batch: Batch, num_rows: int, num_symmetries: int) -> None:
        """The core trusts its buffers: what doesn't fit them is refused here."""
        if num_symmetries != num_rows:
            raise ArgumentError(f"expected {num_rows} symmetries: got {num_symmetries}")
        for name, array, room in zip(
            Batch._fields, batch, Batch.empty(0, self.planes), strict=True
        ):
            if array is None and name != "planes":
                continue
            shape = (num_rows, *room.shape[1:])
            if array.shape != shape or array.dtype != room.dtype or not array.flags.c_contiguous:
                raise ArgumentError(
                    f"expected C-contiguous {room.dtype} {list(shape)} as {name}: "
                    f"got {array.dtype} {list(array.shape)}"
                )

    def _symmetries(self, random: bool, first: int, count: int) -> np.ndarray:
        if random:
            return uniform_symmetries(self.seed, first, count)
        return np.zeros(count, np.uint8)

    def _require_positions(self, split: str) -> int:
        num_positions = self.num_positions(split)
        if num_positions == 0:
            raise ArgumentError(
                f"expected positions for {split} in {self.file.path}: got none of "
                f"{len(self.file)} games; take another validation_fraction or a larger file"
            )
        return num_positions


def unpack_planes(bits: np.ndarray) -> np.ndarray:
    """The planes uint8 [B, 19, 19, 31] of packed ones, uint8 [B, 1399]."""
    planes = np.unpackbits(bits, axis=1, count=NUM_POINTS * NUM_PLANES)
    return planes.reshape(-1, *PLANES_SHAPE)


def _floats(array: np.ndarray | None):
    """The C pointer to a target's buffer; NULL for one that is left out."""
    return ffi.NULL if array is None else buffer(array, "float[]")


def _is_validation(split: str) -> bool:
    if split not in SPLITS:
        raise ArgumentError(f'expected "train" or "validation" as split: got {split!r}')
    return split == "validation"


def _drawn_games(num_games: int, seed: int, fraction: float) -> np.ndarray:
    if not 0 <= fraction < 1:
        raise ArgumentError(f"expected validation_fraction in [0, 1): got {fraction}")
    words = random_words(seed, "split", np.arange(num_games))
    return (words < np.uint64(fraction * 2.0**64)).astype(np.uint8)


def _listed_games(num_games: int, games: np.ndarray) -> np.ndarray:
    games = np.asarray(games, np.int64)
    if games.size and not (0 <= games.min() and games.max() < num_games):
        raise ArgumentError(
            f"expected validation_games from 0 to {num_games - 1}: got {games.min()} … {games.max()}"
        )
    held_out = np.zeros(num_games, np.uint8)
    held_out[games] = 1
    return held_out
