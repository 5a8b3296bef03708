"""Functions of tensors, in groups: each makes a list of results of a board of 6 channels.

One table is of keras.ops (Keras 3), one of tf (Keras 2).
"""

from collections.abc import Callable

import numpy as np

_CHANNELS = np.arange(6, dtype=np.float32)

# What keras.ops, or Python's operators, make of it.
OPERATION_CASES: dict[str, Callable] = {
    "operators": lambda ops, x: [
        x + ops.relu(x), 1.5 + x, 2.0 - x, x * _CHANNELS, x / 3.0, 1.0 / (ops.exp(x) + 1.0),
        -x, x[:, 1:-1, ::2, :4], x[..., -2], x[:, None, 4],
    ],
    "arithmetic": lambda ops, x: [
        ops.add(x, 1.0), ops.subtract(x, x / 2.0), ops.multiply(x, x), ops.divide(x, 2.0),
        ops.true_divide(x, 4.0), ops.negative(x), ops.maximum(x, 0.1),
        ops.minimum(x, ops.tanh(x)),
    ],
    "activations": lambda ops, x: [
        ops.relu(x), ops.relu6(x), ops.leaky_relu(x, negative_slope=0.3), ops.elu(x, alpha=0.5),
        ops.selu(x), ops.celu(x), ops.gelu(x), ops.gelu(x, approximate=False), ops.silu(x),
        ops.hard_silu(x), ops.hard_sigmoid(x), ops.hard_tanh(x), ops.sigmoid(x),
        ops.log_sigmoid(x), ops.tanh(x), ops.softplus(x), ops.softsign(x),
        ops.softmax(x, axis=-1), ops.softmax(x, axis=2),
    ],
    "reductions": lambda ops, x: [
        ops.mean(x, axis=(1, 2)), x * ops.mean(x, axis=(1, 2), keepdims=True),
        ops.mean(x, axis=1), ops.max(x, axis=-1, keepdims=True), ops.max(x, axis=(1, 2)),
        ops.amax(x, axis=2),
    ],
    "shapes": lambda ops, x: [
        ops.concatenate(ops.split(x, 3, axis=-1)[::-1], axis=-1), ops.split(x, [2, 5], axis=-1)[1],
        ops.reshape(x, (-1, 361, 6)), ops.transpose(x, (0, 3, 1, 2)),
        ops.pad(x, [[0, 0], [1, 2], [0, 1], [0, 0]]), ops.get_item(x, (slice(None), 3)),
    ],
}
# What tf makes of it.
FUNCTION_CASES: dict[str, Callable] = {
    "operators": lambda tf, x: [
        x + tf.nn.relu(x), 1.5 + x, 2.0 - x, x * tf.constant(_CHANNELS), x / 3.0,
        1.0 / (1.0 + tf.exp(-x)), x[:, 1:-1, ::2, :4], x[..., -2], x[:, tf.newaxis, 4],
    ],
    "arithmetic": lambda tf, x: [
        tf.add(x, 1.0), tf.subtract(x, 0.5), tf.multiply(x, x), tf.divide(x, 2.0),
        tf.divide(x, x * x + 1.0), tf.negative(x), tf.maximum(x, 0.1), tf.minimum(x, tf.tanh(x)),
    ],
    "activations": lambda tf, x: [
        tf.nn.relu(x), tf.nn.relu6(x), tf.nn.elu(x), tf.nn.selu(x), tf.nn.silu(x), tf.nn.gelu(x),
        tf.nn.gelu(x, approximate=True), tf.nn.leaky_relu(x), tf.nn.leaky_relu(x, alpha=0.3),
        tf.sigmoid(x), tf.tanh(x), tf.math.log_sigmoid(x), tf.nn.softplus(x), tf.nn.softsign(x),
        tf.nn.softmax(x), tf.nn.softmax(x, axis=1), tf.compat.v1.nn.softmax(x),
    ],
    "reductions": lambda tf, x: [
        tf.reduce_mean(x, axis=[1, 2]), x * tf.reduce_mean(x, axis=[1, 2], keepdims=True),
        tf.reduce_max(x, axis=-1, keepdims=True), tf.reduce_max(x, axis=[1, 2]),
    ],
    "shapes": lambda tf, x: [
        tf.concat(tf.split(x, 2, axis=-1)[::-1], axis=-1), tf.split(x, [2, -1], axis=-1)[1],
        tf.concat([x, x, tf.nn.relu(x)], 3), tf.reshape(x, [-1, 361, 6]),
        tf.transpose(x, [0, 3, 1, 2]), tf.pad(x, [[0, 0], [1, 2], [0, 1], [0, 0]]),
    ],
}
