"""A KataGo network as numbers: the layers in the order in which a position passes them.

All weights are float32. A layer keeps the name that the file gives it. C is a number of channels.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

Activation = Literal["identity", "relu", "mish", "silu"]


@dataclass(frozen=True, eq=False)
class Conv:
    """A convolution without bias that keeps the board's size, with zeros outside the board.

    kernel: [height, width, in, out], odd height and width. dilation: (rows, columns).
    """

    name: str
    kernel: np.ndarray
    dilation: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Norm:
    """(x - mean) / √(variance + epsilon) · scale + bias, all [C]; variance + epsilon > 0."""

    name: str
    mean: np.ndarray
    variance: np.ndarray
    scale: np.ndarray
    bias: np.ndarray
    epsilon: float

    def folded(self) -> tuple[np.ndarray, np.ndarray]:
        """The same as x · scale + bias: float32 (scale, bias), each [C]."""
        scale = self.scale / np.sqrt(np.float64(self.epsilon) + self.variance)
        return scale.astype(np.float32), (self.bias - self.mean * scale).astype(np.float32)


@dataclass(frozen=True, eq=False)
class RootMeanSquare:
    """x / √(mean of x² + epsilon) · scale + bias, both [C].

    The mean is over a point's channels, or over all channels and points if `spatial`.
    """

    name: str
    scale: np.ndarray
    bias: np.ndarray
    epsilon: float
    spatial: bool = False


@dataclass(frozen=True, eq=False)
class Dense:
    """x · kernel + bias along the last axis: kernel [in, out], bias [out] or None."""

    name: str
    kernel: np.ndarray
    bias: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class NormConv:
    """A norm, an activation and a convolution."""

    norm: Norm
    activation: Activation
    conv: Conv


@dataclass(frozen=True, eq=False)
class Pooling:
    """A board pooled into a vector for each point of another board.

    The layers come in this order; the pooling is between `activation` and `dense`.
    """

    conv: Conv
    norm: Norm
    activation: Activation
    dense: Dense


@dataclass(frozen=True, eq=False)
class OrdinaryBlock:
    """Two convolutions, added to the stream."""

    name: str
    first: NormConv
    second: NormConv


@dataclass(frozen=True, eq=False)
class PoolingBlock:
    """Two convolutions, added to the stream; between them every point gets the pooled board."""

    name: str
    first: NormConv
    pooling: Pooling
    second: NormConv


@dataclass(frozen=True, eq=False)
class BottleneckBlock:
    """Blocks on a narrower stream between two convolutions, added to the stream."""

    name: str
    first: NormConv
    blocks: "tuple[Block, ...]"
    second: NormConv


@dataclass(frozen=True, eq=False)
class AttentionBlock:
    """Attention of `heads` queries and `key_heads` keys and values, added to the stream.

    frequencies: float32 [2, key_heads, pairs], or None without a rotation. A point in row r and
    column c, counted from the top left, turns a pair of neighbouring channels of its queries and
    keys by the angle r · frequencies[0] + c · frequencies[1].
    """

    name: str
    norm: RootMeanSquare
    query: Dense
    key: Dense
    value: Dense
    output: Dense
    heads: int
    key_heads: int
    frequencies: np.ndarray | None


@dataclass(frozen=True, eq=False)
class FeedForwardBlock:
    """(SiLU(x · hidden) ⊙ x · gate) · output of each point, added to the stream."""

    name: str
    norm: RootMeanSquare
    hidden: Dense
    gate: Dense | None
    output: Dense


Block = OrdinaryBlock | PoolingBlock | BottleneckBlock | AttentionBlock | FeedForwardBlock


def all_blocks(blocks: "tuple[Block, ...]") -> Iterator[Block]:
    """Yield blocks, each bottleneck before the blocks within it."""
    for block in blocks:
        yield block
        if isinstance(block, BottleneckBlock):
            yield from all_blocks(block.blocks)


@dataclass(frozen=True, eq=False)
class PolicyHead:
    """The logits of the moves: those of points from each point, the pass from the pooled board.

    Each point is also given the pooled board. `passing` is one dense layer, or two with
    `pass_activation` between.
    """

    conv: Conv
    pooling: Pooling
    norm: Norm
    activation: Activation
    output: Conv
    passing: tuple[Dense, ...]
    pass_activation: Activation


@dataclass(frozen=True, eq=False)
class ValueHead:
    """Value and scores from the pooled board, ownership from each point."""

    conv: Conv
    norm: Norm
    activation: Activation
    hidden: Dense
    hidden_activation: Activation
    value: Dense
    score: Dense
    ownership: Conv


@dataclass(frozen=True, eq=False)
class Network:
    """A whole network of version 8 to 17.

    lead: how many points a raw lead of 1 means.
    `pass_alive`: its area input (planes 18 and 19) counts every point of a vital region.
    """

    name: str
    version: int
    lead: float
    pass_alive: bool
    conv: Conv
    globals: Dense
    blocks: tuple[Block, ...]
    norm: Norm | RootMeanSquare
    activation: Activation
    policy: PolicyHead
    value: ValueHead

    @property
    def is_transformer(self) -> bool:
        """Whether a block has attention or works on each point alone."""
        kinds = (AttentionBlock, FeedForwardBlock)
        return any(isinstance(block, kinds) for block in all_blocks(self.blocks))

    def convs_of_blocks(self) -> list[Conv]:
        """Return the convolutions between the first one and the heads."""
        parts = ("first", "pooling", "second")
        found = (getattr(block, part, None) for block in all_blocks(self.blocks) for part in parts)
        return [part.conv for part in found if part is not None]
