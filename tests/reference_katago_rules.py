"""The slow oracle of two parts of KataGo's inputs: areas, and what ko and superko forbid."""

from tests.reference_board import (
    BLACK,
    EMPTY,
    WHITE,
    Chain,
    Stones,
    chain_at,
    ko_point_after,
    neighbours,
    opponent,
    place,
)
from tests.reference_life import border_of, is_vital, living_stones, regions_of

SIZE, PASS = 19, 361


def is_wholly_vital(region: frozenset[int], chain: Chain, stones: Stones, size: int) -> bool:
    """Whether a chain touches every point of a region, empty or not, and some are empty."""
    touches = all(chain.points.intersection(neighbours(point, size)) for point in region)
    return touches and is_vital(region, chain, stones, size)


def areas(stones: Stones, all_points: bool) -> tuple[int, ...]:
    """Whose area each point is, EMPTY where nobody's.

    With `all_points`, a chain must touch the enemy stones of a vital region too.
    """
    owners = [EMPTY] * len(stones)
    for colour in (BLACK, WHITE):
        vital = is_wholly_vital if all_points else is_vital
        living = living_stones(stones, SIZE, colour, vital)
        for point in living:
            owners[point] = colour
        for region in regions_of(stones, SIZE, colour):
            border = border_of(region, SIZE)
            is_empty = all(stones[point] == EMPTY for point in region)
            far = [p for p in region if not border.intersection(neighbours(p, SIZE))]
            is_settled = border and border <= living and (is_empty or len(far) <= 1)
            for point in region:
                if is_settled or (border and is_empty and owners[point] == EMPTY):
                    owners[point] = colour
    return tuple(owner or stone for owner, stone in zip(owners, stones, strict=True))


def after(stones: Stones, point: int, colour: int, suicide: bool) -> Stones | None:
    """The board after a move, None where it is illegal whatever was played before."""
    if stones[point] != EMPTY:
        return None
    if (placed := place(stones, SIZE, point, colour)) is not None:
        return placed[0]
    chain = chain_at(stones[:point] + (colour,) + stones[point + 1 :], SIZE, point)
    if not suicide or len(chain.points) == 1:
        return None
    return tuple(EMPTY if p in chain.points else stone for p, stone in enumerate(stones))


class ReferenceKatagoGame:
    """A game from stones set up, which remembers all its positions as whole boards."""

    def __init__(self, stones: Stones, ko: str, suicide: bool):
        self.stones, self.ko, self.suicide = stones, ko, suicide
        self.to_play, self.ko_point, self.passed_last = BLACK, None, False
        self.passed: set[tuple[Stones, int]] = set()
        self.past = {self._situation(stones, BLACK)}

    def _situation(self, stones: Stones, to_play: int):
        return (stones, to_play if self.ko == "situational" else None)

    @property
    def pass_ends(self) -> bool:
        """Whether a pass would end the game."""
        again = self.ko == "simple" and (self.stones, self.to_play) in self.passed
        return self.passed_last or again

    def moves(self, points: list[int]) -> tuple[list[int], list[int]]:
        """Of some points the legal ones, and those that only ko or superko forbids."""
        legal, forbidden = [], []
        for point in points:
            board = after(self.stones, point, self.to_play, self.suicide)
            if board is None:
                continue
            repeats = self._situation(board, opponent(self.to_play)) in self.past
            is_ko = point == self.ko_point or (repeats and self.ko != "simple")
            (forbidden if is_ko else legal).append(point)
        return legal, forbidden

    def play(self, point: int) -> None:
        """Play a legal point, or a pass."""
        self.ko_point = None
        self.passed_last = point == PASS
        if point == PASS:
            self.passed.add((self.stones, self.to_play))
        else:
            board = after(self.stones, point, self.to_play, self.suicide)
            captured = {p for p, stone in enumerate(self.stones) if stone and not board[p]}
            if board[point]:
                self.ko_point = ko_point_after(board, SIZE, point, frozenset(captured))
            self.stones = board
        self.to_play = opponent(self.to_play)
        self.past.add(self._situation(self.stones, self.to_play))
