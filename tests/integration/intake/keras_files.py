"""Writes the .h5 files that the intake's tests read, with Keras' own answers beside them.

Run once a session in a process of its own (`python keras_files.py FOLDER`): importing TensorFlow
is slow. The tables are plain data, so that tests can be named without Keras.
"""

import sys
from collections.abc import Callable
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import numpy as np

_ACTIVATIONS = (
    "relu", "relu6", "elu", "selu", "gelu", "silu", "swish", "hard_swish", "hard_silu", "mish",
    "softmax", "sigmoid", "tanh", "linear", "leaky_relu", "softplus", "softsign", "exponential",
    "hard_sigmoid",
)

# name: (layer class, options); the layer stands on a board of 6 channels.
LAYER_CASES: dict[str, tuple[str, dict]] = {
    **{f"activation_{name}": ("Activation", {"activation": name}) for name in _ACTIVATIONS},
    "conv_valid": ("Conv2D", {"filters": 5, "kernel_size": 3}),
    "conv_same_stride": (
        "Conv2D", {"filters": 5, "kernel_size": [2, 5], "strides": 2, "padding": "same"}
    ),
    "conv_dilated": (
        "Conv2D", {"filters": 4, "kernel_size": 3, "dilation_rate": 2, "padding": "same"}
    ),
    "conv_groups": (
        "Conv2D", {"filters": 4, "kernel_size": 3, "groups": 2, "use_bias": False}
    ),
    "conv_groups_dilated": (
        "Conv2D",
        {"filters": 6, "kernel_size": [3, 2], "groups": 3, "dilation_rate": [2, 3],
         "padding": "same"},
    ),
    "conv_activation": ("Conv2D", {"filters": 4, "kernel_size": 1, "activation": "gelu"}),
    "depthwise": ("DepthwiseConv2D", {"kernel_size": 5, "padding": "same", "activation": "relu"}),
    "depthwise_multiplier": (
        "DepthwiseConv2D",
        {"kernel_size": 3, "strides": 2, "depth_multiplier": 3, "padding": "same"},
    ),
    "depthwise_dilated": (
        "DepthwiseConv2D", {"kernel_size": 3, "dilation_rate": 2, "use_bias": False}
    ),
    "separable": (
        "SeparableConv2D",
        {"filters": 7, "kernel_size": 3, "depth_multiplier": 2, "padding": "same"},
    ),
    "separable_stride": (
        "SeparableConv2D",
        {"filters": 4, "kernel_size": 3, "strides": 2, "use_bias": False, "activation": "elu"},
    ),
    "transposed": ("Conv2DTranspose", {"filters": 4, "kernel_size": 3}),
    "transposed_same": (
        "Conv2DTranspose",
        {"filters": 4, "kernel_size": [3, 4], "strides": 2, "padding": "same",
         "activation": "relu"},
    ),
    "transposed_gaps": (
        "Conv2DTranspose",
        {"filters": 3, "kernel_size": [1, 2], "strides": [2, 3], "use_bias": False},
    ),
    "transposed_gaps_same": (
        "Conv2DTranspose",
        {"filters": 3, "kernel_size": 1, "strides": 2, "padding": "same"},
    ),
    "transposed_dilated": (
        "Conv2DTranspose", {"filters": 3, "kernel_size": 3, "dilation_rate": 2}
    ),
    "batch_norm": ("BatchNormalization", {"epsilon": 0.01}),
    "batch_norm_plain": ("BatchNormalization", {"center": False, "scale": False}),
    "layer_norm": ("LayerNormalization", {}),
    "layer_norm_board": ("LayerNormalization", {"axis": [1, 2, 3], "center": False}),
    "normalization": (
        "Normalization", {"mean": [0.1] * 6, "variance": [0.5, 1.0, 2.0, 1.0, 1.0, 1.0]}
    ),
    "normalization_adapted": ("Normalization", {}),
    "rescaling": ("Rescaling", {"scale": 0.5, "offset": 1.0}),
    "rescaling_channels": ("Rescaling", {"scale": [0.5, 2.0, 1.0, 1.0, 1.0, 3.0]}),
    "dense_on_board": ("Dense", {"units": 9, "activation": "tanh"}),
    "relu": ("ReLU", {}),
    "relu_max": ("ReLU", {"max_value": 0.5}),
    "relu_slope": ("ReLU", {"negative_slope": 0.1}),
    "relu_slope_max": ("ReLU", {"negative_slope": 0.1, "max_value": 0.7}),
    "relu_everything": (
        "ReLU", {"negative_slope": 0.1, "max_value": 0.7, "threshold": 0.2}
    ),
    "leaky_relu": ("LeakyReLU", {"negative_slope": 0.25}),
    "elu": ("ELU", {"alpha": 0.7}),
    "prelu": ("PReLU", {}),
    "prelu_shared": ("PReLU", {"shared_axes": [1, 2]}),
    "softmax": ("Softmax", {}),
    "softmax_rows": ("Softmax", {"axis": 1}),
    "average_pool": ("AveragePooling2D", {"pool_size": 3, "strides": 2, "padding": "same"}),
    "average_pool_valid": ("AveragePooling2D", {"pool_size": 2}),
    "max_pool": ("MaxPooling2D", {"pool_size": [3, 2], "strides": 1, "padding": "same"}),
    "max_pool_valid": ("MaxPooling2D", {"pool_size": 2}),
    "global_average": ("GlobalAveragePooling2D", {}),
    "global_average_keep": ("GlobalAveragePooling2D", {"keepdims": True}),
    "global_max": ("GlobalMaxPooling2D", {}),
    "zero_padding": ("ZeroPadding2D", {"padding": [[1, 0], [2, 3]]}),
    "cropping": ("Cropping2D", {"cropping": [[1, 2], [0, 3]]}),
    "up_sampling": ("UpSampling2D", {"size": [2, 3]}),
    "up_sampling_linear": ("UpSampling2D", {"interpolation": "bilinear"}),
    "global_max_keep": ("GlobalMaxPooling2D", {"keepdims": True}),
    "max_pool_stride": ("MaxPooling2D", {"pool_size": 5, "strides": [2, 3], "padding": "same"}),
    "flatten": ("Flatten", {}),
    "reshape_tokens": ("Reshape", {"target_shape": [361, -1]}),
    "permute": ("Permute", {"dims": [2, 1, 3]}),
    "permute_channels": ("Permute", {"dims": [3, 1, 2]}),
    "dropout": ("Dropout", {"rate": 0.5}),
    "spatial_dropout": ("SpatialDropout2D", {"rate": 0.5}),
    "alpha_dropout": ("AlphaDropout", {"rate": 0.1}),
    "gaussian_dropout": ("GaussianDropout", {"rate": 0.1}),
    "activity": ("ActivityRegularization", {"l2": 0.1}),
    "gaussian_noise": ("GaussianNoise", {"stddev": 1.0}),
}
# name: (layer class, options), called on two tensors.
MERGE_CASES: dict[str, tuple[str, dict]] = {
    "add": ("Add", {}),
    "subtract": ("Subtract", {}),
    "multiply": ("Multiply", {}),
    "average": ("Average", {}),
    "maximum": ("Maximum", {}),
    "minimum": ("Minimum", {}),
    "concatenate": ("Concatenate", {}),
    "concatenate_rows": ("Concatenate", {"axis": 1}),
}
# name: what keras.ops, or Python's operators, make of a board of 6 channels.
OPERATION_CASES: dict[str, Callable] = {
    "plus_tensor": lambda ops, x: x + ops.relu(x),
    "plus_number": lambda ops, x: 1.5 + x,
    "minus": lambda ops, x: 2.0 - x,
    "times_array": lambda ops, x: x * np.arange(6, dtype=np.float32),
    "divide": lambda ops, x: x / 3.0,
    "divide_by": lambda ops, x: 1.0 / (ops.exp(x) + 1.0),
    "power": lambda ops, x: ops.relu(x) ** 2,
    "negative": lambda ops, x: -x,
    "maximum": lambda ops, x: ops.maximum(x, 0.1),
    "minimum": lambda ops, x: ops.minimum(x, ops.tanh(x)),
    "clip": lambda ops, x: ops.clip(x, -0.5, 0.5),
    "chain": lambda ops, x: ops.log(ops.sqrt(ops.square(x) + 1.0)) + ops.abs(x),
    "rsqrt": lambda ops, x: ops.rsqrt(1.0 + ops.abs(x)) + ops.reciprocal(2.0 + ops.abs(x)),
    "gelu": lambda ops, x: ops.gelu(x),
    "gelu_exact": lambda ops, x: ops.gelu(x, approximate=False),
    "leaky": lambda ops, x: ops.leaky_relu(x, negative_slope=0.3),
    "elu": lambda ops, x: ops.elu(x, alpha=0.5) + ops.selu(x) + ops.celu(x),
    "sigmoids": lambda ops, x: ops.sigmoid(x) + ops.log_sigmoid(x) + ops.hard_sigmoid(x),
    "units": lambda ops, x: ops.silu(x) + ops.hard_silu(x) + ops.relu6(x) + ops.softplus(x),
    "softsign": lambda ops, x: ops.softsign(x),
    "softmax": lambda ops, x: ops.softmax(x, axis=-1) + ops.softmax(x, axis=2),
    "mean": lambda ops, x: ops.mean(x, axis=(1, 2)),
    "mean_keep": lambda ops, x: x * ops.mean(x, axis=(1, 2), keepdims=True),
    "max_channels": lambda ops, x: ops.max(x, axis=-1, keepdims=True),
    "min_rows": lambda ops, x: ops.min(x, axis=1),
    "sum": lambda ops, x: ops.sum(x, axis=[2, 3]),
    "split": lambda ops, x: ops.concatenate(ops.split(x, 3, axis=-1)[::-1], axis=-1),
    "split_at": lambda ops, x: ops.split(x, [2, 5], axis=-1)[1],
    "stack": lambda ops, x: ops.stack([x, ops.relu(x)], axis=-1),
    "unstack": lambda ops, x: ops.unstack(x, axis=1)[3],
    "reshape": lambda ops, x: ops.reshape(x, (-1, 361, 6)),
    "transpose": lambda ops, x: ops.transpose(x, (0, 3, 1, 2)),
    "expand": lambda ops, x: ops.squeeze(ops.expand_dims(x, 1), 1),
    "pad": lambda ops, x: ops.pad(x, [[0, 0], [1, 2], [0, 1], [0, 0]]),
    "slice": lambda ops, x: x[:, 1:-1, ::2, :4],
    "slice_end": lambda ops, x: x[..., -2],
    "matmul": lambda ops, x: ops.matmul(x, ops.transpose(x, (0, 1, 3, 2))),
}
# name: what tf makes of it; Keras 2 writes these as TFOpLambda.
FUNCTION_CASES: dict[str, Callable] = {
    "plus_tensor": lambda tf, x: x + tf.nn.relu(x),
    "plus_number": lambda tf, x: 1.5 + x,
    "minus": lambda tf, x: 2.0 - x,
    "times_array": lambda tf, x: x * tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    "divide": lambda tf, x: x / 3.0,
    "divide_by": lambda tf, x: 1.0 / (1.0 + tf.exp(-x)),
    "power": lambda tf, x: tf.nn.relu(x) ** 2,
    "maximum": lambda tf, x: tf.maximum(x, 0.1) + tf.minimum(x, tf.tanh(x)),
    "clip": lambda tf, x: tf.clip_by_value(x, -0.5, 0.5),
    "chain": lambda tf, x: tf.math.log(tf.sqrt(tf.square(x) + 1.0)) + tf.abs(x),
    "rsqrt": lambda tf, x: tf.math.rsqrt(1.0 + tf.abs(x)),
    "activations": lambda tf, x: tf.nn.gelu(x) + tf.nn.swish(x) + tf.nn.elu(x) + tf.nn.selu(x),
    "gelu": lambda tf, x: tf.nn.gelu(x, approximate=True),
    "leaky": lambda tf, x: tf.nn.leaky_relu(x, alpha=0.3) + tf.nn.leaky_relu(x),
    "sigmoid": lambda tf, x: tf.math.sigmoid(x) + tf.nn.relu6(x) + tf.nn.softplus(x),
    "softmax": lambda tf, x: tf.nn.softmax(x) + tf.nn.softmax(x, axis=1),
    "mean": lambda tf, x: tf.reduce_mean(x, axis=[1, 2]),
    "mean_keep": lambda tf, x: x * tf.reduce_mean(x, axis=[1, 2], keepdims=True),
    "max": lambda tf, x: tf.reduce_max(x, axis=-1, keepdims=True),
    "sum_min": lambda tf, x: tf.reduce_sum(x, axis=1) + tf.reduce_min(x, axis=2),
    "split": lambda tf, x: tf.concat(tf.split(x, 2, axis=-1)[::-1], axis=-1),
    "split_sizes": lambda tf, x: tf.split(x, [2, -1], axis=-1)[1],
    "concat": lambda tf, x: tf.concat([x, x, tf.nn.relu(x)], 3),
    "stack": lambda tf, x: tf.stack([x, tf.nn.relu(x)], axis=1),
    "unstack": lambda tf, x: tf.unstack(x, axis=3)[2],
    "reshape": lambda tf, x: tf.reshape(x, [-1, 361, 6]),
    "transpose": lambda tf, x: tf.transpose(x, [0, 3, 1, 2]),
    "expand": lambda tf, x: tf.squeeze(tf.expand_dims(x, 1), 1),
    "pad": lambda tf, x: tf.pad(x, [[0, 0], [1, 2], [0, 1], [0, 0]]),
    "slice": lambda tf, x: x[:, 1:-1, ::2, :4],
    "slice_end": lambda tf, x: x[..., -2],
    "matmul": lambda tf, x: tf.matmul(x, x, transpose_b=True),
    "add_n": lambda tf, x: tf.add_n([x, tf.identity(x), tf.stop_gradient(x)]),
    "difference": lambda tf, x: tf.math.squared_difference(x, tf.cast(-x, "float32")),
    "bias": lambda tf, x: tf.nn.bias_add(x, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
}
# Activations that Keras 2 doesn't have by name.
ONLY_KERAS_3 = {
    f"activation_{name}" for name in ("relu6", "silu", "hard_swish", "hard_silu", "leaky_relu")
}
# Arrays that the file hides in options or constants: Keras doesn't count them, the budget does.
HIDDEN = {
    "normalization": 12, "keras2_normalization": 12, "rescaling_channels": 6,
    "keras2_rescaling_channels": 6, "operation_times_array": 6, "function_times_array": 6,
    "function_bias": 6,
}
# Whole networks of Keras 2.
NETWORKS_2 = ("mobilenet", "split_blocks", "nested", "attention")
# Whole networks, and networks with something wrong.
NETWORKS = (
    "resnet", "mobilenet", "mixed_ranks", "tokens", "shared_layer", "unnamed_outputs",
    "dict_outputs", "third_output", "compiled", "operators", "attention", "attention_wide",
    "nested", "nested_twice", "dear",
)
WRONG = (
    "unknown_operator", "lambda_layer", "planes_21", "no_value", "over_budget", "logits",
    "value_negative", "sequential",
)


HAS_KERAS_2 = find_spec("tf_keras") is not None


def main(folder: Path) -> None:
    """Write NAME.h5 for every name above, and NAME.npz with what Keras answers."""
    import networks

    rng = np.random.default_rng(7)
    planes = (rng.random((3, 19, 19, 31)) < 0.4).astype(np.float32)
    models = networks.build_all()
    if HAS_KERAS_2:
        import networks_2

        models = chain(models, networks_2.build_all())
    for name, model in models:
        if name not in WRONG:
            networks.randomise(model, rng)
            policy, value = networks.answers(model, planes)
            np.savez(folder / f"{name}.npz", planes=planes, policy=policy, value=value,
                     parameters=model.count_params())
        model.save(folder / f"{name}.h5")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
