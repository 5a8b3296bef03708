"""Pictures of what a network thinks."""

import numpy as np

from models.evaluation.pictures import policy_picture


def test_a_share_is_as_dark_in_every_policy():
    """Of a network that knows nothing, and of a sure one."""
    stones, sure = np.zeros((19, 19), np.uint8), np.eye(361)[60]
    limits = [
        policy_picture(stones, policy).axes[0].images[0].get_clim()
        for policy in (np.full(361, 1 / 361), sure)
    ]
    assert limits == [(0, 1), (0, 1)]
