"""The mathematics of a network, written once over the few operations that a backend gives.

A backend has three kinds of tensor. Boards have the backend's own layout, such as [B, 19, 19, C].
Points are [B, 361, C], row by row from the top left. Vectors are [B, C]. Source: KataGo 1.17.2.
"""

from typing import Protocol, TypeVar

import numpy as np

from golois.constants import BOARD_SIZE
from golois.katago import network as net

T = TypeVar("T")
_BY_SIZE = (BOARD_SIZE - 14) / 10  # KataGo plays on other boards too, and tells the size by these
_BY_SQUARE = (BOARD_SIZE - 14) ** 2 / 100 - 0.1


class Operations(Protocol[T]):
    """What a backend can do with its tensors."""

    def conv(self, board: T, layer: net.Conv) -> T:
        """A board of other channels."""

    def norm(self, board: T, layer: net.Norm) -> T:
        """A board of the same shape."""

    def root_mean_square(self, points: T, layer: net.RootMeanSquare) -> T:
        """Points of the same shape."""

    def dense(self, x: T, layer: net.Dense) -> T:
        """Points or vectors of other channels."""

    def activate(self, x: T, activation: net.Activation) -> T:
        """Any tensor, each number alone; mish is x · tanh(ln(1 + eˣ)), silu x / (1 + e⁻ˣ)."""

    def add(self, x: T, y: T) -> T:
        """The sum of two tensors of one shape."""

    def multiply(self, x: T, y: T) -> T:
        """The product of two tensors of one shape, number by number."""

    def scale(self, x: T, factor: float) -> T:
        """Any tensor, times a number."""

    def add_everywhere(self, board: T, vector: T) -> T:
        """A board whose every point gets the vector."""

    def mean(self, board: T) -> T:
        """The vector of each channel's mean over the board."""

    def maximum(self, board: T) -> T:
        """The vector of each channel's largest number."""

    def join(self, *vectors: T) -> T:
        """One vector of all channels."""

    def attend(self, query: T, key: T, value: T, block: net.AttentionBlock) -> T:
        """Points [B, 361, heads · value channels]: softmax(q · k / √(query channels)) · v.

        `angles` rotate queries and keys first. Query head h looks at key head
        ⌊h · key heads / heads⌋.
        """

    def points(self, board: T) -> T:
        """A board as points."""

    def board(self, points: T) -> T:
        """Points as a board."""

    def append(self, points: T, vector: T) -> T:
        """Points [B, 362, C], of which the vector is the last."""

    def flat(self, points: T) -> T:
        """Points of one channel as a vector [B, 361]."""


def outputs(ops: Operations[T], network: net.Network, planes: T, global_inputs: T) -> dict[str, T]:
    """Return the raw outputs of a network by name, in the view of the side to move.

    `planes` is a board of 22 channels, `global_inputs` is [B, 19].

    policy: [B, 362, channels], logits before the legal mask. Channel 0 is the plain policy. From
        version 12 channel 1 is the optimistic policy. From version 16 channels 2 and 3 are
        estimates for each move: win minus loss, and score.
    value: [B, 3], logits of win, loss and no result.
    score: [B, 4], or [B, 6] from version 9, before multipliers and softplus: mean, deviation, lead,
        time left, and the short-term errors of value and score.
    ownership: [B, 361], before tanh.
    """
    x = ops.conv(planes, network.conv)
    x = ops.add_everywhere(x, ops.dense(global_inputs, network.globals))
    for block in network.blocks:
        x = _block(ops, x, block)
    if isinstance(network.norm, net.RootMeanSquare):
        x = ops.board(ops.root_mean_square(ops.points(x), network.norm))
    else:
        x = ops.norm(x, network.norm)
    x = ops.activate(x, network.activation)
    return {"policy": _policy(ops, x, network.policy), **_value(ops, x, network.value)}


