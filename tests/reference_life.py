"""The slow oracle of unconditional life: Benson's definition in sets, and what it claims in play.

`settled_points` is written after the paper. `capturable_points` knows nothing of it and tries what
an opponent can take from a colour that passes; Benson's theorem says that the two agree.
"""

from functools import cache

from tests.reference_board import (
    BLACK,
    EMPTY,
    WHITE,
    Chain,
    Stones,
    all_chains,
    chain_at,
    neighbours,
    opponent,
    place,
)


def connected(points: frozenset[int], size: int) -> list[frozenset[int]]:
    """The parts of a set of points that lines connect."""
    marked = tuple(int(point in points) for point in range(size * size))
    parts = []
    while points:
        part = chain_at(marked, size, min(points)).points
        parts.append(part)
        points -= part
    return parts


def regions_of(stones: Stones, size: int, colour: int) -> list[frozenset[int]]:
    """The connected sets of points without stones of a colour."""
    return connected(frozenset(p for p, stone in enumerate(stones) if stone != colour), size)


def border_of(region: frozenset[int], size: int) -> frozenset[int]:
    """The points beside a region."""
    return frozenset(n for p in region for n in neighbours(p, size)) - region


def is_vital(region: frozenset[int], chain: Chain, stones: Stones, size: int) -> bool:
    """Whether all empty points of a region are liberties of a chain, and there are some."""
    empty = {point for point in region if stones[point] == EMPTY}
    return bool(empty) and empty <= chain.liberties


def living_stones(stones: Stones, size: int, colour: int, is_vital=is_vital) -> frozenset[int]:
    """The stones of the largest set of chains that have two vital regions each, of which each is
    bordered by that set alone.
    """
    chains = [chain for chain in all_chains(stones, size) if chain.colour == colour]
    regions = regions_of(stones, size, colour)
    while True:
        stones_left = frozenset().union(*(chain.points for chain in chains))
        regions = [region for region in regions if border_of(region, size) <= stones_left]
        living = [
            chain
            for chain in chains
            if sum(is_vital(region, chain, stones, size) for region in regions) >= 2
        ]
        if len(living) == len(chains):
            return stones_left
        chains = living


def settled_points(stones: Stones, size: int, colour: int) -> frozenset[int]:
    """The stones that live, and the regions that they alone border without room for two eyes."""
    settled = living = living_stones(stones, size, colour)
    for region in regions_of(stones, size, colour):
        border = border_of(region, size)
        far = [p for p in region if not border.intersection(neighbours(p, size))]
        if border and border <= living and len(far) <= 1:
            settled |= region
    return settled


def score_black(stones: Stones, size: int) -> int:
    """Black's area minus White's, without komi: dead stones are taken off, then Tromp–Taylor."""
    dead = {
        point
        for colour in (BLACK, WHITE)
        for point in settled_points(stones, size, colour)
        if stones[point] == opponent(colour)
    }
    left = tuple(EMPTY if point in dead else stone for point, stone in enumerate(stones))
    score = left.count(BLACK) - left.count(WHITE)
    for region in connected(frozenset(p for p, stone in enumerate(left) if stone == EMPTY), size):
        reached = {left[point] for point in border_of(region, size)}
        if reached == {BLACK}:
            score += len(region)
        elif reached == {WHITE}:
            score -= len(region)
    return score


@cache
def capturable_points(stones: Stones, size: int, colour: int) -> frozenset[int]:
    """The stones of a colour that its opponent can take when the colour never moves."""
    captured = frozenset()
    for after, taken in attacks(stones, size, colour):
        captured |= taken | capturable_points(after, size, colour)
    return captured


def attacks(stones: Stones, size: int, colour: int) -> list[tuple[Stones, frozenset[int]]]:
    """The boards that one move of the colour's opponent makes, and what each takes."""
    empty = [point for point, stone in enumerate(stones) if stone == EMPTY]
    moves = [place(stones, size, point, opponent(colour)) for point in empty]
    return [move for move in moves if move is not None]
