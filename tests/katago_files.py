"""Small networks in KataGo's format, with random weights; every piece of versions 8 to 17."""

import gzip
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

Tip = Literal["norm", "points", "board"]
Rope = Literal["learned", "fixed", "none"]
BLOCKS = ("ordinary", "pooling", "bottleneck")
TRANSFORMER = ("bottleneck", "attention", "feed_forward", "ungated")
CHANNELS = 6
NAME = "b3c6-test"
CASES = {
    "version 8": (8, BLOCKS, {}),
    "version 11": (11, BLOCKS, {}),
    "version 14": (14, BLOCKS, {}),
    "version 15, learned, mean over the board": (15, TRANSFORMER, {"tip": "board"}),
    "version 15, all blocks": (15, (*BLOCKS, "attention", "ordinary"), {"activation": "SILU"}),
    "version 16, no rotation": (16, TRANSFORMER, {"rope": "none", "activation": "RELU"}),
    "version 17, fixed, mean of points": (17, TRANSFORMER, {"tip": "points", "rope": "fixed"}),
    "version 17, identity": (17, ("pooling",), {"activation": "IDENTITY", "policies": 2}),
}
"""Every version's changes and every kind of piece: a version, blocks and options."""


def write_network(path: Path, version: int, *blocks: str, **options) -> Path:
    """Write a network; the name of the file decides on gzip, and on binary or text."""
    data = network_bytes(version, *blocks, text=".txt" in path.name, **options)
    path.write_bytes(gzip.compress(data, 1) if path.suffix == ".gz" else data)
    return path


def network_bytes(
    version: int,
    *blocks: str,
    tip: Tip = "norm",
    rope: Rope = "learned",
    activation: str = "MISH",
    policies: int = 4,
    text: bool = False,
    seed: int = 1,
) -> bytes:
    """The unpacked file of a network with blocks out of `BLOCKS` and `TRANSFORMER`."""
    writer = _Writer(version, rope, activation, text, seed)
    writer.network(blocks or BLOCKS, tip, policies)
    return writer.data


def each_case(*quick: str) -> pytest.MarkDecorator:
    """Have a test tried with each of CASES; all but the quick ones are slow."""
    marks = {name: [] if name in quick else pytest.mark.slow for name in CASES}
    cases = [pytest.param(case, id=name, marks=marks[name]) for name, case in CASES.items()]
    return pytest.mark.parametrize("case", cases)


