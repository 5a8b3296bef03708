"""Whether two networks are the same or nearly so, by what they answer.

The intake asks every network about the same positions of real games (`answers` of its manifest).
Answers say what a network computes, so it doesn't matter how a copy was renamed, reordered or
rewired.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

# Weights with a noise of 1e-4 are up to 0.013 away, different networks of data/networks 0.5 and
# more, and ten small batches of further training 0.1 to 0.4 (docs/intake.md).
NEARLY_ALIKE = 0.05
SMALLEST_CHANCE = 1e-4  # a move below it is simply thought bad


def are_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two manifests are of the same network, whatever file it came in."""
    digests = ((one.get(name), other.get(name)) for name in ("sha256", "onnx_sha256"))
    return any(mine is not None and mine == theirs for mine, theirs in digests)


def are_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two manifests are of the same network, or of nearly the same one.

    Older manifests have no answers; then only the digests are compared.
    """
    if are_same(one, other):
        return True
    answers, others = one.get("answers") or (), other.get("answers") or ()
    if not answers or len(answers) != len(others):
        return False
    return distance(answers, others) < NEARLY_ALIKE


def distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Return how far apart the answers of two networks are, on average over the positions.

    For a position it is the difference of the logarithms of the chances that the two give the move
    that was played, plus the difference of their values.
    """
    chances = zip(one[::2], other[::2], strict=True)
    values = zip(one[1::2], other[1::2], strict=True)
    apart = [abs(_log(mine) - _log(theirs)) for mine, theirs in chances]
    return (sum(apart) + sum(abs(mine - theirs) for mine, theirs in values)) / len(apart)


def _log(chance: float) -> float:
    return math.log(max(chance, SMALLEST_CHANCE))
