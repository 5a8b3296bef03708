"""Batches of training positions, and what every source of them offers."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, Literal, NamedTuple

import numpy as np

from golois.constants import BOARD_SIZE, NUM_PLANES
from golois.data import feeds
from golois.data.sampling import Permutation, random_words, uniform_symmetries
from golois.errors import ArgumentError
from golois.planes.row_shapes import COURSE_SHAPE, GAMES, RowShape

SPLITS = ("train", "validation")
MAX_MOVES = 32_767  # of a packed game
MAX_NOGO_SCORE = 5  # Gao and Wu, NoGoZero+, 2021

Symmetry = bool | Literal["ordered"]
"""How rows are shown: True under random symmetries, False as played.

"ordered" shows a position under the next of the symmetries at each pass over the data, from a start
that the seed and its number decide.
"""


class PlanesFormat(NamedTuple):
    """A layout of planes in memory: the core's number for it, NumPy's type, numbers or bits."""

    code: int
    dtype: type
    is_packed: bool

    def row_shape(self, shape: RowShape) -> tuple[int, ...]:
        """The shape of a position's planes."""
        return (shape.packed_size,) if self.is_packed else shape.planes


PLANES_FORMATS = {
    "float32": PlanesFormat(0, np.float32, False),
    "uint8": PlanesFormat(1, np.uint8, False),
    "bits": PlanesFormat(2, np.uint8, True),
}


