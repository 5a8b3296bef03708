"""Whether two networks are the same or nearly so, by their answers to the intake's positions.

Answers show copies that were renamed or rewired. `turned_answers`, in all eight symmetries, also
show copies that are turned or mirrored, or have a rescaled policy or value.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from golois.go.symmetry import NUM_SYMMETRIES, point_table

# Measured with data/networks (docs/maintainer/intake.md). A noise of 0.001 of each
# weight moves answers by up to 0.034 and turned answers by 0.024; turns and scales move the latter
# by 0.000. None of 54 networks after 10 to 120 more batches is taken for a copy of what it was:
# their distances are at least 0.068 and 0.039. Networks of different starts have 0.48 and 0.33.
NEARLY_ALIKE = 0.05
NEARLY_ALIKE_TURNED = 0.025
VALUE_SHARE = 1 / 3  # noise changes the order of values that are nearly equal, so it tells less
SMALLEST_CHANCE = 1e-4  # a move below it is simply thought bad
NUM_TURNED = 8  # of the intake's questions, in all symmetries
NUM_TURNED_ANSWERS = NUM_SYMMETRIES * NUM_TURNED * (8 + 1)  # eight chances and a value for each
SMALLEST_FLOAT = 1e-37  # below it a chance has no digits left, and says nothing about the logit
LEAST_COMPARED = 32  # differences of logits; a policy of zeros and ones has none
LEAST_SURE = 16  # positions whose move is compared if so few logits can be


def are_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two manifests are of the same network, even in different files."""
    digests = ((one.get(name), other.get(name)) for name in ("sha256", "onnx_sha256"))
    return any(mine is not None and mine == theirs for mine, theirs in digests)


def are_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two manifests are of nearly the same network, by the answers in both."""
    if are_same(one, other):
        return True
    answers, others = one.get("answers") or (), other.get("answers") or ()
    if not answers or len(answers) != len(others):
        return False
    if distance(answers, others) < NEARLY_ALIKE:
        return True
    turned, others_turned = _turned_answers(one), _turned_answers(other)
    if turned and others_turned:
        return turned_distance(turned, others_turned) < NEARLY_ALIKE_TURNED
    if others_turned:
        return _distance_of_older(answers, others_turned) < NEARLY_ALIKE
    return bool(turned) and _distance_of_older(others, turned) < NEARLY_ALIKE


def distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Return how far apart the answers of two networks are, on average over the positions.

    A position adds the difference of the log chances of the played move, and that of the values.
    """
    chances = zip(one[::2], other[::2], strict=True)
    values = zip(one[1::2], other[1::2], strict=True)
    apart = [abs(_log(mine) - _log(theirs)) for mine, theirs in chances]
    return (sum(apart) + sum(abs(mine - theirs) for mine, theirs in values)) / len(apart)


def mean_distances(answers: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean `distance` of each network's answers from all others'; lengths are equal."""
    table = np.array(answers, float)
    table[:, ::2] = np.log(np.maximum(table[:, ::2], SMALLEST_CHANCE))
    num_compared = (len(table) - 1) * table[:, ::2].shape[1]
    return [float(np.abs(table - row).sum() / num_compared) for row in table]


def turned_distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Return how far apart the turned answers of two networks are, in the symmetry that fits best.

    The first part is the root mean square, 0 … 1, of the policy logits after scaling and shifting
    to the best fit. A policy so sharp that most chances are 0 has too few logits; then the share of
    other moves counts. The second part is a third of the share of position pairs whose values the
    networks order differently.
    """
    (logits, values), (other_logits, other_values) = _read_turned(one), _read_turned(other)
    return min(
        _policy_distance(logits, other_logits[turn])
        + VALUE_SHARE * _value_distance(values, other_values[turn])
        for turn in _turns()
    )


def _turned_answers(manifest: Mapping[str, Any]) -> Sequence[float]:
    """Return the turned answers of a manifest; none if they are not as many as there should be."""
    found = manifest.get("turned_answers") or ()
    return found if len(found) == NUM_TURNED_ANSWERS else ()


def _distance_of_older(answers: Sequence[float], turned: Sequence[float]) -> float:
    """Return the `distance` of answers from turned answers, in the symmetry that fits best."""
    first = answers[: 2 * NUM_TURNED]  # those to the same positions
    if len(first) < 2 * NUM_TURNED:
        return math.inf
    table = np.reshape(np.asarray(turned, float), (NUM_SYMMETRIES, NUM_TURNED, -1))
    return min(distance(first, rows[:, [0, -1]].ravel().tolist()) for rows in table)


def _read_turned(answers: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return logits [8, k, p], NaN for a chance that is 0 in float32, and values [8, k]."""
    table = np.reshape(np.asarray(answers, float), (NUM_SYMMETRIES, NUM_TURNED, -1))
    chances, values = table[..., :-1], table[..., -1]
    known = chances > SMALLEST_FLOAT
    return np.where(known, np.log(np.where(known, chances, 1.0)), np.nan), values


@cache
def _turns() -> np.ndarray:
    """Return for each symmetry what all eight become when it follows them: [8, 8]."""
    table = point_table()
    same = (table[:, table][:, :, np.newaxis] == table).all(axis=-1)
    return same.argmax(axis=-1)


def _policy_distance(logits: np.ndarray, others: np.ndarray) -> float:
    both = np.isfinite(logits) & np.isfinite(others)
    if np.maximum(both.sum(axis=-1) - 1, 0).sum() < LEAST_COMPARED:
        return _choice_distance(logits, others)
    x, y = _centred(logits, both), _centred(others, both)
    lengths = math.sqrt(float((x * x).sum() * (y * y).sum()))
    correlation = float((x * y).sum()) / lengths if lengths else 0.0
    return math.sqrt(max(0.0, 1.0 - max(0.0, correlation) ** 2))


def _choice_distance(logits: np.ndarray, others: np.ndarray) -> float:
    """Return how often two policies prefer different points, where one of them is sure."""
    kept = [np.where(np.isfinite(one), one, -np.inf) for one in (logits, others)]
    best = [np.where(one.max(axis=-1) > -np.inf, one.argmax(axis=-1), -1) for one in kept]
    sure = np.maximum(*kept).max(axis=-1) > math.log(0.5)
    num_sure = np.count_nonzero(sure)
    differ = np.count_nonzero(sure & (best[0] != best[1]))
    return differ / num_sure if num_sure >= LEAST_SURE else 1.0


def _centred(logits: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return the logits less the mean of their position, 0 where they are not known."""
    kept = np.where(known, logits, 0.0)
    means = kept.sum(axis=-1, keepdims=True) / np.maximum(known.sum(axis=-1, keepdims=True), 1)
    return np.where(known, kept - means, 0.0)


def _value_distance(values: np.ndarray, others: np.ndarray) -> float:
    orders = [np.sign(np.subtract.outer(one.ravel(), one.ravel())) for one in (values, others)]
    agree = orders[0] * orders[1]
    num_compared = np.count_nonzero(agree)  # equal values, such as many ones, have no order
    return float((agree < 0).sum() / num_compared) if num_compared else 1.0


def _log(chance: float) -> float:
    return math.log(max(chance, SMALLEST_CHANCE))
