"""Test-time augmentation: a network asked about all eight symmetries of a position."""

import numpy as np

from golois.shapes import NUM_PLANES, NUM_POINTS, PLANES_SHAPE
from golois.symmetry import INVERSE, NUM_SYMMETRIES, point_table
from tournament.networks.evaluator import Evaluator


class SymmetricEvaluator:
    """Gives the mean of a network's answers on the eight symmetries of each position.

    A position costs eight evaluations. Whatever the network, a position that is turned gets the
    same value and the policy turned along with it, to within the rounding of float32.

    Args:
        evaluator: the network; its batch size is also that of the positions.
    """

    def __init__(self, evaluator: Evaluator):
        self._evaluator = evaluator
        self.batch_size = evaluator.batch_size
        self.planes = np.zeros((self.batch_size, *PLANES_SHAPE), np.float32)
        # Point p of a board that symmetry s turned was point _came_from[s, p].
        self._came_from = point_table()[list(INVERSE)]

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See Evaluator."""
        num_rows = len(planes)
        points = planes.reshape(num_rows, NUM_POINTS, NUM_PLANES)
        turned = points[:, self._came_from].reshape(NUM_SYMMETRIES * num_rows, *PLANES_SHAPE)
        batches = range(0, len(turned), self.batch_size)
        answers = [self._evaluator.evaluate(turned[at : at + self.batch_size]) for at in batches]
        policies, values = (np.concatenate(parts) for parts in zip(*answers, strict=True))
        policies = policies.reshape(num_rows, NUM_SYMMETRIES, NUM_POINTS)
        turned_back = np.take_along_axis(policies, point_table()[None].astype(np.intp), axis=2)
        values = values.reshape(num_rows, NUM_SYMMETRIES)
        return _mean(turned_back), _mean(values)


def _mean(answers: np.ndarray) -> np.ndarray:
    """Average over the symmetries, which are axis 1."""
    return answers.mean(axis=1, dtype=np.float64).astype(np.float32)
