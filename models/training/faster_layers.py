"""Layers that compute the same numbers in less time, in training and when a training measures.

`with_faster_layers` gives a network a twin that shares its variables. On a CPU, oneDNN is slow at
the gradients of depthwise kernels and of swish, and at batch normalization. On all devices, an
array that depends on no position, such as a relative bias, is computed once a batch.
"""

import sys
from functools import cache

import keras
import numpy as np

MAX_FAST_COLUMNS = 3
MIN_FUSED_EPSILON = 1.001e-5
"""FusedBatchNormV3 takes no smaller one."""
ROW_BY_ROW = frozenset(
    {
        keras.layers.Add,
        keras.layers.Concatenate,
        keras.layers.Cropping2D,
        keras.layers.Dense,
        keras.layers.Permute,
        keras.layers.Reshape,
        keras.layers.ZeroPadding2D,
    }
)
"""Layers such as those of `relative_bias`, which compute a row of a batch from that row alone."""


def with_faster_layers(network: keras.Model) -> keras.Model:
    """Return a faster twin to train, on the same variables and not to be saved, or the network."""
    return _twin(network, faster_layers(network))


def with_one_row(network: keras.Model) -> keras.Model:
    """Return a faster twin to measure, of the same kind, or the network."""
    return _twin(network, _rows_for_sums(network))


def faster_layers(network: keras.Model) -> dict[int, keras.layers.Layer]:
    """Return the layers that training computes in another way, by the id of the stock layer."""
    stock = network.layers if trains_on_cpu() else []
    faster = {id(layer): faster_layer(layer) for layer in stock}
    return faster | _rows_for_sums(network)


def _twin(network: keras.Model, faster: dict[int, keras.layers.Layer]) -> keras.Model:
    if all(layer is faster.get(id(layer), layer) for layer in network.layers):
        return network
    return keras.models.clone_model(
        network, clone_function=lambda layer: faster.get(id(layer), layer)
    )


def trains_on_cpu() -> bool:
    """Return whether TensorFlow is the backend and sees no accelerator."""
    if keras.backend.backend() != "tensorflow":
        return False
    import tensorflow as tf

    return all(device.device_type == "CPU" for device in tf.config.list_physical_devices())


class _Twin(keras.layers.Layer):
    """A layer of the same shape as its input, which Keras would otherwise find by a graph."""

    def __init__(self, stock: keras.layers.Layer):
        super().__init__(name=stock.name, dtype=stock.dtype_policy)
        self.stock = stock

    def compute_output_shape(self, input_shape):
        return input_shape


class NarrowDepthwiseConv2D(_Twin):
    """A `DepthwiseConv2D` whose kernel's gradient is computed three columns at a time."""

    def call(self, x):
        """Compute what `stock` computes of `[B, rows, columns, C]`."""
        y = narrow_depthwise(x, self.stock.kernel, self.stock.padding.upper())
        if self.stock.use_bias:
            y = y + self.stock.bias
        return self.stock.activation(y)


# Keras normalises in a dozen operations forward and back, each of which reads and writes the whole
# array; FusedBatchNormV3 does each way at once. Its variance for the running statistics is that of
# a sample, n / (n - 1) times Keras's.
class FusedBatchNormalization(_Twin):
    """A `BatchNormalization` that is one operation in training, and itself otherwise."""

    def call(self, x, training=None, mask=None):
        """Normalise `[B, rows, columns, C]`; in training, move the statistics as `stock` does."""
        if mask is not None or not (training and self.stock.trainable):
            return self.stock(x, training=training, mask=mask)
        import tensorflow as tf

        y, mean, sample_variance, *_ = tf.raw_ops.FusedBatchNormV3(
            x=x,
            scale=tf.convert_to_tensor(self.stock.gamma),
            offset=tf.convert_to_tensor(self.stock.beta),
            mean=[],
            variance=[],
            epsilon=self.stock.epsilon,
        )
        n = tf.cast(tf.size(x) / x.shape[-1], x.dtype)
        self._follow(self.stock.moving_mean, mean)
        self._follow(self.stock.moving_variance, sample_variance * (n - 1) / n)
        return y

    def _follow(self, moving, value):
        momentum = self.stock.momentum
        moving.assign(moving * momentum + value * (1 - momentum))


class FusedSwish(_Twin):
    """An `Activation("silu")` whose gradient is one loop over the array."""

    def call(self, x):
        """Compute x sigmoid(x). Shape unchanged."""
        return fused_swish(x)


class OneRow(_Twin):
    """The number 1 of `models.parts.blocks.constant_one`, for a batch instead of for each row."""

    def call(self, x):
        """Return 1 for `[B, 1]`: `[1, 1]`."""
        return keras.ops.ones((1, *x.shape[1:]), self.compute_dtype)


def fused_swish(x):
    """Compute x sigmoid(x), with a gradient that XLA compiles. Shape unchanged."""
    import tensorflow as tf

    @tf.custom_gradient
    def swish(x):
        return tf.nn.silu(x), lambda dy: _swish_gradient()(x, dy)

    return swish(x)


