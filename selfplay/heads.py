"""The further outputs of nogozero, trained on games of NoGo.

Source: Gao and Wu, NoGoZero+, 2021, sections 3.2.2 and 3.2.3.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from selfplay.options import Options

if TYPE_CHECKING:
    import keras


@dataclass(frozen=True)
class Head:
    """What an output is trained on.

    Attributes:
        label: makes it of a batch, float32 `[B, …]`.
        loss: a class of `keras.losses`.
        weight: the option with the weight of that loss.
        sums_points: whether the weight is that of each point, as in the paper's equation 7; the
            loss is then still a mean over the points.
    """

    label: Callable[[Any], np.ndarray]
    loss: str
    weight: str
    sums_points: bool = False


def dominion(batch: Any) -> np.ndarray:
    """Whether each point ends as the mover's own, `[B, points]`; half where it is nobody's."""
    return (batch.area.reshape(len(batch.area), -1) + 1) / 2


def score(batch: Any) -> np.ndarray:
    """How many more legal moves the mover has at the end, `[B, 1]`, from −5 to 5."""
    return batch.nogo_score()[:, None]


HEADS = {
    "dominion": Head(dominion, "BinaryCrossentropy", "dominion_weight", sums_points=True),
    "score": Head(score, "MeanSquaredError", "score_weight"),
}


def head_losses(
    names: Sequence[str], options: Options
) -> dict[str, tuple["keras.losses.Loss", float]]:
    """The loss of each head, a mean over the rows that have a target, and its weight."""
    import keras

    return {
        name: (
            getattr(keras.losses, HEADS[name].loss)(reduction="mean_with_sample_weight"),
            getattr(options, HEADS[name].weight)
            * (options.size**2 if HEADS[name].sums_points else 1),
        )
        for name in names
    }


def head_labels(names: Sequence[str], batch: Any) -> dict[str, np.ndarray]:
    """The target of each head."""
    return {name: HEADS[name].label(batch).astype(np.float32) for name in names}


def head_weights(names: Sequence[str], batch: Any) -> dict[str, np.ndarray]:
    """Which rows have one: those of games that were played out, not resigned."""
    return {name: batch.ownership_known for name in names}
