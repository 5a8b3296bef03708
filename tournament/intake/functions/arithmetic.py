"""Functions of each number: arithmetic with tensors and constants, and activations."""

from functools import partial

import numpy as np

from tournament.intake.functions.base import (
    OPERAND,
    OPERANDS,
    TENSOR,
    TENSORS,
    Found,
    FunctionKind,
    axis_of,
)
from tournament.intake.functions.reduction import log_sum_exp
from tournament.intake.layers.activation import activate, softmax
from tournament.intake.layers.base import Builder
from tournament.intake.ops import Combine, Concat, Unary
from tournament.intake.ops.combine import CombineKind
from tournament.intake.schema import Option, boolean, choice, ignored, integer, number

_NAME = {"name": ignored()}


def _ranked(builder: Builder, operand: Found | np.ndarray, rank: int) -> int:
    """Return a constant as a result of `rank` axes; a tensor has to have as many."""
    if isinstance(operand, Found):
        shape = builder.shape(operand.index)
        if len(shape) != rank:
            builder.refuse(
                f"an operand is {shape}, the other has {rank} axes",
                "reshape one of them, so that both have the same number of axes",
            )
        return operand.index
    array = operand
    while array.ndim > rank and array.shape[0] == 1:
        array = array[0]
    if array.ndim > rank:
        builder.refuse(f"a constant is {array.shape}", "use one that is the same for each position")
    return builder.constant(array.reshape((1,) * (rank - array.ndim) + array.shape))


def _binary(kind: CombineKind, builder: Builder, arguments: dict) -> int:
    operands = [arguments["x"], arguments["y"]]
    ranks = [len(builder.shape(x.index)) for x in operands if isinstance(x, Found)]
    if not ranks:
        builder.refuse("neither operand is a tensor", "leave the constant out")
    left, right = (_ranked(builder, operand, max(ranks)) for operand in operands)
    return builder.add(Combine(kind), left, right)


def _squared_difference(builder: Builder, arguments: dict) -> int:
    return builder.add(Unary("square"), _binary("subtract", builder, arguments))


def _add_n(builder: Builder, arguments: dict) -> int:
    return builder.add(Combine("add"), *(x.index for x in arguments["inputs"]))


def _unary(function: str, builder: Builder, arguments: dict) -> int:
    return builder.add(Unary(function), arguments["x"].index)


def _activation(name: str, builder: Builder, arguments: dict) -> int:
    return activate(builder, name, arguments["x"].index)


def _leaky_relu(builder: Builder, arguments: dict) -> int:
    return builder.add(Unary("leaky_relu", (arguments["alpha"],)), arguments["x"].index)


def _elu(builder: Builder, arguments: dict) -> int:
    return builder.add(Unary("elu", (arguments["alpha"],)), arguments["x"].index)


def _gelu(builder: Builder, arguments: dict) -> int:
    function = "gelu_tanh" if arguments["approximate"] else "gelu"
    return builder.add(Unary(function), arguments["x"].index)


def _silu(builder: Builder, arguments: dict) -> int:
    return activate(builder, "silu", arguments["x"].index)


def _softmax(builder: Builder, arguments: dict) -> int:
    return softmax(builder, arguments["axis"], arguments["x"].index)


def _log_softmax(builder: Builder, arguments: dict) -> int:
    """Return x - log(sum(exp(x))), finite where a softmax is 0 in float32."""
    x = arguments["x"].index
    at = axis_of(builder, arguments["axis"], len(builder.shape(x)))
    return builder.add(Combine("subtract"), x, log_sum_exp(builder, x, (at,)))


def _crelu(builder: Builder, arguments: dict) -> int:
    """Append relu(x) and relu(-x), with the channels of one after those of the other."""
    x = arguments["x"].index
    negative = builder.add(Unary("negative"), x)
    return builder.add(Concat(-1), *(builder.add(Unary("relu"), i) for i in (x, negative)))


def _relu(builder: Builder, arguments: dict) -> int:
    return activate(builder, "relu", arguments["x"].index)


def _clip(builder: Builder, arguments: dict) -> int:
    bounds = (arguments["low"], arguments["high"])
    return builder.add(Unary("clip", bounds), arguments["x"].index)


def _identity(builder: Builder, arguments: dict) -> int:
    return arguments["x"].index


def _identity_n(builder: Builder, arguments: dict) -> tuple[int, ...]:
    """Return all inputs as they are, constants among them."""
    return tuple(
        value.index if isinstance(value, Found) else builder.constant(value)
        for value in arguments["values"]
    )


