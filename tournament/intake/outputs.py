"""What the answers of a network must be."""

import numpy as np

from tournament.intake.faults import refuse

# Games allow ten times as much, so that no network fails there for its rounding.
POLICY_TOLERANCE = 1e-3
LOOK_AT_OUTPUTS = "look at the outputs of the model on positions of real games before saving it"
END_WITH_SOFTMAX = "end the policy head with layers.Activation('softmax', name='policy')"
END_WITH_SIGMOID = "end the value head with layers.Dense(1, activation='sigmoid', name='value')"


def remedy_in_game(error: str) -> str:
    """Return what to do about answers that a search refused with this error."""
    for part, remedy in (("the value must be", END_WITH_SIGMOID), ("the policy", END_WITH_SOFTMAX)):
        if part in error:
            return remedy
    return LOOK_AT_OUTPUTS


def check_outputs(policy: np.ndarray, value: np.ndarray, where: str = "") -> None:
    """Refuse answers that are not probabilities.

    Args:
        policy: [k, moves].
        value: [k, 1].
        where: the positions, for the message.

    Raises:
        Refused: a number that is not finite, or out of range, or a policy that does not sum to 1.
    """
    if not (np.isfinite(policy).all() and np.isfinite(value).all()):
        raise refuse(f"the network answers with NaN or infinity{where}", LOOK_AT_OUTPUTS)
    if policy.min() < 0.0 or np.abs(policy.sum(axis=1) - 1.0).max() > POLICY_TOLERANCE:
        raise refuse(
            f"the policy is not a distribution, which is {policy.shape[1]} numbers from 0 that sum "
            f"to 1{where}",
            END_WITH_SOFTMAX,
        )
    if value.min() < 0.0 or value.max() > 1.0:
        raise refuse(
            "the value is not a probability, which is from 0 to 1: it is "
            f"{value.min():.3g} to {value.max():.3g}{where}",
            END_WITH_SIGMOID,
        )
