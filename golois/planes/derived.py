"""Planes of papers, derived from the course's; their networks can't be handed in."""

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from golois.constants import BOARD_SIZE, NUM_PLANES, PLANES_SHAPE
from golois.errors import ArgumentError, require_one_of

BLACK_TO_PLAY, ONE_LIBERTY, TWO_LIBERTIES, STONES = 0, 5, 6, 11
NUM_RECENT = 4


class _Positions:
    """What the 31 planes, `[B, 19, 19, 31]`, say; every answer is bool `[B, 19, 19]`."""

    def __init__(self, planes: np.ndarray):
        self.planes = planes.astype(bool)
        self.black_to_play = self.planes[..., BLACK_TO_PLAY]
        self.own, self.theirs = self.stones_ago(0)
        self.black = np.where(self.black_to_play, self.own, self.theirs)
        self.white = np.where(self.black_to_play, self.theirs, self.own)
        self.empty = ~(self.own | self.theirs)
        self.in_atari = self.planes[..., ONE_LIBERTY]

    def stones_ago(self, moves: int) -> tuple[np.ndarray, np.ndarray]:
        """The stones so many moves ago, 0 to 4: of the side to move now, of its opponent."""
        first = STONES + 2 * moves
        return self.planes[..., first], self.planes[..., first + 1]

    def move_ago(self, moves: int) -> np.ndarray:
        """Where a stone was placed so many moves ago, 1 to 4; nowhere for a pass."""
        placed = np.zeros_like(self.empty)
        for later, earlier in zip(self.stones_ago(moves - 1), self.stones_ago(moves), strict=True):
            placed |= later & ~earlier
        return placed

    @cached_property
    def invalid(self) -> np.ndarray:
        """Where the side to move may not play: stones, suicide, and simple ko."""
        breathes = _beside(self.empty) | _beside(self.own & ~self.in_atari)
        captures = _beside(self.theirs & self.in_atari)
        return ~(self.empty & (breathes | captures)) | self.ko()

    def ko(self) -> np.ndarray:
        """The point of the one stone just taken by a stone that is alone with one liberty."""
        taken = self.stones_ago(1)[0] & ~self.own
        alone = self.move_ago(1) & self.theirs & self.in_atari & ~_beside(self.theirs)
        is_ko = (taken.sum((1, 2)) == 1) & alone.any((1, 2))
        return taken & is_ko[:, None, None]

    def liberties_of(self, stones: np.ndarray, plane: int) -> np.ndarray:
        """The liberties of those stones whose chains have as many as the plane says."""
        return self.empty & _beside(stones & self.planes[..., plane])


def _beside(points: np.ndarray) -> np.ndarray:
    """The points with a neighbour among the given ones, both bool `[B, 19, 19]`."""
    found = np.zeros_like(points)
    found[:, 1:] |= points[:, :-1]
    found[:, :-1] |= points[:, 1:]
    found[:, :, 1:] |= points[:, :, :-1]
    found[:, :, :-1] |= points[:, :, 1:]
    return found


class Feature(NamedTuple):
    """Some planes: how many, and how they are derived, each bool `[B, 19, 19]`."""

    num_planes: int
    derive: Callable[[_Positions], list[np.ndarray]]


FEATURES = {
    "course": Feature(NUM_PLANES, lambda now: list(np.moveaxis(now.planes, -1, 0))),
    "black": Feature(1, lambda now: [now.black]),
    "white": Feature(1, lambda now: [now.white]),
    "invalid": Feature(1, lambda now: [now.invalid]),
    "turn": Feature(1, lambda now: [now.black_to_play]),
    "ones": Feature(1, lambda now: [np.ones_like(now.empty)]),
    "empty": Feature(1, lambda now: [now.empty]),
    "recent": Feature(
        NUM_RECENT, lambda now: [now.move_ago(moves) for moves in range(1, NUM_RECENT + 1)]
    ),
    "liberties": Feature(
        4,
        lambda now: [
            now.liberties_of(stones, plane)
            for stones in (now.own, now.theirs)
            for plane in (ONE_LIBERTY, TWO_LIBERTIES)
        ],
    ),
}

FEATURE_SETS = {
    "course": ("course",),
    # "Imitating Human Go Players via Vision Transformer", 2025, table 1
    "vit": ("black", "white", "invalid", "turn", "ones", "empty", "recent"),
    # the same nine without the turn, in front of which the network of two heads wants it
    "two_headed": ("turn", "black", "white", "invalid", "ones", "empty", "recent"),
    # Gao and Wu, NoGoZero+, 2021, section 3.2.4, beside the course's
    "liberties": ("course", "liberties"),
}
"""The planes of each set, in order."""


def ko_points(planes: np.ndarray) -> np.ndarray:
    """Find the points that simple ko forbids: uint8 `[B, 19, 19]` of the course's planes."""
    return _Positions(planes).ko().astype(np.uint8)


def num_planes(features: str) -> int:
    """How many planes a set has; ArgumentError where no set has this name."""
    require_one_of("features", features, FEATURE_SETS)
    return sum(FEATURES[name].num_planes for name in FEATURE_SETS[features])


def derived_planes(planes: np.ndarray, features: str) -> np.ndarray:
    """Show the course's planes in a set of FEATURE_SETS: uint8 `[B, 19, 19, num_planes(features)]`.

    "invalid" knows no superko: the planes don't hold the positions of the past. Raises
    ArgumentError: no set has this name, or other planes than `[B, 19, 19, 31]`.
    """
    if planes.shape[1:] != PLANES_SHAPE:
        raise ArgumentError(
            f"expected planes [B, {BOARD_SIZE}, {BOARD_SIZE}, {NUM_PLANES}]: got {planes.shape}"
        )
    derived = np.empty((*planes.shape[:-1], num_planes(features)), np.uint8)
    now = _Positions(planes)
    shown = [plane for name in FEATURE_SETS[features] for plane in FEATURES[name].derive(now)]
    return np.stack(shown, axis=-1, out=derived, casting="unsafe")
