"""Evaluators for tests: no network, the same numbers on every machine."""

import hashlib

import numpy as np

from golois.shapes import NUM_POINTS


def uniform(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every move equally likely, every position even."""
    num_rows = len(planes)
    policy = np.full((num_rows, NUM_POINTS), 1 / NUM_POINTS, np.float32)
    return policy, np.full(num_rows, 0.5, np.float32)


def hashed(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Arbitrary priors and values that depend on the planes and on nothing else."""
    policies, values = [], []
    for row in planes:
        digest = hashlib.shake_256(row.astype(np.uint8).tobytes()).digest(NUM_POINTS + 1)
        numbers = np.frombuffer(digest, np.uint8).astype(np.float32)
        policies.append((numbers[:NUM_POINTS] + 1) / (numbers[:NUM_POINTS] + 1).sum())
        values.append(numbers[NUM_POINTS] / 255)
    shape = (len(planes), NUM_POINTS)
    return np.array(policies, np.float32).reshape(shape), np.array(values, np.float32)


def decided(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As hashed, with a liking for few moves, so that trees get deep."""
    policy, value_white = hashed(planes)
    policy = (policy / policy.max(-1, keepdims=True)) ** 16
    return policy / policy.sum(-1, keepdims=True), value_white


def search(tree, num_visits: int, evaluate=hashed, batch_size: int = 8) -> None:
    """Runs playouts until the root has exactly `num_visits`."""
    planes = np.empty((batch_size, 19, 19, 31), np.float32)
    while (missing := num_visits - tree.num_visits) > 0:
        rows = planes[: min(batch_size, missing)]
        tree.apply(*evaluate(rows[: tree.select(rows)]))
