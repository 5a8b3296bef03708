"""Positions with the opinions of a network and of another judge, for pictures."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from golois.data.batch import unpack_planes
from golois.go.board import NAMES
from golois.go.coords import point_to_gtp
from models.contract import POLICY_NAME, VALUE_NAME
from models.evaluation.probes.ladder_positions import board_of

NUM_SHOWN = 10
LEAST_SHARE = 1e-12  # of a move, so that its logarithm is finite


def worst_positions(model: Any, batches: Sequence[Any]) -> list[dict[str, Any]]:
    """List the positions with the largest cross-entropy, worst first, as the picture takes them.

    `model` answers by output's name to packed planes; batches are those of a training. The game's
    opinion is the move that the training aims at.
    """
    found = [model.predict_on_batch(batch.planes) for batch in batches]
    shares, values = (
        np.concatenate([x[name] for x in found]) for name in (POLICY_NAME, VALUE_NAME)
    )
    labels = np.concatenate([batch.policy for batch in batches])
    values_aimed_at = np.concatenate([batch.value_white for batch in batches])
    planes = np.concatenate([batch.planes for batch in batches])
    errors = -(labels * np.log(np.maximum(shares, LEAST_SHARE))).sum(axis=1)
    return [
        {
            **shown_board(planes[row : row + 1]),
            "student": opinion(shares[row], values[row, 0]),
            "teacher": opinion(labels[row], values_aimed_at[row]),
        }
        for row in np.argsort(-errors, kind="stable")[:NUM_SHOWN]
    ]


def shown_board(bits: np.ndarray) -> dict[str, Any]:
    """Return who is to play and the stones of one position, by its packed planes `[1, bytes]`."""
    board = board_of(unpack_planes(bits)[0])
    return {"to_play": NAMES[board.to_play], "stones": board.stones().tolist()}


def opinion(policy: np.ndarray, value_white: float) -> dict[str, Any]:
    """Return the first move of a policy `[361]`, its share, and P(White wins)."""
    move = int(policy.argmax())
    return {
        "move": point_to_gtp(move), "share": float(policy[move]), "value_white": float(value_white)
    }
