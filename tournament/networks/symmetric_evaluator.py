"""Test-time augmentation: a network asked about all symmetries of a position."""

from collections.abc import Sequence

import numpy as np

from golois.symmetry import INVERSE, NUM_SYMMETRIES, point_table
from tournament.networks.evaluator import Evaluator


class SymmetricEvaluator:
    """Gives the mean of a network's answers on the symmetries of each position.

    A position costs as many evaluations. Whatever the network, a position that is turned gets the
    same value and the policy turned along with it, to within the rounding of float32. A pass stays
    a pass.

    Args:
        evaluator: the network; its batch size and planes are also those of the positions.
        symmetries: of the game, `Game.symmetries`; they form a group.
    """

    def __init__(self, evaluator: Evaluator, symmetries: Sequence[int] = range(NUM_SYMMETRIES)):
        self._evaluator = evaluator
        self.batch_size = evaluator.batch_size
        self.planes = np.zeros_like(evaluator.planes)
        points = point_table(self.planes.shape[1])
        # Point p of a board that symmetry s turned was point _came_from[s, p].
        self._came_from = points[[INVERSE[symmetry] for symmetry in symmetries]]
        passes = np.full((len(symmetries), 1), points.shape[1])
        self._moves = np.hstack([points[list(symmetries)], passes])

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See Evaluator."""
        num_rows, num_symmetries = len(planes), len(self._moves)
        points = planes.reshape(num_rows, -1, planes.shape[-1])
        turned = points[:, self._came_from].reshape(-1, *planes.shape[1:])
        batches = range(0, len(turned), self.batch_size)
        answers = [self._evaluator.evaluate(turned[at : at + self.batch_size]) for at in batches]
        policies, values = (np.concatenate(parts) for parts in zip(*answers, strict=True))
        policies = policies.reshape(num_rows, num_symmetries, -1)
        moves = self._moves[np.newaxis, :, : policies.shape[2]]
        turned_back = np.take_along_axis(policies, moves, axis=2)
        return _mean(turned_back), _mean(values.reshape(num_rows, num_symmetries))


def _mean(answers: np.ndarray) -> np.ndarray:
    """Average over the symmetries, which are axis 1."""
    return answers.mean(axis=1, dtype=np.float64).astype(np.float32)
