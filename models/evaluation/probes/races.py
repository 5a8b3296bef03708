"""Rings in a race for liberties, outside and inside: no rule settles them, so they are read."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from golois.constants import BOARD_SIZE, TOURNAMENT_KOMI
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE, opponent
from golois.go.symmetry import NUM_SYMMETRIES, point_table, transform_board
from models.errors import EvaluationError
from models.evaluation.probes.circular import FAR_SHARE, MarkedPosition, scatter, set_up

MAX_BOARDS = 2_000
MAX_TRIES = 2_000
HEIGHT = 2  # of the inside, where every point touches the ring
OWN_STONE_SHARE = 0.3


class NotRead(Exception):
    """More boards than `MAX_BOARDS`, or a fight in which a position may repeat."""


@dataclass(frozen=True, eq=False)
class Ring:
    """A ring, int `[n]` of a 19x19 board, that its enemy encloses; moves in `region` can matter."""

    board: Board
    points: np.ndarray
    region: np.ndarray


# What becomes of a ring when its owner moves first, and when its enemy does: whether it is saved.
FATES = {"taken": (False, False), "safe": (True, True), "for the first to move": (True, False)}


def generated_races(count: int, seed: int) -> Iterator[MarkedPosition]:
    """Draw rings: in turn taken, safe, and saved or taken by the side to move; of both colours."""
    rng = np.random.default_rng(seed)
    for index in range(count):
        colour = WHITE if index % 8 < 4 else BLACK
        fate = tuple(FATES)[min(index % 4, 2)]
        ring = _ring_of_fate(rng, colour, FATES[fate])
        begins = bool(rng.integers(2)) if index % 4 < 2 else index % 4 == 2
        ring.board.to_play = colour if begins else opponent(colour)
        owner = colour if FATES[fate][0 if begins else 1] else opponent(colour)
        name = f"{index + 1} {'white' if colour == WHITE else 'black'} ring, {fate}"
        yield MarkedPosition(name, ring.board, TOURNAMENT_KOMI, ring.points, owner)


def _ring_of_fate(rng: np.random.Generator, colour: int, fate: tuple[bool, bool]) -> Ring:
    for _ in range(MAX_TRIES):
        ring = _drawn_ring(rng, colour)
        if ring is None or (ring.board.settled().flat[ring.points] != 0).any():
            continue
        try:
            if tuple(is_saved(ring, mover) for mover in (colour, opponent(colour))) == fate:
                return ring
        except NotRead:
            continue
    raise EvaluationError(f"no such ring was found in {MAX_TRIES} tries: choose another --seed")


def is_saved(ring: Ring, to_play: int) -> bool:
    """Tell whether a ring's owner keeps it, when both play best and may pass.

    Both sides have all moves inside the ring and on its liberties; elsewhere a move counts as a
    pass. Raises NotRead: it could not be read out without asking which positions came before.
    """
    return _Reader(ring).is_saved(ring.board, to_play, False)


class _Reader:
    def __init__(self, ring: Ring):
        self._ring = ring
        self._stone = int(ring.points[0])
        self._owner = int(ring.board.stones().flat[self._stone])
        self._known: dict[tuple[int, int | None, int, bool], bool] = {}

    def is_saved(self, board: Board, mover: int, has_passed: bool) -> bool:
        key = (board.key, board.ko_point, mover, has_passed)
        if key not in self._known:
            if len(self._known) >= MAX_BOARDS:
                raise NotRead
            self._known[key] = self._read(board, mover, has_passed)
        return self._known[key]

    def _read(self, board: Board, mover: int, has_passed: bool) -> bool:
        if board.stones().flat[self._stone] != self._owner:
            return False
        if (board.settled().flat[self._ring.points] == self._owner).all():
            return True
        is_owner = mover == self._owner
        outcomes = (
            self.is_saved(after, opponent(mover), passes)
            for after, passes in self._moves(board, mover, has_passed)
        )
        if has_passed:  # so may the mover, and all stays as it is
            return is_owner or all(outcomes)
        return any(outcomes) if is_owner else all(outcomes)

    def _moves(self, board: Board, mover: int, has_passed: bool) -> Iterator[tuple[Board, bool]]:
        """Return the boards after the mover's moves and whether it passed; the pass comes last."""
        for point in self._ring.region.tolist():
            why = board.refusal(point, mover)
            if "ko" in why:
                raise NotRead
            if why == "legal":
                after = board.copy()
                after.play_unchecked(point, mover)
                yield after, False
        if not has_passed:
            yield board, True


def _drawn_ring(rng: np.random.Generator, colour: int) -> Ring | None:
    enemy, width = opponent(colour), int(rng.integers(3, 5))
    top, left = rng.integers((3, 3), (13, 17 - width))
    stones = np.zeros((BOARD_SIZE, BOARD_SIZE), np.uint8)
    scatter(rng, stones, (colour, enemy), FAR_SHARE)
    stones[top - 3 : top + HEIGHT + 5, left - 3 : left + width + 3] = enemy
    stones[top + HEIGHT + 3, [left, left + 2]] = 0
    around = np.zeros_like(stones, bool)
    around[top - 2 : top + HEIGHT + 2, left - 1 : left + width + 1] = True
    around[top - 1 : top + HEIGHT + 1, left - 2 : left + width + 2] = True
    is_ring = np.zeros_like(around)
    is_ring[top - 1 : top + HEIGHT + 1, left - 1 : left + width + 1] = True
    is_inside = np.zeros_like(around)
    is_inside[top : top + HEIGHT, left : left + width] = True
    outside = np.flatnonzero(around & ~is_ring)
    is_ring &= ~is_inside
    stones[is_ring] = colour
    inside = rng.permutation(np.flatnonzero(is_inside))
    liberties = rng.choice(outside, int(rng.integers(0, 5)), replace=False)
    num_inside = int(rng.integers(1, 5))
    stones.flat[liberties] = 0
    stones.flat[inside[:num_inside]] = 0
    if rng.random() < OWN_STONE_SHARE:
        stones.flat[inside[num_inside]] = colour
    symmetry = int(rng.integers(NUM_SYMMETRIES))
    moved = point_table()[symmetry]
    board = set_up(rng, transform_board(stones, symmetry))
    if board is None:
        return None
    region = moved[np.concatenate([inside, liberties])]
    return Ring(board, np.sort(moved[np.flatnonzero(is_ring)]), np.sort(region))
