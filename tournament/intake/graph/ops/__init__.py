"""The small set of operations that every layer is written in; see `graph.Op`."""

from tournament.intake.graph.ops.activation import BatchNorm, LayerNorm, PReLU, Softmax, Unary
from tournament.intake.graph.ops.linear import Conv, ConvTranspose, Dense, Resize
from tournament.intake.graph.ops.pool import GlobalPool, MatMul, Pool, Reduce
from tournament.intake.graph.ops.shape import (
    Combine,
    Concat,
    Constant,
    Cut,
    Input,
    Pad,
    Reshape,
    Transpose,
)

__all__ = [
    "BatchNorm", "Combine", "Concat", "Constant", "Conv", "ConvTranspose", "Cut", "Dense",
    "GlobalPool", "Input", "LayerNorm", "MatMul", "PReLU", "Pad", "Pool", "Reduce",
    "Reshape", "Resize", "Softmax", "Transpose", "Unary",
]
