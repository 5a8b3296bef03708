"""A chain of inverted bottlenecks, as in a mobilenet or a mixnet, trained by one native operation.

On a CPU TensorFlow spends most of such a step on reading and writing; `golois.kernels.bottlenecks`
keeps a position in the nearest caches between two normalizations. The chain has the same variables;
validation, checkpoints and the .h5 have the stock layers (benchmarks/RESULTS.md).
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import keras
from keras import layers

from golois.kernels.bottlenecks import Bottlenecks, BottleneckShape, has_fast_kernels
from golois.kit.processes import num_cpus
from models.training.faster_layers import faster_layers, trains_on_cpu, with_faster_layers

CHANNELS = 16
"""The native operation takes multiples of so many."""
GATE_ACTIVATIONS = [keras.activations.silu, keras.activations.sigmoid]


class Block(NamedTuple):
    """The layers of a bottleneck, and the tensor before it."""

    widen: layers.Conv2D
    first_norm: layers.BatchNormalization
    depthwise: list[layers.DepthwiseConv2D]
    second_norm: layers.BatchNormalization
    narrow: layers.Conv2D
    last_norm: layers.BatchNormalization
    gate: list[layers.Dense]
    activation: Any
    all_layers: list[layers.Layer]
    start: Any

    @property
    def add(self) -> layers.Add:
        """Return its last layer."""
        return self.all_layers[0]

    @property
    def shape(self) -> BottleneckShape:
        """Return what blocks of a chain have in common."""
        return BottleneckShape(
            size=self.start.shape[1],
            trunk=self.start.shape[-1],
            filters=self.widen.filters,
            kernels=len(self.depthwise),
            swish=self.activation is keras.activations.silu,
            squeezed=self.gate[0].units if self.gate else 0,
        )

    @property
    def norms(self) -> tuple[layers.BatchNormalization, ...]:
        """Return the normalizations, in their order."""
        return self.first_norm, self.second_norm, self.last_norm

    @property
    def with_variables(self) -> list[layers.Layer]:
        """Return the layers that are trained, in the order of `golois.kernels.bottlenecks`."""
        convolved = [self.widen, self.first_norm, *self.depthwise, self.second_norm]
        return [*convolved, self.narrow, self.last_norm, *self.gate]


def has_bottlenecks(network: keras.Model) -> bool:
    """Return whether the native operation can train a chain of a network, and is faster here."""
    return trains_on_cpu() and has_fast_kernels() and bool(longest_chain(network))


def with_bottlenecks(network: keras.Model, half: bool = False) -> keras.Model:
    """Return a faster twin to train, on the same variables and not to be saved, or the network."""
    if not has_bottlenecks(network):
        return with_faster_layers(network)
    chain = longest_chain(network)
    native = BottleneckChain(chain, half)
    inside = {id(layer) for block in chain for layer in block.all_layers}
    faster = faster_layers(network)

    def clone(layer):
        return layer if id(layer) in inside else faster.get(id(layer), layer)

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
            or chains[-1][-1].add.output is not block.start
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
        self.stock = [layer for block in chain for layer in block.with_variables]
        self._trained = [variable for layer in self.stock for variable in _trained(layer)]
        self._norms = [norm for block in chain for norm in block.norms]
        self._native = Bottlenecks(
            len(chain),
            chain[0].shape,
            epsilon=chain[0].first_norm.epsilon,
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


def _trained(layer) -> list[Any]:
    if isinstance(layer, layers.BatchNormalization):
        return [layer.gamma, layer.beta]
    return [layer.kernel]


def _blocks(network: keras.Model) -> Iterator[Block]:
    for layer in network.layers:
        block = _block_before(layer) if type(layer) is layers.Add else None
        if block is not None and _is_supported(block):
            yield block


class _OtherLayerError(Exception):
    """There is another layer than that of a bottleneck."""


class _Walk:
    def __init__(self) -> None:
        self.passed: list[layers.Layer] = []

    def one(self, tensor, kind: type[layers.Layer]) -> tuple[Any, Any]:
        layer, inputs = self.many(tensor, kind)
        if len(inputs) != 1:
            raise _OtherLayerError
        return layer, inputs[0]

    def many(self, tensor, kind: type[layers.Layer]) -> tuple[Any, list[Any]]:
        layer = tensor._keras_history.operation
        if type(layer) is not kind or len(layer._inbound_nodes) != 1:
            raise _OtherLayerError
        self.passed.append(layer)
        return layer, layer._inbound_nodes[0].input_tensors

    def activation(self, tensor) -> tuple[Any, Any]:
        layer, tensor = self.one(tensor, layers.Activation)
        return layer.activation, tensor


def _block_before(add: layers.Add) -> Block | None:
    for way in (0, 1):
        with suppress(_OtherLayerError):
            return _block_of(add, way)
    return None


def _block_of(add: layers.Add, way: int) -> Block:
    """Return the bottleneck on one of the two ways to an addition; the other one is shorter."""
    walk = _Walk()
    _, tensors = walk.many(add.output, layers.Add)
    if len(tensors) != 2:
        raise _OtherLayerError
    gate, tensor = _gate(walk, tensors[way])
    last_norm, tensor = walk.one(tensor, layers.BatchNormalization)
    narrow, tensor = walk.one(tensor, layers.Conv2D)
    second, tensor = walk.activation(tensor)
    second_norm, tensor = walk.one(tensor, layers.BatchNormalization)
    depthwise, tensor = _depthwise(walk, tensor)
    first, tensor = walk.activation(tensor)
    first_norm, tensor = walk.one(tensor, layers.BatchNormalization)
    widen, start = walk.one(tensor, layers.Conv2D)
    if first is not second or start is not tensors[1 - way] or _is_used_elsewhere(walk):
        raise _OtherLayerError
    stock = (widen, first_norm, depthwise, second_norm, narrow, last_norm, gate)
    return Block(*stock, activation=first, all_layers=walk.passed, start=start)


def _gate(walk: _Walk, tensor) -> tuple[list[layers.Dense], Any]:
    if not _made_by(tensor, layers.Multiply):
        return [], tensor
    _, factors = walk.many(tensor, layers.Multiply)
    if len(factors) != 2:
        raise _OtherLayerError
    excite, tensor = walk.one(factors[1], layers.Dense)
    squeeze, tensor = walk.one(tensor, layers.Dense)
    pool, tensor = walk.one(tensor, layers.GlobalAveragePooling2D)
    if tensor is not factors[0] or not pool.keepdims:
        raise _OtherLayerError
    return [squeeze, excite], tensor


def _depthwise(walk: _Walk, tensor) -> tuple[list[layers.DepthwiseConv2D], Any]:
    """Return the depthwise convolutions side by side that made a tensor, and their input."""
    parts = [tensor]
    if _made_by(tensor, layers.Concatenate):
        _, parts = walk.many(tensor, layers.Concatenate)
    pairs = [walk.one(part, layers.DepthwiseConv2D) for part in parts]
    if any(start is not pairs[0][1] for _, start in pairs):
        raise _OtherLayerError
    return [layer for layer, _ in pairs], pairs[0][1]


def _made_by(tensor, *kinds: type[layers.Layer]) -> bool:
    return type(tensor._keras_history.operation) in kinds


def _is_used_elsewhere(walk: _Walk) -> bool:
    inside = {id(layer) for layer in walk.passed}
    users = [node.operation for layer in walk.passed[1:] for node in layer._outbound_nodes]
    return any(id(user) not in inside for user in users)


def _is_supported(block: Block) -> bool:
    convolutions = (block.widen, *block.depthwise, block.narrow)
    sizes = [layer.kernel_size for layer in block.depthwise]
    return (
        all(_is_plain(layer) for layer in convolutions)
        and block.widen.kernel_size == block.narrow.kernel_size == (1, 1)
        and block.widen.groups == block.narrow.groups == 1
        and sizes in ([(3, 3)], [(3, 3), (5, 5)])
        and all(layer.depth_multiplier == 1 for layer in block.depthwise)
        and all(layer.padding == "same" for layer in block.depthwise)
        and block.activation in (keras.activations.relu, keras.activations.silu)
        and block.start.shape[1] == block.start.shape[2]
        and block.start.shape[-1] % CHANNELS == block.widen.filters % CHANNELS == 0
        and block.widen.compute_dtype == "float32"
        and all(
            norm.scale and norm.center and norm.trainable and norm.axis in (-1, 3)
            for norm in block.norms
        )
        and [layer.activation for layer in block.gate] in ([], GATE_ACTIVATIONS)
        and not any(layer.use_bias for layer in block.gate)
    )


def _is_plain(layer: layers.Conv2D | layers.DepthwiseConv2D) -> bool:
    return (
        layer.activation is keras.activations.linear
        and not layer.use_bias
        and layer.data_format == "channels_last"
        and tuple(layer.strides) == tuple(layer.dilation_rate) == (1, 1)
    )


def _alike(one: Block, other: Block) -> bool:
    return one.shape == other.shape and one.first_norm.epsilon == other.first_norm.epsilon


def _num_threads() -> int:
    """As many as TensorFlow uses; what it tells leaves out its environment variable."""
    import tensorflow as tf

    asked = tf.config.threading.get_intra_op_parallelism_threads()
    return asked or int(os.environ.get("TF_NUM_INTRAOP_THREADS") or 0) or num_cpus()
