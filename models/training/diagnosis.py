"""What is wrong with a run, by its history, and what to try next."""

from collections.abc import Mapping, Sequence
from math import log
from typing import Any, NamedTuple

from golois.constants import NUM_POINTS
from models.training.history import best_epoch

WHAT_WORKS = "docs/student/what-works.md"

CHANCE_LOSS = 1.1 * log(NUM_POINTS)
"""Policy loss above that of a network that finds all points equally likely, or nearly so."""

CHANCE_VALUE_LOSS = 2.0
"""Value loss that no network reaches whose outputs are of a usual size; equal chances have 0.69."""

FIRST_STEPS = 20
"""Batches after which a network should be better than chance."""

LEARNED = 0.98
"""A value MSE above this share of a constant's has learned nothing, in training and held out."""

LATE = 0.25
"""Share of a run after which its value head should have learned something."""

GAP = 1.25
"""Held-out over training loss of a network that knows its games by heart."""

MOST_INPUT = 0.3
"""Share of the time that waiting for batches may take."""

SHORT = 2000
"""Steps of a training in which a high rate pays."""


class Advice(NamedTuple):
    """A sentence, and the row of WHAT_WORKS that has its measurements; 0 for none."""

    text: str
    row: int = 0

    def __str__(self) -> str:
        return self.text + (f" ({WHAT_WORKS}, {self.row})" if self.row else "")


def warning(
    history: Sequence[Mapping[str, float]], done: float, constant_mse: float, input_share: float
) -> str | None:
    """Say the worst thing that an epoch shows, or None.

    `done` is the share of the run, `constant_mse` the value MSE of the best constant, and
    `input_share` the share of the epoch in which the step waited for its batch.
    """
    row = history[-1]
    if is_worse_than_chance(row):
        return "the network is worse than chance: the learning rate is too high"
    if is_over_fitted(row):
        gap = row["val_loss"] / row["loss"] - 1
        return f"over-fitting: the held-out loss is {gap:.0%} above that of training"
    if done >= LATE and has_no_value(row, constant_mse):
        return "the value head has learned nothing yet: it is as good as a constant"
    if input_share > MOST_INPUT:
        return f"{input_share:.0%} of the time is spent on waiting for data: close other programs"
    return None


def is_worse_than_chance(row: Mapping[str, float]) -> bool:
    """Return whether an epoch's policy is worse than one of equal shares, or its value far off."""
    # the first of both may be of hard examples, the second of an over-fitted network
    policy = min(row["policy_loss"], row["val_policy_loss"])
    value = min(row["value_loss"], row["val_value_loss"])
    is_off = policy > CHANCE_LOSS or value > CHANCE_VALUE_LOSS
    return row["step"] >= FIRST_STEPS and is_off


def has_no_value(row: Mapping[str, float], constant_mse: float) -> bool:
    """Return whether an epoch's value is no better than a constant, in training either."""
    return min(row["value_mse"], row["val_value_mse"]) > LEARNED * constant_mse


def is_of_white(options: Any) -> bool:
    """Return whether a run's network computes White's chance, where presets have the mover's."""
    usual = "white" if options.preset == "paper" else "mover"
    return options.set.get("perspective", usual) == "white"


def is_over_fitted(row: Mapping[str, float]) -> bool:
    """Return whether an epoch's network does far better on the games that it trains on."""
    return row["val_loss"] > GAP * row["loss"]


def has_labels(row: Mapping[str, float]) -> bool:
    """Return whether a run learns from a teacher's labels."""
    return "val_played_accuracy" in row


def try_next(
    options: Any, history: Sequence[Mapping[str, float]], constant_mse: float
) -> Advice:
    """Choose what promises most after a run."""
    last = history[-1]
    best, _ = best_epoch(history)
    if is_worse_than_chance(last):
        return Advice(f"a lower learning rate, such as --lr {options.lr / 10:.2g}")
    if is_over_fitted(last):
        labels = "" if has_labels(last) else ", or a teacher's labels"
        return Advice(f"more games: --data FILE{labels}", 9)
    if has_no_value(last, constant_mse) and is_of_white(options):
        return Advice("the value head of the mover: --set perspective=mover", 5)
    if options.schedule == "constant":
        return Advice("a learning rate that falls: --schedule cosine", 1)
    if options.batch_size > 64:
        return Advice("smaller batches: --batch-size 32", 2)
    if options.optimizer == "adam" and last["step"] < SHORT:
        return Advice("Muon, for a short training: --optimizer muon", 3)
    if best["epoch"] == last["epoch"]:
        return Advice("a longer training, since the last epoch was the best", 10)
    if has_labels(last):
        return Advice("a longer training", 10)
    return Advice("a teacher's labels: python -m golois label", 9)
