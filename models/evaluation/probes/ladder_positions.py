"""Ladders of real games: positions in which the side to move has one chain to save.

A game gives its first ladder; as many work as don't. Source: ResTNet, "Defense against Adversarial
Policies via Transformer in Computer Go".
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from golois.data.batch import unpack_planes
from golois.data.dataset import Dataset
from golois.data.sampling import random_words
from golois.go.board import Board
from golois.go.chains import chain_of
from golois.go.coords import BLACK, WHITE, opponent
from golois.records.packed_file import GameFile
from models.errors import EvaluationError
from models.evaluation.equivalence import OTHER_PLANE, OWN_PLANE
from models.evaluation.probes.ladder_reading import (
    LadderTooLong,
    escapes,
    ladder_line,
    played,
    stones_of,
)

BLACK_TO_PLAY_PLANE, LOST_PLANE, ONE_LIBERTY_PLANE = 0, 1, 5
ESCAPES, CAPTURED = 1, -1
TEST_SHARE = 5  # one game in so many is for the test
MIN_SAMPLES = 20


class Origin(NamedTuple):
    """A position of a packed file: its game, and the moves made before."""

    file: GameFile
    game: int
    num_moves: int


@dataclass(frozen=True, eq=False)
class Ladders:
    """Positions with ladders, half of each kind, one a game.

    `planes` are uint8 `[N, 19, 19, 31]`, `targets` `[N]`: 1 where the chain in atari escapes, -1
    where it is captured. `games` are int `[N]` over all files; `origins` are places in packed
    files.
    """

    planes: np.ndarray
    targets: np.ndarray
    games: np.ndarray
    origins: tuple[Origin, ...] = ()

    def __len__(self) -> int:
        return len(self.targets)


def find_ladders(
    datasets: Sequence[Dataset], seed: int, on_game: Callable[[int], None]
) -> tuple[Ladders, Ladders]:
    """Search all games for ladders; return those for training and for the test, by game.

    The seed decides which games are for the test. `on_game` gets the number of games searched.
    Raises EvaluationError: too few ladders.
    """
    found: dict[bool, list[_Sample]] = {False: [], True: []}
    for game, (planes, origins) in enumerate(_games(datasets)):
        is_test = bool(random_words(seed, "ladder", np.array([game]))[0] % TEST_SHARE == 0)
        balance = sum(sample.target for sample in found[is_test])
        wanted = CAPTURED if balance >= 0 else ESCAPES  # the rarer one
        if (row := _first_ladder(planes, wanted)) is not None:
            found[is_test].append(_Sample(planes[row], wanted, game, origins[row]))
        on_game(game + 1)
    return _joined(found[False], "training"), _joined(found[True], "test")


class _Sample(NamedTuple):
    planes: np.ndarray
    target: int
    game: int
    origin: Origin


def _games(datasets: Sequence[Dataset]) -> Iterator[tuple[np.ndarray, list[Origin]]]:
    for dataset in datasets:
        for split in ("train", "validation"):
            count = dataset.num_positions(split)
            if not count:
                continue
            owners, plies = dataset.origins(np.arange(count), split)
            for positions in np.split(np.arange(count), np.flatnonzero(np.diff(owners)) + 1):
                symmetries = np.zeros(len(positions), np.uint8)
                batch = dataset.rows(positions, symmetries, split, targets=())
                game = int(owners[positions[0]])
                origins = [Origin(dataset.file, game, int(plies[i])) for i in positions]
                yield unpack_planes(batch.planes), origins


def _first_ladder(planes: np.ndarray, wanted: int) -> int | None:
    in_atari = planes[..., OWN_PLANE] & planes[..., ONE_LIBERTY_PLANE]
    marked = in_atari & planes[..., LOST_PLANE]
    hopeful = marked if wanted == CAPTURED else in_atari & ~marked & 1
    for row in np.flatnonzero(hopeful.any(axis=(1, 2))):
        if ladder_target(planes[row]) == wanted:
            return int(row)
    return None


def ladder_target(planes: np.ndarray) -> int | None:
    """Read the ladder of a position, uint8 `[19, 19, 31]`: ESCAPES, CAPTURED or None.

    The answer is of the side to move's only chain in atari. It is None for another number of
    chains, without two liberties after extending, or where reading takes too long.
    """
    atari = np.flatnonzero(planes[..., OWN_PLANE] & planes[..., ONE_LIBERTY_PLANE])
    board = board_of(planes)
    stones = stones_of(board)
    chain, liberties = chain_of(stones, int(atari[0])) if atari.size else (set(), set())
    if not chain or len(chain) != atari.size:
        return None
    extended = played(board, liberties.pop(), board.to_play)
    if extended is None:
        return None
    if len(chain_of(stones_of(extended), int(atari[0]))[1]) != 2:
        return None
    try:
        return ESCAPES if escapes(board, int(atari[0])) else CAPTURED
    except LadderTooLong:
        return None


def ladder_length(planes: np.ndarray) -> int | None:
    """Return the moves until a ladder of `ladder_target` is decided; None if they are too many."""
    stone = int(np.flatnonzero(planes[..., OWN_PLANE] & planes[..., ONE_LIBERTY_PLANE])[0])
    try:
        return len(ladder_line(board_of(planes), stone))
    except LadderTooLong:
        return None


def board_of(planes: np.ndarray) -> Board:
    """Set up the stones that planes show, uint8 `[19, 19, 31]`; without a past."""
    mover = BLACK if planes[0, 0, BLACK_TO_PLAY_PLANE] else WHITE
    board = Board()
    for plane, colour in ((OWN_PLANE, mover), (OTHER_PLANE, opponent(mover))):
        for point in np.flatnonzero(planes[..., plane]):
            board.play_unchecked(int(point), colour)
    board.to_play = mover
    return board


def _joined(found: list[_Sample], use: str) -> Ladders:
    if len(found) < MIN_SAMPLES:
        raise EvaluationError(
            f"the {use} needs {MIN_SAMPLES} games with ladders, and there are {len(found)}: "
            "add games"
        )
    planes, targets, games, origins = zip(*found, strict=True)
    return Ladders(np.stack(planes), np.array(targets, np.float32), np.array(games), origins)
