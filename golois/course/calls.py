"""The course's own calls, so that a script written for the course's loader runs unchanged.

They read `games.data` in the current folder: the course's text file or a packed one. A text file is
packed once, beside it or in the user's cache folder. The names are the course's.
"""

import os
import sys
import warnings
from contextlib import suppress
from functools import cache
from math import ceil
from pathlib import Path
from types import FrameType

import numpy as np

from golois.course.arrays import checked_rows, fill_arrays
from golois.course.validation import SEED, choose_positions, games_of, most_games
from golois.data.dataset import Dataset
from golois.data.sampling import uniform_symmetries
from golois.errors import ArgumentError, DataFormatError
from golois.kit.files import write_whole
from golois.records.importing import ImportProgress, packed_copy

DATA_FILE = "games.data"
OTHER_DATA_FILES = ("games2022.data", "data/games.data")
VALIDATION_FILE = "validation.data"
OTHER_VALIDATION_FILE = "validation.2022.data"
MOST_DIGITS = 18  # of a position's number


def getValidation(x, policy, value, end) -> None:  # noqa: N802
    """Fill the arrays with N positions, the same at every call; their games leave training.

    The positions are of N different games, as in the course's loader. A file with too few games
    gives several positions a game, out of a fifth of its games. `validation.data` keeps the choice,
    and another N shortens or extends it. A choice that belongs to other games becomes
    `validation.data.old`.

    x: [N, 19, 19, 31] planes; of 21 or 8 planes, those of 2021 or 2020.
    policy: [N, 361] one-hot. value: [N], P(White wins).
    end: [N, 19, 19, 2], the game's last stones: of the side to move, of its opponent, turned like
        the planes (the course's loader doesn't turn them).

    Raises ArgumentError: shapes that don't fit, or more rows than a fifth of the games has;
    ArgumentTypeError: something else than an array of numbers; DataFormatError: no games.data here,
    or a damaged validation.data.
    """
    arrays = {"x": x, "policy": policy, "value": value, "end": end}
    num_rows = checked_rows(arrays)
    fill_arrays(arrays, *_session(Path.cwd()).validation_rows(num_rows))


def getBatch(x, policy, value, end, groups=None, index=None) -> None:  # noqa: N802
    """Fill the arrays with training positions, each under a random symmetry.

    The first four arrays and the errors are as for getValidation. `groups` may be left out: [N, 19,
    19, 1], 0 on empty points, else 1 + a number of the chain. With `index`, row k is training
    position index + k, modulo their number, of a fixed shuffled order.
    """
    arrays = {"x": x, "policy": policy, "value": value, "end": end}
    if groups is not None:
        arrays["groups"] = groups
    num_rows = checked_rows(arrays)
    fill_arrays(arrays, *_session(Path.cwd()).training_rows(num_rows, index))


def getBatchVal(*arrays) -> None:  # noqa: N802
    """Raise ArgumentError: the course's loader filled these arrays from its `games.val.data`."""
    raise ArgumentError(
        "getBatchVal is not in this loader: call getValidation(x, policy, value, end), which "
        "holds its games out"
    )


def setSoft(soft) -> None:  # noqa: N802
    """Accepted for old scripts; it has no effect, as in the course's loader."""


