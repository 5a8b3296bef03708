"""Reads the networks that KataGo publishes: `.bin.gz`, `.bin`, `.txt.gz`, `.txt`.

Source: KataGo 1.17.2, cpp/neuralnet/desc.cpp, read for its facts. Words after the last layer are
ignored, as KataGo does.
"""

import re
from pathlib import Path

import numpy as np

from golois.katago.network import (
    Activation,
    AttentionBlock,
    Block,
    BottleneckBlock,
    Conv,
    Dense,
    FeedForwardBlock,
    Multipliers,
    Network,
    Norm,
    NormConv,
    OrdinaryBlock,
    PolicyHead,
    Pooling,
    PoolingBlock,
    RootMeanSquare,
    ValueHead,
)
from golois.katago.words import Words

NUM_PLANES, NUM_GLOBALS = 22, 19
OLDEST, NEWEST = 8, 17
MAX_DEPTH = 8  # of bottlenecks within bottlenecks
_ACTIVATIONS: dict[str, Activation] = {
    "ACTIVATION_IDENTITY": "identity",
    "ACTIVATION_RELU": "relu",
    "ACTIVATION_MISH": "mish",
    "ACTIVATION_SILU": "silu",
}


def read_network(path: str | Path) -> Network:
    """Read a network of version 8 to 17, with V7 inputs, for boards up to 19×19.

    Raises:
        DataFormatError: the file is no such network. The sentence names the file and the layer.
    """
    return _Reader(Words(path)).network()


