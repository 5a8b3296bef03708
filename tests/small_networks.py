"""Artefacts made of the intake's own operations, without a file."""

import numpy as np

from golois.constants import PLANES_SHAPE
from tournament.intake.graph.graph import Graph, Node
from tournament.intake.graph.onnx import to_onnx
from tournament.intake.graph.ops import Conv, Dense, GlobalPool, Input, Op, Reshape, Softmax, Unary


class Writer:
    """Writes a graph from the planes on, an operation after the other."""

    def __init__(self, input_shape: tuple[int, ...] = PLANES_SHAPE):
        self.nodes = [Node(Input(input_shape), (), input_shape)]

    def add(self, op: Op, *inputs: int) -> int:
        """Append an operation on earlier results, and return its own number."""
        shape = op.infer(*(self.nodes[i].shape for i in inputs))
        self.nodes.append(Node(op, inputs, shape))
        return len(self.nodes) - 1

    def graph(self, policy: int = -1, value: int = -1) -> Graph:
        """The graph with these outputs; the last result is the default."""
        size = len(self.nodes)
        return Graph(tuple(self.nodes), policy % size, value % size)


def convolution(weights: np.ndarray, bias: np.ndarray | None = None) -> Conv:
    """A convolution by weights [n, n, channels, filters] that keeps the size of the board."""
    pad = weights.shape[0] // 2
    return Conv(weights.astype(np.float32), bias, (1, 1), ((pad, pad),) * 2, (1, 1), 1)


def artefact(kernels: list[np.ndarray]) -> bytes:
    """An artefact of convolutions [n, n, channels, filters], each with a ReLU, the last of one
    filter; it is policy and, as mean over the board, value.
    """
    writer, x = Writer(), 0
    for kernel in kernels:
        x = writer.add(Unary("relu"), writer.add(convolution(kernel), x))
    policy = writer.add(Softmax(), writer.add(Reshape((361,)), x))
    mean = writer.add(GlobalPool("average", keepdims=False), x)
    value = writer.add(Unary("sigmoid"), writer.add(Dense(np.ones((1, 1), np.float32), None), mean))
    return to_onnx(writer.graph(policy, value)).encode()


def random_artefact(filters: int = 8, seed: int = 0) -> bytes:
    """An artefact of three convolutions with random weights."""
    rng = np.random.default_rng(seed)
    shapes = ((3, 3, 31, filters), (3, 3, filters, filters), (1, 1, filters, 1))
    return artefact([rng.normal(0, 0.1, shape) for shape in shapes])
