"""Reads the networks that KataGo publishes: `.bin.gz`, `.bin`, `.txt.gz`, `.txt`.

Words after the last layer are ignored, as KataGo does. Source: KataGo 1.17.2.
"""

import re
from pathlib import Path

import numpy as np

from golois.katago import network as net
from golois.katago.words import Words

SUFFIXES = (".bin.gz", ".txt.gz")
NUM_PLANES, NUM_GLOBALS = 22, 19
OLDEST, NEWEST = 8, 17
MAX_DEPTH = 8  # of bottlenecks within bottlenecks
_ACTIVATIONS: dict[str, net.Activation] = {
    "ACTIVATION_IDENTITY": "identity",
    "ACTIVATION_RELU": "relu",
    "ACTIVATION_MISH": "mish",
    "ACTIVATION_SILU": "silu",
}
_MULTIPLIERS = (
    "td_score", "score_mean", "score_deviation", "lead", "time", "value_error", "score_error",
)  # fmt: skip


def katago_suffix(path: str | Path) -> str:
    """Return the suffix of a file that is called as the networks that KataGo publishes, else ""."""
    return next((suffix for suffix in SUFFIXES if Path(path).name.endswith(suffix)), "")


def read_network(path: str | Path) -> net.Network:
    """Read a network of version 8 to 17, with V7 inputs, for boards up to 19×19.

    Raises:
        DataFormatError: the file is no such network. The sentence names the file and the layer.
    """
    return _Reader(path).network()


