"""Layers that keep the board's symmetry for any weights: the kit's two custom layer classes.

`golois.kernels.irreps` describes the fields T, S, D, C, F and R. Keras loads a file with these
layers once this module is imported. S, D, C and F take only odd activations, such as tanh.
"""

from collections.abc import Sequence

import keras
import numpy as np
from keras import layers, ops

from golois.kernels.irreps import WINDOWS, Fields, Sharing, share_bias, share_kernel
from models.parts.blocks import BATCH_NORM_MOMENTUM

PACKAGE = "golois"


# Stock layers can't share weights within a kernel. These hold the free weights alone, so that
# `model.count_params()` counts no others.
@keras.saving.register_keras_serializable(PACKAGE)
class EquivariantConv2D(layers.Layer):
    """Convolve fields to fields, on a board padded with zeros; its size stays.

    The fields count T, S, D, C, F and R, in this order; the rest is 0. `window`, out of `WINDOWS`,
    is the side of the kernel. Only T and R may have a bias. Source: Blair, "Learning the game of Go
    with Internal Symmetry Networks", 2009.
    """

    def __init__(
        self,
        input_fields: Sequence[int],
        fields: Sequence[int],
        window: int = 3,
        use_bias: bool = False,
        **options,
    ) -> None:
        super().__init__(**options)
        if window not in WINDOWS:
            raise ValueError(f"window must be one of {WINDOWS}, not {window}")
        self.input_fields = Fields(*input_fields)
        self.fields = Fields(*fields)
        self.window = window
        self.use_bias = use_bias

    def build(self, input_shape) -> None:
        """Create the kernel's free weights, and with `use_bias` the bias's."""
        _check_channels(self.input_fields, input_shape)
        self.shared_kernel = share_kernel(self.input_fields, self.fields, self.window)
        if not self.shared_kernel.num_free:
            raise ValueError(
                f"a window of {self.window} cannot connect {self.input_fields} with {self.fields}: "
                "take a larger one, or other fields"
            )
        shape = (self.shared_kernel.num_free,)
        self.weight = self.add_weight(shape=shape, initializer=self._he_normal, name="weight")
        if self.use_bias:
            self.shared_bias = share_bias(self.fields)
            shape = (self.shared_bias.num_free,)
            self.bias = self.add_weight(shape=shape, initializer="zeros", name="bias")

    def _he_normal(self, shape, dtype=None):
        """Draw free weights by how many numbers of the kernel reach their output channel."""
        used = self.shared_kernel.sign != 0
        deviation = np.sqrt(2.0 / np.maximum(1, used.sum(axis=(0, 1, 2))))
        of_weight = np.zeros(shape, np.float32)
        of_weight[self.shared_kernel.index[used]] = np.broadcast_to(deviation, used.shape)[used]
        return keras.random.normal(shape, dtype=dtype) * of_weight

    def call(self, x):
        """Convolve `[B, rows, columns, C]` with padding; rows and columns stay."""
        x = ops.conv(x, _expanded(self.weight, self.shared_kernel), padding="same")
        return x + _expanded(self.bias, self.shared_bias) if self.use_bias else x

    def compute_output_shape(self, input_shape):
        """The input's shape with the channels of `fields`."""
        return (*input_shape[:-1], self.fields.channels)

    def get_config(self) -> dict:
        """What Keras writes to .h5, to make the layer again."""
        return {
            **super().get_config(),
            "input_fields": list(self.input_fields.numbers),
            "fields": list(self.fields.numbers),
            "window": self.window,
            "use_bias": self.use_bias,
        }


@keras.saving.register_keras_serializable(PACKAGE)
class EquivariantBatchNormalization(layers.Layer):
    """Normalise each field over the batch, the board and its channels; shape unchanged.

    T and R get a mean of 0 and a learned shift. S, D, C and F are only scaled, by their root mean
    square: to shift them breaks the symmetry. Source: Ioffe and Szegedy, "Batch Normalization",
    2015.
    """

    def __init__(self, fields: Sequence[int], epsilon: float = 1e-3, **options) -> None:
        super().__init__(**options)
        self.fields = Fields(*fields)
        self.epsilon = epsilon
        self.momentum = BATCH_NORM_MOMENTUM

    def build(self, input_shape) -> None:
        """Create a scale and a mean square for each field, a shift and a mean for each T and R."""
        _check_channels(self.fields, input_shape)
        of_channel = self.fields.field_of_channel()
        members = of_channel == np.arange(sum(self.fields.numbers))[:, np.newaxis]
        self.members = members.astype(np.float32)
        self.shifted = self.members[members @ share_bias(self.fields).sign > 0]
        count, num_shifted = len(self.members), len(self.shifted)
        self.gamma = self._weight("gamma", count, "ones")
        self.beta = self._weight("beta", num_shifted, "zeros")
        self.moving_mean = self._weight("moving_mean", num_shifted, "zeros", trainable=False)
        self.moving_variance = self._weight("moving_variance", count, "ones", trainable=False)

    def _weight(self, name: str, count: int, initializer: str, trainable: bool = True):
        return self.add_weight(
            shape=(count,), initializer=initializer, trainable=trainable, autocast=False, name=name
        )

    def call(self, x, training=None):
        """Compute in the precision of the weights, as half of it has no room for squares."""
        x = ops.cast(x, self.variable_dtype)
        if training and self.trainable:
            mean, variance = self._moments(x)
            for moving, found in ((self.moving_mean, mean), (self.moving_variance, variance)):
                moving.assign(moving + (found - moving) * (1.0 - self.momentum))
        else:
            mean, variance = self.moving_mean, self.moving_variance
        scale = ops.matmul(self.gamma * ops.rsqrt(variance + self.epsilon), self.members)
        shift = ops.matmul(self.beta, self.shifted) - ops.matmul(mean, self.shifted) * scale
        return ops.cast(x * scale + shift, self.compute_dtype)

    def compute_output_shape(self, input_shape):
        """The input's shape; Keras would find it by making a graph."""
        return input_shape

    def _moments(self, x) -> tuple:
        """Return the mean of each T and R, and the variance of every field, about 0 for others."""
        means, variances = ops.moments(x, axes=(0, 1, 2))
        mean = ops.matmul(_averaging(self.shifted), means)
        beside = means - ops.matmul(mean, self.shifted)
        return mean, ops.matmul(_averaging(self.members), variances + ops.square(beside))

    def get_config(self) -> dict:
        """What Keras writes to .h5, to make the layer again."""
        fields = list(self.fields.numbers)
        return {**super().get_config(), "fields": fields, "epsilon": self.epsilon}


def _check_channels(fields: Fields, shape: Sequence[int]) -> None:
    if shape[-1] != fields.channels:
        raise ValueError(f"expected the {fields.channels} channels of {fields}: got {shape[-1]}")


def _averaging(members: np.ndarray) -> np.ndarray:
    return members / members.sum(axis=1, keepdims=True)


def _expanded(weights, sharing: Sharing):
    if not sharing.num_free:
        return sharing.sign  # all zeros
    # along a first axis the gradient would be sparse, and the optimizer would treat an embedding
    found = ops.take(ops.reshape(weights, (1, -1)), sharing.index, axis=1)
    return found[0] * sharing.sign
