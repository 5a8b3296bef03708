"""What Keras's optimizers lack: Muon for convolutions, NorMuon, and cautious decay."""

from collections.abc import Collection

import keras
from keras import ops

MEMORY = 0.95
"""Share of a neuron's mean square that a step of NorMuon keeps."""
FLOOR = 0.1
"""No neuron counts as smaller than this share of the mean size, so that noise is not enlarged."""
TINY = 1e-7


class Muon(keras.optimizers.Muon):
    """Keras's Muon, which orthogonalises the kernels of convolutions as well as of dense layers.

    A kernel `[height, width, in, out]` is the matrix `[height · width · in, out]`. AdamW moves
    depthwise kernels, biases, norms and `exclude_layers`. Source: Jordan et al., "Muon: An
    optimizer for hidden layers in neural networks", 2024. `only` has the paths of the variables
    that are not left to AdamW; None: all kernels.
    """

    def __init__(self, *args, only: Collection[str] | None = None, **settings):
        super().__init__(*args, **settings)
        self.only = None if only is None else frozenset(only)

    def _should_use_adamw(self, variable) -> bool:
        if self.only is not None and variable.path not in self.only:
            return True
        if len(variable.shape) != 4:
            return super()._should_use_adamw(variable)
        is_depthwise = variable.shape[-1] == 1
        return is_depthwise or any(name in variable.path for name in self.exclude_layers)

    def _muon_update_step(self, gradient, variable, lr, m):
        self.assign(m, self.momentum * m + gradient)
        mean = self.momentum * m + gradient if self.nesterov else m
        direction = self._direction(ops.reshape(mean, (-1, variable.shape[-1])), variable)
        self.assign_sub(variable, ops.reshape(self.lr_adjust(lr * direction), variable.shape))

    def _direction(self, matrix, variable):
        """Turn the mean gradient `[inputs, neurons]` of a variable into a step of its shape."""
        return self.zeropower_via_newtonschulz5(matrix, self.ns_steps)


class NorMuon(Muon):
    """Muon whose steps have the same size for each neuron, by a moving mean of their squares.

    A neuron is an output channel: a column here, a row in the paper. With fewer neurons than
    inputs the columns of an orthogonal step are equally long already, and little changes. With
    more, such as where a bottleneck widens, their lengths differ. A step is as long as Muon's.
    Source: Li et al., "NorMuon: Making Muon more efficient and scalable", 2025; the floor is ours.
    """

    def build(self, var_list):
        """Create the variables of Muon, and `[neurons]` mean squares of each matrix."""
        if self.built:
            return
        super().build(var_list)
        self.mean_squares = [
            None
            if self._should_use_adamw(variable)
            else self.add_variable(variable.shape[-1:], dtype=variable.dtype, name="mean_squares")
            for variable in var_list
        ]

    def _direction(self, matrix, variable):
        step = super()._direction(matrix, variable)
        kept = self.mean_squares[self._get_variable_index(variable)]
        squares = MEMORY * kept + (1 - MEMORY) * ops.mean(ops.square(step), axis=0)
        self.assign(kept, squares)
        least = FLOOR**2 * ops.mean(squares)
        step = step / (ops.sqrt(ops.maximum(squares, least)) + TINY)
        return step * (min(matrix.shape) ** 0.5 / (ops.norm(step) + TINY))


class CautiousDecay:
    """Before a Keras optimizer among a class's bases: decays what the step moves toward 0 alone.

    A step of 0 counts as one toward 0. Source: Chen et al., "Cautious Weight Decay", 2025.
    """

    def _apply_weight_decay(self, variables):
        """Do nothing before the step, whose signs are not known yet."""

    def _backend_update_step(self, grads, trainable_variables, learning_rate):
        decayed = [v for v in trainable_variables if self._use_weight_decay(v)]
        before = [ops.copy(variable) for variable in decayed]
        super()._backend_update_step(grads, trainable_variables, learning_rate)
        for variable, old in zip(decayed, before, strict=True):
            is_toward_0 = ops.cast(ops.sign(old - variable) * old >= 0, variable.dtype)
            variable.assign(variable - learning_rate * self.weight_decay * is_toward_0 * old)
