"""What to write instead of a layer, an option or an operation that the intake does not take."""

from tournament.intake.faults import printable, quoted

SAVE_AGAIN = "save the model again with model.save('net.h5')"
IN_FLOAT32 = (
    "build the network again after keras.config.set_dtype_policy('float32'), copy the weights with "
    "new.set_weights(old.get_weights()), and save it"
)
BUILD_AGAIN = "build the model with keras.Model(inputs, [policy, value]) and save it again"

_ARITHMETIC = {
    "Add": "replace `x + y` by `layers.Add()([x, y])`",
    "Subtract": "replace `x - y` by `layers.Subtract()([x, y])`",
    "Multiply": "replace `x * y` by `layers.Multiply()([x, y])`; for `x * 0.5` put the factor into "
    "the weights of a layer before or after it",
    "Divide": "replace `x / y` by a layer; a constant factor belongs into the weights",
    "Maximum": "replace `ops.maximum(x, y)` by `layers.Maximum()([x, y])`",
    "Minimum": "replace `ops.minimum(x, y)` by `layers.Minimum()([x, y])`",
    "Concatenate": "replace `ops.concatenate([x, y])` by `layers.Concatenate()([x, y])`",
    "Reshape": "replace `ops.reshape(x, shape)` by `layers.Reshape(shape)(x)`",
    "Transpose": "replace `ops.transpose(x, axes)` by `layers.Permute(dims)(x)`",
    "Mean": "replace `ops.mean(x, axis=(1, 2))` by `layers.GlobalAveragePooling2D()(x)`",
    "Max": "replace `ops.max(x, axis=(1, 2))` by `layers.GlobalMaxPooling2D()(x)`",
}
_ACTIVATIONS = {
    "Relu": "relu", "Relu6": "relu6", "Silu": "silu", "Swish": "silu", "Sigmoid": "sigmoid",
    "Tanh": "tanh", "Gelu": "gelu", "Elu": "elu", "Selu": "selu", "Softmax": "softmax",
    "Softplus": "softplus", "HardSilu": "hard_silu", "HardSigmoid": "hard_sigmoid",
    "LeakyRelu": "leaky_relu", "Mish": "mish",
}
_TF = (
    "replace the tf.* call or the arithmetic on tensors by a layer, for example `x + y` by "
    "`layers.Add()([x, y])`"
)
_FUNCTIONS = {
    "einsum": "Keras doesn't write what tf.einsum is called on: use tf.matmul or a layer",
    "nn.dropout": "tf.nn.dropout is at work outside of training too: use layers.Dropout",
    "compat.v1.shape": "write -1 for the batch, as in tf.reshape(x, [-1, 361, 6])",
    "space_to_batch_nd": "give layers.Conv2D or layers.DepthwiseConv2D the dilation",
    "where": "use layers.ReLU, layers.LeakyReLU or tf.maximum",
    "compat.v1.nn.fused_batch_norm": "use layers.BatchNormalization",
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
    "TensorFlowOpLayer": _TF,
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
    if class_name in _ARITHMETIC:
        return _ARITHMETIC[class_name]
    if class_name in _ACTIVATIONS:
        name = _ACTIVATIONS[class_name]
        return f'replace the call on the tensor by `layers.Activation("{name}")(x)`'
    return "replace the operation on the tensor by a layer of keras.layers"


def for_function(name: object) -> str:
    """Return what to write instead of a function of tf."""
    return _FUNCTIONS.get(name, _TF) if isinstance(name, str) else _TF


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
