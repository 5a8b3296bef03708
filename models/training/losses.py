"""What the outputs are trained on and measured by."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import keras
from keras import ops

from models.contract import POLICY_NAME, VALUE_NAME
from models.training.auxiliary import layers_of_blocks
from models.training.optimizers import OptimizerName, make_optimizer
from models.training.targets import AUXILIARY, PLAYED_NAME, ValueLoss


def compile_for_training(
    model: keras.Model,
    *,
    learning_rate: float,
    value_weight: float,
    policy_weight: float = 1.0,
    value_loss: ValueLoss = "crossentropy",
    label_smoothing: float = 0.0,
    auxiliary: Mapping[str, float] | None = None,
    further_losses: Mapping[str, tuple[keras.losses.Loss, float]] | None = None,
    optimizer: OptimizerName = "adam",
    muon_blocks_only: bool = False,
    jit: bool = False,
    hard_examples: float = 1.0,
    **settings: Any,
) -> None:
    """Give a model an optimizer, its losses, and the metrics that the course reports.

    What is minimised is the weighted sum of the losses and of the layers' own penalties.
    `label_smoothing` is the share of the policy's target that is spread over all points.
    `hard_examples` below 1 is the share of a `PackedInput`'s batches that it learns from.
    `further_losses` are loss and weight of each other trained output. `muon_blocks_only`: whether
    AdamW moves the stem and the heads, and Muon the blocks between them. `jit`: whether XLA
    compiles the step, as it always does on the jax backend. `settings` are for `make_optimizer`.
    Source: Cazenave, "Mobile Networks for Computer Go", 2020 (a value weight of 4); Szegedy et al.,
    "Rethinking the Inception Architecture for Computer Vision", 2015 (label smoothing).
    """
    further = {name: auxiliary_loss(name) for name in auxiliary or {}}
    weights = dict(auxiliary or {})
    for name, (loss, weight) in (further_losses or {}).items():
        further[name], weights[name] = loss, weight
    if muon_blocks_only:
        layers = layers_of_blocks(getattr(model, "network", model))
        settings["only"] = [weight.path for layer in layers for weight in layer.trainable_weights]
    played = [PLAYED_NAME] if getattr(model, "shows_played", False) else []
    model.compile(
        optimizer=make_optimizer(optimizer, learning_rate=learning_rate, **settings),
        loss={
            POLICY_NAME: keras.losses.CategoricalCrossentropy(label_smoothing=label_smoothing),
            VALUE_NAME: VALUE_LOSSES[value_loss](),
            **dict.fromkeys(played),
            **further,
        },
        loss_weights={
            POLICY_NAME: policy_weight,
            VALUE_NAME: value_weight,
            **dict.fromkeys(played, 0.0),
            **weights,
        },
        metrics={
            POLICY_NAME: "categorical_accuracy",
            VALUE_NAME: ["mse", "mae"],
            **dict.fromkeys(played, "categorical_accuracy"),
        },
        jit_compile=jit or keras.backend.backend() == "jax",
    )
    if hard_examples < 1:
        goals = {POLICY_NAME: policy_weight, VALUE_NAME: value_weight}
        losses = {name: (model.loss[name], weight) for name, weight in goals.items()}
        model.hardest = partial(hardest, losses=losses, share=hard_examples)


def hardest(
    targets: Mapping[str, Any],
    outputs: Mapping[str, Any],
    losses: Mapping[str, tuple[keras.losses.Loss, float]],
    share: float,
) -> Any:
    """Return the rows, int `[share · B]` and at least one, whose weighted losses are largest.

    Source: Jiang et al., "Accelerating Deep Learning by Focusing on the Biggest Losers", 2019.
    """
    of_rows = sum(
        weight * loss.call(ops.cast(targets[name], "float32"), ops.cast(outputs[name], "float32"))
        for name, (loss, weight) in losses.items()
    )
    _, rows = ops.top_k(of_rows, max(1, round(share * of_rows.shape[0])))
    return rows


VALUE_LOSSES = {
    "crossentropy": keras.losses.BinaryCrossentropy,
    "mse": keras.losses.MeanSquaredError,
}
AUXILIARY_LOSSES = {
    "crossentropy": keras.losses.CategoricalCrossentropy,
    "mse": keras.losses.MeanSquaredError,
}


def auxiliary_loss(name: str) -> keras.losses.Loss:
    """Make the loss of an auxiliary head: the mean over the rows that have a target."""
    return AUXILIARY_LOSSES[AUXILIARY[name].loss](reduction="mean_with_sample_weight")
