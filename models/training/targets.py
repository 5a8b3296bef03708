"""What each output is trained on: arrays of a `golois.Batch`, and which of its rows count."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, Literal

import numpy as np

from models.contract import POLICY_NAME, VALUE_NAME

ValueLoss = Literal["crossentropy", "mse"]

POINTS_A_UNIT = 10.0  # of the score head
MAX_SCORE = 5.0

SPREAD = np.array([0.09, 4.7], np.float32)
"""Standard deviations of `Batch.surprise` in data/katago_b15.games. With constants a row's weight
doesn't depend on the rest of its batch."""

SURPRISING = 1.5  # spreads
STEEPNESS = 3.0

LEAST_SHARE = 1e-12  # against a division by 0 and its logarithm

PLAYED_NAME = "played"
"""The policy once more, as an output without a loss: measured against the move played."""


@dataclass(frozen=True)
class Target:
    """What a head is trained on: label, float32 `[B, …]`, row weights, 0 to 1, `[B]`, and loss.

    `needs` names what some game must have (`models.training.games`).
    """

    arrays: tuple[str, ...]
    label: Callable[[Any], np.ndarray]
    weights: Callable[[Any], np.ndarray]
    loss: Literal["mse", "crossentropy"]
    weight: float
    needs: Literal["", "end", "owners", "labels", "values"] = ""


def owners(batch: Any) -> np.ndarray:
    """Return each point's owner, `[B, 361]`, a teacher's or the final one: 1 the side to move's."""
    return batch.owners.reshape(len(batch.owners), -1)


def final_score(batch: Any) -> np.ndarray:
    """Return the side to move's final score without komi, `[B, 1]`, in tens of points, -5 to 5."""
    score = batch.area.sum(axis=(1, 2))[:, None]
    return np.clip(score / POINTS_A_UNIT, -MAX_SCORE, MAX_SCORE)


def soft_policy(batch: Any) -> np.ndarray:
    """Return the policy to the power 1/4, `[B, 361]`, scaled to sum to 1: its shares are closer.

    A policy of zeros, where the teacher passes, stays as it is.
    """
    shares = np.sqrt(np.sqrt(batch.policy))
    return shares / np.maximum(shares.sum(axis=1, keepdims=True), LEAST_SHARE)


def short_term_values(batch: Any) -> np.ndarray:
    """Return P(side to move wins) by the next 6, 16 and 50 plies, `[B, 3]`; 0 where unknown."""
    return np.nan_to_num(batch.later_values)


def optimism(batch: Any) -> np.ndarray:
    """Return weights `[B]`, 0 to 1, near 1 where the next moves turned out far better.

    The sum, at most 1, of a sigmoid of the surprise in value and of a sigmoid of that in lead. What
    is unknown adds 0. Source: KataGo's page of methods ("optimistic policy"), where networks
    predict the standard deviations.
    """
    far = STEEPNESS * (batch.surprise / SPREAD - SURPRISING)
    sigmoids = (1 + np.tanh(far / 2)) / 2
    return np.minimum(np.nan_to_num(sigmoids).sum(axis=1), 1)


def _with_later_values(batch: Any) -> np.ndarray:
    return (~np.isnan(batch.later_values[:, 0])).astype(np.float32)


def _of_several_moves(batch: Any) -> np.ndarray:
    return ((batch.policy > 0).sum(axis=1) > 1).astype(np.float32)


def _all_rows(batch: Any) -> np.ndarray:
    return np.ones(len(batch.planes), np.float32)


AUXILIARY = {
    "ownership": Target(
        ("owners", "owners_known"),
        owners,
        lambda batch: batch.owners_known,
        "mse",
        1.0,
        needs="owners",
    ),
    "score": Target(
        ("area", "ownership_known"),
        final_score,
        lambda batch: batch.ownership_known,
        "mse",
        0.02,
        needs="end",
    ),
    "reply": Target(
        ("reply",),
        lambda batch: batch.reply,
        lambda batch: batch.reply.sum(axis=1),
        "crossentropy",
        0.15,
    ),
    "moves": Target(("played",), lambda batch: batch.played, _all_rows, "crossentropy", 0.5),
    "teacher": Target(("policy",), lambda batch: batch.policy, _all_rows, "crossentropy", 0.5),
    "soft_policy": Target(
        ("policy",), soft_policy, _of_several_moves, "crossentropy", 8.0, needs="labels"
    ),
    "short_term_values": Target(
        ("later_values",), short_term_values, _with_later_values, "mse", 1.0, needs="values"
    ),
    "optimistic_policy": Target(
        ("policy", "surprise"),
        lambda batch: batch.policy,
        optimism,
        "crossentropy",
        0.1,
        needs="values",
    ),
}
"""Targets of the auxiliary heads (models/training/auxiliary.py).

The weights: of ownership ResTNet's, of reply and soft_policy KataGo's, of moves and teacher DeiT's.
That of score is less than a tenth of NoGoZero+'s 0.25, whose scores are small: of Go's it costs a
short training 8 points of its moves (docs/studies/auxiliary.md). That of optimistic_policy is the
mean weight of a row of data/katago_b15.games: as if KataGo's sum over the rows had the weight 1.
"""


def arrays_for(auxiliary: Iterable[str], has_soft_policies: bool = False) -> tuple[str, ...]:
    """Name a batch's arrays besides the planes; of soft policies, also the moves played."""
    own = ("policy", "value_white", *(("played",) if has_soft_policies else ()))
    more = (array for name in auxiliary for array in AUXILIARY[name].arrays)
    return tuple(dict.fromkeys((*own, *more)))


def labels(
    batch: Any, auxiliary: Iterable[str] = (), shows_played: bool = False
) -> dict[str, np.ndarray]:
    """Return the target of each output by its name."""
    return {
        POLICY_NAME: batch.policy,
        VALUE_NAME: batch.value_white[:, None],
        **({PLAYED_NAME: batch.played} if shows_played else {}),
        **{name: AUXILIARY[name].label(batch) for name in auxiliary},
    }


def row_weights(
    batch: Any, auxiliary: Iterable[str] = (), shows_played: bool = False
) -> dict[str, np.ndarray]:
    """Return how much each row counts, 0 to 1, `[B]` float32 by the name of the output."""
    every_row = _all_rows(batch)
    return {
        POLICY_NAME: every_row,
        VALUE_NAME: every_row,
        **({PLAYED_NAME: every_row} if shows_played else {}),
        **{name: AUXILIARY[name].weights(batch) for name in auxiliary},
    }


def with_played(sample: Callable[[int], Any], weight: float) -> Callable[[int], Any]:
    """Mix the moves played, by a weight from 0 to 1, into the policies of a sampled batch."""

    def mixed(step: int) -> Any:
        batch = sample(step)
        return batch._replace(policy=(1 - weight) * batch.policy + weight * batch.played)

    return mixed


def constant_loss(name: str, batches: Sequence[Any]) -> float:
    """Compute an auxiliary head's loss of the best constant answer; NaN without any target."""
    target = AUXILIARY[name]
    label = np.concatenate([target.label(batch) for batch in batches])
    weights = np.concatenate([target.weights(batch) for batch in batches])
    if not weights.any():
        return nan
    if target.loss == "mse":
        mean = np.average(label.mean(axis=1), weights=weights)
        return float(np.average(np.square(label - mean).mean(axis=1), weights=weights))
    shares = np.average(label, axis=0, weights=weights)
    return float(-(shares * np.log(np.maximum(shares, LEAST_SHARE))).sum())
