"""Writes a graph as ONNX: channels-first inside, one transposition at the entrance.

Deterministic: equal graphs give equal bytes.
"""

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.intake.graph import ops
from tournament.intake.graph.graph import Graph
from tournament.intake.graph.ops import Op, Pads, Shape

INPUT, POLICY, VALUE = "planes", "policy", "value"
# Low enough for the runtimes of the last three years.
OPSET = 17
IR_VERSION = 8
Attribute = int | float | str | Sequence[int]
Field = int | float | str | bytes
_DATA_TYPES = {np.dtype(np.float32): 1, np.dtype(np.int64): 7}
_VARINT, _LENGTH, _FIXED_32 = 0, 2, 5  # how a field is written
_FLOAT, _INT, _STRING, _INTS = 1, 2, 3, 7  # what an attribute holds


@dataclass(frozen=True)
class OnnxModel:
    """Nodes and constants, from one or more float32 inputs to float32 outputs; the batch is free.

    Args:
        name: of the graph.
        nodes: as `encode_node` returns them.
        constants: float32 or int64 arrays by name.
        inputs: the shape of each input by name, without the batch.
        outputs: the same of each output.
        producer: the program that wrote the model, "" for none.
    """

    name: str
    nodes: Sequence[bytes]
    constants: Mapping[str, np.ndarray]
    inputs: Mapping[str, Sequence[int]]
    outputs: Mapping[str, Sequence[int]]
    producer: str = ""

    def encode(self) -> bytes:
        """Return the bytes of a .onnx file.

        Raises:
            KeyError: a constant is neither float32 nor int64.
        """
        graph = [
            *_fields(1, self.nodes),
            (2, self.name),
            *_fields(5, (_tensor(name, array) for name, array in self.constants.items())),
            *_fields(11, (_described(name, shape) for name, shape in self.inputs.items())),
            *_fields(12, (_described(name, shape) for name, shape in self.outputs.items())),
        ]
        producer = [(2, self.producer)] if self.producer else []
        operators = _message([(1, ""), (2, OPSET)])
        return _message([(1, IR_VERSION), *producer, (7, _message(graph)), (8, operators)])


def encode_node(
    op_type: str, inputs: Iterable[str], result: str, name: str = "", **attributes: Attribute
) -> bytes:
    """Return a node that computes `result` from earlier results, inputs and constants."""
    named = [(3, name)] if name else []
    described = (_attribute(key, value) for key, value in sorted(attributes.items()))
    return _message(
        [*_fields(1, inputs), (2, result), *named, (4, op_type), *_fields(5, described)]
    )


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, str):
        return _message([(1, name), (4, value), (20, _STRING)])
    if isinstance(value, Sequence):
        return _message([(1, name), *_fields(8, value), (20, _INTS)])
    if isinstance(value, (int, np.integer)):
        return _message([(1, name), (3, int(value)), (20, _INT)])
    return _message([(1, name), (2, float(value)), (20, _FLOAT)])


def _tensor(name: str, array: np.ndarray) -> bytes:
    numbers = array.astype(array.dtype.newbyteorder("<")).tobytes()
    return _message(
        [*_fields(1, array.shape), (2, _DATA_TYPES[array.dtype]), (8, name), (9, numbers)]
    )


def _described(name: str, shape: Sequence[int]) -> bytes:
    batch = _message([(2, "batch")])
    dimensions = _message(_fields(1, [batch, *(_message([(1, size)]) for size in shape)]))
    tensor = _message([(1, _DATA_TYPES[np.dtype(np.float32)]), (2, dimensions)])
    return _message([(1, name), (2, _message([(1, tensor)]))])


def _fields(number: int, values: Iterable[Field]) -> list[tuple[int, Field]]:
    """A repeated field, as protobuf 2 has it: each value behind the field's number."""
    return [(number, value) for value in values]


def _message(fields: Iterable[tuple[int, Field]]) -> bytes:
    return b"".join(_field(number, value) for number, value in fields)


