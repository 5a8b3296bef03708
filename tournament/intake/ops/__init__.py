"""The small set of operations that every layer is written in; see `graph.Op`."""

from tournament.intake.ops.activation import PReLU, Softmax, Unary
from tournament.intake.ops.combine import Combine, Concat
from tournament.intake.ops.linear import Conv, Dense
from tournament.intake.ops.normalise import BatchNorm, LayerNorm
from tournament.intake.ops.pool import GlobalPool, Pool
from tournament.intake.ops.reduce import MatMul, Reduce
from tournament.intake.ops.resize import ConvTranspose, Resize
from tournament.intake.ops.shape import Constant, Cut, Input, Pad, Reshape, Transpose

__all__ = [
    "BatchNorm", "Combine", "Concat", "Constant", "Conv", "ConvTranspose", "Cut", "Dense",
    "GlobalPool", "Input", "LayerNorm", "MatMul", "PReLU", "Pad", "Pool", "Reduce",
    "Reshape", "Resize", "Softmax", "Transpose", "Unary",
]