_PAIR = {"x": OPERAND, "y": OPERAND, **_NAME}
_PAIR_NAMES = {"x1": "x", "x2": "y", "a": "x", "b": "y"}
_ONE = {"x": TENSOR, **_NAME}
_ONE_NAMES = {"features": "x", "input": "x", "logits": "x"}
_SLOPE = number(-100.0, 100.0, 0.2)
_AXIS = integer(-8, 8, -1)
# None is the last axis for TensorFlow; for Keras 3 it is all of them, the batch too.
_AXIS_OF_TF = Option(lambda value: -1 if value is None else _AXIS.read(value), -1)
_BOUND = number(-1e30, 1e30)
_ACTIVATIONS = (
    "selu", "silu", "hard_silu", "mish", "relu", "relu6", "sigmoid", "tanh", "hard_tanh",
    "softplus", "softsign", "exponential", "hard_sigmoid", "log_sigmoid", "linear",
)
_UNARY = (
    "negative", "absolute", "square", "sqrt", "rsqrt", "reciprocal", "log", "log1p", "expm1",
    "erf", "sin", "cos",
)
# What functions that return their input are told besides.
_UNCHANGING = ("dtype_hint", "shape", "message", "sparse", "ragged")

ARITHMETIC: dict[str, FunctionKind] = {
    **{
        kind: FunctionKind(_PAIR, partial(_binary, kind), _PAIR_NAMES)
        for kind in ("add", "subtract", "multiply", "divide", "power", "maximum", "minimum")
    },
    "squared_difference": FunctionKind(_PAIR, _squared_difference, _PAIR_NAMES),
    "scalar_mul": FunctionKind(_PAIR, partial(_binary, "multiply"), {"scalar": "x", "x": "y"}),
    "add_n": FunctionKind(
        {"inputs": TENSORS, "shape": ignored(), "tensor_dtype": ignored(), **_NAME}, _add_n
    ),
    "bias_add": FunctionKind(
        {"x": TENSOR, "y": OPERAND, "data_format": choice("NHWC", "N...C", None, default=None),
         **_NAME},
        partial(_binary, "add"), {"value": "x", "bias": "y"},
    ),
    **{name: FunctionKind(_ONE, partial(_unary, name), _ONE_NAMES) for name in _UNARY},
    **{name: FunctionKind(_ONE, partial(_activation, name), _ONE_NAMES) for name in _ACTIVATIONS},
    "activation_relu": FunctionKind(  # keras.activations.relu with its own options
        {"x": TENSOR, "alpha": number(0.0, 0.0, 0.0), "max_value": choice(None, default=None),
         "threshold": number(0.0, 0.0, 0.0), **_NAME},
        _relu, {"negative_slope": "alpha"},
    ),
    "swish": FunctionKind(
        {"x": TENSOR, "beta": number(1.0, 1.0, 1.0), **_NAME}, _silu, _ONE_NAMES
    ),
    "leaky_relu": FunctionKind(
        {"x": TENSOR, "alpha": _SLOPE, **_NAME}, _leaky_relu,
        {**_ONE_NAMES, "negative_slope": "alpha"},
    ),
    "elu": FunctionKind(
        {"x": TENSOR, "alpha": number(-100.0, 100.0, 1.0), **_NAME}, _elu, _ONE_NAMES
    ),
    "celu": FunctionKind({"x": TENSOR, "alpha": number(1.0, 1.0, 1.0), **_NAME}, _elu),
    "gelu_tf": FunctionKind(
        {"x": TENSOR, "approximate": boolean(False), **_NAME}, _gelu, _ONE_NAMES
    ),
    "gelu_keras": FunctionKind({"x": TENSOR, "approximate": boolean(True), **_NAME}, _gelu),
    "softmax_tf": FunctionKind({"x": TENSOR, "axis": _AXIS_OF_TF, **_NAME}, _softmax, _ONE_NAMES),
    "softmax_keras": FunctionKind({"x": TENSOR, "axis": _AXIS, **_NAME}, _softmax),
    "log_softmax_tf": FunctionKind(
        {"x": TENSOR, "axis": _AXIS_OF_TF, **_NAME}, _log_softmax, _ONE_NAMES
    ),
    "log_softmax_keras": FunctionKind({"x": TENSOR, "axis": _AXIS, **_NAME}, _log_softmax),
    "crelu": FunctionKind(
        {"x": TENSOR, "axis": choice(-1, default=-1), **_NAME}, _crelu, _ONE_NAMES
    ),
    "clip": FunctionKind(
        {"x": TENSOR, "low": _BOUND, "high": _BOUND, **_NAME}, _clip,
        {"t": "x", "clip_value_min": "low", "clip_value_max": "high", "x_min": "low",
         "x_max": "high", "min_value": "low", "max_value": "high"},
    ),
    "identity": FunctionKind(
        {"x": TENSOR, "dtype": choice(None, "float32", default=None),
         **{name: ignored() for name in _UNCHANGING}, **_NAME},
        _identity, {name: "x" for name in ("variable", "input", "value", "tensor")},
    ),
    "identity_n": FunctionKind({"values": OPERANDS}, _identity_n),
    "cast": FunctionKind(
        {"x": TENSOR, "dtype": choice("float32"), **_NAME}, _identity
    ),
}
