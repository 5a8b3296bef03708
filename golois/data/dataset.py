"""Batches for training, straight from a packed file of games."""

import os
from collections.abc import Mapping, Sequence

import numpy as np

from golois.constants import PLANES_SHAPE
from golois.data.batch import PLANES_FORMATS, SPLITS, Batch, BatchSource
from golois.data.sampling import WeightedPositions, random_words, shuffled_game, uniform_positions
from golois.errors import ArgumentError, DataFormatError, require_one_of, require_range
from golois.go.symmetry import NUM_SYMMETRIES
from golois.kit.processes import num_cpus
from golois.native import DAMAGED, buffer, check, ffi, last_error, lib
from golois.planes.derived import derived_planes
from golois.planes.row_shapes import PLANE_SETS, RowShape, checked_features, planes_of
from golois.records.packed_file import GameFile, text_indices


class Dataset(BatchSource):
    """The training positions of a packed file, split by game into training and validation.

    A batch is a pure function of the file, the seed and its number; threads may share the data set.

    validation_fraction: the chance of each game to be held out.
    validation_games: the games to hold out instead, as indices or as a mask of all games.
    threads: worker threads of a batch; all cores when None.
    planes: "float32", "uint8" (a quarter of the bytes) or "bits" (a thirty-second).
    features: which planes; the game's own when None. Go also has "zero", and on 19×19 the sets of
        `golois.planes.derived.FEATURE_SETS`; NoGo has "nogo" and "zero", Hex "hex".
    phase_weights: `sample` cuts each game into as many equal parts, and draws from each by its
        weight: (1, 2, 1) shows the middle third twice as often.
    source_weights: the same for the positions of a source (`Record.source`), 1 by default.
    all_ownership: show the last stones also of games that were not played out, dead stones
        included, as the course's loader does; ownership_known still tells which they are.
    result_share: the share of the game's result in `value_white`, 0 … 1, beside the label's.
        AlphaZero learns from results: 1.

    Raises DataFormatError: no packed file, or a damaged one; ArgumentError: an unknown name, a
    number out of range, weights that are all 0, or a game that the file does not have.
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
        features: str | None = None,
        phase_weights: Sequence[float] | None = None,
        source_weights: Mapping[str, float] | None = None,
        all_ownership: bool = False,
        result_share: float = 0.0,
    ):
        require_one_of("planes", planes, PLANES_FORMATS)
        require_range("result_share", result_share, 0, 1)
        self.file = file = GameFile.open(path)
        self.title = str(path)
        self.seed = seed
        self.threads = threads or num_cpus()
        self.planes = planes
        self.features = checked_features(features, file.game, file.size)
        num_planes = planes_of(self.features)
        self.shape = RowShape(file.game, file.size, num_planes, file.policy_size)
        self.all_ownership = all_ownership
        self.result_share = result_share
        if validation_games is None:
            self._held_out = _drawn_games(len(file), seed, validation_fraction)
        else:
            self._held_out = _listed_games(len(file), validation_games)
        self._ends = {
            split: np.cumsum(file.rows["num_positions"][self._is_of(split)], dtype=np.int64)
            for split in SPLITS
        }
        held_out = buffer(self._held_out, "uint8_t[]")
        handle = lib.golois_dataset_create(file.handle, held_out, len(file))
        if handle == ffi.NULL:
            raise DataFormatError(f"{path}: {last_error()}")
        self._handle = ffi.gc(handle, lib.golois_dataset_destroy)
        self._weighted = None
        if phase_weights is not None or source_weights is not None:
            self._weighted = self._weigh(phase_weights, source_weights)

    def num_games(self, split: str) -> int:
        """Games in "train" or "validation"."""
        return lib.golois_dataset_num_games(self._handle, _is_validation(split))

    def num_positions(self, split: str) -> int:
        """Training positions in "train" or "validation"."""
        return lib.golois_dataset_num_positions(self._handle, _is_validation(split))

    @property
    def has_targets(self) -> bool:
        """Whether a teacher or a search has labelled positions: their policies are soft."""
        return self.file.has_targets

    def origins(self, positions: np.ndarray, split: str) -> tuple[np.ndarray, np.ndarray]:
        """The game of each position int [B] of a split, and the moves before it: int64 [B] each."""
        games, ends = np.flatnonzero(self._is_of(split)), self._ends[split]
        owners = np.searchsorted(ends, positions, side="right")
        origins = games[owners]
        within = positions - (ends[owners] - self.file.rows["num_positions"][origins])
        plies = np.empty(len(positions), np.int64)
        by_game = np.argsort(origins, kind="stable")
        borders = np.flatnonzero(np.diff(origins[by_game])) + 1
        for rows in np.split(by_game, borders) if len(by_game) else ():
            game = int(origins[rows[0]])
            plies[rows] = self.file.training_plies(game, self.file[game])[within[rows]]
        return origins, plies

    def draw(self, first: int, count: int, split: str) -> np.ndarray:
        """Positions of the draws first … first + count − 1, int64 [count], by the weights."""
        if self._weighted is None:
            return uniform_positions(self.num_positions(split), self.seed, first, count)
        return self._weighted[split](self.seed, first, count)

    def draw_game(self, step: int, split: str) -> np.ndarray:
        """All positions of the game number `step`, int64 [n]; a pass shows each game once."""
        ends = self._ends[split]
        game = shuffled_game(len(ends), self.seed, step)
        return np.arange(ends[game - 1] if game else 0, ends[game])

    def fill(
        self, batch: Batch, positions: np.ndarray, symmetries: np.ndarray, split: str = "train"
    ) -> None:
        """As `BatchSource.fill`; games of Hex have the symmetries 0 and 3.

        Raises ArgumentError: arrays that don't fit, or no such row; DataFormatError: a damaged
        file.
        """
        positions = np.ascontiguousarray(positions, np.int64)
        symmetries = _checked_symmetries(symmetries)
        self._require_room(batch, len(positions), len(symmetries))
        if self.features in PLANE_SETS:
            self._fill(batch, self.planes, self.features, positions, symmetries, split)
            return
        shown = np.empty((len(positions), *PLANES_SHAPE), np.uint8)
        course = batch._replace(planes=shown)
        self._fill(course, "uint8", "course", positions, symmetries, split)
        derived = derived_planes(shown, self.features)
        if PLANES_FORMATS[self.planes].is_packed:
            derived = np.packbits(derived.reshape(len(derived), -1), axis=1)
        batch.planes[...] = derived

    def _fill(
        self,
        batch: Batch,
        planes: str,
        plane_set: str,
        positions: np.ndarray,
        symmetries: np.ndarray,
        split: str,
    ) -> None:
        """Has the core write a set of its planes, in a format of its own, and the targets."""
        status = lib.golois_dataset_fill(
            self._handle,
            _is_validation(split),
            buffer(positions, "int64_t[]"),
            buffer(symmetries, "uint8_t[]"),
            len(positions),
            ffi.from_buffer(batch.planes, require_writable=True),
            PLANES_FORMATS[planes].code,
            PLANE_SETS[plane_set].code,
            _floats(batch.policy),
            _floats(batch.value_white),
            self.result_share,
            _floats(batch.ownership),
            self.all_ownership,
            _floats(batch.groups),
            _floats(batch.ownership_known),
            _floats(batch.area),
            _floats(batch.reply),
            _floats(batch.played),
            _floats(batch.owners),
            _floats(batch.owners_known),
            _floats(batch.later_values),
            _floats(batch.surprise),
            self.threads,
        )
        if status == DAMAGED:
            raise self.file.damaged(last_error())
        check(status, ArgumentError)

    def _require_room(self, batch: Batch, num_rows: int, num_symmetries: int) -> None:
        """The core trusts its buffers: what doesn't fit them is refused here."""
        if num_symmetries != num_rows:
            raise ArgumentError(
                f"expected {num_rows} symmetries, one of each position: got {num_symmetries}"
            )
        given = [name for name in Batch._fields[1:] if getattr(batch, name) is not None]
        rooms = Batch.empty(0, self.planes, given, self.shape)
        for name in ("planes", *given):
            array, room = getattr(batch, name), getattr(rooms, name)
            shape = (num_rows, *room.shape[1:])
            if array.shape != shape or array.dtype != room.dtype or not array.flags.c_contiguous:
                raise ArgumentError(
                    f"expected C-contiguous {room.dtype} {list(shape)} as {name}: "
                    f"got {array.dtype} {list(array.shape)}"
                )

    def _is_of(self, split: str) -> np.ndarray:
        """Whether each game is of a split: bool [G]."""
        return self._held_out == _is_validation(split)

    def _weigh(
        self, phase_weights: Sequence[float] | None, source_weights: Mapping[str, float] | None
    ) -> dict[str, WeightedPositions]:
        given = [1.0] if phase_weights is None else phase_weights
        phases = _checked_weights("phase_weights", given)
        weights = _game_weights(self.file, source_weights or {})
        num_positions = self.file.rows["num_positions"].astype(np.int64)

        def weighted(games: np.ndarray) -> WeightedPositions:
            return WeightedPositions(num_positions[games], weights[games], phases)

        return {split: weighted(self._is_of(split)) for split in SPLITS}


