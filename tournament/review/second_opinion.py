"""A second network's opinion of a reviewed game, and where the two differ most."""

from collections.abc import Sequence
from dataclasses import dataclass

from golois.go.board import NAMES
from golois.go.coords import point_to_gtp
from tournament.review.game_review import LEAST_LOSS, MoveReview, PositionReview, value_for

NUM_DIFFERENCES = 5


@dataclass(frozen=True)
class SecondOpinion:
    """A move as two networks see it, whose names are `names`."""

    names: tuple[str, str]
    first: MoveReview
    second: MoveReview

    @property
    def gap(self) -> float:
        """How far the two chances of winning before the move are apart, 0 … 1."""
        return abs(self.first.before.value_white - self.second.before.value_white)

    def __str__(self) -> str:
        sides = zip(self.names, (self.first.before, self.second.before), strict=True)
        opinions = (f"{name} {self._opinion(position)}" for name, position in sides)
        return (
            f"before move {self.first.number}, {NAMES[self.first.colour]}'s chances: "
            f"{'; '.join(opinions)}"
        )

    def _opinion(self, position: PositionReview) -> str:
        chances = f"{100 * value_for(self.first.colour, position.value_white):.0f} %"
        if not position.candidates:
            return chances
        return f"{chances}, prefers {point_to_gtp(position.candidates[0].point)}"


def second_opinions(
    names: tuple[str, str], first: Sequence[MoveReview], second: Sequence[MoveReview]
) -> list[SecondOpinion]:
    """Return the opinions about each move, from two reviews of the same game."""
    return [SecondOpinion(names, *moves) for moves in zip(first, second, strict=True)]


def largest_differences(opinions: Sequence[SecondOpinion]) -> list[SecondOpinion]:
    """Return the opinions that are farthest apart in the chances of winning, the farthest first."""
    apart = [opinion for opinion in opinions if opinion.gap >= LEAST_LOSS]
    return sorted(apart, key=lambda one: (-one.gap, one.first.number))[:NUM_DIFFERENCES]