class _Session:
    """One folder's games: the validation choice and the training positions that are left."""

    def __init__(self, folder: Path):
        self._source = _games_file(folder)
        self._path = packed_copy(self._source, on_progress=_Progress(self._source))
        self._choice_file = _choice_file(folder, self._source)
        self._all = Dataset(self._path, seed=SEED, validation_fraction=0, all_ownership=True)
        self._all.file.require_arena_game()
        self._train = self._all
        self._num_positions = self._all.file.rows["num_positions"].astype(np.int64)
        self._chosen = np.empty(0, np.int64)
        self._held_out = np.empty(0, np.int64)
        self._num_drawn = 0  # positions
        self._read_choice()
        if self._source != folder / DATA_FILE:
            _warn(f"there is no {folder / DATA_FILE}: {self._source} is used")

    def validation_rows(self, num_rows: int) -> tuple[Dataset, np.ndarray, np.ndarray]:
        """What to fill `num_rows` rows with: the data set, positions in it, and symmetries."""
        if len(self._chosen) != num_rows:
            self._choose(num_rows)
        return self._all, self._chosen, uniform_symmetries(SEED, 0, num_rows)

    def training_rows(
        self, num_rows: int, index: int | None
    ) -> tuple[Dataset, np.ndarray, np.ndarray]:
        """As validation_rows, of positions from `index` on; drawn at random when it is None."""
        if index is not None:
            return self._train, *self._train.walked_rows(num_rows, int(index), symmetry=True)
        step = ceil(self._num_drawn / max(1, num_rows))  # the first whose draws are all new
        self._num_drawn = max(self._num_drawn, (step + 1) * num_rows)
        return self._train, *self._train.sampled_rows(num_rows, step)

    def _choose(self, num_rows: int) -> None:
        """Take another number of positions than before, keep the choice, and warn."""
        before = self._chosen
        if num_rows < len(before):
            self._use(before[:num_rows])
        else:
            self._use(choose_positions(self._num_positions, num_rows, before))
        self._keep_choice()
        if len(before):
            done = "shortened" if num_rows < len(before) else "extended"
            _warn(
                f"{self._choice_file} had {len(before):,} positions: "
                f"the file is {done} to {num_rows:,} for x"
            )
        if num_rows > max(len(before), most_games(self._num_positions)):
            _warn(
                f"{self._source} has {np.count_nonzero(self._num_positions):,} games, too few for "
                f"{num_rows:,} validation positions of as many games: the positions come from "
                f"{len(games_of(self._num_positions, self._chosen)):,} games, and training uses "
                f"the other {self._train.num_games('train'):,}"
            )

    def _use(self, chosen: np.ndarray) -> None:
        """Show these positions from now on; a game that was held out stays so in this process."""
        self._chosen = chosen
        games = games_of(self._num_positions, chosen)
        if not np.isin(games, self._held_out).all():
            self._held_out = np.union1d(self._held_out, games)
            self._train = Dataset(
                self._path, seed=SEED, validation_games=self._held_out, all_ownership=True
            )

    def _read_choice(self) -> None:
        path = self._choice_file
        if not path.exists():
            return
        words = path.read_text(encoding="ascii", errors="replace").split()
        is_listed = all(word.isdecimal() and len(word) <= MOST_DIGITS for word in words)
        if not words or not is_listed or len(words) != int(words[0]) + 1:
            raise DataFormatError(
                f"{path}: expected a count and that many positions; delete the file"
            )
        positions = np.array(words[1:], np.int64)
        if self._may_hold_out(positions):
            self._use(positions)
            return
        _warn(f"{path} belongs to other games than {self._source}: {_set_aside(path)}")

    def _may_hold_out(self, positions: np.ndarray) -> bool:
        if positions.max(initial=0) >= self._num_positions.sum():
            return False
        num_games = len(games_of(self._num_positions, positions))
        return num_games <= most_games(self._num_positions)

    def _keep_choice(self) -> None:
        words = [len(self._chosen), *self._chosen.tolist()]
        text = " ".join(map(str, words)) + "\n"
        with suppress(OSError):  # a read-only folder: the choice is the same next time
            write_whole(self._choice_file, text.encode("ascii"), durable=False)


_session = cache(_Session)


def _games_file(folder: Path) -> Path:
    paths = [folder / name for name in (DATA_FILE, *OTHER_DATA_FILES)]
    found = next((path for path in paths if path.exists()), None)
    if found is None:
        raise DataFormatError(
            f"expected {DATA_FILE} in {folder}: found none; copy the course's file there, "
            f"or make one with `python -m golois import SGF… -o {DATA_FILE}`"
        )
    return found


def _choice_file(folder: Path, source: Path) -> Path:
    """Where the choice is kept; a file of another name only beside games of another name."""
    path, other = folder / VALIDATION_FILE, folder / OTHER_VALIDATION_FILE
    is_other = source != folder / DATA_FILE and not path.exists() and other.exists()
    return other if is_other else path


def _set_aside(path: Path) -> str:
    try:
        os.replace(path, path.with_name(f"{path.name}.old"))
    except OSError:
        return "this file is ignored, and positions are chosen again"
    return f"this file is now {path.name}.old, and positions are chosen again"


def _warn(text: str) -> None:
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__") == __name__:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


class _Progress:
    def __init__(self, source: Path):
        self._source = source
        self._tenths = -1

    def __call__(self, progress: ImportProgress) -> None:
        tenths = 10 * progress.num_bytes // max(1, progress.total_bytes)
        if tenths > self._tenths:
            self._tenths = tenths
            done = f"{10 * tenths} %, {progress.num_games} games"
            print(f"golois: packing {self._source}, once: {done}", file=sys.stderr)
