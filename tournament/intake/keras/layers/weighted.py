"""Layers with weights: convolutions, Dense, normalisations, attention, and those of this kit."""

from math import prod, sqrt

import numpy as np

from golois.kernels.irreps import WINDOWS, Fields, Sharing, count_free, share_bias, share_kernel
from tournament.intake.graph import ops
from tournament.intake.graph.ops import Shape
from tournament.intake.keras.builder import (
    MAX_UNITS,
    Builder,
    LayerKind,
    Option,
    OptionError,
    boolean,
    choice,
    integer,
    integers,
    number,
    numbers,
    optional,
    pair,
    trained,
    unread,
)
from tournament.intake.keras.layers.plain import (
    ACTIVATION,
    DATA_FORMAT,
    PADDING,
    activate,
    same_or_valid,
)

_BIAS = {"use_bias": boolean(True), **trained("kernel", "bias")}
_FILTERS = {"filters": integer(1, MAX_UNITS)}
_WINDOW = {
    **PADDING, **DATA_FORMAT, **ACTIVATION, **_BIAS,
    "kernel_size": pair(1, 19),
    "strides": pair(1, 19, (1, 1)),
    "dilation_rate": pair(1, 19, (1, 1)),
}
# Keras 2 writes `groups: 1` for the depthwise classes too, which Keras 3 then cannot read.
_ONE_GROUP = {"groups": integer(1, 1, 1)}
_DEPTHWISE = {
    **_WINDOW, **_ONE_GROUP, "depth_multiplier": integer(1, 1024, 1), **trained("depthwise")
}


def _bias(builder: Builder, options: dict, size: int) -> np.ndarray | None:
    return builder.weight("bias", (size,)) if options["use_bias"] else None


def _conv(
    kernel: np.ndarray, bias: np.ndarray | None, options: dict, shape: Shape, groups: int
) -> ops.Conv:
    strides, dilation = options["strides"], options["dilation_rate"]
    pads = same_or_valid(options, shape[:2], kernel.shape[:2], strides, dilation)
    return ops.Conv(kernel, bias, strides, pads, dilation, groups)


