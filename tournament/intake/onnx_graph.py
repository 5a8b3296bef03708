"""Writes a graph as ONNX: channels-first inside, one transposition at the entrance.

Deterministic: equal graphs give equal bytes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tournament.intake.graph import Graph, Shape
from tournament.intake.onnx_model import OnnxModel, encode_node

INPUT, POLICY, VALUE = "planes", "policy", "value"


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
