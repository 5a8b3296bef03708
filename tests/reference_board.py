"""The slow oracle: the rules of Go in plain Python, written to be read and not to be fast.

Nothing here is shared with the native core. A board is a tuple of colours in row-major order, a
chain is found by flood fill each time, and superko compares whole boards; so a mistake in an
incremental structure of the native board cannot be repeated here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

EMPTY, BLACK, WHITE = 0, 1, 2

Stones = tuple[int, ...]


def opponent(colour: int) -> int:
    """The other colour."""
    return BLACK + WHITE - colour


@cache
def neighbours(point: int, size: int) -> tuple[int, ...]:
    """The points up, left, right and down of `point` that lie on the board."""
    row, column = divmod(point, size)
    steps = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return tuple(r * size + c for r, c in steps if 0 <= r < size and 0 <= c < size)


@dataclass(frozen=True)
class Chain:
    """Stones of one colour that stand together, and the empty points they touch."""

    colour: int
    points: frozenset[int]
    liberties: frozenset[int]


def chain_at(stones: Stones, size: int, point: int) -> Chain:
    """The chain (or, on an empty point, the empty region) that holds `point`."""
    colour = stones[point]
    points, liberties, todo = {point}, set(), [point]
    while todo:
        for near in neighbours(todo.pop(), size):
            if stones[near] == colour:
                if near not in points:
                    points.add(near)
                    todo.append(near)
            elif stones[near] == EMPTY:
                liberties.add(near)
    return Chain(colour, frozenset(points), frozenset(liberties))


def all_chains(stones: Stones, size: int) -> list[Chain]:
    """Every chain of the board, in the order of its first stone."""
    chains, seen = [], set()
    for point, colour in enumerate(stones):
        if colour != EMPTY and point not in seen:
            chain = chain_at(stones, size, point)
            seen |= chain.points
            chains.append(chain)
    return chains


def place(
    stones: Stones, size: int, point: int, colour: int
) -> tuple[Stones, frozenset[int]] | None:
    """The board after a stone on an empty point, and the stones it took.

    Knows no ko rule.

    Returns:
        None when the stone would be without a liberty (suicide).
    """
    after = list(stones)
    after[point] = colour
    captured: set[int] = set()
    for near in neighbours(point, size):
        if after[near] == opponent(colour):
            chain = chain_at(tuple(after), size, near)
            if not chain.liberties:
                captured |= chain.points
    for taken in captured:
        after[taken] = EMPTY
    settled = tuple(after)
    if not chain_at(settled, size, point).liberties:
        return None
    return settled, frozenset(captured)


def ko_point_after(
    stones: Stones, size: int, point: int, captured: frozenset[int]
) -> int | None:
    """The point that simple ko forbids to the opponent of the stone just played on `point`, if any.

    A ko arises when one stone was taken by a stone that stands alone with one liberty.
    """
    chain = chain_at(stones, size, point)
    if len(captured) == 1 and len(chain.points) == 1 and len(chain.liberties) == 1:
        return next(iter(captured))
    return None


class ReferenceBoard:
    """A game in progress: stones, whose turn it is, ko and every earlier position."""

    def __init__(self, size: int = 19) -> None:
        self.size = size
        self.stones: Stones = (EMPTY,) * (size * size)
        self.to_play = BLACK
        self.ko_point: int | None = None
        self.moves: list[tuple[int, int]] = []
        self.history: list[Stones] = [self.stones]

    @property
    def pass_point(self) -> int:
        """The move number that stands for a pass."""
        return self.size * self.size

    def why_illegal(self, point: int, colour: int | None = None) -> str | None:
        """Why `colour` may not play `point`: occupied, suicide, ko or superko; None when it may."""
        colour = colour or self.to_play
        if point == self.pass_point:
            return None
        if self.stones[point] != EMPTY:
            return "occupied"
        placed = place(self.stones, self.size, point, colour)
        if placed is None:
            return "suicide"
        if point == self.ko_point and colour == self.to_play:
            return "ko"
        return "superko" if placed[0] in self.history else None

    def is_legal(self, point: int, colour: int | None = None) -> bool:
        """Whether `colour` (default: the side to move) may play `point`; a pass always may."""
        return self.why_illegal(point, colour) is None

    def legal_moves(self, colour: int | None = None) -> list[bool]:
        """One flag for each point, and a last one for the pass."""
        return [self.is_legal(point, colour) for point in range(self.pass_point + 1)]

    def play(self, point: int, colour: int | None = None) -> frozenset[int]:
        """Play a legal move or a pass and return the points of the captured stones.

        Raises:
            ValueError: the move is illegal.
        """
        colour = colour or self.to_play
        reason = self.why_illegal(point, colour)
        if reason:
            raise ValueError(f"expected a legal point: got {point} ({reason})")
        captured: frozenset[int] = frozenset()
        self.ko_point = None
        if point != self.pass_point:
            self.stones, captured = place(self.stones, self.size, point, colour)
            self.ko_point = ko_point_after(self.stones, self.size, point, captured)
        self.history.append(self.stones)
        self.moves.append((colour, point))
        self.to_play = opponent(colour)
        return captured


def legal_positions(size: int) -> Iterator[Stones]:
    """Every arrangement of stones in which each chain has a liberty; for very small boards."""
    for stones in product((EMPTY, BLACK, WHITE), repeat=size * size):
        if all(chain.liberties for chain in all_chains(stones, size)):
            yield stones