def _field(number: int, value: Field) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3 | _VARINT) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | _FIXED_32) + struct.pack("<f", value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | _LENGTH) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; a negative number in 64 bits."""
    value &= (1 << 64) - 1
    digits = bytearray()
    while value > 0x7F:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*digits, value])

class _Writer:
    """Collects nodes and constants under names of our own, never the author's."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.constants: dict[str, np.ndarray] = {}

    def node(self, op_type: str, *inputs: str, **attributes: Any) -> str:
        """Append a node and return the name of its one result."""
        name = f"n{len(self.nodes)}"
        self.nodes.append(encode_node(op_type, inputs, name, name, **attributes))
        return name

    def constant(self, numbers: npt.ArrayLike) -> str:
        """Append an array and return its name: int64 stays, all else becomes float32."""
        array = np.asarray(numbers)
        if array.dtype != np.int64:
            array = array.astype(np.float32)
        name = f"c{len(self.constants)}"
        self.constants[name] = np.ascontiguousarray(array)
        return name

    def ints(self, numbers: Iterable[int]) -> str:
        """Append int64 numbers and return their name."""
        return self.constant(np.array([*numbers], np.int64))


class _Layouts:
    """The name of each result in either layout, transposed at most once."""

    def __init__(self, writer: _Writer) -> None:
        self._writer = writer
        self._names: dict[tuple[int, bool], str] = {}

    def put(self, index: int, shape: Shape, channels_first: bool, name: str) -> None:
        self._names[index, channels_first] = name
        if len(shape) != 3:
            self._names[index, not channels_first] = name

    def get(self, index: int, shape: Shape, channels_first: bool) -> str:
        if (index, channels_first) not in self._names:
            source = self._names[index, not channels_first]
            self._names[index, channels_first] = self._convert(source, shape, channels_first)
        return self._names[index, channels_first]

    def _convert(self, source: str, shape: Shape, channels_first: bool) -> str:
        rows, columns, channels = shape
        if channels == 1 or rows * columns == 1:
            target = (channels, rows, columns) if channels_first else shape
            return self._writer.node("Reshape", source, self._writer.ints((-1, *target)))
        order = (0, 3, 1, 2) if channels_first else (0, 2, 3, 1)
        return self._writer.node("Transpose", source, perm=order)


# How each operation is written, given the number of axes of its (first) input and the names of all.
# Boards are (B, C, H, W), except in the operations of _CHANNELS_LAST.


def _first_axis(axis: int, rank: int) -> int:
    """Return where ONNX has an axis (from 0, without the batch) of a channels-first result."""
    return {0: 2, 1: 3, 2: 1}[axis] if rank == 3 else axis + 1


def _ends(pads: Pads) -> tuple[int, int, int, int]:
    (top, bottom), (left, right) = pads
    return top, left, bottom, right


def _with_bias(to: _Writer, kernel: np.ndarray, bias: np.ndarray | None) -> list[str]:
    return [to.constant(kernel), *([] if bias is None else [to.constant(bias)])]


def _conv(to: _Writer, op: ops.Conv, rank: int, x: str) -> str:
    weights = _with_bias(to, op.kernel.transpose(3, 2, 0, 1), op.bias)
    return to.node(
        "Conv", x, *weights, kernel_shape=op.kernel.shape[:2], strides=op.strides,
        pads=_ends(op.pads), dilations=op.dilation, group=op.groups,
    )


def _conv_transpose(to: _Writer, op: ops.ConvTranspose, rank: int, x: str) -> str:
    weights = _with_bias(to, op.kernel.transpose(2, 3, 0, 1), op.bias)
    return to.node(
        "ConvTranspose", x, *weights, kernel_shape=op.kernel.shape[:2], strides=op.strides,
        pads=_ends(op.pads), dilations=op.dilation, output_padding=op.extra,
    )


def _dense(to: _Writer, op: ops.Dense, rank: int, x: str) -> str:
    if rank == 3:
        kernel = op.kernel[np.newaxis, np.newaxis]
        return _conv(to, ops.Conv(kernel, op.bias, (1, 1), ((0, 0), (0, 0)), (1, 1), 1), rank, x)
    if rank == 1 and op.bias is not None:
        return to.node("Gemm", x, *_with_bias(to, op.kernel, op.bias))
    product = to.node("MatMul", x, to.constant(op.kernel))
    return product if op.bias is None else to.node("Add", product, to.constant(op.bias))