def assert_said(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    """Compare a network's outputs with those of the reference."""
    assert set(found) == {"policy", "value", "score", "ownership"}
    for name, numbers in expected.items():
        assert numbers.std() > 1e-3 and found[name].dtype == np.float32
        np.testing.assert_allclose(found[name], numbers, atol=1e-5, err_msg=name)


def random_inputs(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Planes and globals like V7 inputs in shape and size alone."""
    rng = np.random.default_rng(seed)
    planes = (rng.random((count, 19, 19, 22)) < 0.3).astype(np.float32)
    return planes, rng.random((count, 19), np.float32)


def katago_on_keras(network, batch_size: int, _precision: str, _examples: object):
    """As models.katago opens a network for labels, without a GPU."""
    from models.katago import KatagoOnKeras

    return KatagoOnKeras(network, batch_size)


class _Writer:
    def __init__(self, version: int, rope: Rope, activation: str, text: bool, seed: int) -> None:
        self.version = version
        self.rope = rope
        self.activation_kind = f"ACTIVATION_{activation}"
        self.text = text
        self.rng = np.random.default_rng(seed)
        self.data = b""

    def words(self, *words: object) -> None:
        self.data += b"".join(f"{word}\n".encode() for word in words)

    def weights(self, shape: tuple[int, ...], deviation: float = 0.5, mean: float = 0.0) -> None:
        array = self.rng.normal(mean, deviation, shape).astype("<f4")
        if self.text:
            self.words(" ".join(repr(float(x)) for x in array.ravel()))
        else:
            self.data += b"@BIN@" + array.tobytes() + b"\n"

    def network(self, blocks: tuple[str, ...], tip: Tip, policies: int) -> None:
        self.words(NAME, self.version, 22, 19)
        if self.version >= 13:
            self.words(20.0, 19.0, 18.0, 21.0, 41.0, 0.3, 150.0)
        if self.version >= 15:
            self.words(0, 1, *6 * [0])
        self.words("trunk", len(blocks), CHANNELS, 4, 4, 4, 4)
        if self.version >= 15:
            self.words(int(tip != "norm"), *5 * [0])
        self.conv("conv1", 22, CHANNELS, 5, 3)
        self.dense("ginput", 19, CHANNELS)
        for number, kind in enumerate(blocks):
            self.block(f"block{number}", kind, CHANNELS)
        if tip == "norm":
            self.norm("tip/norm", CHANNELS)
        else:
            self.words("tip/norm", CHANNELS, 1e-6, int(tip == "board"), 0)
            self.weights((CHANNELS,))
            self.weights((CHANNELS,))
        self.act("tip/act")
        self.policy(policies)
        self.value()

    def conv(self, name: str, channels: int, out: int, size: int = 3, dilation: int = 1) -> None:
        self.words(name, size, 1 if size == 1 else 3, channels, out, 1, dilation)
        columns = 1 if size == 1 else 3
        self.weights((size, columns, channels, out), 1 / np.sqrt(size * columns * channels))

    def norm(self, name: str, channels: int, has_scale: int = 1, has_bias: int = 1) -> None:
        self.words(name, channels, 1e-3, has_scale, has_bias)
        self.weights((channels,))
        self.weights((channels,), 0.1, 1.0)
        for _ in range(has_scale + has_bias):
            self.weights((channels,))

    def token_norm(self, name: str, channels: int) -> None:
        self.words(name, channels, 1e-6)
        self.weights((channels,), 0.3, 1.0)

    def dense(self, name: str, channels: int, out: int, bias: bool = False) -> None:
        self.words(name, channels, out)
        self.weights((channels, out), 1 / np.sqrt(channels))
        if bias:
            self.words(f"{name}/bias", out)
            self.weights((out,))

    def act(self, name: str) -> None:
        self.words(name, *([self.activation_kind] if self.version >= 11 else []))

    def norm_conv(self, name: str, channels: int, out: int, size: int = 3) -> None:
        self.norm(f"{name}/norm", channels, has_scale=int(size == 1))
        self.act(f"{name}/act")
        self.conv(f"{name}/conv", channels, out, size)

    def pooling(self, name: str, channels: int, out: int) -> None:
        self.conv(f"{name}/pool", channels, 2)
        self.norm(f"{name}/poolnorm", 2)
        self.act(f"{name}/poolact")
        self.dense(f"{name}/pooldense", 6, out)

    def block(self, name: str, kind: str, channels: int) -> None:
        match kind:
            case "ordinary":
                self.words("ordinary_block", name)
                self.norm_conv(f"{name}/1", channels, channels + 1)
                self.norm_conv(f"{name}/2", channels + 1, channels)
            case "pooling":
                self.words("gpool_block", name)
                self.norm_conv(f"{name}/1", channels, 4)
                self.pooling(name, channels, 4)
                self.norm_conv(f"{name}/2", 4, channels)
            case "bottleneck":
                self.words("nested_bottleneck_block", name, 2)
                self.norm_conv(f"{name}/1", channels, 4, 1)
                for inner in ("ordinary", "pooling") if self.version < 15 else TRANSFORMER[1:3]:
                    self.block(f"{name}/{inner}", inner, 4)
                self.norm_conv(f"{name}/2", 4, channels, 1)
            case "opened":  # holds the next block, and is never closed
                self.words("nested_bottleneck_block", name, 1)
                self.norm_conv(f"{name}/1", channels, channels, 1)
            case "attention":
                self.attention(name, channels)
            case "feed_forward" | "ungated":
                gated = int(kind == "feed_forward")
                self.words("transformer_ffn_block", name, channels, 5, gated)
                self.token_norm(f"{name}/norm", channels)
                for part in ("hidden", "gate")[: 1 + gated]:
                    self.dense(f"{name}/{part}", channels, 5)
                self.dense(f"{name}/out", 5, channels)

    def attention(self, name: str, channels: int) -> None:
        """4 heads over 2 key heads, 8 channels of queries and 3 of values each."""
        flags = (int(self.rope != "none"), int(self.rope == "learned"))
        self.words("transformer_attention_block", name, 4, 2, 8, 3, *flags)
        self.token_norm(f"{name}/norm", channels)
        for part, width in (("q", 4 * 8), ("k", 2 * 8), ("v", 2 * 3)):
            self.dense(f"{name}/{part}", channels, width)
        self.dense(f"{name}/out", 4 * 3, channels)
        if self.rope == "learned":
            self.words(f"{name}/rope", 2, 4, 2)
            self.weights((2, 4, 2))
        elif self.rope == "fixed":
            self.words(f"{name}/rope", 100.0)

    def policy(self, policies: int) -> None:
        self.words("policyhead", *([policies, 0, 0, 0] if self.version >= 17 else []))
        if self.version < 17:
            policies = 1 if self.version < 12 else 2 if self.version < 16 else 4
        self.conv("p1", CHANNELS, 3, 1)
        self.conv("g1", CHANNELS, 2, 1)
        self.norm("g1/norm", 2)
        self.act("g1/act")
        self.dense("g1/dense", 6, 3)
        self.norm("p1/norm", 3)
        self.act("p1/act")
        self.conv("p2", 3, policies, 1)
        if self.version < 15:
            self.dense("pass", 6, policies)
        else:
            self.dense("pass", 6, 5, bias=True)
            self.act("pass/act")
            self.dense("pass2", 5, policies)

    def value(self) -> None:
        self.words("valuehead", *([0, 0, 0] if self.version >= 17 else []))
        self.conv("v1", CHANNELS, 4, 1)
        self.norm("v1/norm", 4)
        self.act("v1/act")
        self.dense("v2", 12, 7, bias=True)
        self.act("v2/act")
        self.dense("v3", 7, 3, bias=True)
        self.dense("sv3", 7, 4 if self.version < 9 else 6, bias=True)
        self.conv("own", 4, 1, 1)