# TensorFlow computes this gradient in six operations over the whole array, XLA in one loop. Of a
# whole network XLA makes a much slower loop (benchmarks/RESULTS.md). One function serves all
# layers, so that XLA compiles it once a shape.
@cache
def _swish_gradient():
    import tensorflow as tf

    @tf.function(jit_compile=True)
    def gradient(x, dy):
        s = tf.sigmoid(x)
        return dy * s * (1 + x * (1 - s))

    return gradient


def narrow_depthwise(x, kernel, padding: str):
    """Convolve `[B, rows, columns, C]` by `[k, l, C, 1]`; only the kernel's gradient is ours."""
    import tensorflow as tf

    options = dict(strides=[1, 1, 1, 1], padding=padding)

    @tf.custom_gradient
    def convolve(x, kernel):
        def gradient(dy):
            dx = tf.raw_ops.DepthwiseConv2dNativeBackpropInput(
                input_sizes=tf.shape(x), filter=kernel, out_backprop=dy, **options
            )
            padded = pad_same(x, kernel.shape) if padding == "SAME" else x
            return dx, narrow_filter_gradient(padded, dy, kernel.shape)

        return tf.nn.depthwise_conv2d(x, kernel, **options), gradient

    return convolve(x, tf.convert_to_tensor(kernel))


def pad_same(x, kernel_shape):
    """Add to `x` `[B, rows, columns, C]` the zeros that padding "SAME" stands for."""
    import tensorflow as tf

    around = [((size - 1) // 2, size // 2) for size in kernel_shape[:2]]
    return tf.pad(x, [(0, 0), *around, (0, 0)])


def narrow_filter_gradient(x, dy, kernel_shape):
    """Compute the gradient `[k, l, C, 1]` of padded `x` by `dy`, both `[B, rows, columns, C]`."""
    import tensorflow as tf

    # oneDNN's fast code is for kernels of at most three columns, whatever their rows; a 5x5 kernel
    # falls to code four times slower. dw[i, j, c] is the sum over batch, rows h and columns w of
    # x[b, h + i, w + j, c] dy[b, h, w, c]. The sums for each j are independent.
    rows, columns, *channels = kernel_shape
    parts = []
    for first in range(0, columns, MAX_FAST_COLUMNS):
        width = min(MAX_FAST_COLUMNS, columns - first)
        part = tf.raw_ops.DepthwiseConv2dNativeBackpropFilter(
            input=x[:, :, first : first + dy.shape[2] + width - 1],
            filter_sizes=[rows, width, *channels],
            out_backprop=dy,
            strides=[1, 1, 1, 1],
            padding="VALID",
        )
        parts.append(part)
    return tf.concat(parts, axis=1)


def _rows_for_sums(network: keras.Model) -> dict[int, keras.layers.Layer]:
    """Replace what makes the number 1, where all that follows from it is added to other arrays."""
    ones = [layer for layer in network.layers if _makes_one(layer)]
    constant = {id(tensor) for one in ones for tensor in _outputs(one)}
    for layer in network.layers:
        for node in layer._inbound_nodes:
            known = [id(tensor) in constant for tensor in node.input_tensors]
            if any(known) and all(known) and type(layer) in ROW_BY_ROW:
                constant |= {id(tensor) for tensor in node.output_tensors}
            elif any(known) and type(layer) is not keras.layers.Add:
                return {}
    if any(id(tensor) in constant for tensor in network.outputs):
        return {}
    return {id(one): OneRow(one) for one in ones}


def _makes_one(layer: keras.layers.Layer) -> bool:
    if type(layer) is not keras.layers.Rescaling:
        return False
    return np.array_equal(layer.scale, 0) and np.array_equal(layer.offset, 1)  # lists as well


def _outputs(layer: keras.layers.Layer) -> list:
    return [tensor for node in layer._inbound_nodes for tensor in node.output_tensors]


def faster_layer(layer: keras.layers.Layer) -> keras.layers.Layer:
    """Return a layer's twin, or where it has none the layer itself."""
    if layer.compute_dtype != "float32" or layer.variable_dtype != "float32":
        return layer
    if type(layer) is keras.layers.DepthwiseConv2D and _has_wide_plain_kernel(layer):
        return NarrowDepthwiseConv2D(layer)
    if type(layer) is keras.layers.BatchNormalization and _can_be_fused(layer):
        return FusedBatchNormalization(layer)
    if type(layer) is keras.layers.Activation and layer.activation is keras.activations.silu:
        return FusedSwish(layer) if sys.platform == "linux" else layer
    return layer


def _has_wide_plain_kernel(layer: keras.layers.DepthwiseConv2D) -> bool:
    return (
        layer.kernel_size[1] > MAX_FAST_COLUMNS
        and layer.data_format == "channels_last"
        and layer.depth_multiplier == 1
        and tuple(layer.strides) == tuple(layer.dilation_rate) == (1, 1)
    )


def _can_be_fused(layer: keras.layers.BatchNormalization) -> bool:
    return (
        layer.input_spec.ndim == 4
        and layer.axis in (-1, 3)
        and layer.scale
        and layer.center
        and not (getattr(layer, "renorm", False) or layer.synchronized)
        and layer.epsilon >= MIN_FUSED_EPSILON
    )
