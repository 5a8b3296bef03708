"""What to write instead of a layer, an option or an operation that the intake does not take."""

from tournament.intake.faults import printable, quoted

SAVE_AGAIN = "save the model again with model.save('net.h5')"
IN_FLOAT32 = (
    "build the network again after keras.config.set_dtype_policy('float32'), copy the weights with "
    "new.set_weights(old.get_weights()), and save it"
)
BUILD_AGAIN = "build the model with keras.Model(inputs, [policy, value]) and save it again"

LOOK_AT_OUTPUTS = "look at the outputs of the model on positions of real games before saving it"
END_WITH_SOFTMAX = "end the policy head with layers.Activation('softmax', name='policy')"
END_WITH_SIGMOID = "end the value head with layers.Dense(1, activation='sigmoid', name='value')"
_TF = (
    "replace the tf.* call or the arithmetic on tensors by a layer, for example `x + y` by "
    "`layers.Add()([x, y])`"
)
_SHAPE = "use layers.Reshape, or layers.Concatenate()([x, y]) to join tensors"
_NORM = "use layers.LayerNormalization or layers.BatchNormalization"
_SQUARE = "for a square use `layers.Multiply()([x, x])`; no other power is read"
_POOL = "use layers.MaxPooling2D or layers.AveragePooling2D"
_CONV = "use layers.Conv2D or layers.DepthwiseConv2D, with the numbers as its weights"
_PICK = "choose by slices, and join them by layers.Concatenate()([x, y])"
_LEAVE_OUT = "leave the call out: it returns its input"
# By the function's name in lower case, without "_", "reduce_" and what stands before a point.
_FUNCTIONS = {
    "add": "replace `x + y` by `layers.Add()([x, y])`",
    "subtract": "replace `x - y` by `layers.Subtract()([x, y])`",
    "multiply": "replace `x * y` by `layers.Multiply()([x, y])`; for `x * 0.5` put the factor into "
    "the weights of a layer before or after it",
    "divide": "replace `x / y` by a layer; a constant factor belongs into the weights",
    "maximum": "replace `ops.maximum(x, y)` by `layers.Maximum()([x, y])`",
    "minimum": "replace `ops.minimum(x, y)` by `layers.Minimum()([x, y])`",
    "concatenate": "replace `ops.concatenate([x, y])` by `layers.Concatenate()([x, y])`",
    "reshape": "replace `ops.reshape(x, shape)` by `layers.Reshape(shape)(x)`",
    "transpose": "replace `ops.transpose(x, axes)` by `layers.Permute(dims)(x)`",
    "mean": "replace `ops.mean(x, axis=(1, 2))` by `layers.GlobalAveragePooling2D()(x)`",
    "max": "replace `ops.max(x, axis=(1, 2))` by `layers.GlobalMaxPooling2D()(x)`",
    "sum": "use the mean of the same axes, and put their size into the weights of a layer behind "
    "it",
    "min": "use the maximum of `-x`, with its sign changed",
    "abs": "use `layers.Maximum()([x, -x])`",
    "absolute": "use `layers.Maximum()([x, -x])`",
    "clip": "use layers.ReLU(max_value=1.0), or another activation with bounds",
    "clipbyvalue": "use layers.ReLU(max_value=1.0), or another activation with bounds",
    "addn": "use `layers.Add()([x, y, z])`",
    "biasadd": "use layers.Dense or layers.Conv2D, which have a bias",
    "matmul": "use layers.Dense for a matrix of weights, `layers.Dot(axes=2)([x, y])` for two "
    "tensors, or layers.MultiHeadAttention",
    "einsum": "use layers.Dense for a matrix of weights, `layers.Dot(axes=2)([x, y])` for two "
    "tensors, or layers.MultiHeadAttention",
    "crelu": "use `layers.Concatenate()([layers.ReLU()(x), layers.ReLU()(-x)])`",
    "dropout": "tf.nn.dropout is at work outside of training too: use layers.Dropout",
    "shape": "write -1 for the batch, as in tf.reshape(x, [-1, 361, 6])",
    "spacetobatchnd": "give layers.Conv2D or layers.DepthwiseConv2D the dilation",
    "where": "use layers.ReLU, layers.LeakyReLU or layers.Maximum",
    "fusedbatchnorm": "use layers.BatchNormalization",
    "resize": "use layers.UpSampling2D",
    "tile": "use layers.UpSampling2D to repeat points, or layers.Concatenate()([x, x])",
    "repeat": "use layers.UpSampling2D to repeat points, or layers.Concatenate()([x, x])",
    **dict.fromkeys(("stack", "unstack", "expanddims", "squeeze"), _SHAPE),
    **dict.fromkeys(
        ("l2normalize", "normalize", "norm", "moments", "std", "var", "variance",
         "batchnormalization"), _NORM
    ),
    **dict.fromkeys(("pow", "power", "square"), _SQUARE),
    **dict.fromkeys(("maxpool", "maxpool2d", "avgpool", "avgpool2d", "averagepool"), _POOL),
    **dict.fromkeys(("conv", "conv2d", "convolution", "depthwiseconv", "depthwiseconv2d"), _CONV),
    **dict.fromkeys(("gather", "take", "flip", "reverse", "roll"), _PICK),
    **dict.fromkeys(
        ("identity", "stopgradient", "cast", "copy", "converttotensor", "ensureshape",
         "checknumerics"), _LEAVE_OUT,
    ),
}
_ACTIVATIONS = {
    "Relu": "relu", "Relu6": "relu6", "Silu": "silu", "Swish": "silu", "Sigmoid": "sigmoid",
    "Tanh": "tanh", "Gelu": "gelu", "Elu": "elu", "Selu": "selu", "Softmax": "softmax",
    "Softplus": "softplus", "HardSilu": "hard_silu", "HardSigmoid": "hard_sigmoid",
    "LeakyRelu": "leaky_relu", "Mish": "mish",
}
_OPTIONS = {
    "activation": "give the activation's name, as in activation='relu'; a function of your own is "
    "code, and no code of a submission is run",
    "data_format": "build the network on keras.Input((19, 19, 31)), with the planes last",
}
_WITHOUT = (
    "{}(...) adds a layer for training only: build the network without this call, copy the "
    "weights with new.set_weights(old.get_weights()), and save it"
)
_OBJECTS = {
    "Lambda": "a Lambda layer is code, and no code of a submission is run: write it with layers "
    "such as Add, Multiply, Activation, Reshape",
    "TFOpLambda": _TF,
    "TensorFlowOpLayer": "TensorFlow 2.0 to 2.3 saves arithmetic on tensors in a form that is not "
    "read: build the network again with a later one, or with layers such as Add, copy the weights "
    "with new.set_weights(old.get_weights()), and save it",
    "SlicingOpLambda": "replace the slice of a tensor by layers, for example Conv2D with fewer "
    "filters",
    "TFSMLayer": "a SavedModel is code: rebuild the network with layers and save it as .h5",
    "TorchModuleWrapper": "a Torch module is code: rebuild the network with layers",
    "SyncBatchNormalization": "use layers.BatchNormalization, which has the same weights: build "
    "the network with it, copy them with new.set_weights(old.get_weights()), and save it",
    "AddLoss": _WITHOUT.format("model.add_loss"),
    "AddMetric": _WITHOUT.format("model.add_metric"),
}


def for_operation(class_name: str) -> str:
    """Return what to write instead of an operation on tensors, such as `x + y`."""
    if class_name in _ACTIVATIONS:
        name = _ACTIVATIONS[class_name]
        return f'replace the call on the tensor by `layers.Activation("{name}")(x)`'
    return _instead(class_name, "replace the operation on the tensor by a layer of keras.layers")


def for_function(name: object) -> str:
    """Return what to write instead of a function of tf."""
    return _instead(name, _TF) if isinstance(name, str) else _TF


def _instead(name: str, otherwise: str) -> str:
    last = name.rpartition(".")[2].lower().removeprefix("reduce_").replace("_", "")
    return _FUNCTIONS.get(last, otherwise)


def for_option(class_name: str, option: str) -> str:
    """Return what to do about an option of a layer."""
    return _OPTIONS.get(
        option, f"build layers.{printable(class_name, 60)} with another {quoted(option)}, "
        "or without it"
    )


def for_class(class_name: str) -> str:
    """Return what to write instead of a layer class that is not in the table."""
    return _OBJECTS.get(
        class_name,
        "use the layers that docs/intake.md lists; no other layer of Keras is taken, and no class "
        "of your own, since no code of a submission is run",
    )