def _conv2d(builder: Builder, options: dict, x: int) -> int:
    shape = builder.board(x)
    groups, filters = options["groups"], options["filters"]
    if shape[2] % groups or filters % groups:
        builder.misfit("groups", groups, x,
                       f"choose a number of groups that divides {shape[2]} and {filters}")
    kernel = builder.weight("kernel", (*options["kernel_size"], shape[2] // groups, filters))
    bias = _bias(builder, options, filters)
    result = builder.add(_conv(kernel, bias, options, shape, groups), x)
    return activate(builder, options["activation"], result)


def _depthwise_kernel(builder: Builder, options: dict, channels: int) -> np.ndarray:
    """Return the stored kernel [rows, columns, channels, multiplier] as that of a grouped Conv."""
    size, multiplier = options["kernel_size"], options["depth_multiplier"]
    kernel = builder.weight("depthwise_kernel", (*size, channels, multiplier))
    return kernel.reshape(*size, 1, channels * multiplier)


def _depthwise_conv2d(builder: Builder, options: dict, x: int) -> int:
    shape = builder.board(x)
    kernel = _depthwise_kernel(builder, options, shape[2])
    bias = _bias(builder, options, kernel.shape[3])
    result = builder.add(_conv(kernel, bias, options, shape, shape[2]), x)
    return activate(builder, options["activation"], result)


def _separable_conv2d(builder: Builder, options: dict, x: int) -> int:
    shape, filters = builder.board(x), options["filters"]
    depthwise = _depthwise_kernel(builder, options, shape[2])
    middle = builder.add(_conv(depthwise, None, options, shape, shape[2]), x)
    pointwise = builder.weight("pointwise_kernel", (1, 1, depthwise.shape[3], filters))
    result = builder.add(ops.Dense(pointwise[0, 0], _bias(builder, options, filters)), middle)
    return activate(builder, options["activation"], result)


def _conv2d_transpose(builder: Builder, options: dict, x: int) -> int:
    shape, filters = builder.board(x), options["filters"]
    size, strides, dilation = (
        options[name] for name in ("kernel_size", "strides", "dilation_rate")
    )
    kernel = builder.weight("kernel", (*size, filters, shape[2])).transpose(0, 1, 3, 2)
    bias = _bias(builder, options, filters)
    seen = [(width - 1) * step + 1 for width, step in zip(size, dilation, strict=True)]
    beyond = [
        _beyond(options, axis, width, stride)
        for axis, (width, stride) in enumerate(zip(seen, strides, strict=True))
    ]
    below, right = ((max(-more, 0) // 2, max(-more, 0) - max(-more, 0) // 2) for more in beyond)
    extra = (max(beyond[0], 0), max(beyond[1], 0))
    op = ops.ConvTranspose(kernel, bias, strides, (below, right), dilation, extra)
    return activate(builder, options["activation"], builder.add(op, x))


def _beyond(options: dict, axis: int, width: int, stride: int) -> int:
    """Return how many points Keras gives the board beside the points that a kernel reaches.

    Fewer than none are cut off, on both sides. `width` is the kernel's, dilation included.
    """
    given = options["output_padding"]
    if options["padding"] == "valid":
        return max(stride - width, 0) if given is None else given[axis]
    return stride - width if given is None else given[axis] - 2 * (width // 2)


def _dense(builder: Builder, options: dict, x: int) -> int:
    kernel = builder.weight("kernel", (builder.shape(x)[-1], options["units"]))
    result = builder.add(ops.Dense(kernel, _bias(builder, options, options["units"])), x)
    return activate(builder, options["activation"], result)


# Normalisations.

_EPSILON = number(1e-12, 1.0, 1e-3)
_AFFINE = {
    "epsilon": _EPSILON, "center": boolean(True), "scale": boolean(True),
    **trained("beta", "gamma"),
}
_AXES = integers(-8, 8, default=(-1,))
SMALLEST_DEVIATION = 1e-7  # keras.backend.epsilon()


def _gamma_beta(builder: Builder, options: dict, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    gamma = builder.weight("gamma", shape) if options["scale"] else np.ones(shape, np.float32)
    beta = builder.weight("beta", shape) if options["center"] else np.zeros(shape, np.float32)
    return gamma, beta


def _batch_normalization(builder: Builder, options: dict, x: int) -> int:
    axes = builder.axes(x, options["axis"], most=1)
    channels = (builder.shape(x)[axes[0]],)
    gamma, beta = _gamma_beta(builder, options, channels)
    # A statistic without a trainable number beside it is what the network has learned there.
    mean = builder.weight("moving_mean", channels, False, counts=not options["center"])
    variance = builder.variance("moving_variance", channels, counts=not options["scale"])
    if options["renorm"]:  # of Keras 2; only training uses them
        for name in ("moving_stddev", "renorm_mean", "renorm_stddev"):
            builder.weight(name, channels, False)
    op = ops.BatchNorm(gamma, beta, mean, variance, options["epsilon"])
    return builder.add_on_axes(op, x, axes)


def _layer_normalization(builder: Builder, options: dict, x: int) -> int:
    shape, axes = builder.shape(x), builder.axes(x, options["axis"])
    gamma, beta = _gamma_beta(builder, options, tuple(shape[axis] for axis in axes))
    return builder.add_on_axes(ops.LayerNorm(gamma, beta, options["epsilon"]), x, axes)


def _group_normalization(builder: Builder, options: dict, x: int) -> int:
    """Normalise each group of channels of a position separately; Wu & He 2018."""
    shape, groups = builder.shape(x), options["groups"]
    channels = shape[-1]
    groups = channels if groups == -1 else groups
    wrong_axis = options["axis"] not in (-1, len(shape))
    if wrong_axis or groups < 1 or channels % groups:
        name = "axis" if wrong_axis else "groups"
        builder.misfit(name, options[name], x, "use axis=-1 and groups that divide the channels")
    gamma, beta = _gamma_beta(builder, options, (channels,))
    split = (*shape[:-1], groups, channels // groups)
    axes = tuple(axis for axis in range(len(split)) if axis != len(split) - 2)
    inner = tuple(split[axis] for axis in axes)
    one, zero = np.ones(inner, np.float32), np.zeros(inner, np.float32)
    norm = ops.LayerNorm(one, zero, options["epsilon"])
    normal = builder.add_on_axes(norm, builder.add(ops.Reshape(split), x), axes)
    return builder.add(ops.BatchNorm.of(gamma, beta), builder.add(ops.Reshape(shape), normal))


def _normalization(builder: Builder, options: dict, x: int) -> int:
    """Append (x - mean) / sqrt(variance), with numbers that were given or found by `adapt`."""
    channels = builder.shape(x)[-1:]
    if options["axis"] not in ((-1,), (len(builder.shape(x)),)):
        builder.misfit("axis", options["axis"], x, "use layers.Normalization(axis=-1)")
    if (options["mean"] is None) != (options["variance"] is None):
        builder.refuse("half-normalized")
    if options["mean"] is None:
        mean = builder.weight("mean", channels, trainable=False, counts=True)
        variance = builder.variance("variance", channels, counts=True)
        builder.weight("count", (), trainable=False)
    else:
        mean, variance = (_per_channel(builder, options, name, x) for name in ("mean", "variance"))
    if variance.min() < 0.0:
        builder.refuse("negative-variance", name="variance")
    floored = np.maximum(variance, SMALLEST_DEVIATION**2)
    one, zero = np.ones(channels, np.float32), np.zeros(channels, np.float32)
    return builder.add(ops.BatchNorm(one, zero, mean, floored, 0.0), x)


def _rescaling(builder: Builder, options: dict, x: int) -> int:
    scale, offset = (_per_channel(builder, options, name, x) for name in ("scale", "offset"))
    return builder.add(ops.BatchNorm.of(scale, offset), x)


def _per_channel(builder: Builder, options: dict, name: str, x: int) -> np.ndarray:
    """Return numbers of an option, one for each channel, and count the given numbers."""
    given, channels = options[name], builder.shape(x)[-1]
    builder.count(given)
    if given.size not in (1, channels) or given.shape[:-1] != (1,) * (given.ndim - 1):
        builder.misfit(name, given.tolist(), x, "give one number for each channel")
    return np.broadcast_to(given.reshape(-1), (channels,)).astype(np.float32)


# Attention over the points of a board, written in matrix products.


def _multi_head_attention(builder: Builder, options: dict, found: dict) -> int:
    """Append softmax(query · keyᵀ / √d) · value for each head; Vaswani et al. 2017, equation 1."""
    target = builder.shape(found["query"])
    query = _tokens(builder, options, found["query"])
    value = _tokens(builder, options, found.get("value", found["query"]))
    key = _tokens(builder, options, found.get("key", found.get("value", found["query"])))
    depth = options["key_dim"]
    queries = _project(builder, options, "query", query, depth, 1.0 / sqrt(depth))
    keys = _project(builder, options, "key", key, depth)
    values = _project(builder, options, "value", value, options["value_dim"] or depth)
    *groups, heads, _, width = builder.shape(values)
    whole = tuple(range(len(groups) + 1))
    order = (*whole, len(whole) + 1, len(whole))
    scores = builder.add(ops.MatMul(), queries, builder.add(ops.Transpose(order), keys))
    chances = builder.add(ops.Softmax(channels_first=False), scores)
    mixed = builder.add(ops.MatMul(), chances, values)
    joined = builder.add(ops.Transpose(_heads_and_tokens(len(groups))), mixed)
    *outer, channels = builder.shape(query)
    joined = builder.add(ops.Reshape((*outer, heads * width)), joined)
    size = options["output_shape"] or (channels,)
    kernel = builder.weight("attention_output kernel", (heads, width, *size))
    bias = builder.weight("attention_output bias", size) if options["use_bias"] else None
    result = builder.add(ops.Dense(kernel.reshape(heads * width, *size), bias), joined)
    is_board = len(target) != len(builder.shape(query))
    return builder.add(ops.Reshape((*target[:-1], *size)), result) if is_board else result


def _tokens(builder: Builder, options: dict, x: int) -> int:
    """Return an input as (tokens, channels), or as (windows, tokens, channels) by the axes.

    The points of a board are its tokens. Where the axes are the last but one alone, each window has
    tokens of its own, as in Swin.
    """
    shape, axes = builder.shape(x), options["attention_axes"]
    rank = len(shape)
    if rank == 3 and axes in ((2,), (-2,)):
        return x
    if rank not in (2, 3) or axes not in (None, tuple(range(1, rank))):
        builder.misfit("attention_axes", axes, x,
                       "use layers.Reshape((361, channels)) before it and give no axes")
    return x if rank == 2 else builder.add(ops.Reshape((prod(shape[:2]), shape[2])), x)


def _project(
    builder: Builder, options: dict, name: str, x: int, depth: int, scale: float = 1.0
) -> int:
    """Return [windows…, heads, tokens, depth] of [windows…, tokens, channels], times `scale`."""
    heads, (*outer, channels) = options["num_heads"], builder.shape(x)
    kernel = builder.weight(f"{name} kernel", (channels, heads, depth)) * scale
    bias = None
    if options["use_bias"]:
        bias = builder.weight(f"{name} bias", (heads, depth)).reshape(heads * depth) * scale
    flat = builder.add(ops.Dense(kernel.reshape(channels, heads * depth), bias), x)
    split = builder.add(ops.Reshape((*outer, heads, depth)), flat)
    return builder.add(ops.Transpose(_heads_and_tokens(len(outer) - 1)), split)


def _heads_and_tokens(num_outer: int) -> tuple[int, ...]:
    """Return the order of axes in which heads and tokens change places."""
    return (*range(num_outer), num_outer + 1, num_outer, num_outer + 2)


# The two layers of `models/parts/equivariant.py`: free weights become plain kernels. Keras writes
# them under the name that they are registered by.

MAX_FIELDS = 1024
# Numbers of a kernel for each of its free weights, zeros included; a good one has about 8.
MAX_SHARING = 64
_NUM_KINDS = len(Fields().numbers)


def _read_fields(value: object) -> Fields:
    if not isinstance(value, list) or len(value) != _NUM_KINDS:
        raise OptionError(f"{_NUM_KINDS} whole numbers, of fields T, S, D, C, F and R,")
    return Fields(*map(integer(0, MAX_FIELDS).read, value))


def _need_fields(builder: Builder, x: int, expected: Fields) -> None:
    """Refuse a board of other channels than the fields have."""
    if builder.board(x)[2] != expected.channels:
        builder.refuse(
            "input", expected=f"the {expected.channels} channels of {expected}",
            shape=builder.shape(x), instead="give the layer the fields of the layer before it",
        )


def _equivariant_conv(builder: Builder, options: dict, x: int) -> int:
    source, target, window = options["input_fields"], options["fields"], options["window"]
    _need_fields(builder, x, source)
    num_free = count_free(source, target, window)
    size = window * window * source.channels * target.channels
    if not num_free or size > MAX_SHARING * num_free:
        builder.refuse("free-weights", size=size, free=num_free, most=MAX_SHARING)
    kernel = share_kernel(source, target, window).expand(builder.weight("weight", (num_free,)))
    bias = _shared(builder, "bias", share_bias(target)) if options["use_bias"] else None
    pad = (window // 2, window // 2)
    return builder.add(ops.Conv(kernel, bias, (1, 1), (pad, pad), (1, 1), 1), x)


def _equivariant_norm(builder: Builder, options: dict, x: int) -> int:
    _need_fields(builder, x, options["fields"])
    of_channel, shared = options["fields"].field_of_channel(), share_bias(options["fields"])
    count = (int(of_channel[-1]) + 1,)
    gamma = builder.weight("gamma", count)[of_channel]
    beta = _shared(builder, "beta", shared)
    mean = _shared(builder, "moving_mean", shared, trainable=False)
    variance = builder.variance("moving_variance", count)[of_channel]
    return builder.add(ops.BatchNorm(gamma, beta, mean, variance, options["epsilon"]), x)


def _shared(builder: Builder, name: str, sharing: Sharing, trainable: bool = True) -> np.ndarray:
    """Return a number for each channel out of the stored ones, one for each T and R."""
    return sharing.expand(builder.weight(name, (sharing.num_free,), trainable))


_FIELDS = Option(_read_fields)

WEIGHTED_LAYERS = {
    "Conv2D": LayerKind({**_WINDOW, **_FILTERS, "groups": integer(1, 4096, 1)}, _conv2d),
    "DepthwiseConv2D": LayerKind(_DEPTHWISE, _depthwise_conv2d),
    "SeparableConv2D": LayerKind(
        {**_DEPTHWISE, **_FILTERS, **trained("pointwise")}, _separable_conv2d
    ),
    "Conv2DTranspose": LayerKind(
        {**_WINDOW, **_FILTERS, **_ONE_GROUP, "output_padding": optional(pair(0, 18))},
        _conv2d_transpose,
    ),
    "Dense": LayerKind({**ACTIVATION, **_BIAS, "units": integer(1, MAX_UNITS)}, _dense),
    "Rescaling": LayerKind({"scale": numbers(), "offset": numbers(0.0)}, _rescaling),
    "Normalization": LayerKind(
        {
            "axis": _AXES, "mean": optional(numbers()), "variance": optional(numbers()),
            "invert": choice(False, default=False),
        },
        _normalization,
    ),
    "BatchNormalization": LayerKind(
        {
            **_AFFINE, "axis": _AXES, "renorm": boolean(False),
            "virtual_batch_size": choice(None, default=None),
            "adjustment": choice(None, default=None),
            **unread("momentum", "synchronized", "renorm_clipping", "renorm_momentum", "fused",
                     "moving_mean_initializer", "moving_variance_initializer"),
        },
        _batch_normalization,
    ),
    "GroupNormalization": LayerKind(
        {**_AFFINE, "groups": integer(-1, 4096, 32), "axis": integer(-8, 8, -1)},
        _group_normalization,
    ),
    "LayerNormalization": LayerKind(
        {**_AFFINE, "axis": _AXES, "rms_scaling": choice(False, default=False)},
        _layer_normalization,
    ),
    "MultiHeadAttention": LayerKind(
        {
            **_BIAS,
            "num_heads": integer(1, 256),
            "key_dim": integer(1, 4096),
            "value_dim": optional(integer(1, 4096)),
            "output_shape": optional(integers(1, 4096, max_length=1)),
            "attention_axes": optional(integers(-8, 8)),
            "use_gate": choice(False, default=False),
            "sliding_window": choice(None, default=None),
            **unread("dropout", "seed", "flash_attention", "softmax_robust_masking",
                     "query_shape", "key_shape", "value_shape"),
        },
        _multi_head_attention,
        arguments=("query", "value", "key"),
    ),
    "golois>EquivariantConv2D": LayerKind(
        {
            "input_fields": _FIELDS, "fields": _FIELDS, "window": choice(*WINDOWS),
            "use_bias": boolean(),
        },
        _equivariant_conv,
    ),
    "golois>EquivariantBatchNormalization": LayerKind(
        {"fields": _FIELDS, "epsilon": number(1e-12, 1.0)}, _equivariant_norm
    ),
}
