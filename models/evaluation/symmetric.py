"""A network's answers averaged over the eight symmetries: each view's mapped back.

Source: "Imitating Human Go Players via Vision Transformer", 2025 (test-time augmentation).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from golois.go.board import Board
from golois.go.coords import BLACK
from golois.go.symmetry import NUM_SYMMETRIES, point_table, view


class Outputs(NamedTuple):
    """What a network says of positions, float32.

    policy: `[B, 361]`, probabilities.
    value: `[B]`, P(White wins).
    ownership: `[B, 361]`, see `models.evaluation.network`; None of a network without it.
    """

    policy: np.ndarray
    value: np.ndarray
    ownership: np.ndarray | None

    @staticmethod
    def joined(parts: Sequence["Outputs"]) -> "Outputs":
        """Return the outputs of consecutive batches as one."""
        return _by_column(np.concatenate, parts)


Predict = Callable[[np.ndarray], Outputs]
"""A network as a function of planes, float32 `[B, 19, 19, 31]`."""


def owners(predict: Predict, board: Board, komi: float) -> np.ndarray:
    """Ask a network that has ownership: `[361]` from -1, White's points, to 1, Black's."""
    ownership = predict(board.planes(komi)[None]).ownership
    assert ownership is not None
    return ownership[0] if board.to_play == BLACK else -ownership[0]


def mapped_back(outputs: Outputs, symmetry: int) -> Outputs:
    """Turn what was said of a view into what it says of the position."""
    moved = point_table()[symmetry]
    ownership = None if outputs.ownership is None else outputs.ownership[:, moved]
    return Outputs(outputs.policy[:, moved], outputs.value, ownership)


def all_views(predict: Predict, planes: np.ndarray) -> list[Outputs]:
    """Return a network's answers for each view, mapped back; the first is the position itself."""
    return [mapped_back(predict(view(planes, s)), s) for s in range(NUM_SYMMETRIES)]


def average(outputs: Sequence[Outputs]) -> Outputs:
    """Return the mean of several answers about the same positions."""
    return _by_column(partial(np.mean, axis=0), outputs)


def _by_column(combine: Callable[..., Any], outputs: Sequence[Outputs]) -> Outputs:
    policies, values, ownerships = zip(*outputs, strict=True)
    ownership = None if ownerships[0] is None else combine(ownerships)
    return Outputs(combine(policies), combine(values), ownership)
