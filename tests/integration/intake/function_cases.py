"""Functions of tensors, in groups: each makes a list of results of a board of 6 channels.

Two of them are of keras.ops (Keras 3) and of tf (Keras 2); the second is written twice, as Keras
of TensorFlow 2.4 to 2.15 and as that of 2.0 to 2.3 writes it.
"""

from collections.abc import Callable

import numpy as np

_CHANNELS = np.arange(6, dtype=np.float32)
_KERNEL = np.sin(np.arange(108, dtype=np.float32)).reshape(3, 3, 6, 2)


# What keras.ops, or Python's operators, make of it.
OPERATION_CASES: dict[str, Callable] = {
    "operators": lambda ops, x: [
        x + ops.relu(x), 1.5 + x, 2.0 - x, x * _CHANNELS, x / 3.0, 1.0 / (ops.exp(x) + 1.0),
        ops.relu(x) ** 2, -x, abs(x), x[:, 1:-1, ::2, :4], x[..., -2], x[:, ::-1, 3:1:-1],
        x[:, None, 4],
    ],
    "arithmetic": lambda ops, x: [
        ops.add(x, 1.0), ops.subtract(x, x / 2.0), ops.multiply(x, x), ops.divide(x, 2.0),
        ops.true_divide(x, 4.0), ops.power(ops.abs(x), 1.5), ops.negative(x), ops.absolute(x),
        ops.maximum(x, 0.1), ops.minimum(x, ops.tanh(x)), ops.clip(x, -0.5, 0.5),
        ops.log(ops.sqrt(ops.square(x) + 1.0)), ops.rsqrt(1.0 + ops.abs(x)),
        ops.reciprocal(2.0 + ops.abs(x)), ops.log1p(ops.square(x)), ops.expm1(x), ops.erf(x),
        ops.sin(x), ops.cos(x), ops.cast(x, "float32"), ops.stop_gradient(x), ops.copy(x),
        ops.convert_to_tensor(x),
    ],
    "activations": lambda ops, x: [
        ops.relu(x), ops.relu6(x), ops.leaky_relu(x, negative_slope=0.3), ops.elu(x, alpha=0.5),
        ops.selu(x), ops.celu(x), ops.gelu(x), ops.gelu(x, approximate=False), ops.silu(x),
        ops.hard_silu(x), ops.hard_sigmoid(x), ops.hard_tanh(x), ops.sigmoid(x),
        ops.log_sigmoid(x), ops.tanh(x), ops.softplus(x), ops.softsign(x),
        ops.softmax(x, axis=-1), ops.softmax(x, axis=2), ops.log_softmax(x, axis=1),
    ],
    "reductions": lambda ops, x: [
        ops.mean(x, axis=(1, 2)), x * ops.mean(x, axis=(1, 2), keepdims=True),
        ops.mean(x, axis=1), ops.max(x, axis=-1, keepdims=True), ops.max(x, axis=(1, 2)),
        ops.min(x, axis=1), ops.amax(x, axis=2), ops.amin(x, axis=2), ops.sum(x, axis=[2, 3]),
        ops.prod(x, axis=-1), ops.std(x, axis=-1), ops.var(x, axis=(1, 2), keepdims=True),
        ops.logsumexp(x, axis=-1), ops.norm(x, axis=-1), ops.normalize(x, axis=-1),
        *ops.moments(x, axes=(1, 2), keepdims=True),
    ],
    "shapes": lambda ops, x: [
        ops.concatenate(ops.split(x, 3, axis=-1)[::-1], axis=-1), ops.split(x, [2, 5], axis=-1)[1],
        ops.stack([x, ops.relu(x)], axis=-1), ops.unstack(x, axis=1)[3],
        ops.reshape(x, (-1, 361, 6)), ops.transpose(x, (0, 3, 1, 2)),
        ops.squeeze(ops.expand_dims(x, 1), 1), ops.pad(x, [[0, 0], [1, 2], [0, 1], [0, 0]]),
        ops.get_item(x, (slice(None), 3)), ops.swapaxes(x, 1, 3), ops.moveaxis(x, 1, -1),
    ],
    "places": lambda ops, x: [
        ops.flip(x, axis=1), ops.flip(x, axis=(1, 2)), ops.rot90(x, k=3, axes=(1, 2)),
        ops.roll(x, 2, axis=2), ops.take(x, [5, 0, 2], axis=-1), ops.take(x, 3, axis=1),
        ops.tile(x, [1, 2, 1, 2]), ops.repeat(x, 2, axis=2),
        ops.depth_to_space(x[..., :4], 2), ops.space_to_depth(x[:, :18, :18], 3),
    ],
    "products": lambda ops, x: [
        ops.matmul(x, ops.transpose(x, (0, 1, 3, 2))), x @ _KERNEL[0, 0],
        ops.einsum("bhwc,bhwd->bcd", x, x), ops.einsum("bhwc,bhc->bhw", x, x[:, :, 0]),
        ops.einsum("bZwc,bZwd->bZcd", x, x),
    ],
    "windows": lambda ops, x: [
        ops.max_pool(x, 2), ops.average_pool(x, (2, 3), strides=1, padding="same"),
        ops.conv(x, _KERNEL, strides=2, padding="same"),
        ops.conv(x, _KERNEL),
        ops.depthwise_conv(x, _KERNEL, dilation_rate=2),
        ops.image.resize(x, (38, 57)), ops.image.resize(x, (38, 38), interpolation="nearest"),
    ],
}
# What tf makes of it.
FUNCTION_CASES: dict[str, Callable] = {
    "operators": lambda tf, x: [
        x + tf.nn.relu(x), 1.5 + x, 2.0 - x, x * tf.constant(_CHANNELS), x / 3.0,
        1.0 / (1.0 + tf.exp(-x)), tf.nn.relu(x) ** 2, x[:, 1:-1, ::2, :4], x[..., -2],
        x[:, ::-1, 3:1:-1], x[:, tf.newaxis, 4], tf.abs(-x),
    ],
    "arithmetic": lambda tf, x: [
        tf.add(x, 1.0), tf.subtract(x, 0.5), tf.multiply(x, x), tf.divide(x, 2.0),
        tf.divide(x, x * x + 1.0), tf.pow(tf.abs(x), 1.5), tf.negative(x), tf.maximum(x, 0.1),
        tf.minimum(x, tf.tanh(x)), tf.clip_by_value(x, -0.5, 0.5),
        tf.math.log(tf.sqrt(tf.square(x) + 1.0)), tf.math.rsqrt(1.0 + tf.abs(x)),
        tf.math.reciprocal(2.0 + tf.abs(x)), tf.math.log1p(tf.square(x)), tf.math.expm1(x),
        tf.math.erf(x), tf.sin(x), tf.cos(x), tf.math.squared_difference(x, 2.0 * x),
        tf.math.scalar_mul(0.5, x), tf.cast(x, "float32"), tf.stop_gradient(x), tf.identity(x),
        tf.convert_to_tensor(x), tf.ensure_shape(x, [None, 19, 19, 6]),
        tf.debugging.check_numerics(x, "no number"), tf.add_n([x, x, -x]),
        tf.math.accumulate_n([x, x]),
    ],
    "activations": lambda tf, x: [
        tf.nn.relu(x), tf.nn.relu6(x), tf.nn.elu(x), tf.nn.selu(x), tf.nn.silu(x),
        tf.nn.leaky_relu(x), tf.nn.leaky_relu(x, alpha=0.3), tf.nn.crelu(x), tf.sigmoid(x),
        tf.math.log_sigmoid(x), tf.nn.softplus(x), tf.nn.softsign(x), tf.nn.softmax(x),
        tf.nn.softmax(x, axis=1),
        tf.compat.v1.nn.softmax(x), tf.nn.log_softmax(x), tf.nn.log_softmax(x, axis=2),
        tf.nn.bias_add(x, _CHANNELS),
    ],
    "reductions": lambda tf, x: [
        tf.reduce_mean(x, axis=[1, 2]), x * tf.reduce_mean(x, axis=[1, 2], keepdims=True),
        tf.reduce_max(x, axis=-1, keepdims=True), tf.reduce_sum(x, axis=1),
        tf.reduce_min(x, axis=2), tf.reduce_prod(x, axis=-1), tf.math.reduce_std(x, axis=-1),
        tf.math.reduce_variance(x, axis=[1, 2], keepdims=True),
        tf.math.reduce_euclidean_norm(x, axis=-1),
        tf.nn.l2_normalize(x, -1), tf.math.l2_normalize(x, [1, 2], epsilon=0.5),
        tf.norm(x, axis=-1), *tf.linalg.normalize(x, axis=-1),
        *tf.nn.moments(x, [1, 2], keepdims=True),
        tf.nn.batch_normalization(
            x, _CHANNELS, _CHANNELS + 1.0, _CHANNELS, _CHANNELS + 2.0, 1e-3
        ),
        tf.nn.batch_normalization(
            x, *tf.nn.moments(x, [1, 2], keepdims=True), None, None, 1e-3
        ),
    ],
    "shapes": lambda tf, x: [
        tf.concat(tf.split(x, 2, axis=-1)[::-1], axis=-1), tf.split(x, [2, -1], axis=-1)[1],
        tf.concat([x, x, tf.nn.relu(x)], 3), tf.stack([x, tf.nn.relu(x)], axis=1),
        tf.unstack(x, axis=3)[2], tf.reshape(x, [-1, 361, 6]), tf.transpose(x, [0, 3, 1, 2]),
        tf.squeeze(tf.expand_dims(x, 1), 1), tf.pad(x, [[0, 0], [1, 2], [0, 1], [0, 0]]),
        tf.linalg.matrix_transpose(x),
    ],
    "places": lambda tf, x: [
        tf.reverse(x, [1]), tf.reverse(x, [1, -1]), tf.image.flip_left_right(x),
        tf.image.flip_up_down(x), tf.roll(x, 2, axis=2),
        tf.gather(x, [5, 0, 2], axis=-1), tf.gather(x, 3, axis=1), tf.tile(x, [1, 2, 1, 2]),
        tf.nn.depth_to_space(x[..., :4], 2),
        tf.nn.space_to_depth(x[:, :18, :18], 3),
    ],
    "products": lambda tf, x: [
        tf.matmul(x, x, transpose_b=True), tf.matmul(x, _KERNEL[0, 0]),
        tf.matmul(x[:, 3, 4], _KERNEL[0, 0]),
    ],
    "windows": lambda tf, x: [
        tf.nn.max_pool(x, 2, 2, "SAME"), tf.nn.max_pool2d(x, 3, 1, "VALID"),
        tf.nn.avg_pool(x, 3, 2, "SAME"), tf.nn.avg_pool2d(x, [2, 3], [1, 2], "VALID"),
        tf.compat.v1.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        tf.compat.v1.nn.avg_pool(x, [1, 2, 2, 1], [1, 1, 1, 1], "SAME"),
        tf.nn.conv2d(x, _KERNEL, 2, "SAME"), tf.nn.conv2d(x, _KERNEL[:, :, :3], 1, "VALID"),
        tf.nn.conv2d(x, _KERNEL, 1, "SAME", dilations=2), tf.nn.convolution(x, _KERNEL),
        tf.compat.v1.nn.convolution(x, _KERNEL, "SAME"),
        tf.nn.depthwise_conv2d(x, _KERNEL, [1, 1, 1, 1], "SAME"),
        tf.image.resize(x, [38, 57]), tf.image.resize(x, [38, 38], method="nearest"),
    ],
}
# Only TensorFlow 2.0 to 2.3: other versions write these functions otherwise, or without operands.
EARLIER_CASES: dict[str, Callable] = {
    "earlier": lambda tf, x: [
        tf.raw_ops.Add(x=x, y=x), tf.einsum("bhwc,bhwd->bcd", x, x),
        tf.einsum("bhwc,bhc->bhw", x, x[:, :, 0]),
    ],
}
# Of these, TensorFlow 2.0 to 2.3 has none, or makes other operations than this one.
LATER_CASES: dict[str, Callable] = {
    "later": lambda tf, x: [
        tf.nn.gelu(x), tf.nn.gelu(x, approximate=True), tf.reduce_logsumexp(x, axis=-1),
        tf.image.rot90(x), tf.image.rot90(x, k=3), tf.repeat(x, 2, axis=1),
    ],
}
