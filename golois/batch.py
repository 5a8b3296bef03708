"""Batches of training positions, and what every source of them offers."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from golois import feeds
from golois.derived_planes import num_planes
from golois.errors import ArgumentError
from golois.sampling import Permutation, uniform_symmetries
from golois.shapes import BOARD_SIZE, NUM_PLANES, NUM_POINTS, packed_size

SPLITS = ("train", "validation")


class PlanesFormat(NamedTuple):
    """A layout of planes in memory: the core's number for it, NumPy's type, numbers or bits."""

    code: int
    dtype: type
    is_packed: bool

    def row_shape(self, num_planes: int) -> tuple[int, ...]:
        """The shape of a position."""
        if self.is_packed:
            return (packed_size(num_planes),)
        return (BOARD_SIZE, BOARD_SIZE, num_planes)


PLANES_FORMATS = {
    "float32": PlanesFormat(0, np.float32, False),
    "uint8": PlanesFormat(1, np.uint8, False),
    "bits": PlanesFormat(2, np.uint8, True),
}


TARGET_SHAPES = {
    "policy": (NUM_POINTS,),
    "value_white": (),
    "ownership": (BOARD_SIZE, BOARD_SIZE, 2),
    "groups": (BOARD_SIZE, BOARD_SIZE, 1),
    "ownership_known": (),
    "area": (BOARD_SIZE, BOARD_SIZE),
    "reply": (NUM_POINTS,),
    "played": (NUM_POINTS,),
}


class Batch(NamedTuple):
    """What a network trains on; rows of all arrays belong together, float32 but for the planes.

    A target that was not asked for is None.

    planes: [B, 19, 19, 31] of 0 and 1, float32 or uint8; or their bits, uint8 [B, 1399], the
        highest bit of a byte first, as `unpack_planes` reads them. Another set of features has
        another number of planes.
    policy: [B, 361], what a teacher or a search says of the move, summing to 1; one-hot of the move
        played where the file has no such target.
    value_white: [B], P(White wins) in [0, 1] before the move: the label, else the game's result.
    ownership: [B, 19, 19, 2], the game's last stones: of the side to move, of its opponent; zero
        where the game was not played out, so that its last stones are not a target.
    groups: [B, 19, 19, 1], 0 on empty points, else a number of the chain.
    ownership_known: [B], 1 where the game was played out, else 0: the sample weight of ownership
        and area.
    area: [B, 19, 19], 1 where the point counts for the side to move when the game is over, -1 where
        it counts for its opponent, 0 where for nobody; zero where the game was not played out.
    reply: [B, 361], one-hot of the opponent's answer to that move; zero where there is none, or a
        pass.
    played: [B, 361], one-hot of the move played.
    """

    planes: np.ndarray
    policy: np.ndarray | None = None
    value_white: np.ndarray | None = None
    ownership: np.ndarray | None = None
    groups: np.ndarray | None = None
    ownership_known: np.ndarray | None = None
    area: np.ndarray | None = None
    reply: np.ndarray | None = None
    played: np.ndarray | None = None

    @classmethod
    def empty(
        cls,
        num_rows: int,
        planes: str = "float32",
        targets: Collection[str] | None = None,
        features: str = "course",
    ) -> "Batch":
        """Uninitialised arrays of `num_rows` rows.

        Args:
            num_rows: B, how many positions there is room for.
            planes: a format of PLANES_FORMATS.
            targets: names out of TARGET_SHAPES, the others are None; all when None.
            features: which planes, a name of `golois.derived_planes.FEATURE_SETS`.
        """
        planes_format = PLANES_FORMATS[planes]
        wanted = TARGET_SHAPES if targets is None else targets
        return cls(
            np.empty(
                (num_rows, *planes_format.row_shape(num_planes(features))), planes_format.dtype
            ),
            *(
                np.empty((num_rows, *shape), np.float32) if name in wanted else None
                for name, shape in TARGET_SHAPES.items()
            ),
        )

    def slice(self, start: int, stop: int) -> "Batch":
        """Rows start … stop − 1, as views."""
        targets = (None if array is None else array[start:stop] for array in self[1:])
        return Batch(self.planes[start:stop], *targets)


class BatchSource(ABC):
    """Numbered training positions, and the ways to take batches of them.

    A batch is a pure function of the source, its seed and the arguments, so threads may share a
    source and a resumed run needs nothing from it.

    Attributes:
        seed: decides order and symmetries.
        planes: how batches hold their planes, a format of PLANES_FORMATS.
        features: which planes these are, a name of `golois.derived_planes.FEATURE_SETS`.
        title: what an error calls this source.
    """

    seed: int
    planes: str
    features: str
    title: str

    @abstractmethod
    def num_games(self, split: str) -> int:
        """Games in "train" or "validation"."""

    @abstractmethod
    def num_positions(self, split: str) -> int:
        """Training positions in "train" or "validation"."""

    @property
    @abstractmethod
    def has_targets(self) -> bool:
        """Whether a teacher or a search has labelled positions: their policies are soft."""

    @abstractmethod
    def draw(self, first: int, count: int, split: str) -> np.ndarray:
        """Positions of the draws first … first + count − 1, int64 [count], with replacement."""

    @abstractmethod
    def fill(
        self, batch: Batch, positions: np.ndarray, symmetries: np.ndarray, split: str = "train"
    ) -> None:
        """As `rows`, into arrays that exist; targets that are None are left out.

        Args:
            batch: C-contiguous arrays of a Batch's shapes and types; planes, in this source's
                format, must be there.
            positions: int [B], 0 … num_positions(split) − 1, in the order of the file.
            symmetries: int [B], 0 … 7.
            split: "train" or "validation".
        """

    def sample(
        self,
        batch_size: int,
        step: int,
        split: str = "train",
        symmetry: bool = True,
        targets: Collection[str] | None = None,
    ) -> Batch:
        """Batch number `step` of positions drawn with replacement, uniformly or by weight.

        Args:
            batch_size: positions of a batch.
            step: 0, 1, 2, …; the same step gives the same batch.
            split: "train" or "validation".
            symmetry: show each row under a random one of the eight symmetries.
            targets: as for `Batch.empty`; fewer cost less time.

        Raises:
            ArgumentError: the split has no position.
        """
        rows = self.sampled_rows(batch_size, step, split, symmetry)
        return self.rows(*rows, split, targets)

    def walk(
        self,
        batch_size: int,
        start: int = 0,
        split: str = "validation",
        symmetry: bool = False,
        targets: Collection[str] | None = None,
    ) -> Batch:
        """Rows start … start + batch_size − 1, modulo their number, of a fixed shuffled order.

        Weights don't matter here: a walk shows each position once.

        Raises:
            ArgumentError: the split has no position.
        """
        rows = self.walked_rows(batch_size, start, split, symmetry)
        return self.rows(*rows, split, targets)

    def sampled_rows(
        self, batch_size: int, step: int, split: str = "train", symmetry: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """The positions and symmetries, each [batch_size], that `sample` shows."""
        first = step * batch_size
        self.require_positions(split)
        return self.draw(first, batch_size, split), self._symmetries(symmetry, first, batch_size)

    def walked_rows(
        self, batch_size: int, start: int = 0, split: str = "train", symmetry: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The positions and symmetries, each [batch_size], that `walk` shows."""
        num_positions = self.require_positions(split)
        rows = np.arange(start, start + batch_size) % num_positions
        positions = Permutation(num_positions, self.seed)(rows)
        return positions, self._symmetries(symmetry, start, batch_size)

    def rows(
        self,
        positions: np.ndarray,
        symmetries: np.ndarray,
        split: str = "train",
        targets: Collection[str] | None = None,
    ) -> Batch:
        """The batch of given positions.

        Args:
            positions: int [B], 0 … num_positions(split) − 1, in the order of the file.
            symmetries: int [B], 0 … 7.
            split: "train" or "validation".
            targets: as for `Batch.empty`.

        Raises:
            ArgumentError: a position that the split does not have.
        """
        batch = Batch.empty(len(positions), self.planes, targets, self.features)
        self.fill(batch, positions, symmetries, split)
        return batch

    def as_keras(self, batch_size: int, **options) -> Any:
        """A `keras.utils.PyDataset` for `model.fit`, see `golois.feeds.keras_feed`."""
        return feeds.keras_feed(self, batch_size, **options)

    def as_tf(self, batch_size: int, **options) -> Any:
        """A `tf.data.Dataset`, see `golois.feeds.tf_feed`."""
        return feeds.tf_feed(self, batch_size, **options)

    def require_positions(self, split: str) -> int:
        """As num_positions, above 0.

        Raises:
            ArgumentError: the split has none.
        """
        num_positions = self.num_positions(split)
        if num_positions == 0:
            raise ArgumentError(
                f"{self.title} has no positions for {split} in its "
                f"{self.num_games('train') + self.num_games('validation')} games: "
                "change validation_fraction, or add games"
            )
        return num_positions

    def _symmetries(self, random: bool, first: int, count: int) -> np.ndarray:
        if random:
            return uniform_symmetries(self.seed, first, count)
        return np.zeros(count, np.uint8)


def unpack_planes(bits: np.ndarray, num_planes: int = NUM_PLANES) -> np.ndarray:
    """The planes uint8 [B, 19, 19, 31], or as many, of packed ones, uint8 [B, 1399]."""
    planes = np.unpackbits(bits, axis=1, count=NUM_POINTS * num_planes)
    return planes.reshape(-1, BOARD_SIZE, BOARD_SIZE, num_planes)
