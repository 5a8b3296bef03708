"""Does a network see whether a group that goes around enemy stones is alive?

Source: ResTNet, "Defense against Adversarial Policies via Transformer in Computer Go", and its
released code: the error is averaged over the marked group alone.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from golois.board import NAMES
from golois.coords import BLACK
from models.errors import EvaluationError
from models.evaluation.network import Network
from models.evaluation.probes.rings import MarkedPosition


def marked_mse(ownership: np.ndarray, points: np.ndarray, owner: int) -> float:
    """Return the mean squared error, 0 to 4, of ownership `[361]` over marked points.

    Ownership is from -1, White's, to 1, Black's; `owner` has all marked points, each 0 … 360.
    """
    target = 1.0 if owner == BLACK else -1.0
    return float(np.mean(np.square(ownership[points] - target)))


def probe_circles(network: Network, positions: Iterable[MarkedPosition]) -> list[dict[str, Any]]:
    """Ask for the owner of each marked group; one row a position.

    Raises:
        EvaluationError: a network without ownership.
    """
    if not network.has_ownership:
        raise EvaluationError(
            f"{network.title} has no output named ownership, of 361 numbers: "
            "train with --aux ownership and take best_with_heads.h5"
        )
    rows = []
    for position in positions:
        planes = position.board.planes(position.komi)[None]
        answers = network.predict(planes).ownership
        assert answers is not None  # the network has them
        by_black = answers[0] if position.board.to_play == BLACK else -answers[0]
        rows.append(
            {
                "position": position.name,
                "num_points": len(position.points),
                "owner": NAMES[position.owner],
                "mean": float(by_black[position.points].mean()),
                "mse": marked_mse(by_black, position.points, position.owner),
            }
        )
    return rows
