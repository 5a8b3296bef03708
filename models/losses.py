"""What the two outputs are trained on and measured by."""

import keras

from models.contract import POLICY_NAME, VALUE_NAME
from models.optimizers import OptimizerName, make_optimizer


def compile_for_training(
    model: keras.Model,
    *,
    learning_rate: float,
    value_weight: float,
    optimizer: OptimizerName = "adam",
    jit: bool = False,
    **settings: float,
) -> None:
    """Give a model an optimizer, the two cross-entropies, and the metrics that the course reports.

    Args:
        model: a network that keeps the contract.
        learning_rate: of the first step; a schedule may change it later.
        value_weight: weight of the value's loss, that of the policy being 1.
        optimizer: a name of `models.optimizers`.
        jit: whether XLA compiles the step, as it always does on the jax backend.
        **settings: others of `make_optimizer`.

    Source: Cazenave, "Mobile Networks for Computer Go", 2020 (a value weight of 4).
    """
    model.compile(
        optimizer=make_optimizer(optimizer, learning_rate=learning_rate, **settings),
        loss={POLICY_NAME: "categorical_crossentropy", VALUE_NAME: "binary_crossentropy"},
        loss_weights={POLICY_NAME: 1.0, VALUE_NAME: value_weight},
        metrics={POLICY_NAME: "categorical_accuracy", VALUE_NAME: "mse"},
        jit_compile=jit or keras.backend.backend() == "jax",
    )
