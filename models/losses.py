"""What the two outputs are trained on and measured by."""

import keras

from models.contract import POLICY_NAME, VALUE_NAME


def compile_for_training(
    model: keras.Model, *, learning_rate: float, value_weight: float
) -> None:
    """Give a model Adam, the two cross-entropies, and the metrics that the course reports.

    XLA stays off: on a CPU it halves the speed of a plain ResNet and is worse on depthwise
    convolutions.

    Args:
        model: a network that keeps the contract.
        learning_rate: of the first step; a schedule may change it later.
        value_weight: weight of the value's loss, that of the policy being 1.

    Source: Cazenave, "Mobile Networks for Computer Go", 2020 (a value weight of 4).
    """
    model.compile(
        optimizer=keras.optimizers.Adam(learning_rate),
        loss={POLICY_NAME: "categorical_crossentropy", VALUE_NAME: "binary_crossentropy"},
        loss_weights={POLICY_NAME: 1.0, VALUE_NAME: value_weight},
        metrics={POLICY_NAME: "categorical_accuracy", VALUE_NAME: "mse"},
        jit_compile=False,
    )