def _floats(array: np.ndarray | None):
    return ffi.NULL if array is None else buffer(array, "float[]")


def _checked_symmetries(symmetries: np.ndarray) -> np.ndarray:
    """The symmetries as the core takes them, which would take others modulo 8."""
    given = np.asarray(symmetries)
    if given.size and not (given.min() >= 0 and given.max() < NUM_SYMMETRIES):
        raise ArgumentError(
            f"symmetries must be from 0 to {NUM_SYMMETRIES - 1}, not {given.min()} … {given.max()}"
        )
    return np.ascontiguousarray(given, np.uint8)


def _is_validation(split: str) -> bool:
    if split not in SPLITS:
        raise ArgumentError(f'split must be "train" or "validation", not {split!r}')
    return split == "validation"


def _drawn_games(num_games: int, seed: int, fraction: float) -> np.ndarray:
    if not 0 <= fraction < 1:
        raise ArgumentError(f"validation_fraction must be from 0, below 1, not {fraction}")
    words = random_words(seed, "split", np.arange(num_games))
    return (words < np.uint64(fraction * 2.0**64)).astype(np.uint8)


def _listed_games(num_games: int, games: np.ndarray) -> np.ndarray:
    games = np.asarray(games)
    if games.dtype == bool:
        if games.shape != (num_games,):
            raise ArgumentError(
                f"validation_games must be a mask of {num_games} games, not of {games.size}"
            )
        games = np.flatnonzero(games)
    games = games.astype(np.int64)
    if games.size and not (games.min() >= 0 and games.max() < num_games):
        raise ArgumentError(
            f"validation_games must be from 0 to {num_games - 1}, not {games.min()} … {games.max()}"
        )
    held_out = np.zeros(num_games, np.uint8)
    held_out[games] = 1
    return held_out


def _checked_weights(name: str, given: Sequence[float]) -> np.ndarray:
    weights = np.asarray(given, np.float64)
    if not (weights.ndim == 1 and np.isfinite(weights).all() and (weights >= 0).all()):
        raise ArgumentError(f"{name} must be finite numbers from 0, not {weights.tolist()}")
    if not weights.any():
        raise ArgumentError(f"{name} must have a weight above 0: {weights.tolist()} has none")
    return weights


def _game_weights(file: GameFile, source_weights: Mapping[str, float]) -> np.ndarray:
    sources = [text["source"] for text in file.provenance.get("texts", [])]
    if unknown := set(source_weights) - set(sources):
        raise ArgumentError(
            f"source_weights names sources that {file.path} does not have: "
            f"{', '.join(sorted(unknown))}; it has {', '.join(sorted(set(sources)))}"
        )
    weights = [source_weights.get(source, 1.0) for source in sources]
    texts = text_indices(file.rows)
    if texts.max(initial=0) >= len(weights):
        raise DataFormatError(f"{file.path}: some games have no source; import them again")
    return _checked_weights("source_weights", weights)[texts]
