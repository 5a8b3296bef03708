"""What one evaluation of a Keras model costs, counted by its products."""

from math import prod
from typing import Any

from keras import layers

from models.parts.equivariant import EquivariantConv2D


def count_flops(model: Any) -> int:
    """Count the floating-point operations of one position; a multiply-add is two.

    Counts convolutions, dense layers and attention, of stock layers and those of
    `models.parts.equivariant`; leaves out what is done once for each number.
    """
    return 2 * sum(
        _products(layer, node) for layer in model.layers for node in layer._inbound_nodes
    )


def _products(layer: Any, node: Any) -> int:
    inputs = [tensor.shape[1:] for tensor in node.input_tensors]
    (output,) = (tensor.shape[1:] for tensor in node.outputs)
    if isinstance(layer, layers.Conv2D | layers.DepthwiseConv2D):
        return prod(output[:2]) * prod(layer.kernel.shape)
    if isinstance(layer, EquivariantConv2D):
        return prod(output[:2]) * layer.shared_kernel.index.size
    if isinstance(layer, layers.Dense):
        return prod(output[:-1]) * prod(layer.kernel.shape)
    if isinstance(layer, layers.Dot):
        contracted = layer.axes if isinstance(layer.axes, int) else layer.axes[0]
        return prod(output) * inputs[0][contracted - 1]
    if isinstance(layer, layers.MultiHeadAttention):
        tokens, width = inputs[0]
        return tokens * width * (4 * width + 2 * tokens)
    return 0