class _Reader(Words):
    version = 0

    def network(self) -> net.Network:
        name = self._name_and_version()
        inputs = self.integer("the planes"), self.integer("the globals")
        if inputs != (NUM_PLANES, NUM_GLOBALS):
            self.refuse(
                f"{inputs[0]} planes and {inputs[1]} globals where {NUM_PLANES} and {NUM_GLOBALS} "
                "are needed"
            )
        lead = 20.0
        if self.version >= 13:
            lead = {x: self.positive(f"the multiplier {x}") for x in _MULTIPLIERS}["lead"]
        pass_alive = self.version >= 15 and self.counts_pass_alive()
        self.name()
        num_blocks = self.integer("the number of blocks")
        channels = self.integer("the number of channels", 1)
        for hint in ("middle", "regular", "dilated", "pooled"):
            self.integer(f"the number of {hint} channels")
        has_rms_tip = self.version >= 15 and self.has_rms_tip()
        conv, dense = self.conv(NUM_PLANES, channels), self.dense(NUM_GLOBALS, channels)
        return net.Network(
            name, self.version, lead, pass_alive, conv, dense,
            self.blocks(num_blocks, channels),
            self.root_mean_square(channels, is_tip=True) if has_rms_tip else self.norm(channels),
            self.activation(), self.policy(channels), self.value(channels),
        )  # fmt: skip

    def _name_and_version(self) -> str:
        name, version = (self.word("a KataGo network's name or version") for _ in range(2))
        if not re.fullmatch(r"[\w-]{1,96}", name, re.ASCII):
            self.refuse(f"not a KataGo network: its name is {name!r}")
        if not re.fullmatch(r"[+-]?\d{1,9}", version):
            self.refuse(f"not a KataGo network: its version is {version!r}")
        self.version = int(version)
        if not OLDEST <= self.version <= NEWEST:
            self.refuse(f"version {version}; this reader knows {OLDEST} to {NEWEST}")
        return name

    def counts_pass_alive(self) -> bool:
        if self.integer("the kind of metadata"):
            self.refuse("human-style networks are not supported")
        found = self.flag("the flag of pass-alive areas")
        self.options(6)
        return found

    def has_rms_tip(self) -> bool:
        kind = self.integer("the kind of norm")
        if kind > 1:
            self.refuse(f"unknown norm {kind}")
        self.options(5)
        return kind == 1

    def options(self, count: int) -> None:
        """Take words that are 0 in every network that this reader understands."""
        for _ in range(count):
            option = self.integer("an option")
            if option:
                self.refuse(f"uses option {option}, unknown to this reader")

    def channels(self, needed: int | None) -> int:
        """Take a number of channels, which must be the needed number unless that is None."""
        found = self.integer("a number of channels", 1)
        if needed is not None and found != needed:
            self.refuse(f"{found} channels where {needed} are needed")
        return found

    def conv(self, channels: int, out: int | None = None) -> net.Conv:
        name = self.name()
        rows, columns = self.integer("a height", 1), self.integer("a width", 1)
        if not (rows % 2 and columns % 2):
            self.refuse(f"a filter of {rows}×{columns}, where odd numbers are needed")
        self.channels(channels)
        filters = self.channels(out)
        dilation = self.integer("a dilation", 1), self.integer("a dilation", 1)
        return net.Conv(name, self.weights(rows, columns, channels, filters), dilation)

    def norm(self, channels: int) -> net.Norm:
        name = self.name()
        self.channels(channels)
        epsilon = self.positive("epsilon")
        has_scale, has_bias = (self.flag(f"whether it has a {x}") for x in ("scale", "bias"))
        mean, variance = self.weights(channels), self.weights(channels)
        if (variance.astype(np.float64) + epsilon <= 0).any():
            self.refuse("variance + epsilon is not above 0")
        scale = self.weights(channels) if has_scale else np.ones(channels, np.float32)
        bias = self.weights(channels) if has_bias else np.zeros(channels, np.float32)
        return net.Norm(name, mean, variance, scale, bias, epsilon)

    def root_mean_square(self, channels: int, is_tip: bool = False) -> net.RootMeanSquare:
        name = self.name()
        self.channels(channels)
        epsilon = self.positive("epsilon")
        spatial = is_tip and self.flag("whether its mean is over the board")
        self.options(1 if is_tip else 0)  # the group
        scale = self.weights(channels)
        bias = self.weights(channels) if is_tip else np.zeros(channels, np.float32)
        return net.RootMeanSquare(name, scale, bias, epsilon, spatial)

    def activation(self) -> net.Activation:
        self.name()
        if self.version < 11:
            return "relu"
        kind = self.word("the kind of activation")
        if kind not in _ACTIVATIONS:
            self.refuse(f"unknown activation {kind!r}")
        return _ACTIVATIONS[kind]

    def dense(self, channels: int, out: int | None = None, bias: bool = False) -> net.Dense:
        name = self.name()
        self.channels(channels)
        units = self.channels(out)
        kernel = self.weights(channels, units)
        if not bias:
            return net.Dense(name, kernel)
        self.name()
        self.channels(units)
        return net.Dense(name, kernel, self.weights(units))

    def norm_conv(self, channels: int, out: int | None = None) -> net.NormConv:
        return net.NormConv(self.norm(channels), self.activation(), self.conv(channels, out))

    def pooling(self, channels: int, out: int) -> net.Pooling:
        conv = self.conv(channels)
        pooled = _width(conv)
        return net.Pooling(conv, self.norm(pooled), self.activation(), self.dense(3 * pooled, out))

    def blocks(self, count: int, channels: int, depth: int = 0) -> tuple[net.Block, ...]:
        if depth > MAX_DEPTH:
            self.refuse(f"bottlenecks within bottlenecks, more than {MAX_DEPTH} deep")
        return tuple(self.block(channels, depth) for _ in range(count))

    def block(self, channels: int, depth: int) -> net.Block:
        kind, name = self.word("the next block"), self.name()
        match kind:
            case "ordinary_block":
                first = self.norm_conv(channels)
                second = self.norm_conv(_width(first.conv), channels)
                return net.OrdinaryBlock(name, first, second)
            case "gpool_block":
                first = self.norm_conv(channels)
                pooling = self.pooling(channels, _width(first.conv))
                second = self.norm_conv(_width(first.conv), channels)
                return net.PoolingBlock(name, first, pooling, second)
            case "nested_bottleneck_block":
                count = self.integer("the number of inner blocks")
                first = self.norm_conv(channels)
                inner = self.blocks(count, _width(first.conv), depth + 1)
                second = self.norm_conv(_width(first.conv), channels)
                return net.BottleneckBlock(name, first, inner, second)
            case "transformer_attention_block":
                return self.attention(name, channels)
            case "transformer_ffn_block":
                return self.feed_forward(name, channels)
        self.refuse(f"unknown block {kind!r}")

    def attention(self, name: str, channels: int) -> net.AttentionBlock:
        heads, key_heads, query_width, value_width = (
            self.integer(f"the number of {x}", 1)
            for x in ("heads", "key heads", "query channels", "value channels")
        )
        rotates, is_learned = (self.flag(f"whether it {x}") for x in ("rotates", "learns"))
        if heads % key_heads:
            self.refuse(f"{heads} heads, no multiple of its {key_heads} key heads")
        if rotates and query_width % (2 if is_learned else 4):
            self.refuse(f"{query_width} query channels cannot be rotated in pairs")
        norm = self.root_mean_square(channels)
        query = self.dense(channels, heads * query_width)
        key = self.dense(channels, key_heads * query_width)
        value = self.dense(channels, key_heads * value_width)
        output = self.dense(heads * value_width, channels)
        frequencies = None
        if rotates:
            read = self.learned_frequencies if is_learned else self.fixed_frequencies
            frequencies = read(key_heads, query_width // 2)
        return net.AttentionBlock(
            name, norm, query, key, value, output, heads, key_heads, frequencies
        )

    def learned_frequencies(self, heads: int, pairs: int) -> np.ndarray:
        self.name()
        for needed in (heads, pairs, 2):
            self.channels(needed)
        column_first = self.weights(heads, pairs, 2)
        return np.ascontiguousarray(np.moveaxis(column_first, 2, 0)[::-1])

    def fixed_frequencies(self, heads: int, pairs: int) -> np.ndarray:
        """The first half of the pairs turns with the row, the second with the column."""
        self.name()
        base = self.positive("the base of the frequencies")
        half = pairs // 2
        falling = base ** (-np.arange(half) / half)
        frequencies = np.zeros((2, heads, pairs), np.float32)
        frequencies[0, :, :half] = frequencies[1, :, half:] = falling
        return frequencies

    def feed_forward(self, name: str, channels: int) -> net.FeedForwardBlock:
        self.channels(channels)
        width = self.integer("the number of hidden channels", 1)
        has_gate = self.flag("whether it has a gate")
        norm, hidden = self.root_mean_square(channels), self.dense(channels, width)
        gate = self.dense(channels, width) if has_gate else None
        return net.FeedForwardBlock(name, norm, hidden, gate, self.dense(width, channels))

    def policy(self, channels: int) -> net.PolicyHead:
        self.name()
        outputs = 1 if self.version < 12 else 2 if self.version < 16 else 4
        if self.version >= 17:
            outputs = self.integer("the number of policies")
            if outputs not in (2, 4):
                self.refuse(f"{outputs} policies where 2 or 4 are known")
            self.options(3)
        conv = self.conv(channels)
        pooling = self.pooling(channels, _width(conv))
        norm, activation = self.norm(_width(conv)), self.activation()
        output = self.conv(_width(conv), outputs)
        pooled = len(pooling.dense.kernel)
        pass_activation: net.Activation = "identity"
        if self.version < 15:
            passing: tuple[net.Dense, ...] = (self.dense(pooled, outputs),)
        else:
            hidden, pass_activation = self.dense(pooled, bias=True), self.activation()
            passing = hidden, self.dense(hidden.kernel.shape[1], outputs)
        return net.PolicyHead(conv, pooling, norm, activation, output, passing, pass_activation)

    def value(self, channels: int) -> net.ValueHead:
        self.name()
        if self.version >= 17:
            self.options(3)
        conv = self.conv(channels)
        norm, activation = self.norm(_width(conv)), self.activation()
        hidden, hidden_activation = self.dense(3 * _width(conv), bias=True), self.activation()
        units, scores = hidden.kernel.shape[1], 4 if self.version < 9 else 6
        value, score = self.dense(units, 3, bias=True), self.dense(units, scores, bias=True)
        ownership = self.conv(_width(conv), 1)
        return net.ValueHead(
            conv, norm, activation, hidden, hidden_activation, value, score, ownership
        )


def _width(conv: net.Conv) -> int:
    """The number of channels out."""
    return conv.kernel.shape[3]
