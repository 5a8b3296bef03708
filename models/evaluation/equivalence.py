"""Which moves are the same move seen in a mirror, and accuracy that counts them as one.

Equiv(y) is the orbit of a move y under the position's stabiliser: the symmetries that leave all
stones, and the point that ko forbids, where they are. Source: "Imitating Human Go Players via
Vision Transformer", 2025. Top-k is taken literally: some equivalent move is among the k.
"""

import numpy as np

from golois.constants import NUM_PLANES, NUM_POINTS
from golois.go.symmetry import NUM_SYMMETRIES, point_table
from golois.planes.derived import ko_points
from models.evaluation.metrics import ranks

OWN_PLANE, OTHER_PLANE = 11, 12


def stabilisers(images: np.ndarray) -> np.ndarray:
    """Find the symmetries that leave the integers `[B, 361, …]` at each point: bool `[B, 8]`."""
    within = tuple(range(1, images.ndim))
    return np.stack(
        [(images[:, moved] == images).all(axis=within) for moved in point_table()], axis=1
    )


def rule_images(planes: np.ndarray) -> np.ndarray:
    """Show what the rules know of planes: uint8 `[B, 361]`, own, opponent's, forbidden by ko."""
    flat = planes.reshape(len(planes), NUM_POINTS, NUM_PLANES)
    stones = flat[:, :, OWN_PLANE] + 2 * flat[:, :, OTHER_PLANE]
    return stones + 4 * ko_points(planes).reshape(len(planes), NUM_POINTS)


def input_images(planes: np.ndarray) -> np.ndarray:
    """Show what a network sees, and the ko point: uint8 `[B, 361, 5]`, alike for equal moves."""
    flat = planes.reshape(len(planes), NUM_POINTS, NUM_PLANES)
    ko = ko_points(planes).reshape(len(planes), NUM_POINTS, 1)
    return np.concatenate([np.packbits(flat, axis=2), ko], axis=2)


def extended_ranks(policy: np.ndarray, moves: np.ndarray, stabiliser: np.ndarray) -> np.ndarray:
    """Rank each label's best equivalent move by policy `[B, 361]`: int `[B]`, 0 for the first."""
    best = ranks(policy, moves)
    for symmetry in range(1, NUM_SYMMETRIES):
        rows = np.flatnonzero(stabiliser[:, symmetry])
        images = point_table()[symmetry][moves[rows]]
        best[rows] = np.minimum(best[rows], ranks(policy[rows], images))
    return best


def collapsed_ranks(policy: np.ndarray, moves: np.ndarray, stabiliser: np.ndarray) -> np.ndarray:
    """Rank the label's orbit among the orbits, by total probability; as `extended_ranks`."""
    result = ranks(policy, moves)
    for row in np.flatnonzero(stabiliser.sum(axis=1) > 1):
        names = point_table()[stabiliser[row]].min(axis=0)  # an orbit's is its lowest point
        mass = np.bincount(names, policy[row], NUM_POINTS)
        mass[names != np.arange(NUM_POINTS)] = -1
        result[row] = ranks(mass[None], names[moves[row : row + 1]])[0]
    return result
