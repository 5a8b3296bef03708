"""Activation layers, and the activations that other layers name."""

from tournament.intake.layers.base import Builder, LayerKind
from tournament.intake.ops import PReLU, Softmax, Transpose, Unary
from tournament.intake.options import (
    Option,
    OptionError,
    ignored,
    integers,
    number,
    optional,
    training_only,
)

_FUNCTIONS = {
    "relu": Unary("relu"),
    "celu": Unary("elu", (1.0,)),
    "log_sigmoid": Unary("log_sigmoid"),
    "relu6": Unary("clip", (0.0, 6.0)),
    "leaky_relu": Unary("leaky_relu", (0.2,)),
    "elu": Unary("elu", (1.0,)),
    "selu": Unary("selu"),
    "gelu": Unary("gelu"),
    "silu": Unary("silu"),
    "swish": Unary("silu"),
    "hard_silu": Unary("hard_silu"),
    "hard_swish": Unary("hard_silu"),
    "mish": Unary("mish"),
    "sigmoid": Unary("sigmoid"),
    "tanh": Unary("tanh"),
    "softplus": Unary("softplus"),
    "softsign": Unary("softsign"),
    "exponential": Unary("exponential"),
    "softmax": Softmax(),
}
MAX_FLOAT = 3.4e38
_SPECIAL = ("linear", "hard_sigmoid")


def _read_activation(value: object) -> str:
    if value is None:
        return "linear"
    if not isinstance(value, str) or (value not in _FUNCTIONS and value not in _SPECIAL):
        names = ", ".join(sorted((*_FUNCTIONS, *_SPECIAL)))
        raise OptionError(f"the name of an activation ({names})")
    return value


def activation() -> Option:
    """An activation by name; never a function or an object."""
    return Option(_read_activation, "linear")


def activate(builder: Builder, name: str, x: int) -> int:
    """Append the named activation to a result."""
    if name == "linear":
        return x
    if name == "hard_sigmoid":
        slope = 1.0 / 6.0 if builder.keras_major >= 3 else 0.2
        return builder.add(Unary("hard_sigmoid", (slope,)), x)
    return builder.add(_FUNCTIONS[name], x)


def _activation(builder: Builder, options: dict, x: int) -> int:
    return activate(builder, options["activation"], x)


def _relu(builder: Builder, options: dict, x: int) -> int:
    slope, top = options["negative_slope"] or 0.0, options["max_value"]
    threshold = options["threshold"] or 0.0
    if slope == threshold == 0.0:
        op = Unary("relu") if top is None else Unary("clip", (0.0, top))
        return builder.add(op, x)
    if threshold == 0.0:
        result = builder.add(Unary("leaky_relu", (slope,)), x)
    else:
        result = builder.add(Unary("relu_from", (slope, threshold)), x)
    return result if top is None else builder.add(Unary("clip", (-MAX_FLOAT, top)), result)


def _leaky_relu(builder: Builder, options: dict, x: int) -> int:
    slope = options["negative_slope"]
    if slope is None:
        slope = 0.3 if options["alpha"] is None else options["alpha"]
    return builder.add(Unary("leaky_relu", (slope,)), x)


def _elu(builder: Builder, options: dict, x: int) -> int:
    return builder.add(Unary("elu", (options["alpha"],)), x)


def _prelu(builder: Builder, options: dict, x: int) -> int:
    shared = options["shared_axes"] or ()
    shape = tuple(
        1 if axis in shared else size for axis, size in enumerate(builder.shape(x), start=1)
    )
    return builder.add(PReLU(builder.weight("alpha", shape)), x)


def _softmax(builder: Builder, options: dict, x: int) -> int:
    axes = options["axis"]
    if len(axes) != 1:
        builder.refuse(f"option 'axis' is {axes}", "use layers.Softmax(axis=-1)")
    return softmax(builder, axes[0], x)


def softmax(builder: Builder, axis: int | None, x: int) -> int:
    """Append a softmax along an axis that counts the batch; None means the last."""
    rank = len(builder.shape(x))
    at = rank - 1 if axis in (None, -1) else axis - 1 if axis > 0 else axis + rank
    if axis == 0 or not 0 <= at < rank:
        builder.refuse(f"option 'axis' is {axis}", "use the axis -1")
    if at == rank - 1:
        return builder.add(Softmax(), x)
    order = [*range(rank)]
    order[at], order[-1] = order[-1], order[at]
    turned = builder.add(Softmax(), builder.add(Transpose(tuple(order)), x))
    return builder.add(Transpose(tuple(order)), turned)


_SLOPE = number(-100.0, 100.0)

ACTIVATION_LAYERS = {
    "Activation": LayerKind({"activation": activation()}, _activation),
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
    "ELU": LayerKind({"alpha": number(-100.0, 100.0, 1.0)}, _elu),
    "PReLU": LayerKind(
        {
            "shared_axes": optional(integers(1, 8)),
            **training_only("alpha_initializer", "alpha_regularizer", "alpha_constraint"),
        },
        _prelu,
    ),
    "Softmax": LayerKind({"axis": integers(-8, 8, default=(-1,)), "mask": ignored()}, _softmax),
}