def _batch_norm(to: _Writer, op: ops.BatchNorm, rank: int, x: str) -> str:
    if rank == 3:  # the runtime keeps its own layout through this node
        constants = map(to.constant, (op.gamma, op.beta, op.mean, op.variance))
        return to.node("BatchNormalization", x, *constants, epsilon=op.epsilon)
    scale, shift = op.scale_and_shift()
    return to.node("Add", to.node("Mul", x, to.constant(scale)), to.constant(shift))


def _layer_norm(to: _Writer, op: ops.LayerNorm, rank: int, x: str) -> str:
    constants = map(to.constant, (op.gamma, op.beta))
    return to.node("LayerNormalization", x, *constants, axis=-op.gamma.ndim, epsilon=op.epsilon)


def _softmax(to: _Writer, op: ops.Softmax, rank: int, x: str) -> str:
    return to.node("Softmax", x, axis=1 if rank == 3 and op.channels_first else -1)


def _prelu(to: _Writer, op: ops.PReLU, rank: int, x: str) -> str:
    return to.node("PRelu", x, to.constant(op.alpha.transpose(2, 0, 1) if rank == 3 else op.alpha))


def _pool(to: _Writer, op: ops.Pool, rank: int, x: str) -> str:
    op_type = "AveragePool" if op.kind == "average" else "MaxPool"
    return to.node(op_type, x, kernel_shape=op.size, strides=op.strides, pads=_ends(op.pads))


def _global_pool(to: _Writer, op: ops.GlobalPool, rank: int, x: str) -> str:
    pooled = to.node("GlobalAveragePool" if op.kind == "average" else "GlobalMaxPool", x)
    return pooled if op.keepdims else to.node("Flatten", pooled)


def _reduce(to: _Writer, op: ops.Reduce, rank: int, x: str) -> str:
    axes = sorted(_first_axis(axis, rank) for axis in op.axes)
    return to.node("ReduceMean" if op.kind == "mean" else "ReduceMax", x, axes=axes)


