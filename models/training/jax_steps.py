"""Steps of training, which with jax leave its state where jax computed it.

`train_on_batch` of Keras assigns every variable after every step, some 500 of a mobilenet. On a
GPU that takes longer than the step itself.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from models.training.steps import example, named, train_batch

if TYPE_CHECKING:
    import keras


class Steps:
    """Steps of `train_batch`, after which the model's variables have their new values."""

    def __init__(self, model: "keras.Model") -> None:
        self._model = model

    def take(self, batch: Any) -> dict[str, float]:
        """Take one optimizer step on `batch`; see `train_batch`."""
        return train_batch(self._model, batch)

    def settle(self) -> None:
        """Do nothing: the variables have the values of the last step."""


class JaxSteps:
    """Trains a compiled model, whose optimizer and metrics are built, on one device.

    Between `take` and `settle` the model's variables have old values, except the learning rate,
    which is read at each step.
    """

    def __init__(self, model: "keras.Model") -> None:
        import jax

        self._model = model
        self._state: tuple[list[Any], ...] | None = None
        self._names: list[str] = []
        rate = model.optimizer.learning_rate
        self._rate = next(i for i, one in enumerate(self._variables()[2]) if one is rate)
        self._compiled = jax.jit(self._step)

    def take(self, batch: Any) -> dict[str, float]:
        """Take one optimizer step on `batch`; see `steps.train_batch`."""
        state = self._state or tuple([v.value for v in part] for part in self._variables())
        rate = self._model.optimizer.learning_rate.value
        means, self._state = self._compiled(state, rate, example(self._model, batch))
        return named(dict(zip(self._names, np.asarray(means), strict=True)))

    def settle(self) -> None:
        """Give the model's variables the values that they have after the last step."""
        if self._state:
            for variables, values in zip(self._variables(), self._state, strict=True):
                for variable, value in zip(variables, values, strict=True):
                    variable.assign(value)
        self._state = None

    def _variables(self) -> tuple[list[Any], ...]:
        """The four lists in the order in which Keras's `train_step` takes and returns them."""
        model = self._model
        return (
            model.trainable_variables,
            model.non_trainable_variables,
            model.optimizer.variables,
            model.metrics_variables,
        )

    def _step(self, state: tuple[list[Any], ...], rate: Any, data: Any) -> tuple[Any, Any]:
        """One step from metrics of 0; the means in one array cross to the host at once."""
        from jax import numpy as jnp

        trainable, others, optimizer, metrics = state
        optimizer = [rate if i == self._rate else value for i, value in enumerate(optimizer)]
        metrics = [jnp.zeros_like(value) for value in metrics]
        means, state = self._model.train_step((trainable, others, optimizer, metrics), data)
        self._names = list(means)
        return jnp.stack([jnp.asarray(mean, "float32") for mean in means.values()]), state


def steps_of(model: "keras.Model", num_devices: int) -> Any:
    """Return the fastest steps of a model whose variables are built: `Steps` or `JaxSteps`.

    Before anything but `take` uses the model, call `settle`.
    """
    import keras

    if keras.backend.backend() != "jax" or num_devices > 1:
        return Steps(model)
    return JaxSteps(model)
