"""Which chains are alive, dead or in seki at the end, as docs/rules.md counts the board."""

from collections.abc import Iterator

import numpy as np

from golois.board import Board
from golois.coords import EMPTY

STATUSES = ALIVE, DEAD, SEKI = ("alive", "dead", "seki")


def chains_by_status(board: Board) -> dict[str, list[list[int]]]:
    """Return the chains of each status, every chain as its points.

    Dead are those that the count takes off the board. In seki are those of the others whose
    liberties count for nobody. All the rest are alive: the arena's games end by the count, not by
    an agreement on stones that could be captured.
    """
    stones, owners = board.stones().reshape(-1), board.area().reshape(-1)
    found: dict[str, list[list[int]]] = {status: [] for status in STATUSES}
    for chain in _chains(stones, board.size):
        first = chain[0]
        liberties = [p for p in _around(chain, board.size) if stones[p] == EMPTY]
        if owners[first] != stones[first]:
            found[DEAD].append(chain)
        elif not np.any(owners[liberties]):
            found[SEKI].append(chain)
        else:
            found[ALIVE].append(chain)
    return found


def _chains(stones: np.ndarray, size: int) -> Iterator[list[int]]:
    seen: set[int] = set()
    for start in np.flatnonzero(stones).tolist():
        if start in seen:
            continue
        chain = [start]
        seen.add(start)
        for point in chain:  # grows while it is walked
            for neighbour in _neighbours(point, size):
                if stones[neighbour] == stones[start] and neighbour not in seen:
                    seen.add(neighbour)
                    chain.append(neighbour)
        yield sorted(chain)


def _around(chain: list[int], size: int) -> set[int]:
    return {neighbour for point in chain for neighbour in _neighbours(point, size)}


def _neighbours(point: int, size: int) -> list[int]:
    row, column = divmod(point, size)
    steps = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [size * r + c for r, c in steps if 0 <= r < size and 0 <= c < size]
