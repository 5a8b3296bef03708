"""An ONNX model as bytes, written without the package onnx and without protobuf's library.

An artefact has a few of the messages of ONNX; the numbers of their fields below are those of
onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto), and a message is encoded as in
https://protobuf.dev/programming-guides/encoding. Fields come in the order of their numbers, so
equal models give equal bytes, and the same as the package onnx gives.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

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
