"""KataGo's networks as models of OpenVINO."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import openvino
from openvino import opset13 as op

from golois.constants import BOARD_SIZE, NUM_POINTS
from golois.katago.network import (
    Activation,
    AttentionBlock,
    Conv,
    Dense,
    Network,
    Norm,
    RootMeanSquare,
)
from golois.katago.walk import Operations, angles, outputs

_LEAST_STEP = 1e-6


class _OpenVino(Operations):
    """Boards are [B, C, 19, 19], which convolutions here need."""

    def __init__(self, batch_size: int) -> None:
        self._batch = batch_size

    def conv(self, board, layer: Conv):
        kernel = np.ascontiguousarray(layer.kernel.transpose(3, 2, 0, 1))
        padding = [d * (n // 2) for d, n in zip(layer.dilation, kernel.shape[2:], strict=True)]
        board, weights = self.rounded(board, kernel, layer)
        return op.convolution(board, weights, [1, 1], padding, padding, list(layer.dilation))

    def rounded(self, board, kernel: np.ndarray, layer: Conv):
        """What a convolution reads, and its weights."""
        return board, kernel

    def norm(self, board, layer: Norm):
        scale, shift = (x.reshape(1, -1, 1, 1) for x in layer.folded())
        return op.add(op.multiply(board, scale), shift)

    def root_mean_square(self, points, layer: RootMeanSquare):
        axes = [1, 2] if layer.spatial else [2]
        mean = op.reduce_mean(op.multiply(points, points), axes, True)
        unit = op.divide(points, op.sqrt(op.add(mean, np.float32(layer.epsilon))))
        scaled = op.multiply(unit, layer.scale)
        return op.add(scaled, layer.bias) if layer.bias.any() else scaled

    def dense(self, x, layer: Dense):
        product = op.matmul(x, layer.kernel, False, False)
        return product if layer.bias is None else op.add(product, layer.bias)

    def activate(self, x, activation: Activation):
        match activation:
            case "relu":
                return op.relu(x)
            case "mish":
                return op.mish(x) if len(x.shape) > 2 else _mish_of_vector(x)
            case "silu":
                return op.swish(x)
        return x

    def add(self, x, y):
        return op.add(x, y)

    def multiply(self, x, y):
        return op.multiply(x, y)

    def scale(self, x, factor: float):
        return op.multiply(x, np.float32(factor))

    def add_everywhere(self, board, vector):
        return op.add(board, op.unsqueeze(vector, [2, 3]))

    def mean(self, board):
        return op.reduce_mean(board, [2, 3], False)

    def maximum(self, board):
        return op.reduce_max(board, [2, 3], False)

    def join(self, *vectors):
        return op.concat(list(vectors), 1)

    def attend(self, query, key, value, block: AttentionBlock):
        query = self._heads(query, block.heads)
        key, value = (self._heads(x, block.key_heads) for x in (key, value))
        if block.frequencies is not None:
            query = self._rotated(query, angles(block.frequencies, block.heads))
            key = self._rotated(key, angles(block.frequencies, block.key_heads))
        if block.heads != block.key_heads:
            repeats = np.repeat(np.arange(block.key_heads), block.heads // block.key_heads)
            key, value = (op.gather(x, repeats, 1) for x in (key, value))
        found = op.scaled_dot_product_attention(query, key, value)
        return op.reshape(op.transpose(found, [0, 2, 1, 3]), [self._batch, NUM_POINTS, -1], False)

    def _heads(self, points, heads: int):
        """[B, 361, heads · width] as [B, heads, 361, width]."""
        split = op.reshape(points, [self._batch, NUM_POINTS, heads, -1], False)
        return op.transpose(split, [0, 2, 1, 3])

    def _rotated(self, x, turns: np.ndarray):
        by_head = turns.transpose(1, 0, 2)
        cos, sin = (np.repeat(f(by_head), 2, axis=2)[np.newaxis] for f in (np.cos, np.sin))
        quarter = np.kron(np.eye(by_head.shape[2]), [[0, 1], [-1, 0]]).astype(np.float32)
        return op.add(op.multiply(x, cos), op.multiply(op.matmul(x, quarter, False, False), sin))

    def points(self, board):
        flat = op.reshape(board, [self._batch, board.get_output_shape(0)[1], NUM_POINTS], False)
        return op.transpose(flat, [0, 2, 1])

    def board(self, points):
        turned = op.transpose(points, [0, 2, 1])
        return op.reshape(turned, [self._batch, -1, BOARD_SIZE, BOARD_SIZE], False)

    def append(self, points, vector):
        return op.concat([points, op.unsqueeze(vector, 1)], 1)

    def flat(self, points):
        return op.squeeze(points, [2])


class _Measuring(_OpenVino):
    """Also finds the least and the largest number of each position that a convolution reads."""

    def __init__(self, batch_size: int) -> None:
        super().__init__(batch_size)
        self.found: dict[Conv, tuple] = {}

    def rounded(self, board, kernel: np.ndarray, layer: Conv):
        least, most = (reduce(board, [1, 2, 3], False) for reduce in (op.reduce_min, op.reduce_max))
        self.found[layer] = least, most
        return board, kernel


class _Int8(_OpenVino):
    """The convolutions of blocks read numbers within ranges, in 256 steps.

    The weights have 255 steps, as wide as each channel needs. OpenVINO computes in int8 between
    such steps. Zero is a step, since it stands beside the board.
    """

    def __init__(self, batch_size: int, ranges: Mapping[Conv, tuple[float, float]]) -> None:
        super().__init__(batch_size)
        self._ranges = ranges

    def rounded(self, board, kernel: np.ndarray, layer: Conv):
        if layer not in self._ranges:
            return board, kernel
        least, most = self._ranges[layer]
        step = max((most - least) / 255, _LEAST_STEP)
        below = round(-least / step)
        most_weights = np.maximum(np.abs(kernel).max(axis=(1, 2, 3), keepdims=True), _LEAST_STEP)
        return (
            _in_steps(board, np.float32(-below * step), np.float32((255 - below) * step), 256),
            _in_steps(op.constant(kernel), -most_weights, most_weights, 255),
        )


def _in_steps(x, least, most, steps: int):
    return op.fake_quantize(x, least, most, least, most, steps)


def _mish_of_vector(x):
    """OpenVINO 2026.4 fails on its mish between dense layers; n is eˣ (eˣ + 2)."""
    power = op.exp(op.minimum(x, np.float32(20)))
    n = op.multiply(power, op.add(power, np.float32(2)))
    return op.multiply(x, op.divide(n, op.add(n, np.float32(2))))


def build_model(
    network: Network, batch_size: int, ranges: Sequence[tuple[float, float]] = ()
) -> openvino.Model:
    """Return a network as a model of OpenVINO for batches of one size.

    The inputs are `planes` float32 [B, 19, 19, 22] and `globals` float32 [B, 19], the outputs those
    of `golois.katago.walk.outputs`. With `ranges`, the least and the largest number that each of
    `convs_of_blocks` reads, these convolutions are in int8.
    """
    by_layer = dict(zip(network.convs_of_blocks(), ranges, strict=True)) if ranges else {}
    ops = _Int8(batch_size, by_layer) if ranges else _OpenVino(batch_size)
    return _model(network, batch_size, ops, lambda answers: answers)


def build_extremes(network: Network, batch_size: int) -> openvino.Model:
    """Return a model with the same inputs that tells which numbers `convs_of_blocks` read.

    The outputs are `least` and `most` float32 [L, B], the extremes of each layer in each position.
    """
    ops = _Measuring(batch_size)

    def extremes(_answers: dict) -> dict:
        columns = zip(*(ops.found[layer] for layer in network.convs_of_blocks()), strict=True)
        return {
            name: op.concat([op.unsqueeze(x, [0]) for x in column], 0)
            for name, column in zip(("least", "most"), columns, strict=True)
        }

    return _model(network, batch_size, ops, extremes)


def _model(
    network: Network, batch_size: int, ops: _OpenVino, wanted: Callable[[dict], dict]
) -> openvino.Model:
    shape = [batch_size, BOARD_SIZE, BOARD_SIZE, network.conv.kernel.shape[2]]
    planes = op.parameter(shape, np.float32, "planes")
    global_inputs = op.parameter([batch_size, len(network.globals.kernel)], np.float32, "globals")
    board = op.transpose(planes, [0, 3, 1, 2])
    answers = outputs(ops, network, board, global_inputs)
    results = []
    for name, answer in wanted(answers).items():
        result = op.result(answer)
        result.output(0).set_names({name})
        results.append(result)
    for parameter, name in ((planes, "planes"), (global_inputs, "globals")):
        parameter.output(0).set_names({name})
    return openvino.Model(results, [planes, global_inputs], network.name)