class _Reader:
    def __init__(self, words: Words) -> None:
        self.words = words
        self.version = 0

    def network(self) -> Network:
        name = self._name_and_version()
        inputs = self.words.integer("the planes"), self.words.integer("the globals")
        if inputs != (NUM_PLANES, NUM_GLOBALS):
            self.words.refuse(
                f"{inputs[0]} planes and {inputs[1]} globals where {NUM_PLANES} and {NUM_GLOBALS} "
                "are needed"
            )
        multipliers = Multipliers()
        if self.version >= 13:
            multipliers = Multipliers(
                *(self.words.positive(f"the multiplier {x}") for x in vars(multipliers))
            )
        pass_alive = False
        if self.version >= 15:
            if self.words.integer("the kind of metadata"):
                self.words.refuse("human-style networks are not supported")
            pass_alive = self.words.flag("the flag of pass-alive areas")
            self.options(6)
        self.words.name()
        num_blocks = self.words.integer("the number of blocks")
        channels = self.words.integer("the number of channels", 1)
        for hint in ("middle", "regular", "dilated", "pooled"):
            self.words.integer(f"the number of {hint} channels")
        has_rms_tip = False
        if self.version >= 15:
            kind = self.words.integer("the kind of norm")
            if kind > 1:
                self.words.refuse(f"unknown norm {kind}")
            has_rms_tip = kind == 1
            self.options(5)
        conv, dense = self.conv(NUM_PLANES, channels), self.dense(NUM_GLOBALS, channels)
        return Network(
            name, self.version, multipliers, pass_alive, conv, dense,
            self.blocks(num_blocks, channels),
            self.rms_tip(channels) if has_rms_tip else self.norm(channels),
            self.activation(), self.policy(channels), self.value(channels),
        )  # fmt: skip

    def _name_and_version(self) -> str:
        name, version = (self.words.word("a network's name and version") for _ in range(2))
        if not re.fullmatch(r"[\w-]{1,96}", name, re.ASCII):
            self.words.refuse(f"not a KataGo network: its name is {name!r}")
        if not re.fullmatch(r"[+-]?\d{1,9}", version):
            self.words.refuse(f"not a KataGo network: its version is {version!r}")
        self.version = int(version)
        if not OLDEST <= self.version <= NEWEST:
            self.words.refuse(f"version {version}; this reader knows {OLDEST} to {NEWEST}")
        return name

    def options(self, count: int) -> None:
        """Take words that are 0 in every network that this reader understands."""
        for _ in range(count):
            option = self.words.integer("an option")
            if option:
                self.words.refuse(f"uses option {option}, unknown to this reader")

    def channels(self, needed: int | None) -> int:
        """Take a number of channels, which must be the needed number unless that is None."""
        found = self.words.integer("a number of channels", 1)
        if needed is not None and found != needed:
            self.words.refuse(f"{found} channels where {needed} are needed")
        return found

    def conv(self, channels: int, out: int | None = None) -> Conv:
        name = self.words.name()
        rows, columns = self.words.integer("a height", 1), self.words.integer("a width", 1)
        if not (rows % 2 and columns % 2):
            self.words.refuse(f"a filter of {rows}×{columns}, where odd numbers are needed")
        self.channels(channels)
        filters = self.channels(out)
        dilation = self.words.integer("a dilation", 1), self.words.integer("a dilation", 1)
        return Conv(name, self.words.weights(rows, columns, channels, filters), dilation)

    def norm(self, channels: int) -> Norm:
        name = self.words.name()
        self.channels(channels)
        epsilon = self.words.positive("epsilon")
        has_scale, has_bias = (self.words.flag(f"whether it has a {x}") for x in ("scale", "bias"))
        mean, variance = self.words.weights(channels), self.words.weights(channels)
        if (variance.astype(np.float64) + epsilon <= 0).any():
            self.words.refuse("variance + epsilon is not above 0")
        scale = self.words.weights(channels) if has_scale else np.ones(channels, np.float32)
        bias = self.words.weights(channels) if has_bias else np.zeros(channels, np.float32)
        return Norm(name, mean, variance, scale, bias, epsilon)

    def token_norm(self, channels: int) -> RootMeanSquare:
        name = self.words.name()
        self.channels(channels)
        epsilon = self.words.positive("epsilon")
        scale = self.words.weights(channels)
        return RootMeanSquare(name, scale, np.zeros(channels, np.float32), epsilon)

    def rms_tip(self, channels: int) -> RootMeanSquare:
        name = self.words.name()
        self.channels(channels)
        epsilon = self.words.positive("epsilon")
        spatial = self.words.flag("whether its mean is over the board")
        self.options(1)  # the group
        scale, bias = self.words.weights(channels), self.words.weights(channels)
        return RootMeanSquare(name, scale, bias, epsilon, spatial)

    def activation(self) -> Activation:
        self.words.name()
        if self.version < 11:
            return "relu"
        kind = self.words.word("the kind of activation")
        if kind not in _ACTIVATIONS:
            self.words.refuse(f"unknown activation {kind!r}")
        return _ACTIVATIONS[kind]

    def dense(self, channels: int, out: int | None = None, bias: bool = False) -> Dense:
        name = self.words.name()
        self.channels(channels)
        units = self.channels(out)
        kernel = self.words.weights(channels, units)
        if not bias:
            return Dense(name, kernel)
        self.words.name()
        self.channels(units)
        return Dense(name, kernel, self.words.weights(units))

    def norm_conv(self, channels: int, out: int | None = None) -> NormConv:
        return NormConv(self.norm(channels), self.activation(), self.conv(channels, out))

    def pooling(self, channels: int, out: int) -> Pooling:
        conv = self.conv(channels)
        pooled = conv.kernel.shape[3]
        return Pooling(conv, self.norm(pooled), self.activation(), self.dense(3 * pooled, out))

    def blocks(self, count: int, channels: int, depth: int = 0) -> tuple[Block, ...]:
        if depth > MAX_DEPTH:
            self.words.refuse(f"bottlenecks within bottlenecks, more than {MAX_DEPTH} deep")
        return tuple(self.block(channels, depth) for _ in range(count))

    def block(self, channels: int, depth: int) -> Block:
        kind, name = self.words.word("the next block"), self.words.name()
        match kind:
            case "ordinary_block":
                first = self.norm_conv(channels)
                return OrdinaryBlock(name, first, self.norm_conv(_width(first), channels))
            case "gpool_block":
                first = self.norm_conv(channels)
                pooling = self.pooling(channels, _width(first))
                return PoolingBlock(name, first, pooling, self.norm_conv(_width(first), channels))
            case "nested_bottleneck_block":
                count = self.words.integer("the number of inner blocks")
                first = self.norm_conv(channels)
                inner = self.blocks(count, _width(first), depth + 1)
                return BottleneckBlock(name, first, inner, self.norm_conv(_width(first), channels))
            case "transformer_attention_block":
                return self.attention(name, channels)
            case "transformer_ffn_block":
                return self.feed_forward(name, channels)
        self.words.refuse(f"unknown block {kind!r}")

    def attention(self, name: str, channels: int) -> AttentionBlock:
        heads, key_heads, query_width, value_width = (
            self.words.integer(f"the number of {x}", 1)
            for x in ("heads", "key heads", "query channels", "value channels")
        )
        rotates, is_learned = (self.words.flag(f"whether it {x}") for x in ("rotates", "learns"))
        if heads % key_heads:
            self.words.refuse(f"{heads} heads, no multiple of its {key_heads} key heads")
        if rotates and query_width % (2 if is_learned else 4):
            self.words.refuse(f"{query_width} query channels cannot be rotated in pairs")
        norm = self.token_norm(channels)
        query = self.dense(channels, heads * query_width)
        key = self.dense(channels, key_heads * query_width)
        value = self.dense(channels, key_heads * value_width)
        output = self.dense(heads * value_width, channels)
        frequencies = None
        if rotates:
            read = self.learned_frequencies if is_learned else self.fixed_frequencies
            frequencies = read(key_heads, query_width // 2)
        return AttentionBlock(name, norm, query, key, value, output, heads, key_heads, frequencies)

    def learned_frequencies(self, heads: int, pairs: int) -> np.ndarray:
        self.words.name()
        for needed in (heads, pairs, 2):
            self.channels(needed)
        column_first = self.words.weights(heads, pairs, 2)
        return np.ascontiguousarray(np.moveaxis(column_first, 2, 0)[::-1])

    def fixed_frequencies(self, heads: int, pairs: int) -> np.ndarray:
        """The first half of the pairs turns with the row, the second with the column."""
        self.words.name()
        base = self.words.positive("the base of the frequencies")
        half = pairs // 2
        falling = base ** (-np.arange(half) / half)
        frequencies = np.zeros((2, heads, pairs), np.float32)
        frequencies[0, :, :half] = frequencies[1, :, half:] = falling
        return frequencies

    def feed_forward(self, name: str, channels: int) -> FeedForwardBlock:
        self.channels(channels)
        width = self.words.integer("the number of hidden channels", 1)
        has_gate = self.words.flag("whether it has a gate")
        norm, hidden = self.token_norm(channels), self.dense(channels, width)
        gate = self.dense(channels, width) if has_gate else None
        return FeedForwardBlock(name, norm, hidden, gate, self.dense(width, channels))

    def policy(self, channels: int) -> PolicyHead:
        self.words.name()
        outputs = 1 if self.version < 12 else 2 if self.version < 16 else 4
        if self.version >= 17:
            outputs = self.words.integer("the number of policies")
            if outputs not in (2, 4):
                self.words.refuse(f"{outputs} policies where 2 or 4 are known")
            self.options(3)
        conv = self.conv(channels)
        width = conv.kernel.shape[3]
        pooling = self.pooling(channels, width)
        norm, activation, output = self.norm(width), self.activation(), self.conv(width, outputs)
        pooled = pooling.dense.kernel.shape[0]
        if self.version < 15:
            passing = (self.dense(pooled, outputs),)
            return PolicyHead(conv, pooling, norm, activation, output, passing, "identity")
        hidden, pass_activation = self.dense(pooled, bias=True), self.activation()
        last = self.dense(hidden.kernel.shape[1], outputs)
        return PolicyHead(conv, pooling, norm, activation, output, (hidden, last), pass_activation)

    def value(self, channels: int) -> ValueHead:
        self.words.name()
        if self.version >= 17:
            self.options(3)
        conv = self.conv(channels)
        width = conv.kernel.shape[3]
        norm, activation = self.norm(width), self.activation()
        hidden, hidden_activation = self.dense(3 * width, bias=True), self.activation()
        units = hidden.kernel.shape[1]
        value = self.dense(units, 3, bias=True)
        score = self.dense(units, 4 if self.version < 9 else 6, bias=True)
        ownership = self.conv(width, 1)
        return ValueHead(conv, norm, activation, hidden, hidden_activation, value, score, ownership)


def _width(layer: NormConv) -> int:
    """The number of channels out."""
    return layer.conv.kernel.shape[3]
