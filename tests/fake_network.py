"""Evaluators for tests: no network, the same numbers on every machine."""

import hashlib
from collections.abc import Callable

import numpy as np

from golois.constants import NUM_POINTS


def uniform(planes: np.ndarray, policy_size: int = NUM_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Every move equally likely, every position even."""
    num_rows = len(planes)
    policy = np.full((num_rows, policy_size), 1 / policy_size, np.float32)
    return policy, np.full(num_rows, 0.5, np.float32)


def hashed(planes: np.ndarray, policy_size: int = NUM_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Arbitrary priors and values that depend on the planes and on nothing else."""
    policies, values = [], []
    for row in planes:
        digest = hashlib.shake_256(row.astype(np.uint8).tobytes()).digest(policy_size + 1)
        numbers = np.frombuffer(digest, np.uint8).astype(np.float32)
        policies.append((numbers[:-1] + 1) / (numbers[:-1] + 1).sum())
        values.append(numbers[-1] / 255)
    shape = (len(planes), policy_size)
    return np.array(policies, np.float32).reshape(shape), np.array(values, np.float32)


def decided(planes: np.ndarray, policy_size: int = NUM_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """As hashed, with a liking for few moves, so that trees get deep."""
    policy, value_white = hashed(planes, policy_size)
    policy = (policy / policy.max(-1, keepdims=True)) ** 16
    return policy / policy.sum(-1, keepdims=True), value_white


def white_wins(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As uniform, but White wins nine games of ten."""
    policy, value_white = uniform(planes)
    return policy, np.full_like(value_white, 0.9)


def asked_singly(evaluate: Callable) -> Callable:
    """The evaluator as a function of the planes of one position."""

    def evaluate_one(planes: np.ndarray) -> tuple[np.ndarray, float]:
        policy, value_white = evaluate(planes[None])
        return policy[0], float(value_white[0])

    return evaluate_one


def search(tree, num_visits: int, evaluate=hashed, batch_size: int = 8) -> None:
    """Runs playouts until the root has exactly `num_visits`."""
    planes = np.empty((batch_size, *tree.planes_shape), np.float32)
    while (missing := num_visits - tree.num_visits) > 0:
        rows = planes[: min(batch_size, missing)]
        tree.apply(*evaluate(rows[: tree.select(rows)]))
