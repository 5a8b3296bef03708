"""The 31 planes, the ladder reader and the symmetries, in plain Python from their description.

Layout of the planes: `[row][column][plane]`, row 0 on top. Nothing here is shared with the native
core.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.reference_board import (
    BLACK,
    EMPTY,
    WHITE,
    Chain,
    Stones,
    all_chains,
    chain_at,
    ko_point_after,
    neighbours,
    opponent,
    place,
)

SIZE = 19
NUM_PLANES = 31
NODE_BUDGET = 1000
MAX_DEPTH = 100
HISTORY_STATES = 5


@dataclass(frozen=True)
class LadderBoard:
    """A position inside the ladder search: the stones and the point that simple ko forbids."""

    stones: Stones
    size: int
    ko_point: int | None = None
    ko_colour: int | None = None

    def after(self, point: int, colour: int) -> LadderBoard | None:
        """The position after a move, or None when it is suicide or retakes a ko."""
        if self.stones[point] != EMPTY or (point, colour) == (self.ko_point, self.ko_colour):
            return None
        placed = place(self.stones, self.size, point, colour)
        if placed is None:
            return None
        stones, captured = placed
        ko_point = ko_point_after(stones, self.size, point, captured)
        return LadderBoard(stones, self.size, ko_point, opponent(colour))


@dataclass
class LadderReader:
    """Reads one chain's ladder; both searches draw on the same budget of nodes."""

    target: int
    defender: int
    num_nodes: int = field(default=0)

    def _over_limit(self, depth: int) -> bool:
        self.num_nodes += 1
        return self.num_nodes > NODE_BUDGET or depth > MAX_DEPTH

    def _target_chain(self, board: LadderBoard) -> Chain | None:
        if board.stones[self.target] != self.defender:
            return None
        return chain_at(board.stones, board.size, self.target)

    def captured(self, board: LadderBoard, depth: int = 0) -> bool:
        """Whether the chain is lost although its owner moves first."""
        if self._over_limit(depth):
            return False
        chain = self._target_chain(board)
        if chain is None:
            return True
        if len(chain.liberties) > 1:
            return False
        for point in [*chain.liberties, *atari_captures(board, chain)]:
            answer = board.after(point, self.defender)
            if answer is not None and not self.capture(answer, depth + 1):
                return False
        return True

    def capture(self, board: LadderBoard, depth: int = 0) -> bool:
        """Whether the attacker, to move, takes the chain."""
        if self._over_limit(depth):
            return False
        chain = self._target_chain(board)
        if chain is None:
            return True
        if len(chain.liberties) > 2:
            return False
        attacker = opponent(self.defender)
        if len(chain.liberties) == 1:
            return board.after(next(iter(chain.liberties)), attacker) is not None
        for point in sorted(chain.liberties, key=lambda p: (-empty_neighbours(board, p), p)):
            answer = board.after(point, attacker)
            if answer is not None and self.captured(answer, depth + 1):
                return True
        return False


def atari_captures(board: LadderBoard, chain: Chain) -> list[int]:
    """The liberties of adjacent enemy chains in atari, in scan order of the chain's stones."""
    points: list[int] = []
    for stone in sorted(chain.points):
        for near in neighbours(stone, board.size):
            if board.stones[near] == opponent(chain.colour):
                liberties = chain_at(board.stones, board.size, near).liberties
                points += [p for p in liberties if len(liberties) == 1 and p not in points]
    return points


def empty_neighbours(board: LadderBoard, point: int) -> int:
    """How many neighbours of the point are empty."""
    return sum(board.stones[near] == EMPTY for near in neighbours(point, board.size))


def ladder_planes(stones: Stones, size: int = SIZE) -> np.ndarray:
    """Planes 1 to 4 as `[size, size, 4]`: chains that a ladder takes, and their enemies."""
    planes = np.zeros((size * size, 4), np.float32)
    root = LadderBoard(stones, size)
    for chain in all_chains(stones, size):
        reader = LadderReader(min(chain.points), chain.colour)
        if len(chain.liberties) == 1 and reader.captured(root):
            _mark_with_enemies(planes, 0, chain, stones, size)
        elif len(chain.liberties) == 2 and reader.capture(root):
            _mark_with_enemies(planes, 2, chain, stones, size)
    return planes.reshape(size, size, 4)