def _resize(to: _Writer, op: ops.Resize, rank: int, x: str) -> str:
    options = (
        {"mode": "nearest", "nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
        if op.interpolation == "nearest"
        else {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
    )
    return to.node("Resize", x, "", to.constant([1.0, 1.0, *op.factors]), **options)


def _cut(to: _Writer, op: ops.Cut, rank: int, x: str) -> str:
    axes = [_first_axis(axis, rank) for axis in range(rank)]
    return to.node("Slice", x, *map(to.ints, (op.starts, op.stops, axes, op.steps)))


def _pad(to: _Writer, op: ops.Pad, rank: int, x: str) -> str:
    top, left, bottom, right = _ends(op.pads)
    return to.node("Pad", x, to.ints((0, 0, top, left, 0, 0, bottom, right)))


_COMBINE = {
    "maximum": "Max", "minimum": "Min", "average": "Mean",
    "add": "Add", "subtract": "Sub", "multiply": "Mul", "divide": "Div",
}


def _combine(to: _Writer, op: ops.Combine, rank: int, *names: str) -> str:
    op_type = _COMBINE[op.kind]
    if op.kind in ("maximum", "minimum", "average"):
        return to.node(op_type, *names)
    return reduce(lambda left, right: to.node(op_type, left, right), names)


def _gelu(to: _Writer, x: str) -> str:
    scaled = to.node("Div", x, to.constant(sqrt(2.0)))
    shifted = to.node("Add", to.node("Erf", scaled), to.constant(1.0))
    return to.node("Mul", to.node("Mul", x, to.constant(0.5)), shifted)


def _gelu_tanh(to: _Writer, x: str) -> str:
    cube = to.node("Mul", to.node("Mul", x, x), x)
    inner = to.node("Add", x, to.node("Mul", cube, to.constant(0.044715)))
    tanh = to.node("Tanh", to.node("Mul", inner, to.constant(sqrt(2.0 / np.pi))))
    shifted = to.node("Add", tanh, to.constant(1.0))
    return to.node("Mul", to.node("Mul", x, shifted), to.constant(0.5))


def _relu_from(to: _Writer, x: str, slope: float, start: float) -> str:
    threshold = to.constant(start)
    above = to.node("Greater", x, threshold)
    below = to.node("Sub", x, threshold)
    return to.node("Where", above, x, to.node("Mul", below, to.constant(slope)))


_FUNCTIONS: dict[str, Callable[..., str]] = {
    "relu": lambda to, x: to.node("Relu", x),
    "clip": lambda to, x, low, high: to.node("Clip", x, to.constant(low), to.constant(high)),
    "leaky_relu": lambda to, x, slope: to.node("LeakyRelu", x, alpha=slope),
    "relu_from": _relu_from,
    "elu": lambda to, x, alpha: to.node("Elu", x, alpha=alpha),
    "selu": lambda to, x: to.node("Selu", x, alpha=ops.SELU_ALPHA, gamma=ops.SELU_SCALE),
    "sigmoid": lambda to, x: to.node("Sigmoid", x),
    "log_sigmoid": lambda to, x: to.node("Neg", to.node("Softplus", to.node("Neg", x))),
    "hard_sigmoid": lambda to, x, slope: to.node("HardSigmoid", x, alpha=slope, beta=0.5),
    "tanh": lambda to, x: to.node("Tanh", x),
    "softplus": lambda to, x: to.node("Softplus", x),
    "softsign": lambda to, x: to.node("Softsign", x),
    "exponential": lambda to, x: to.node("Exp", x),
    "silu": lambda to, x: to.node("Mul", x, to.node("Sigmoid", x)),
    "hard_silu": lambda to, x: to.node("HardSwish", x),
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
    "mish": lambda to, x: to.node("Mul", x, to.node("Tanh", to.node("Softplus", x))),
    "negative": lambda to, x: to.node("Neg", x),
}
_EMIT: dict[type[Op], Callable[..., str]] = {
    ops.Conv: _conv,
    ops.ConvTranspose: _conv_transpose,
    ops.Dense: _dense,
    ops.MatMul: lambda to, op, rank, *names: to.node("MatMul", *names),
    ops.Unary: lambda to, op, rank, x: _FUNCTIONS[op.function](to, x, *op.parameters),
    ops.Softmax: _softmax,
    ops.PReLU: _prelu,
    ops.BatchNorm: _batch_norm,
    ops.LayerNorm: _layer_norm,
    ops.Pool: _pool,
    ops.GlobalPool: _global_pool,
    ops.Reduce: _reduce,
    ops.Resize: _resize,
    ops.Constant: lambda to, op, rank: to.constant(op.array[np.newaxis].astype(np.float32)),
    ops.Cut: _cut,
    ops.Pad: _pad,
    ops.Reshape: lambda to, op, rank, x: to.node("Reshape", x, to.ints((-1, *op.target))),
    ops.Transpose: lambda to, op, rank, x: to.node(
        "Transpose", x, perm=(0, *(axis + 1 for axis in op.order))
    ),
    ops.Combine: _combine,
    ops.Concat: lambda to, op, rank, *names: to.node(
        "Concat", *names, axis=_first_axis(rank + op.axis, rank)
    ),
}
_CHANNELS_LAST = (
    ops.MatMul, ops.LayerNorm, ops.Input, ops.Constant, ops.Reshape, ops.Transpose
)


def _is_channels_first(op: Op) -> bool:
    return op.channels_first if isinstance(op, ops.Softmax) else not isinstance(op, _CHANNELS_LAST)


def to_onnx(graph: Graph) -> OnnxModel:
    """Return the model from `planes` to `policy` [B, moves] and `value` [B, 1].

    The batch is free; nothing is folded here, see `simplify`.
    """
    writer = _Writer()
    layouts = _Layouts(writer)
    layouts.put(0, graph.nodes[0].shape, False, INPUT)
    for at, node in enumerate(graph.nodes[1:], start=1):
        shapes = [graph.nodes[i].shape for i in node.inputs]
        first, rank = _is_channels_first(node.op), len(shapes[0]) if shapes else 0
        names = [layouts.get(i, shape, first) for i, shape in zip(node.inputs, shapes, strict=True)]
        written = _EMIT[type(node.op)](writer, node.op, rank, *names)
        layouts.put(at, node.shape, first, written)
    outputs = {POLICY: graph.policy, VALUE: graph.value}
    for name, index in outputs.items():
        source = layouts.get(index, graph.nodes[index].shape, False)
        writer.nodes.append(encode_node("Identity", [source], name, name))
    return OnnxModel(
        "network",
        writer.nodes,
        writer.constants,
        inputs={INPUT: graph.nodes[0].shape},
        outputs={name: graph.nodes[index].shape for name, index in outputs.items()},
        producer="go-coursework-kit",
    )
