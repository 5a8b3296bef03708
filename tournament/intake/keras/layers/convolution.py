"""Convolutions and the dense layer."""

import numpy as np

from tournament.intake.graph.nodes import Shape
from tournament.intake.graph.ops import Conv, ConvTranspose, Dense
from tournament.intake.keras.builder import Builder
from tournament.intake.keras.layers.activation import activate, activation
from tournament.intake.keras.layers.base import LayerKind, need_board, same_or_valid
from tournament.intake.keras.options import (
    MAX_UNITS,
    boolean,
    choice,
    integer,
    optional,
    pair,
    training_only,
)

_WINDOW = {
    "kernel_size": pair(1, 19),
    "strides": pair(1, 19, (1, 1)),
    "padding": choice("valid", "same", default="valid"),
    "data_format": choice("channels_last", None, default=None),
    "dilation_rate": pair(1, 19, (1, 1)),
    "use_bias": boolean(True),
    "activation": activation(),
    **training_only("bias_initializer", "bias_regularizer", "bias_constraint"),
}
_KERNEL_TRAINING = training_only("kernel_initializer", "kernel_regularizer", "kernel_constraint")
_DEPTHWISE_TRAINING = training_only(
    "depthwise_initializer", "depthwise_regularizer", "depthwise_constraint"
)
_POINTWISE_TRAINING = training_only(
    "pointwise_initializer", "pointwise_regularizer", "pointwise_constraint"
)
_FILTERS = integer(1, MAX_UNITS)
# Keras 2 writes `groups: 1` for the depthwise classes too, which Keras 3 then cannot read.
_DEPTHWISE = {
    **_WINDOW,
    **_DEPTHWISE_TRAINING,
    "depth_multiplier": integer(1, 1024, 1),
    "groups": integer(1, 1, 1),
}


def _bias(builder: Builder, options: dict, size: int) -> np.ndarray | None:
    return builder.weight("bias", (size,)) if options["use_bias"] else None


def _conv(
    kernel: np.ndarray, bias: np.ndarray | None, options: dict, shape: Shape, groups: int
) -> Conv:
    strides, dilation = options["strides"], options["dilation_rate"]
    pads = same_or_valid(options["padding"], shape[:2], kernel.shape[:2], strides, dilation)
    return Conv(kernel, bias, strides, pads, dilation, groups)


def _conv2d(builder: Builder, options: dict, x: int) -> int:
    shape = need_board(builder, x)
    groups, filters = options["groups"], options["filters"]
    if shape[2] % groups or filters % groups:
        builder.refuse(
            f"option 'groups' is {groups}, which does not divide {shape[2]} channels "
            f"and {filters} filters",
            "choose a number of groups that divides both",
        )
    kernel_shape = (*options["kernel_size"], shape[2] // groups, filters)
    kernel = builder.weight("kernel", kernel_shape)
    bias = _bias(builder, options, filters)
    result = builder.add(_conv(kernel, bias, options, shape, groups), x)
    return activate(builder, options["activation"], result)


def _depthwise_kernel(builder: Builder, options: dict, channels: int) -> np.ndarray:
    """Return the stored kernel [rows, columns, channels, multiplier] as that of a grouped Conv."""
    multiplier = options["depth_multiplier"]
    kernel = builder.weight(
        "depthwise_kernel", (*options["kernel_size"], channels, multiplier)
    )
    return kernel.reshape(*options["kernel_size"], 1, channels * multiplier)


def _depthwise_conv2d(builder: Builder, options: dict, x: int) -> int:
    shape = need_board(builder, x)
    kernel = _depthwise_kernel(builder, options, shape[2])
    bias = _bias(builder, options, kernel.shape[3])
    result = builder.add(_conv(kernel, bias, options, shape, shape[2]), x)
    return activate(builder, options["activation"], result)


def _separable_conv2d(builder: Builder, options: dict, x: int) -> int:
    shape = need_board(builder, x)
    depthwise = _depthwise_kernel(builder, options, shape[2])
    middle = builder.add(_conv(depthwise, None, options, shape, shape[2]), x)
    pointwise = builder.weight(
        "pointwise_kernel", (1, 1, depthwise.shape[3], options["filters"])
    )
    bias = _bias(builder, options, options["filters"])
    result = builder.add(Dense(pointwise[0, 0], bias), middle)
    return activate(builder, options["activation"], result)


def _conv2d_transpose(builder: Builder, options: dict, x: int) -> int:
    shape = need_board(builder, x)
    size, strides, dilation = (
        options[name] for name in ("kernel_size", "strides", "dilation_rate")
    )
    kernel = builder.weight("kernel", (*size, options["filters"], shape[2]))
    bias = _bias(builder, options, options["filters"])
    seen = [(width - 1) * step + 1 for width, step in zip(size, dilation, strict=True)]
    beyond = [
        _beyond(options, axis, width, stride)
        for axis, (width, stride) in enumerate(zip(seen, strides, strict=True))
    ]
    below, right = ((max(-more, 0) // 2, max(-more, 0) - max(-more, 0) // 2) for more in beyond)
    extra = (max(beyond[0], 0), max(beyond[1], 0))
    op = ConvTranspose(
        kernel.transpose(0, 1, 3, 2), bias, strides, (below, right), dilation, extra
    )
    return activate(builder, options["activation"], builder.add(op, x))


def _beyond(options: dict, axis: int, width: int, stride: int) -> int:
    """Return how many points Keras gives the board besides those that a kernel reaches.

    Fewer than none are cut off, on both sides. `width` is the kernel's, dilation included.
    """
    given = options["output_padding"]
    if options["padding"] == "valid":
        return max(stride - width, 0) if given is None else given[axis]
    return stride - width if given is None else given[axis] - 2 * (width // 2)


def _dense(builder: Builder, options: dict, x: int) -> int:
    kernel = builder.weight("kernel", (builder.shape(x)[-1], options["units"]))
    bias = _bias(builder, options, options["units"])
    result = builder.add(Dense(kernel, bias), x)
    return activate(builder, options["activation"], result)


CONVOLUTION_LAYERS = {
    "Conv2D": LayerKind(
        {**_WINDOW, **_KERNEL_TRAINING, "filters": _FILTERS, "groups": integer(1, 4096, 1)},
        _conv2d,
    ),
    "DepthwiseConv2D": LayerKind({**_DEPTHWISE, **_KERNEL_TRAINING}, _depthwise_conv2d),
    "SeparableConv2D": LayerKind(
        {**_DEPTHWISE, **_KERNEL_TRAINING, **_POINTWISE_TRAINING, "filters": _FILTERS},
        _separable_conv2d,
    ),
    "Conv2DTranspose": LayerKind(
        {
            **_WINDOW, **_KERNEL_TRAINING, "filters": _FILTERS, "groups": integer(1, 1, 1),
            "output_padding": optional(pair(0, 18)),
        },
        _conv2d_transpose,
    ),
    "Dense": LayerKind(
        {
            "units": integer(1, MAX_UNITS),
            "use_bias": boolean(True),
            "activation": activation(),
            **_KERNEL_TRAINING,
            **training_only("bias_initializer", "bias_regularizer", "bias_constraint"),
        },
        _dense,
    ),
}