def _mark_with_enemies(
    planes: np.ndarray, plane: int, chain: Chain, stones: Stones, size: int
) -> None:
    planes[list(chain.points), plane] = 1
    for stone in chain.points:
        for near in neighbours(stone, size):
            if stones[near] == opponent(chain.colour):
                planes[list(chain_at(stones, size, near).points), plane + 1] = 1


@dataclass(frozen=True)
class GamePosition:
    """A position of a game with the boards that led to it, newest first."""

    states: tuple[Stones, ...]
    to_play: int

    @classmethod
    def after(cls, moves: Sequence[tuple[int, int]], size: int = SIZE) -> GamePosition:
        """The position after moves (colour, point); superko is not enforced."""
        states = [(EMPTY,) * (size * size)]
        for colour, point in moves:
            placed = None if point == size * size else place(states[-1], size, point, colour)
            states.append(placed[0] if placed else states[-1])
        to_play = opponent(moves[-1][0]) if moves else BLACK
        return cls(tuple(reversed(states)), to_play)


def planes(position: GamePosition, komi: float, size: int = SIZE) -> np.ndarray:
    """All 31 planes as float32 `[size, size, 31]`, seen by the side to move."""
    stones = position.states[0]
    result = np.zeros((size * size, NUM_PLANES), np.float32)
    result[:, 0] = position.to_play == BLACK
    result[:, 1:5] = ladder_planes(stones, size).reshape(-1, 4)
    for chain in all_chains(stones, size):
        result[list(chain.points), 4 + min(len(chain.liberties), 6)] = 1
    for age, state in enumerate(position.states[:HISTORY_STATES]):
        board = np.array(state)
        result[:, 11 + 2 * age] = board == position.to_play
        result[:, 12 + 2 * age] = board == opponent(position.to_play)
    if 0 <= komi < 10:
        result[:, 21 + int(komi)] = 1
    return result.reshape(size, size, NUM_PLANES)


def transform(point: int, symmetry: int, size: int = SIZE) -> int:
    """Where the symmetry takes a point."""
    row, column = divmod(point, size)
    last = size - 1
    destinations = (
        (row, column),
        (last - row, column),
        (row, last - column),
        (last - row, last - column),
        (column, row),
        (last - column, row),
        (column, last - row),
        (last - column, last - row),
    )
    new_row, new_column = destinations[symmetry]
    return new_row * size + new_column


def transformed(image: np.ndarray, symmetry: int) -> np.ndarray:
    """Planes, ownership or groups `[19, 19, …]`, or a policy `[361]`, under the symmetry."""
    flat = image.reshape(SIZE * SIZE, -1)
    moved = np.empty_like(flat)
    for point in range(SIZE * SIZE):
        moved[transform(point, symmetry)] = flat[point]
    return moved.reshape(image.shape)


@dataclass(frozen=True)
class GoldenGame:
    """One game of games.data; `values` is P(White wins) before each move, −1 for none."""

    komi: float
    winner: str
    moves: tuple[tuple[int, int], ...]
    values: tuple[float, ...]


def read_golden_games(path: Path) -> list[GoldenGame]:
    """Every game of a games.data text of the 31-plane era."""
    lines = path.read_text("ascii").splitlines()
    games = [_golden_game(line.split()) for line in lines[1:] if line.strip()]
    assert len(games) == int(lines[0])
    return games


def _golden_game(words: list[str]) -> GoldenGame:
    komi, winner, num_moves, *fields = words
    rows = [fields[start : start + 4] for start in range(0, 4 * int(num_moves), 4)]
    colours = {"0": WHITE, "1": BLACK}
    moves = tuple((colours[colour], int(point)) for point, colour, _, _ in rows)
    return GoldenGame(float(komi), winner, moves, tuple(float(value) for _, _, value, _ in rows))
