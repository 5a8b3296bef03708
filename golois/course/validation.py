"""Which positions `getValidation` shows: a seed decides, so they are the same on every machine."""

import numpy as np

from golois.data.sampling import Permutation, random_words
from golois.errors import ArgumentError

SEED = 0
SHARE = 5
"""Where there are too few games for one position each, one game in so many is held out."""


def choose_positions(num_positions: np.ndarray, num_rows: int, kept: np.ndarray) -> np.ndarray:
    """Choose int64 [num_rows] positions whose games leave training: one a game if games are enough.

    Games are enough when a fifth of them is left to train on. Else several positions a game come
    out of a fifth of the games. `num_positions` is int [G]; positions are numbered game after game.
    The positions of `kept`, an earlier and smaller choice, come first, without games too many.
    Raises ArgumentError: the games have too few positions.
    """
    usable = np.flatnonzero(num_positions)
    shuffled = usable[Permutation(len(usable), SEED)(np.arange(len(usable)))]
    held = games_of(num_positions, kept)
    order = np.concatenate([held, shuffled[~np.isin(shuffled, held)]])
    if num_rows > most_games(num_positions):
        return _several_a_game(num_positions, num_rows, kept, order[: len(usable) // SHARE])
    games = order[len(held) :][: num_rows - len(kept)]
    words = random_words(SEED, "course", games)
    within = (words % num_positions[games].astype(np.uint64)).astype(np.int64)
    return np.concatenate([kept, _first_positions(num_positions)[games] + within])


def games_of(num_positions: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """The games of some positions, each once, in the order in which they appear."""
    owners = _owners(num_positions, positions)
    games, firsts = np.unique(owners, return_index=True)
    return games[np.argsort(firsts)]


def most_games(num_positions: np.ndarray) -> int:
    """How many games may be held out, so that a fifth of them, or one, is left to train on."""
    num_usable = int(np.count_nonzero(num_positions))
    return num_usable - max(1, num_usable // SHARE)


def _several_a_game(
    num_positions: np.ndarray, num_rows: int, kept: np.ndarray, games: np.ndarray
) -> np.ndarray:
    """Positions of these games, whatever their order: the kept ones of them, then others."""
    games = np.sort(games)
    counts = num_positions[games].astype(np.int64)
    total = int(counts.sum())
    if num_rows > total:
        most = max(total, most_games(num_positions))
        raise ArgumentError(
            f"expected at most {most} rows for validation, out of "
            f"{np.count_nonzero(num_positions)} games: got {num_rows}; "
            "allocate fewer rows or take a larger games.data"
        )
    drawn = Permutation(total, SEED)(np.arange(num_rows))
    owners = _owners(counts, drawn)
    within = drawn - _first_positions(counts)[owners]
    positions = _first_positions(num_positions)[games[owners]] + within
    kept = kept[np.isin(_owners(num_positions, kept), games)]
    return np.concatenate([kept, positions[~np.isin(positions, kept)]])[:num_rows]


def _first_positions(num_positions: np.ndarray) -> np.ndarray:
    return np.cumsum(num_positions, dtype=np.int64) - num_positions


def _owners(num_positions: np.ndarray, positions: np.ndarray) -> np.ndarray:
    return np.searchsorted(np.cumsum(num_positions, dtype=np.int64), positions, side="right")
