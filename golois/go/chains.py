"""Chains of stones, walked in Python, on boards as lists of stones."""

from collections.abc import Iterator, Sequence
from functools import cache

from golois.go.coords import EMPTY


@cache
def neighbours(size: int) -> tuple[tuple[int, ...], ...]:
    """The points beside each point of a board of this size, two to four of them."""
    return tuple(_beside(point, size) for point in range(size * size))


def chain_of(stones: Sequence[int], stone: int) -> tuple[set[int], set[int]]:
    """The points and liberties of the chain at `stone`; `stones` are the n² points' colours."""
    beside = neighbours(round(len(stones) ** 0.5))
    points, liberties, waiting = {stone}, set(), [stone]
    while waiting:
        for near in beside[waiting.pop()]:
            if stones[near] == EMPTY:
                liberties.add(near)
            elif stones[near] == stones[stone] and near not in points:
                points.add(near)
                waiting.append(near)
    return points, liberties


def all_chains(stones: Sequence[int]) -> Iterator[tuple[set[int], set[int]]]:
    """The points and the liberties of each chain, by its first point; see `chain_of`."""
    seen: set[int] = set()
    for point, colour in enumerate(stones):
        if colour != EMPTY and point not in seen:
            chain, liberties = chain_of(stones, point)
            seen |= chain
            yield chain, liberties


def _beside(point: int, size: int) -> tuple[int, ...]:
    row, column = divmod(point, size)
    steps = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return tuple(size * r + c for r, c in steps if 0 <= r < size and 0 <= c < size)
