"""A chain of inverted bottlenecks, as in a mobilenet, trained by one native operation.

On a CPU TensorFlow spends most of a mobilenet's step on reading and writing: each of the eight
layers of a block goes over the whole batch, forward and back. `golois.bottlenecks` keeps a position
in the nearest caches between two normalizations, and uses the processor's matrix instructions for
bfloat16. `with_bottlenecks` finds such a chain in a network and computes it so, on the same
variables; validation, checkpoints and the .h5 have the stock layers. benchmarks/RESULTS.md says how
much faster that is.
"""

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import keras
from keras import layers

from golois.bottlenecks import Bottlenecks
from models.training.cpu_layers import faster_layer, trains_on_cpu, with_cpu_layers

CHANNELS = 16
"""The native operation takes multiples of so many."""


class Block(NamedTuple):
    """The layers of a bottleneck, and the tensor before it."""

    widen: layers.Conv2D
    first_norm: layers.BatchNormalization
    depthwise: layers.DepthwiseConv2D
    second_norm: layers.BatchNormalization
    narrow: layers.Conv2D
    last_norm: layers.BatchNormalization
    activations: tuple[layers.Activation, ...]
    add: layers.Add
    start: Any

    @property
    def all_layers(self) -> list[layers.Layer]:
        """Return all of them."""
        return [*self[:6], *self.activations, self.add]

    @property
    def end(self) -> Any:
        """Return the tensor after it."""
        return self.add.output

    @property
    def norms(self) -> tuple[layers.BatchNormalization, ...]:
        """Return the normalizations, in their order."""
        return self.first_norm, self.second_norm, self.last_norm

    @property
    def variables(self) -> list[Any]:
        """Return the trained variables, in the order of `golois.bottlenecks`."""
        convolutions = (self.widen, self.depthwise, self.narrow)
        pairs = zip(convolutions, self.norms, strict=True)
        return [v for layer, norm in pairs for v in (layer.kernel, norm.gamma, norm.beta)]


def has_bottlenecks(network: keras.Model) -> bool:
    """Return whether a chain of a network can be trained by the native operation."""
    return trains_on_cpu() and bool(longest_chain(network))


def with_bottlenecks(network: keras.Model, half: bool = False) -> keras.Model:
    """Return what trains like `network`, on its variables and faster, or `network` itself.

    Like `with_cpu_layers`, which it calls: the result is not to be saved.

    Args:
        network: in float32.
        half: whether the chain computes in bfloat16.
    """
    if not has_bottlenecks(network):
        return with_cpu_layers(network)
    chain = longest_chain(network)
    native = BottleneckChain(chain, half)
    inside = {id(layer) for block in chain for layer in block.all_layers}

    def clone(layer):
        return layer if id(layer) in inside else faster_layer(layer)

    def call(layer, x, *args, **options):
        if id(layer) not in inside:
            return layer(x, *args, **options)
        start = x[0] if isinstance(x, list) else x
        return native(start) if layer is chain[-1].add else start

    return keras.models.clone_model(network, clone_function=clone, call_function=call)


def longest_chain(network: keras.Model) -> list[Block]:
    """Return the longest run of bottlenecks, each on the output of the one before."""
    chains: list[list[Block]] = [[]]
    for block in _blocks(network):
        if (
            not chains[-1]
            or chains[-1][-1].end is not block.start
            or not _alike(chains[-1][-1], block)
        ):
            chains.append([])
        chains[-1].append(block)
    return max(chains, key=len)


