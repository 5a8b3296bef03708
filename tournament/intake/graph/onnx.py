"""Writes a graph as ONNX: channels-first inside, one transposition at the entrance.

Deterministic: equal graphs give equal bytes.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from tournament.intake.graph.nodes import Graph, Shape

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
    if isinstance(value, Integral):
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

    def node(self, op_type: str, inputs: Sequence[str], **attributes: Any) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(encode_node(op_type, inputs, name, name, **attributes))
        return name

    def constant(self, array: np.ndarray | np.floating) -> str:
        if array.dtype != np.int64:
            array = array.astype(np.float32)
        name = f"c{len(self.constants)}"
        self.constants[name] = np.ascontiguousarray(array)
        return name


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
            dims = self._writer.constant(np.array((-1, *target), np.int64))
            return self._writer.node("Reshape", [source, dims])
        order = (0, 3, 1, 2) if channels_first else (0, 2, 3, 1)
        return self._writer.node("Transpose", [source], perm=order)


def to_onnx(graph: Graph) -> OnnxModel:
    """Return the model from `planes` to `policy` [B, moves] and `value` [B, 1].

    The batch is free; nothing is folded here, see `simplify`.
    """
    writer = _Writer()
    layouts = _Layouts(writer)
    layouts.put(0, graph.nodes[0].shape, False, INPUT)
    for at, node in enumerate(graph.nodes[1:], start=1):
        shapes = graph.input_shapes(node)
        first = node.op.channels_first
        names = [
            layouts.get(i, shape, first) for i, shape in zip(node.inputs, shapes, strict=True)
        ]
        layouts.put(at, node.shape, first, node.op.emit(writer, names, shapes))
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
