"""A teacher whose convolutions are in int8: on what it is fitted, and how far off it then is."""

import numpy as np

from golois.katago.answers import Answers

INT8, FLOAT32 = "int8", "float32"
NUM_EXAMPLES = 200  # positions for the ranges, and as many others for the error


def error_of(found: Answers, exact: Answers) -> dict[str, float]:
    """Return how far answers are from exact ones, in six digits.

    positions: how many. cross_entropy: mean of the policy to the exact one, in nats; entropy: the
    least that it could be. same_first_move: share of positions. value_rmse: of P(White wins).
    """
    shares = exact.policy.astype(np.float64)
    least = np.finfo(np.float32).tiny
    entropies = [
        -np.mean(np.sum(shares * np.log(np.maximum(policy, least)), axis=1))
        for policy in (found.policy, exact.policy)
    ]
    same = found.policy.argmax(axis=1) == exact.policy.argmax(axis=1)
    rmse = np.sqrt(np.mean((found.white_wins - exact.white_wins) ** 2, dtype=np.float64))
    numbers = dict(zip(("cross_entropy", "entropy"), entropies, strict=True))
    numbers |= {"same_first_move": same.mean(), "value_rmse": rmse}
    return {"positions": len(same), **{name: float(f"{x:.6g}") for name, x in numbers.items()}}
