"""Activation layers, and the activations that other layers name."""

from dataclasses import dataclass

from tournament.intake.graph.ops import PReLU, Softmax, Unary
from tournament.intake.keras.builder import Builder
from tournament.intake.keras.layers.base import LayerKind, axes_of_position, with_axes_last
from tournament.intake.keras.options import (
    Option,
    OptionError,
    ignored,
    integers,
    number,
    optional,
    read_options,
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
    "hard_tanh": Unary("clip", (-1.0, 1.0)),
    "softplus": Unary("softplus"),
    "softsign": Unary("softsign"),
    "exponential": Unary("exponential"),
    "softmax": Softmax(),
}
MAX_FLOAT = 3.4e38
_SPECIAL = ("linear", "hard_sigmoid")
_SLOPE = number(-100.0, 100.0)


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
    options, wrong = read_options(kind.schema, config)
    if wrong:
        sentence = next(iter(wrong.values()))
        raise OptionError(f"an activation that can be read ({class_name}: {sentence})")
    return Inner(kind, options)


def activation() -> Option:
    """Return an activation by its name, or one of the layers below; never a function."""
    return Option(_read_activation, "linear")


def activate(builder: Builder, name: str | Inner, x: int) -> int:
    """Append an activation to a result."""
    if isinstance(name, Inner):
        return name.kind.lower(builder, name.options, x)
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


def softmax(builder: Builder, axis: int, x: int) -> int:
    """Append a softmax along an axis that counts the batch."""
    axes = axes_of_position(builder, (axis,), len(builder.shape(x)))
    return with_axes_last(builder, x, axes, lambda turned: builder.add(Softmax(), turned))


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
