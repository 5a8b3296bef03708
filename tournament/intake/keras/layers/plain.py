"""Layers without weights of their own, and PReLU: activations, joins, pools, moves of numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod

from tournament.intake.graph import ops
from tournament.intake.graph.ops import CombineKind, Pads, PoolKind, ReduceKind, Shape
from tournament.intake.keras.builder import (
    COMMON,
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
    optional,
    pair,
    read_options,
    row,
    trained,
    unread,
)

MAX_FLOAT = 3.4e38
_FUNCTIONS = {
    **{
        name: ops.Unary(name)
        for name in ("relu", "log_sigmoid", "selu", "gelu", "silu", "hard_silu", "mish", "sigmoid",
                     "tanh", "softplus", "softsign", "exponential")
    },
    "swish": ops.Unary("silu"),
    "hard_swish": ops.Unary("hard_silu"),
    "celu": ops.Unary("elu", (1.0,)),
    "elu": ops.Unary("elu", (1.0,)),
    "leaky_relu": ops.Unary("leaky_relu", (0.2,)),
    "relu6": ops.Unary("clip", (0.0, 6.0)),
    "hard_tanh": ops.Unary("clip", (-1.0, 1.0)),
    "softmax": ops.Softmax(),
}
_SPECIAL = ("linear", "hard_sigmoid")
_SLOPE = number(-100.0, 100.0)
DATA_FORMAT = {"data_format": choice("channels_last", None, default=None)}
PADDING = {"padding": choice("valid", "same", default="valid")}


@dataclass(frozen=True)
class Inner:
    """An activation layer inside of another layer, as in Conv2D(8, 3, activation=ReLU())."""

    kind: LayerKind
    options: dict


def _read_activation(value: object) -> str | Inner:
    if value is None:
        return "linear"
    if isinstance(value, dict):
        return _read_inner(value)
    if not isinstance(value, str) or (value not in _FUNCTIONS and value not in _SPECIAL):
        names = ", ".join(sorted((*_FUNCTIONS, *_SPECIAL)))
        raise OptionError(f"the name of an activation ({names})")
    return value


def _read_inner(value: dict) -> Inner:
    class_name, config = value.get("class_name"), value.get("config")
    kind = ACTIVATION_LAYERS.get(class_name) if isinstance(class_name, str) else None
    own = value.get("registered_name") not in (None, class_name)
    foreign = str(value.get("module", "keras")).partition(".")[0] != "keras"
    if kind is None or own or foreign or not isinstance(config, dict):
        layers = ", ".join(name for name in ACTIVATION_LAYERS if name != "Activation")
        raise OptionError(f"the name of an activation, or one of the layers {layers},")
    options, wrong = read_options(class_name, {**COMMON, **kind.schema}, config, str)
    for fault in wrong.values():
        raise OptionError(f"an activation that can be read ({fault.text})")
    return Inner(kind, options)


ACTIVATION = {"activation": Option(_read_activation, "linear")}


def activate(builder: Builder, name: str | Inner, x: int) -> int:
    """Append an activation to a result."""
    if isinstance(name, Inner):
        return name.kind.lower(builder, name.options, x)
    if name == "linear":
        return x
    if name == "hard_sigmoid":
        slope = 1.0 / 6.0 if builder.keras_major >= 3 else 0.2
        return builder.add(ops.Unary("hard_sigmoid", (slope,)), x)
    return builder.add(_FUNCTIONS[name], x)


def _relu(builder: Builder, options: dict, x: int) -> int:
    slope, top = options["negative_slope"] or 0.0, options["max_value"]
    threshold = options["threshold"] or 0.0
    if slope == threshold == 0.0:
        return builder.add(ops.Unary("relu") if top is None else ops.Unary("clip", (0.0, top)), x)
    bent = ("relu_from", (slope, threshold)) if threshold else ("leaky_relu", (slope,))
    result = builder.add(ops.Unary(*bent), x)
    return result if top is None else builder.add(ops.Unary("clip", (-MAX_FLOAT, top)), result)


def _leaky_relu(builder: Builder, options: dict, x: int) -> int:
    given = (options["negative_slope"], options["alpha"], 0.3)
    slope = next(slope for slope in given if slope is not None)
    return builder.add(ops.Unary("leaky_relu", (slope,)), x)


def _prelu(builder: Builder, options: dict, x: int) -> int:
    shared = options["shared_axes"] or ()
    shape = tuple(
        1 if axis in shared else size for axis, size in enumerate(builder.shape(x), start=1)
    )
    return builder.add(ops.PReLU(builder.weight("alpha", shape)), x)


def softmax(builder: Builder, axes: tuple[int, ...], x: int) -> int:
    """Append a softmax along one axis, which counts the batch."""
    return builder.add_on_axes(ops.Softmax(), x, builder.axes(x, axes, most=1))


ACTIVATION_LAYERS = {
    "Activation": LayerKind(
        ACTIVATION, lambda builder, options, x: activate(builder, options["activation"], x)
    ),
    "ReLU": LayerKind(
        {
            "max_value": optional(number(0.0, 1e6)),
            "negative_slope": optional(_SLOPE),
            "threshold": optional(number(-1e6, 1e6)),
        },
        _relu,
    ),
    "LeakyReLU": LayerKind(
        {"negative_slope": optional(_SLOPE), "alpha": optional(_SLOPE)}, _leaky_relu
    ),
    "ELU": LayerKind(
        {"alpha": number(-100.0, 100.0, 1.0)},
        lambda builder, options, x: builder.add(ops.Unary("elu", (options["alpha"],)), x),
    ),
    "PReLU": LayerKind({"shared_axes": optional(integers(1, 8)), **trained("alpha")}, _prelu),
    "Softmax": LayerKind(
        {"axis": integers(-8, 8, default=(-1,)), **unread("mask")},
        lambda builder, options, x: softmax(builder, options["axis"], x),
    ),
}


# Layers that join several tensors.


def _merge(kind: CombineKind, builder: Builder, options: dict, inputs: list[int]) -> int:
    """Combine the inputs; one of lower rank gets axes of length 1 in front, as in Keras."""
    shapes = [builder.shape(i) for i in inputs]
    if kind == "subtract" and len(inputs) != 2:
        builder.refuse("input", expected="two inputs", shape=len(inputs),
                       instead="use layers.Subtract()([x, y])")
    rank = max(map(len, shapes))
    full = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return builder.add(ops.Combine(kind), *map(builder.reshaped, inputs, full))


def concatenate(builder: Builder, axis: int, inputs: list[int]) -> int:
    """Append several results along an axis, which counts the batch."""
    axis = builder.axis(inputs[0], axis) - len(builder.shape(inputs[0]))
    return builder.add(ops.Concat(axis), *inputs)


def _dot(builder: Builder, options: dict, inputs: list[int]) -> int:
    """Append the products along an axis of each input, for every pair of their other indices."""
    axes = options["axes"] * (2 if len(options["axes"]) == 1 else 1)
    if len(inputs) != 2 or len(axes) != 2:
        builder.misfit("axes", axes, inputs[0], "use layers.Dot(axes=2)([x, y])")
    rows, left_rest = _with_axis_last(builder, inputs[0], axes[0])
    columns, right_rest = _with_axis_last(builder, inputs[1], axes[1])
    product = builder.add(ops.MatMul(), rows, builder.add(ops.Transpose((1, 0)), columns))
    return builder.reshaped(product, left_rest + right_rest or (1,))


def _with_axis_last(builder: Builder, x: int, axis: int) -> tuple[int, Shape]:
    """Return an input as (vectors, one of its axes), and the shape that the vectors had."""
    shape, axis = builder.shape(x), builder.axis(x, axis)
    others = [other for other in range(len(shape)) if other != axis]
    if axis != len(shape) - 1:
        x = builder.add(ops.Transpose((*others, axis)), x)
    rest = tuple(shape[other] for other in others)
    return builder.reshaped(x, (prod(rest), shape[axis])), rest


_JOINS: dict[str, CombineKind] = {
    "Add": "add", "Multiply": "multiply", "Average": "average", "Maximum": "maximum",
    "Minimum": "minimum", "Subtract": "subtract",
}


# Layers that pool.


def same_or_valid(
    options: dict, sizes: Shape, kernel: Shape, strides: Shape, dilation: Shape = (1, 1)
) -> Pads:
    """Return the zeros before and after each axis, for padding "same" or "valid" of TensorFlow."""
    if options["padding"] == "valid":
        return ((0, 0), (0, 0))
    pads = []
    for size, width, stride, step in zip(sizes, kernel, strides, dilation, strict=False):
        total = max((-(-size // stride) - 1) * stride + (width - 1) * step + 1 - size, 0)
        pads.append((total // 2, total - total // 2))
    return (pads[0], pads[1])


def _pool(kind: PoolKind, builder: Builder, options: dict, x: int) -> int:
    shape, size = builder.board(x), options["pool_size"]
    strides = options["strides"] or size
    pads = same_or_valid(options, shape, size, strides)
    return builder.add(ops.Pool(kind, size, strides, pads), x)


def _global_pool(kind: PoolKind, builder: Builder, options: dict, x: int) -> int:
    builder.board(x)
    return builder.add(ops.GlobalPool(kind, options["keepdims"]), x)


def _global_pool_1d(kind: ReduceKind, builder: Builder, options: dict, x: int) -> int:
    shape = builder.shape(x)
    if len(shape) != 2:
        builder.refuse("input", expected="an input of (tokens, channels)", shape=shape,
                       instead="use the layer of the same name with 2D")
    result = builder.add(ops.Reduce(kind, (0,)), x)
    return result if options["keepdims"] else builder.add(ops.Reshape(shape[1:]), result)


_WINDOW = {
    **DATA_FORMAT, **PADDING, "pool_size": pair(1, 19, (2, 2)), "strides": optional(pair(1, 19)),
}
_GLOBAL = {**DATA_FORMAT, "keepdims": boolean(False)}


# Layers that only move numbers, and layers that do nothing once the network is trained.


def _sides(high: int) -> Option:
    """Read [[top, bottom], [left, right]], or a shorter form."""
    return row(pair(0, high), range(2, 3), "[[top, bottom], [left, right]]", 2)


def _zero_padding(builder: Builder, options: dict, x: int) -> int:
    builder.board(x)
    return builder.add(ops.Pad(options["padding"]), x)


def _cropping(builder: Builder, options: dict, x: int) -> int:
    rows, columns, channels = builder.board(x)
    (top, bottom), (left, right) = options["cropping"]
    stops = (rows - bottom, columns - right, channels)
    return builder.add(ops.Cut((top, left, 0), stops, (1, 1, 1)), x)


def _up_sampling(builder: Builder, options: dict, x: int) -> int:
    builder.board(x)
    return builder.add(ops.Resize(options["size"], options["interpolation"]), x)


def _reshape(builder: Builder, options: dict, x: int) -> int:
    target = filled(options["target_shape"], prod(builder.shape(x)))
    if target is None:
        builder.misfit("target_shape", options["target_shape"], x,
                       "give a shape with as many numbers as the input has")
    return builder.add(ops.Reshape(target), x)


def filled(target: tuple[int | None, ...], size: int) -> Shape | None:
    """Return a shape of so many numbers with -1 worked out; None if there is no such shape."""
    known = prod(n for n in target if n not in (-1, None))
    if target.count(-1) == 1 and known > 0 and size % known == 0:
        target = tuple(size // known if n == -1 else n for n in target)
    sizes = tuple(-1 if n is None else n for n in target)
    return sizes if min(sizes, default=1) > 0 and prod(sizes) == size else None


def _permute(builder: Builder, options: dict, x: int) -> int:
    return builder.add(ops.Transpose(tuple(axis - 1 for axis in options["dims"])), x)


_IN_TRAINING = {  # class: its options
    "Identity": "", "ActivityRegularization": "l1 l2 seed",
    "Dropout": "rate noise_shape seed", "SpatialDropout1D": "rate noise_shape seed",
    "SpatialDropout2D": "rate noise_shape data_format seed",
    "AlphaDropout": "rate noise_shape seed", "GaussianDropout": "rate seed",
    "GaussianNoise": "stddev seed",
}


def _with_format(lower: Callable[..., int], **schema: Option) -> LayerKind:
    return LayerKind({**DATA_FORMAT, **schema}, lower)


PLAIN_LAYERS = {
    **ACTIVATION_LAYERS,
    **{name: LayerKind({}, partial(_merge, kind), joins=True) for name, kind in _JOINS.items()},
    "Dot": LayerKind(
        {"axes": integers(-8, 8, max_length=2), "normalize": choice(False, default=False)},
        _dot,
        joins=True,
    ),
    "Concatenate": LayerKind(
        {"axis": integer(-8, 8, -1)},
        lambda builder, options, inputs: concatenate(builder, options["axis"], inputs),
        joins=True,
    ),
    "AveragePooling2D": LayerKind(_WINDOW, partial(_pool, "average")),
    "MaxPooling2D": LayerKind(_WINDOW, partial(_pool, "max")),
    "GlobalAveragePooling2D": LayerKind(_GLOBAL, partial(_global_pool, "average")),
    "GlobalMaxPooling2D": LayerKind(_GLOBAL, partial(_global_pool, "max")),
    "GlobalAveragePooling1D": LayerKind(_GLOBAL, partial(_global_pool_1d, "mean")),
    "GlobalMaxPooling1D": LayerKind(_GLOBAL, partial(_global_pool_1d, "max")),
    "ZeroPadding2D": _with_format(_zero_padding, padding=_sides(19)),
    "Cropping2D": _with_format(_cropping, cropping=_sides(MAX_UNITS)),
    "UpSampling2D": _with_format(
        _up_sampling, size=pair(1, 8, (2, 2)),
        interpolation=choice("nearest", "bilinear", default="nearest"),
    ),
    "Flatten": _with_format(
        lambda builder, options, x: builder.add(ops.Reshape((prod(builder.shape(x)),)), x)
    ),
    "Reshape": LayerKind({"target_shape": integers(-1, MAX_UNITS)}, _reshape),
    "Permute": LayerKind({"dims": integers(1, 8)}, _permute),
    **{
        name: LayerKind(unread(*options.split()), lambda builder, options, x: x)
        for name, options in _IN_TRAINING.items()
    },
}
