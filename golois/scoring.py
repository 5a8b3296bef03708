"""The family of scorings that FishNet plays for.

Source: Blair, "Learning the game of Go with Internal Symmetry Networks", 2009, Tables I to IV.
"""

from dataclasses import dataclass

from golois.errors import ArgumentError


@dataclass(frozen=True)
class Scoring:
    """What a game is played for: an empty point of territory counts 1.

    Chinese rules are (0, 1), Japanese ones about (1, 0); Blair's network learns with (0.4, 0.4).

    captured: what a captured stone counts.
    stone: what a stone counts that is on the board at the end.

    Raises:
        ArgumentError: a number outside 0 … 1.
    """

    captured: float = 0.4
    stone: float = 0.4

    def __post_init__(self):
        for name, value in vars(self).items():
            if not 0 <= value <= 1:
                raise ArgumentError(f"{name} must be from 0 to 1, not {value}")
