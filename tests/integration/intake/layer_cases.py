"""Layers and their options, one network of each class; read by Keras 3 and by Keras 2.

The tables are plain data, so that tests can be named without Keras.
"""

_ACTIVATIONS = (
    "relu", "elu", "selu", "gelu", "swish", "mish", "softmax", "sigmoid", "tanh", "linear",
    "softplus", "softsign", "exponential", "hard_sigmoid",
)
_ACTIVATIONS_OF_KERAS_3 = (
    "relu6", "silu", "hard_swish", "hard_silu", "leaky_relu", "celu", "log_sigmoid", "hard_tanh",
)

# class: the options of each layer; all stand on the same board of 6 channels. An option that is a
# layer is written (class, options).
LAYER_CASES: dict[str, list[dict]] = {
    "Activation": [
        *({"activation": name} for name in _ACTIVATIONS), {"activation": ("ELU", {"alpha": 0.5})},
    ],
    "Conv2D": [
        {"filters": 5, "kernel_size": 3},
        {"filters": 5, "kernel_size": [2, 5], "strides": 2, "padding": "same"},
        {"filters": 4, "kernel_size": 3, "dilation_rate": 2, "padding": "same"},
        {"filters": 4, "kernel_size": 3, "groups": 2, "use_bias": False},
        {"filters": 6, "kernel_size": [3, 2], "groups": 3, "dilation_rate": [2, 3],
         "padding": "same"},
        {"filters": 4, "kernel_size": 1, "activation": "gelu"},
        {"filters": 4, "kernel_size": 1, "activation": ("ReLU", {"max_value": 0.5})},
        {"filters": 4, "kernel_size": 1, "activation": ("LeakyReLU", {})},
        {"filters": 4, "kernel_size": 1, "activation": ("PReLU", {"shared_axes": [1, 2]})},
    ],
    "DepthwiseConv2D": [
        {"kernel_size": 5, "padding": "same", "activation": "relu"},
        {"kernel_size": 3, "strides": 2, "depth_multiplier": 3, "padding": "same"},
        {"kernel_size": 3, "dilation_rate": 2, "use_bias": False},
    ],
    "SeparableConv2D": [
        {"filters": 7, "kernel_size": 3, "depth_multiplier": 2, "padding": "same"},
        {"filters": 4, "kernel_size": 3, "strides": 2, "use_bias": False, "activation": "elu"},
        {"filters": 4, "kernel_size": 3, "dilation_rate": 2, "padding": "same"},
    ],
    "Conv2DTranspose": [
        {"filters": 4, "kernel_size": 3},
        {"filters": 4, "kernel_size": [3, 4], "strides": 2, "padding": "same",
         "activation": "relu"},
        {"filters": 3, "kernel_size": [1, 2], "strides": [2, 3], "use_bias": False},
        {"filters": 3, "kernel_size": 1, "strides": 2, "padding": "same"},
        {"filters": 3, "kernel_size": 3, "dilation_rate": 2},
        {"filters": 3, "kernel_size": 3, "dilation_rate": 2, "padding": "same"},
        {"filters": 3, "kernel_size": 3, "strides": 2, "output_padding": 1},
        {"filters": 3, "kernel_size": [2, 5], "strides": 3, "padding": "same",
         "output_padding": [1, 2]},
    ],
    "Dense": [{"units": 9, "activation": "tanh"}, {"units": 4, "use_bias": False}],
    "BatchNormalization": [
        {"epsilon": 0.01}, {"center": False, "scale": False}, {"momentum": 0.5, "scale": False},
        {"axis": 1},
    ],
    "LayerNormalization": [
        {}, {"axis": [1, 2, 3], "center": False}, {"epsilon": 0.1, "scale": False},
        {"axis": [1, 2]}, {"axis": 2},
    ],
    "GroupNormalization": [
        {"groups": 3}, {"groups": -1, "center": False}, {"groups": 1, "epsilon": 0.1},
    ],
    "Normalization": [
        {"mean": [0.1] * 6, "variance": [0.5, 1.0, 2.0, 1.0, 1.0, 1.0]}, {},
        {"mean": 0.2, "variance": 0.5},
    ],
    "Rescaling": [
        {"scale": 0.5, "offset": 1.0}, {"scale": [0.5, 2.0, 1.0, 1.0, 1.0, 3.0]},
    ],
    "ReLU": [
        {}, {"max_value": 0.5}, {"negative_slope": 0.1},
        {"negative_slope": 0.1, "max_value": 0.7},
        {"negative_slope": 0.1, "max_value": 0.7, "threshold": 0.2},
    ],
    "LeakyReLU": [{}, {"negative_slope": 0.25}],
    "ELU": [{"alpha": 0.7}],
    "PReLU": [{}, {"shared_axes": [1, 2]}],
    "Softmax": [{}, {"axis": 1}],
    "AveragePooling2D": [
        {"pool_size": 3, "strides": 2, "padding": "same"}, {"pool_size": 2},
    ],
    "MaxPooling2D": [
        {"pool_size": [3, 2], "strides": 1, "padding": "same"}, {"pool_size": 2},
        {"pool_size": 5, "strides": [2, 3], "padding": "same"},
    ],
    "GlobalAveragePooling2D": [{}, {"keepdims": True}],
    "GlobalMaxPooling2D": [{}, {"keepdims": True}],
    "ZeroPadding2D": [{"padding": [[1, 0], [2, 3]]}, {"padding": 1}],
    "Cropping2D": [{"cropping": [[1, 2], [0, 3]]}, {"cropping": 2}],
    "UpSampling2D": [{"size": [2, 3]}, {"interpolation": "bilinear"}],
    "Flatten": [{}],
    "Reshape": [{"target_shape": [361, -1]}],
    "Permute": [{"dims": [2, 1, 3]}, {"dims": [3, 1, 2]}],
    "Dropout": [{"rate": 0.5}],
    "SpatialDropout2D": [{"rate": 0.5}],
    "AlphaDropout": [{"rate": 0.1}],
    "GaussianDropout": [{"rate": 0.1}],
    "GaussianNoise": [{"stddev": 1.0}],
    "ActivityRegularization": [{"l2": 0.1}],
    "Identity": [{}],
}
# Layers that are called on two tensors.
MERGE_CASES: dict[str, list[dict]] = {
    **{name: [{}] for name in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum")},
    "Concatenate": [{}, {"axis": 1}],
    "Dot": [{"axes": 3}, {"axes": [1, 2]}, {"axes": [-1, 3]}],
}
# Layers with more that only Keras 3 has.
ONLY_KERAS_3: dict[str, list[dict]] = {
    "Activation": [{"activation": name} for name in _ACTIVATIONS_OF_KERAS_3],
}
