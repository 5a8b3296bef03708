"""Weight decay that never works against the optimizer's step."""

from keras import ops


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
