"""KataGo's files: each form is read, and what is broken is refused by file and layer."""

import gzip
import re
import tracemalloc

import numpy as np
import pytest

from golois.errors import DataFormatError
from golois.katago import words
from golois.katago.network import AttentionBlock, BottleneckBlock, Conv, OrdinaryBlock
from golois.katago.reading import read_network
from tests.katago_files import CASES, NAME, TRANSFORMER, network_bytes, write_network

OLD = network_bytes(8)
NEW = network_bytes(17, *TRANSFORMER, tip="board")
FIXED = network_bytes(17, "attention", rope="fixed")


def weights_of(value) -> list[np.ndarray]:
    """Every array of a network, in order."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, tuple):
        return [array for part in value for array in weights_of(part)]
    return weights_of(tuple(vars(value).values())) if hasattr(value, "__dict__") else []


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_all_forms_of_a_file_hold_the_same_network(case, tmp_path):
    version, blocks, options = case
    forms = ("net.bin", "net.bin.gz", "net.txt", "net.txt.gz")
    files = [write_network(tmp_path / name, version, *blocks, **options) for name in forms]
    files += [tmp_path / "packed.gz", tmp_path / "packed-text.gz"]
    files[-2].write_bytes(files[1].read_bytes())
    files[-1].write_bytes(files[3].read_bytes())
    first, *others = (read_network(file) for file in files)
    assert (first.name, first.version, len(first.blocks)) == (NAME, version, len(blocks))
    assert len(weights_of(first)) > 20
    for other in others:
        for ours, theirs in zip(weights_of(first), weights_of(other), strict=True):
            assert ours.dtype == np.float32
            np.testing.assert_array_equal(ours, theirs)


def test_pieces_have_their_sizes_and_names(tmp_path):
    network = read_network(write_network(tmp_path / "a.bin", 15, "bottleneck", "ordinary"))
    bottleneck, ordinary = network.blocks
    assert isinstance(bottleneck, BottleneckBlock) and isinstance(ordinary, OrdinaryBlock)
    attention = bottleneck.blocks[0]
    assert isinstance(attention, AttentionBlock)
    assert (attention.heads, attention.key_heads) == (4, 2)
    assert attention.frequencies.shape == (2, 2, 4)
    assert isinstance(network.conv, Conv) and network.conv.name == "conv1"
    assert network.conv.kernel.shape == (5, 3, 22, 6) and network.conv.dilation == (1, 3)
    assert network.lead == 21 and network.pass_alive
    before = read_network(write_network(tmp_path / "b.bin", 8))
    assert before.lead == 20 and not before.pass_alive


def test_words_after_the_last_layer_are_ignored(tmp_path):
    (tmp_path / "a.bin").write_bytes(NEW + b"and more\n")
    assert read_network(tmp_path / "a.bin").version == 17


def replaced(old: bytes, new: bytes, data: bytes = OLD, count: int = 1) -> bytes:
    assert old in data
    return data.replace(old, new, count)


def third_block(weight: bytes) -> bytes:
    """The old file with another first number of its third block of weights."""
    at = [found.end() for found in re.finditer(b"@BIN@", OLD)][2]
    return OLD[:at] + weight + OLD[at + 4 :]


def negative_variance() -> bytes:
    """The old file with a variance of -1."""
    at = [found.end() for found in re.finditer(b"@BIN@", OLD)][3]
    return OLD[:at] + np.float32(-1).tobytes() + OLD[at + 4 :]


HEADER = f"{NAME}\n8\n22\n19\n".encode()
TRUNK = b"trunk\n4\n6\n4\n4\n4\n4\n"
ATTENTION = b"block1\n4\n2\n8\n3\n1\n1\n"
NORM = b"block0/1/norm\n6\n0.001\n0\n1\n"
MULTIPLIERS = b"17\n22\n19\n20.0\n"
METADATA = b"150.0\n0\n1\n"
RMS_TIP = b"tip/norm\n6\n1e-06\n1\n0\n"

REFUSED = {
    "cut": (OLD[:9000], "block0/1/conv: the file ends inside the weights of this layer"),
    "two bytes short": (OLD[:-3], "own: the file ends inside the weights"),
    "cut in a word": (OLD[: len(HEADER) + 8], "trunk: the file ends where"),
    "cut before weights": (OLD[: OLD.index(b"@BIN@")], "conv1: the file ends inside the weights"),
    "no version": (OLD[:8], "the file ends where a KataGo network's name or version"),
    "empty": (b"", "the file ends where a KataGo network's name or version"),
    "a page": (b"<!DOCTYPE html><html>", "not a KataGo network: its name is '<!DOCTYPE'"),
    "a path for a name": (replaced(NAME.encode(), b"a/../b"), "its name is 'a/../b'"),
    "a long name": (replaced(NAME.encode(), 97 * b"a"), "not a KataGo network: its name"),
    "a word for a version": (replaced(b"\n8\n", b"\nx\n"), "its version is 'x'"),
    "a NaN": (third_block(b"\0\0\xc0\x7f"), "block0/1/norm: a weight is no number"),
    "infinity": (third_block(b"\0\0\x80\x7f"), "block0/1/norm: a weight is no number"),
    "a variance": (negative_variance(), "block0/1/norm: variance + epsilon is not above 0"),
    "version 18": (replaced(b"\n8\n", b"\n18\n"), "version 18; this reader knows 8 to 17"),
    "version 7": (replaced(b"\n8\n", b"\n7\n"), "version 7; this reader knows 8 to 17"),
    "version -1": (replaced(b"\n8\n", b"\n-1\n"), "version -1; this reader knows 8 to 17"),
    "version 9": (replaced(b"\n8\n", b"\n9\n"), "sv3: 4 channels where 6 are needed"),
    "21 planes": (replaced(b"\n22\n", b"\n21\n"), "21 planes and 19 globals where 22 and 19"),
    "14 globals": (replaced(b"\n19\n", b"\n14\n"), "22 planes and 14 globals where 22 and 19"),
    "a block": (replaced(b"ordinary_", b"mystery_"), "block0: unknown block 'mystery_block'"),
    "an activation": (replaced(b"_MISH", b"_GELU", NEW), "unknown activation 'ACTIVATION_GELU'"),
    "five channels": (replaced(NORM, NORM.replace(b"6", b"5")), "norm: 5 channels where 6 are"),
    "a lost mark": (
        replaced(b"@BIN@", b"@BIX@"),
        "conv1: no binary weights where they should be; a text file?",
    ),
    "huge": (
        replaced(b"conv1\n5\n3\n22\n6\n", b"conv1\n5\n3\n22\n960000\n").replace(
            TRUNK.replace(b"4\n6", b"3\n6"), b"trunk\n3\n960000\n4\n4\n4\n4\n"
        ),
        "conv1: the file ends inside the weights",
    ),
    "no channels": (replaced(b"trunk\n3\n6\n", b"trunk\n3\n0\n"), "channels of at least 1: got 0"),
    "an even filter": (replaced(b"conv1\n5\n", b"conv1\n4\n"), "conv1: a filter of 4×3"),
    "epsilon 0": (replaced(b"0.001", b"0.0"), "block0/1/norm: expected epsilon above 0: got 0.0"),
    "epsilon nan": (replaced(b"0.001", b"nan"), "block0/1/norm: expected epsilon above 0: got nan"),
    "epsilon x": (replaced(b"0.001", b"x"), "expected epsilon, a number: got 'x'"),
    "a scale twice": (replaced(NORM, NORM.replace(b"0\n1\n", b"0\n2\n")), "as 0 or 1: got 2"),
    "a half": (replaced(b"trunk\n3\n", b"trunk\n3.5\n"), "a whole number: got '3.5'"),
    "a multiplier": (
        replaced(MULTIPLIERS, b"17\n22\n19\n0\n", NEW),
        "expected the multiplier td_score above 0: got 0",
    ),
    "people's moves": (
        replaced(METADATA, b"150.0\n1\n1\n", NEW),
        "human-style networks are not supported",
    ),
    "an option": (
        replaced(METADATA + b"0\n", METADATA + b"1\n", NEW),
        "uses option 1, unknown to this reader",
    ),
    "a tip": (
        replaced(b"4\n4\n4\n4\n1\n0", b"4\n4\n4\n4\n2\n0", NEW),
        "trunk: unknown norm 2",
    ),
    "a group": (
        replaced(RMS_TIP, RMS_TIP[:-2] + b"3\n", NEW),
        "tip/norm: uses option 3, unknown to this reader",
    ),
    "three policies": (
        replaced(b"policyhead\n4\n", b"policyhead\n3\n", NEW),
        "policyhead: 3 policies where 2 or 4 are known",
    ),
    "odd heads": (
        replaced(ATTENTION, ATTENTION.replace(b"4\n2", b"4\n3"), NEW),
        "block1: 4 heads, no multiple of its 3 key heads",
    ),
    "odd pairs": (
        replaced(ATTENTION, ATTENTION.replace(b"8", b"7"), NEW),
        "block1: 7 query channels cannot be rotated in pairs",
    ),
    "half pairs": (
        replaced(b"block0\n4\n2\n8\n", b"block0\n4\n2\n6\n", FIXED),
        "block0: 6 query channels cannot be rotated in pairs",
    ),
    "a base": (replaced(b"rope\n100.0", b"rope\n-1", FIXED), "rope: expected the base of the"),
    "frequencies": (
        replaced(b"block1/rope\n2\n4\n2\n", b"block1/rope\n2\n3\n2\n", NEW),
        "block1/rope: 3 channels where 4 are needed",
    ),
    "hidden channels": (
        replaced(b"block2\n6\n5\n1\n", b"block2\n7\n5\n1\n", NEW),
        "block2: 7 channels where 6 are needed",
    ),
}


@pytest.mark.parametrize(("data", "fault"), REFUSED.values(), ids=REFUSED)
def test_a_broken_network_is_refused_by_file_and_layer(data, fault, tmp_path):
    for name, packed in (("broken.bin", data), ("broken.bin.gz", gzip.compress(data))):
        (tmp_path / name).write_bytes(packed)
        with pytest.raises(DataFormatError, match=re.escape(fault)) as refusal:
            read_network(tmp_path / name)
        assert str(refusal.value).startswith(str(tmp_path / name))
        assert "\n" not in str(refusal.value)


def test_bottlenecks_are_not_read_without_end(tmp_path):
    write_network(tmp_path / "deep.bin", 17, *12 * ["opened"])
    with pytest.raises(DataFormatError, match="block8/1/conv: bottlenecks .* more than 8 deep"):
        read_network(tmp_path / "deep.bin")


@pytest.mark.parametrize(
    "packed",
    [gzip.compress(OLD)[:-5000], gzip.compress(OLD)[:-3], b"<!DOCTYPE html>", b"\x1f\x8b\x08junk"],
    ids=["half", "without its end", "a page", "no gzip within"],
)
def test_what_cannot_be_unpacked_is_no_network(packed, tmp_path):
    path = tmp_path / "a.bin.gz"
    path.write_bytes(packed)
    with pytest.raises(DataFormatError, match="not a KataGo network: cannot unpack it"):
        read_network(path)


def test_a_missing_file_and_a_binary_file_named_text_are_refused(tmp_path):
    with pytest.raises(DataFormatError, match="cannot read .*missing.bin: No such file"):
        read_network(tmp_path / "missing.bin")
    with pytest.raises(DataFormatError, match="cannot read"):
        read_network(tmp_path)
    (tmp_path / "a.txt").write_bytes(OLD)
    with pytest.raises(DataFormatError, match=r"a\.txt: conv1: expected a weight, a number: got"):
        read_network(tmp_path / "a.txt")


@pytest.mark.parametrize("seed", range(40))
def test_damage_is_refused_in_one_sentence_or_changes_only_weights(seed, tmp_path):
    rng = np.random.default_rng(seed)
    damaged = bytearray(FIXED)
    words = [found.start() for found in re.finditer(rb"(?<=\n)[\w.\-]+(?=\n)", FIXED)]
    for place in rng.choice(words, 2):
        old = bytes(damaged[place : place + 2])
        damaged[place : place + 2] = rng.choice([b"-1", b"7", b"nan", b"1e400", b"\xff\xff", old])
    (tmp_path / "damaged.bin").write_bytes(damaged)
    try:
        read_network(tmp_path / "damaged.bin")
    except DataFormatError as refusal:
        assert "\n" not in str(refusal) and "damaged.bin" in str(refusal)


def test_a_file_cut_anywhere_is_refused_in_one_sentence(tmp_path):
    for end in range(0, len(NEW) - 1, 97):
        (tmp_path / "cut.bin").write_bytes(NEW[:end])
        with pytest.raises(DataFormatError):
            read_network(tmp_path / "cut.bin")


def test_reading_takes_little_more_memory_than_the_file(tmp_path):
    path = write_network(tmp_path / "net.bin.gz", 14)
    tracemalloc.start()
    read_network(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6


@pytest.mark.parametrize("limit", [1, len(FIXED) - 1])
def test_a_file_that_unpacks_to_more_than_the_limit_is_refused(limit, tmp_path, monkeypatch):
    monkeypatch.setattr(words, "MAX_BYTES", limit)
    monkeypatch.setattr(words, "_CHUNK", 1000)
    (tmp_path / "net.bin.gz").write_bytes(gzip.compress(FIXED))
    with pytest.raises(DataFormatError, match="net.bin.gz: not a KataGo network: more than"):
        read_network(tmp_path / "net.bin.gz")
    monkeypatch.setattr(words, "MAX_BYTES", len(FIXED))
    assert read_network(tmp_path / "net.bin.gz").name == NAME
