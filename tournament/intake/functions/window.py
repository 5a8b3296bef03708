"""Functions of windows of a board: pooling, convolution with constants, and larger boards."""

from functools import partial

import numpy as np

from tournament.intake.functions.base import OPERAND, TENSOR, Found, FunctionKind
from tournament.intake.layers.base import Builder, need_board, same_or_valid
from tournament.intake.ops import Conv, Pool, Resize
from tournament.intake.ops.pool import PoolKind
from tournament.intake.schema import Option, choice, ignored, optional, pair

Pair = tuple[int, int]


def _pool(kind: PoolKind, builder: Builder, arguments: dict) -> int:
    x, size = arguments["x"].index, arguments["size"]
    strides = arguments["strides"] or size
    pads = same_or_valid(arguments["padding"].lower(), need_board(builder, x)[:2], size, strides)
    return builder.add(Pool(kind, size, strides, pads), x)


def _kernel(builder: Builder, arguments: dict) -> np.ndarray:
    """Return the constant [rows, columns, channels, filters], which counts as parameters."""
    kernel = arguments["kernel"]
    if isinstance(kernel, Found) or kernel.ndim != 4:
        builder.refuse("the kernel is not a constant of four axes", "use layers.Conv2D")
    builder.count(kernel)
    return kernel


def _convolve(builder: Builder, arguments: dict, kernel: np.ndarray, groups: int) -> int:
    x = arguments["x"].index
    strides, dilation = arguments["strides"] or (1, 1), arguments["dilations"] or (1, 1)
    sizes, padding = need_board(builder, x)[:2], arguments["padding"].lower()
    pads = same_or_valid(padding, sizes, kernel.shape[:2], strides, dilation)
    return builder.add(Conv(kernel, None, strides, pads, dilation, groups), x)


def _conv(builder: Builder, arguments: dict) -> int:
    kernel = _kernel(builder, arguments)
    channels = need_board(builder, arguments["x"].index)[2]
    groups = max(1, channels // max(1, kernel.shape[2]))
    if channels != groups * kernel.shape[2] or kernel.shape[3] % groups:
        builder.refuse(
            f"the kernel is {kernel.shape}, the board has {channels} channels",
            "give it the number of channels",
        )
    return _convolve(builder, arguments, kernel, groups)


def _depthwise_conv(builder: Builder, arguments: dict) -> int:
    rows, columns, channels, multiplier = _kernel(builder, arguments).shape
    kernel = arguments["kernel"].reshape(rows, columns, 1, channels * multiplier)
    return _convolve(builder, arguments, kernel, channels)


def _resize(builder: Builder, arguments: dict) -> int:
    x, size = arguments["x"].index, arguments["size"]
    shape = need_board(builder, x)
    factors = tuple(new // old for new, old in zip(size, shape[:2], strict=True))
    if min(factors) < 1 or size != (shape[0] * factors[0], shape[1] * factors[1]):
        builder.refuse(
            f"a board of {shape[:2]} becomes {size}", "make it a whole number of times larger"
        )
    return builder.add(Resize(factors, arguments["method"]), x)


def _read_window(value: object) -> Pair:
    """Read two numbers, one for both, or four with 1 for the batch and the channels."""
    inner = value
    if isinstance(value, list) and len(value) == 4 and value[0] == value[3] == 1:
        inner = value[1:3]
    if isinstance(value, list) and len(value) == 1:
        inner = value[0]
    return _SIDES.read(inner)


_SIDES = pair(1, 19)
_WINDOW = Option(_read_window)
_PADDING = choice("SAME", "VALID", "same", "valid", default="valid")
_NO_PADS = choice([], None, default=None)
_SHARED = {
    "data_format": choice("NHWC", "channels_last", None, default=None),
    "name": ignored(),
}
_POOL = {
    "x": TENSOR, "size": _WINDOW, "strides": optional(_WINDOW), "padding": _PADDING, **_SHARED,
    "explicit_paddings": _NO_PADS,
}
_POOL_NAMES = {"inputs": "x", "input": "x", "value": "x", "ksize": "size", "pool_size": "size"}
_CONV = {
    "x": TENSOR, "kernel": OPERAND, "strides": optional(_WINDOW), "padding": _PADDING,
    "dilations": optional(_WINDOW), "use_cudnn_on_gpu": ignored(), **_SHARED,
    "explicit_paddings": _NO_PADS,
}
_CONV_NAMES = {
    "inputs": "x", "input": "x", "filter": "kernel", "filters": "kernel",
    "dilation_rate": "dilations", "rate": "dilations",
}
_RESIZE = {
    "x": TENSOR,
    "size": pair(1, 19 * 8),
    "method": choice("bilinear", "nearest", default="bilinear"),
    "half_pixel_centers": choice(True, default=True),
    **{
        name: choice(False, default=False)
        for name in (
            "align_corners", "preserve_aspect_ratio", "antialias", "crop_to_aspect_ratio",
            "pad_to_aspect_ratio",
        )
    },
    "fill_mode": ignored(),
    "fill_value": ignored(),
    **_SHARED,
}

WINDOWS: dict[str, FunctionKind] = {
    "max_pool": FunctionKind(_POOL, partial(_pool, "max"), _POOL_NAMES),
    "average_pool": FunctionKind(_POOL, partial(_pool, "average"), _POOL_NAMES),
    "conv": FunctionKind(_CONV, _conv, _CONV_NAMES),
    "depthwise_conv": FunctionKind(_CONV, _depthwise_conv, _CONV_NAMES),
    "resize": FunctionKind(_RESIZE, _resize, {"images": "x", "interpolation": "method"}),
    "resize_nearest": FunctionKind(
        {**_RESIZE, "method": choice("nearest", default="nearest")}, _resize
    ),
}