def angles(frequencies: np.ndarray, heads: int) -> np.ndarray:
    """Return the rotation of each point's pairs of channels: float32 [361, heads, pairs], radians.

    Channels a = x[2p] and b = x[2p + 1] become a · cos - b · sin and a · sin + b · cos.
    """
    frequencies = np.repeat(frequencies, heads // frequencies.shape[1], axis=1)
    rows, columns = np.divmod(np.arange(BOARD_SIZE**2, dtype=np.float64), BOARD_SIZE)
    row, column = (at[:, np.newaxis, np.newaxis] for at in (rows, columns))
    return (row * frequencies[0] + column * frequencies[1]).astype(np.float32)


def _norm_conv(ops: Operations[T], x: T, layer: net.NormConv) -> T:
    return ops.conv(ops.activate(ops.norm(x, layer.norm), layer.activation), layer.conv)


def _block(ops: Operations[T], x: T, block: net.Block) -> T:
    match block:
        case net.OrdinaryBlock():
            inner = _norm_conv(ops, x, block.first)
            return ops.add(x, _norm_conv(ops, inner, block.second))
        case net.PoolingBlock():
            read = ops.activate(ops.norm(x, block.first.norm), block.first.activation)
            inner = ops.conv(read, block.first.conv)
            inner = ops.add_everywhere(inner, _pooling(ops, read, block.pooling)[1])
            return ops.add(x, _norm_conv(ops, inner, block.second))
        case net.BottleneckBlock():
            inner = _norm_conv(ops, x, block.first)
            for one in block.blocks:
                inner = _block(ops, inner, one)
            return ops.add(x, _norm_conv(ops, inner, block.second))
        case net.AttentionBlock():
            points = ops.points(x)
            return ops.board(ops.add(points, _attention(ops, points, block)))
        case net.FeedForwardBlock():
            points = ops.points(x)
            return ops.board(ops.add(points, _feed_forward(ops, points, block)))


def _attention(ops: Operations[T], points: T, block: net.AttentionBlock) -> T:
    read = ops.root_mean_square(points, block.norm)
    query, key, value = (ops.dense(read, x) for x in (block.query, block.key, block.value))
    return ops.dense(ops.attend(query, key, value, block), block.output)


def _feed_forward(ops: Operations[T], points: T, block: net.FeedForwardBlock) -> T:
    read = ops.root_mean_square(points, block.norm)
    hidden = ops.activate(ops.dense(read, block.hidden), "silu")
    if block.gate is not None:
        hidden = ops.multiply(hidden, ops.dense(read, block.gate))
    return ops.dense(hidden, block.output)


def _pooling(ops: Operations[T], x: T, layer: net.Pooling) -> tuple[T, T]:
    """Return the pooled vector, and what it becomes."""
    x = ops.activate(ops.norm(ops.conv(x, layer.conv), layer.norm), layer.activation)
    mean = ops.mean(x)
    pooled = ops.join(mean, ops.scale(mean, _BY_SIZE), ops.maximum(x))
    return pooled, ops.dense(pooled, layer.dense)


def _policy(ops: Operations[T], x: T, head: net.PolicyHead) -> T:
    pooled, everywhere = _pooling(ops, x, head.pooling)
    board = ops.add_everywhere(ops.conv(x, head.conv), everywhere)
    board = ops.conv(ops.activate(ops.norm(board, head.norm), head.activation), head.output)
    passing = ops.dense(pooled, head.passing[0])
    for layer in head.passing[1:]:
        passing = ops.dense(ops.activate(passing, head.pass_activation), layer)
    return ops.append(ops.points(board), passing)


def _value(ops: Operations[T], x: T, head: net.ValueHead) -> dict[str, T]:
    board = ops.activate(ops.norm(ops.conv(x, head.conv), head.norm), head.activation)
    mean = ops.mean(board)
    pooled = ops.join(mean, ops.scale(mean, _BY_SIZE), ops.scale(mean, _BY_SQUARE))
    hidden = ops.activate(ops.dense(pooled, head.hidden), head.hidden_activation)
    return {
        "value": ops.dense(hidden, head.value),
        "score": ops.dense(hidden, head.score),
        "ownership": ops.flat(ops.points(ops.conv(board, head.ownership))),
    }
