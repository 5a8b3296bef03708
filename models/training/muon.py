"""Muon for networks of convolutions, whose kernels are matrices too."""

import keras
from keras import ops


class Muon(keras.optimizers.Muon):
    """Keras's Muon, which orthogonalises the kernels of convolutions as well as of dense layers.

    A kernel `[height, width, in, out]` is the matrix `[height · width · in, out]`. AdamW moves
    depthwise kernels, biases, norms and `exclude_layers`. Source: Jordan et al., "Muon: An
    optimizer for hidden layers in neural networks", 2024.
    """

    def _should_use_adamw(self, variable) -> bool:
        if len(variable.shape) != 4:
            return super()._should_use_adamw(variable)
        is_depthwise = variable.shape[-1] == 1
        return is_depthwise or any(name in variable.path for name in self.exclude_layers)

    def _muon_update_step(self, gradient, variable, lr, m):
        self.assign(m, self.momentum * m + gradient)
        mean = self.momentum * m + gradient if self.nesterov else m
        matrix = ops.reshape(mean, (-1, variable.shape[-1]))
        direction = self.zeropower_via_newtonschulz5(matrix, self.ns_steps)
        self.assign_sub(variable, ops.reshape(self.lr_adjust(lr * direction), variable.shape))