class BottleneckChain(layers.Layer):
    """Computes a chain in training; the layers of its blocks keep the variables."""

    def __init__(self, chain: list[Block], half: bool):
        super().__init__(name="bottleneck_chain")
        self.supports_jit = False
        self.stock = [layer for block in chain for layer in block[:6]]
        self._trained = [variable for block in chain for variable in block.variables]
        self._norms = [norm for block in chain for norm in block.norms]
        first = chain[0]
        self._native = Bottlenecks(
            len(chain),
            first.start.shape[1],
            first.start.shape[-1],
            first.widen.filters,
            epsilon=first.first_norm.epsilon,
            half=half,
            num_threads=_num_threads(),
        )

    def call(self, x):
        """Compute `[B, size, size, trunk]` of the same, and move the running statistics."""
        import tensorflow as tf

        @tf.custom_gradient
        def chain(x, weights):
            y, statistics = tf.numpy_function(self._native.forward, (x, weights), (tf.float32,) * 2)
            y.set_shape(x.shape)
            statistics.set_shape([self._native.num_statistics])

            def gradient(dy, _):
                dx, dweights = tf.numpy_function(self._native.backward, (dy,), (tf.float32,) * 2)
                dx.set_shape(x.shape)
                dweights.set_shape(weights.shape)
                return dx, dweights

            return (y, statistics), gradient

        weights = tf.concat([tf.reshape(variable, [-1]) for variable in self._trained], axis=0)
        y, statistics = chain(x, weights)
        self._follow(tf.stop_gradient(statistics))
        return y

    def _follow(self, statistics) -> None:
        import tensorflow as tf

        moving = [v for norm in self._norms for v in (norm.moving_mean, norm.moving_variance)]
        means = tf.split(statistics, [variable.shape[0] for variable in moving])
        momenta = [norm.momentum for norm in self._norms for _ in range(2)]
        for variable, mean, momentum in zip(moving, means, momenta, strict=True):
            variable.assign(variable * momentum + mean * (1 - momentum))


def _blocks(network: keras.Model) -> Iterator[Block]:
    for layer in network.layers:
        block = _block_before(layer) if type(layer) is layers.Add else None
        if block is not None and _is_supported(block):
            yield block


def _block_before(add: layers.Add) -> Block | None:
    """Return the bottleneck that an addition ends, if it ends one."""
    tensors = _inputs(add)
    if len(tensors) != 2:
        return None
    x, tensor = tensors
    kinds = (
        layers.BatchNormalization, layers.Conv2D,
        layers.Activation, layers.BatchNormalization, layers.DepthwiseConv2D,
        layers.Activation, layers.BatchNormalization, layers.Conv2D,
    )  # fmt: skip
    found = []
    for kind in kinds:
        layer = tensor._keras_history.operation
        if type(layer) is not kind or len(layer._outbound_nodes) != 1:
            return None
        found.append(layer)
        (tensor,) = _inputs(layer)
    last_norm, narrow, second, second_norm, depthwise, first, first_norm, widen = found
    if tensor is not x or any(a.activation is not keras.activations.relu for a in (first, second)):
        return None
    stock = (widen, first_norm, depthwise, second_norm, narrow, last_norm)
    return Block(*stock, activations=(first, second), add=add, start=x)


def _inputs(layer) -> list[Any]:
    """Return the tensors that a layer is called on, where that is once."""
    return layer._inbound_nodes[0].input_tensors if len(layer._inbound_nodes) == 1 else [None]


def _is_supported(block: Block) -> bool:
    plain = all(
        layer.activation is keras.activations.linear
        and not layer.use_bias
        and layer.data_format == "channels_last"
        and tuple(layer.strides) == tuple(layer.dilation_rate) == (1, 1)
        for layer in (block.widen, block.depthwise, block.narrow)
    )
    return (
        plain
        and block.widen.kernel_size == block.narrow.kernel_size == (1, 1)
        and block.widen.groups == block.narrow.groups == 1
        and block.depthwise.kernel_size == (3, 3)
        and block.depthwise.padding == "same"
        and block.depthwise.depth_multiplier == 1
        and block.start.shape[1] == block.start.shape[2]
        and block.start.shape[-1] % CHANNELS == block.widen.filters % CHANNELS == 0
        and block.widen.compute_dtype == "float32"
        and all(
            norm.scale and norm.center and norm.trainable and norm.axis in (-1, 3)
            for norm in block.norms
        )
    )


def _alike(one: Block, other: Block) -> bool:
    """Return whether two blocks can be of one chain."""
    return one.widen.filters == other.widen.filters and one.start.shape == other.start.shape


def _num_threads() -> int:
    import tensorflow as tf

    return tf.config.threading.get_intra_op_parallelism_threads() or (os.cpu_count() or 1)
