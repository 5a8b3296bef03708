"""Writes the .h5 files that the intake's tests read, with Keras' own answers beside them.

Run once a session in a process of its own (`python keras_files.py FOLDER`): importing TensorFlow
is slow. The tables are plain data, so that tests can be named without Keras.
"""

import sys
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
    "batch_norm": ("BatchNormalization", {"epsilon": 0.01}),
    "batch_norm_plain": ("BatchNormalization", {"center": False, "scale": False}),
    "layer_norm": ("LayerNormalization", {}),
    "layer_norm_board": ("LayerNormalization", {"axis": [1, 2, 3], "center": False}),
    "dense_on_board": ("Dense", {"units": 9, "activation": "tanh"}),
    "relu": ("ReLU", {}),
    "relu_max": ("ReLU", {"max_value": 0.5}),
    "relu_slope": ("ReLU", {"negative_slope": 0.1}),
    "leaky_relu": ("LeakyReLU", {"negative_slope": 0.25}),
    "elu": ("ELU", {"alpha": 0.7}),
    "prelu": ("PReLU", {}),
    "prelu_shared": ("PReLU", {"shared_axes": [1, 2]}),
    "softmax": ("Softmax", {}),
    "average_pool": ("AveragePooling2D", {"pool_size": 3, "strides": 2, "padding": "same"}),
    "average_pool_valid": ("AveragePooling2D", {"pool_size": 2}),
    "max_pool": ("MaxPooling2D", {"pool_size": [3, 2], "strides": 1, "padding": "same"}),
    "max_pool_valid": ("MaxPooling2D", {"pool_size": 2}),
    "global_average": ("GlobalAveragePooling2D", {}),
    "global_average_keep": ("GlobalAveragePooling2D", {"keepdims": True}),
    "global_max": ("GlobalMaxPooling2D", {}),
    "zero_padding": ("ZeroPadding2D", {"padding": [[1, 0], [2, 3]]}),
    "flatten": ("Flatten", {}),
    "reshape_tokens": ("Reshape", {"target_shape": [361, -1]}),
    "permute": ("Permute", {"dims": [2, 1, 3]}),
    "permute_channels": ("Permute", {"dims": [3, 1, 2]}),
    "dropout": ("Dropout", {"rate": 0.5}),
    "spatial_dropout": ("SpatialDropout2D", {"rate": 0.5}),
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
# Whole networks, and networks with something wrong.
NETWORKS = (
    "resnet", "mobilenet", "mixed_ranks", "tokens", "shared_layer", "unnamed_outputs",
    "dict_outputs", "third_output", "compiled",
)
WRONG = (
    "operators", "lambda_layer", "planes_21", "no_value", "over_budget", "logits", "value_negative",
    "sequential", "attention",
)


def main(folder: Path) -> None:
    """Write NAME.h5 for every name above, and NAME.npz with what Keras answers."""
    import networks

    rng = np.random.default_rng(7)
    planes = (rng.random((3, 19, 19, 31)) < 0.4).astype(np.float32)
    for name, model in networks.build_all():
        if name not in WRONG:
            networks.randomise(model, rng)
            policy, value = networks.answers(model, planes)
            np.savez(folder / f"{name}.npz", planes=planes, policy=policy, value=value,
                     parameters=model.count_params())
        model.save(folder / f"{name}.h5")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
