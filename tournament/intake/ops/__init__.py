"""The small set of operations that every layer is written in; see `graph.Op`."""

from tournament.intake.ops.activation import PReLU, Softmax, Unary
from tournament.intake.ops.combine import Combine, Concat
from tournament.intake.ops.linear import Conv, Dense
from tournament.intake.ops.normalise import BatchNorm, LayerNorm
from tournament.intake.ops.pool import GlobalPool, Pool
from tournament.intake.ops.shape import Input, Pad, Reshape, Transpose

__all__ = [
    "BatchNorm", "Combine", "Concat", "Conv", "Dense", "GlobalPool", "Input", "LayerNorm",
    "PReLU", "Pad", "Pool", "Reshape", "Softmax", "Transpose", "Unary",
]
