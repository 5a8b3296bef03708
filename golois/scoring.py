"""The family of scorings that FishNet plays for, and what its outputs promise of a point.

Source: Blair, "Learning the game of Go with Internal Symmetry Networks", 2009, Tables I to IV.
"""

from dataclasses import dataclass

import numpy as np

from golois.errors import ArgumentError
from golois.isn_network import NUM_OUTPUTS
from golois.native import buffer, ffi, lib

EMPTY_POINT, OWN_STONE, ENEMY_STONE = range(3)
"""The states of a point, as a player sees it."""


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


def point_rewards(state: int, outputs: np.ndarray, captured: float) -> tuple[float, float]:
    """What a point is worth to the player if stones count 1, and if they count 0 (Table III).

    Args:
        state: EMPTY_POINT, OWN_STONE or ENEMY_STONE.
        outputs: float32 [7], Z+, Zo, Z•, A+o, A+•, Ao, A•.
        captured: what a captured stone counts.
    """
    rewards = np.empty(2, np.float32)
    lib.golois_point_rewards(state, _floats(outputs), captured, buffer(rewards, "float[]"))
    return float(rewards[0]), float(rewards[1])


def point_targets(state: int, rewards: tuple[float, float], captured: float) -> np.ndarray:
    """The outputs that promise such rewards, within 0 … 1: float32 [7], NaN where there is none.

    Args:
        state: as in `point_rewards`.
        rewards: likewise.
        captured: likewise.
    """
    targets = np.full(NUM_OUTPUTS, np.nan, np.float32)
    wanted = np.asarray(rewards, np.float32)
    lib.golois_point_targets(state, _floats(wanted), captured, buffer(targets, "float[]"))
    return targets


def _floats(array: np.ndarray):
    return ffi.from_buffer("float[]", np.ascontiguousarray(array, np.float32))