class Batch(NamedTuple):
    """What a network trains on; row i of every array belongs to position i; float32 except planes.

    A target is None where nobody asked for it, or where the game lacks it. The shapes here are of
    Go on 19×19 with the course's planes; `golois.planes.row_shapes.RowShape` has the others.

    planes: [B, 19, 19, 31] of 0 and 1, float32 or uint8; or bits, uint8 [B, 1399], `unpack_planes`.
    policy: [B, 361], a teacher's or a search's, summing to 1; else one-hot of the move played. The
        pass, where a policy has it, comes last.
    value_white: [B], P(White wins) in [0, 1] before the move: the label, else the game's result.
    ownership: [B, 19, 19, 2], the game's last stones: of the side to move, of its opponent.
    groups: [B, 19, 19, 1], 0 on empty points, else a number of the chain.
    ownership_known: [B], 1 where the game was played out, else 0; ownership, area are zero then.
    area: [B, 19, 19], each point's owner when the game is over: 1 the side to move, -1 its
        opponent, 0 nobody. In NoGo a colour owns its stones, and points where it alone may play.
    reply: [B, 361], one-hot of the opponent's answer; zero for none, or a pass without a number.
    played: [B, 361], one-hot of the move played.
    owners: [B, 19, 19], a teacher's ownership of each point before the move, from 1, the side to
        move's, to -1; else as area.
    owners_known: [B], 1 where owners are a teacher's or the game was played out, else 0.
    later_values: [B, 3], P(side to move wins) as the later moves saw it: averages of the file's
        values over about 6, 16 and 50 plies, in which the k-th ply after the position, from 0,
        weighs (1 − 1/h)^k. NaN where no later value is known.
    surprise: [B, 2], how much better the next moves turned out for the side to move than the
        position looked: the average over 6 plies less the position's own, of P(side to move wins)
        and of the lead in points. NaN where the file lacks either.
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
    owners: np.ndarray | None = None
    owners_known: np.ndarray | None = None
    later_values: np.ndarray | None = None
    surprise: np.ndarray | None = None

    @classmethod
    def empty(
        cls,
        num_rows: int,
        planes: str = "float32",
        targets: Collection[str] | None = None,
        shape: RowShape = COURSE_SHAPE,
    ) -> "Batch":
        """Uninitialised arrays of `num_rows` rows, planes in a format of PLANES_FORMATS.

        The arrays that `targets` doesn't name are None; all exist for None. Raises ArgumentError: a
        target that the game doesn't have.
        """
        planes_format = PLANES_FORMATS[planes]
        wanted = shape.targets if targets is None else targets
        if missing := set(wanted) - set(shape.targets):
            raise ArgumentError(
                f"{GAMES[shape.game]} has no target {', '.join(sorted(missing))}: it has "
                f"{', '.join(shape.targets)}"
            )
        arrays = {name: np.empty((num_rows, *shape.targets[name]), np.float32) for name in wanted}
        planes_shape = (num_rows, *planes_format.row_shape(shape))
        return cls(np.empty(planes_shape, planes_format.dtype), **arrays)

    def nogo_score(self) -> np.ndarray:
        """NoGoZero+'s target, the side to move's lead in legal moves at the end: float32 [B], ±5.

        It is 0 where the game was not played out. Raises ArgumentError: `area` or `ownership` is
        None.
        """
        if self.area is None or self.ownership is None:
            raise ArgumentError("the score of NoGo needs the targets area and ownership")
        stones = self.ownership[..., 0] - self.ownership[..., 1]
        return np.clip((self.area - stones).sum((1, 2)), -MAX_NOGO_SCORE, MAX_NOGO_SCORE)

    def slice(self, start: int, stop: int) -> "Batch":
        """Rows start … stop − 1, as views."""
        targets = (None if array is None else array[start:stop] for array in self[1:])
        return Batch(self.planes[start:stop], *targets)


class BatchSource(ABC):
    """Numbered training positions, and the ways to take batches of them.

    A batch is a pure function of the source, its seed and the arguments. So threads may share a
    source, and a resumed run needs nothing from it. `features` is a name of
    `golois.planes.row_shapes.PLANE_SETS` or `golois.planes.derived.FEATURE_SETS`; errors call the
    source by its `title`.
    """

    seed: int
    planes: str
    features: str
    shape: RowShape
    title: str

    def __repr__(self) -> str:
        games, positions = (
            [f"{count(split):,} {split}" for split in SPLITS]
            for count in (self.num_games, self.num_positions)
        )
        size, num_planes = self.shape.size, self.shape.num_planes
        return (
            f"{type(self).__name__} of {self.title}: games {' + '.join(games)}, "
            f"positions {' + '.join(positions)}, planes {size}×{size}×{num_planes} "
            f"({self.features}) as {self.planes}"
        )

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
    def draw_game(self, step: int, split: str) -> np.ndarray:
        """All positions of the game number `step`, int64 [n], in the order of the file."""

    @abstractmethod
    def fill(
        self, batch: Batch, positions: np.ndarray, symmetries: np.ndarray, split: str = "train"
    ) -> None:
        """As `rows`, into C-contiguous arrays of a Batch's shapes and types; None is left out."""

    def sample(
        self,
        batch_size: int,
        step: int,
        split: str = "train",
        symmetry: Symmetry = True,
        targets: Collection[str] | None = None,
    ) -> Batch:
        """Batch number `step`, drawn with replacement, uniformly or by weight.

        The same step gives the same batch. Fewer `targets` cost less time. Raises ArgumentError:
        the split has no position.
        """
        rows = self.sampled_rows(batch_size, step, split, symmetry)
        return self.rows(*rows, split, targets)

    def sample_game(
        self,
        step: int,
        split: str = "train",
        symmetry: Symmetry = True,
        targets: Collection[str] | None = None,
    ) -> Batch:
        """All training positions of game `step`, each game once in turn; errors as for `sample`."""
        self.require_positions(split)
        positions = self.draw_game(step, split)
        passes = np.full(len(positions), step // self.num_games(split))
        symmetries = self._symmetries(symmetry, step * MAX_MOVES, positions, passes)
        return self.rows(positions, symmetries, split, targets)

    def walk(
        self,
        batch_size: int,
        start: int = 0,
        split: str = "validation",
        symmetry: Symmetry = False,
        targets: Collection[str] | None = None,
    ) -> Batch:
        """Rows start … start + batch_size − 1, modulo their number, of a fixed shuffled order.

        A walk shows each position once, whatever the weights. Raises ArgumentError: an empty split.
        """
        rows = self.walked_rows(batch_size, start, split, symmetry)
        return self.rows(*rows, split, targets)

    def sampled_rows(
        self, batch_size: int, step: int, split: str = "train", symmetry: Symmetry = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """The positions and symmetries, each [batch_size], that `sample` shows."""
        first = step * batch_size
        self.require_positions(split)
        positions = self.draw(first, batch_size, split)
        passes = self.passes(positions, first, split)
        return positions, self._symmetries(symmetry, first, positions, passes)

    def walked_rows(
        self, batch_size: int, start: int = 0, split: str = "train", symmetry: Symmetry = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The positions and symmetries, each [batch_size], that `walk` shows."""
        num_positions = self.require_positions(split)
        passes, rows = np.divmod(np.arange(start, start + batch_size), num_positions)
        positions = Permutation(num_positions, self.seed)(rows)
        return positions, self._symmetries(symmetry, start, positions, passes)

    def passes(self, positions: np.ndarray, draws: int, split: str) -> np.ndarray:
        """How often `sample` has shown each position int [B], on average, after so many draws."""
        return np.full(len(positions), draws // self.num_positions(split))

    def rows(
        self,
        positions: np.ndarray,
        symmetries: np.ndarray,
        split: str = "train",
        targets: Collection[str] | None = None,
    ) -> Batch:
        """The batch of positions int [B], numbered as in the file, under symmetries int [B], 0 … 7.

        Raises ArgumentError: a position that the split does not have.
        """
        batch = Batch.empty(len(positions), self.planes, targets, self.shape)
        self.fill(batch, positions, symmetries, split)
        return batch

    def as_keras(self, batch_size: int, **options) -> Any:
        """A `keras.utils.PyDataset` for `model.fit`, see `golois.data.feeds.keras_feed`."""
        return feeds.keras_feed(self, batch_size, **options)

    def as_tf(self, batch_size: int, **options) -> Any:
        """A `tf.data.Dataset`, see `golois.data.feeds.tf_feed`."""
        return feeds.tf_feed(self, batch_size, **options)

    def require_positions(self, split: str) -> int:
        """As `num_positions`, above 0; ArgumentError where the split has none."""
        num_positions = self.num_positions(split)
        if num_positions == 0:
            raise ArgumentError(
                f"{self.title} has no positions for {split} in its "
                f"{self.num_games('train') + self.num_games('validation')} games: "
                "change validation_fraction, or add games"
            )
        return num_positions

    def _symmetries(
        self, symmetry: Symmetry, first: int, positions: np.ndarray, passes: np.ndarray
    ) -> np.ndarray:
        if not symmetry:
            return np.zeros(len(positions), np.uint8)
        group = np.array(self.shape.symmetries, np.uint8)
        if symmetry == "ordered":
            starts = random_words(self.seed, "ordered", positions) % np.uint64(len(group))
            return group[(starts.astype(np.int64) + passes) % len(group)]
        return group[uniform_symmetries(self.seed, first, len(positions)) % len(group)]


def unpack_planes(
    bits: np.ndarray, num_planes: int = NUM_PLANES, size: int = BOARD_SIZE
) -> np.ndarray:
    """The planes uint8 [B, size, size, num_planes] of packed ones, such as uint8 [B, 1399]."""
    planes = np.unpackbits(bits, axis=1, count=size * size * num_planes)
    return planes.reshape(-1, size, size, num_planes)
