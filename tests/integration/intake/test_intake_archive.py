"""A .keras is judged as the .h5 of the same network is; a zip of another kind is refused.

So is a file that is a zip for one program and an HDF5 file for another, in either order.
"""

import io
import json
import random
import re
import zipfile

import h5py
import numpy as np
import pytest
from keras_files import ARCHIVED, HAS_KERAS_2

from tests.integration.intake.hostile import refused_by_the_gates, said
from tests.integration.intake.parity import answers, bake, open_file, read
from tournament.intake import JudgeOptions, judge
from tournament.intake.child import Message
from tournament.intake.container import CONFIG, WEIGHTS, count
from tournament.intake.container import read as read_container
from tournament.intake.faults import Refused
from tournament.intake.hdf5 import hdf5_start, holds_zip, open_contents

OF_KERAS_2 = ("split_blocks", "nested_2", "several_ends_2", "attention_2", "layers_2")


@pytest.mark.parametrize("name", ARCHIVED)
def test_a_keras_file_comes_out_as_the_h5_does(keras_files, name):
    if name in OF_KERAS_2 and not HAS_KERAS_2:
        pytest.skip("tf_keras is not installed")
    of_h5, of_archive = (
        read(open_file(keras_files / f"{name}{suffix}")) for suffix in (".h5", ".keras")
    )
    assert bake(of_archive) == bake(of_h5)
    assert of_archive.parameters_total == of_h5.parameters_total
    assert of_archive.keras_version == of_h5.keras_version
    assert of_archive.left_out == of_h5.left_out
    keras = np.load(keras_files / f"{name}.npz")
    for policy, value in answers(bake(of_archive), keras["planes"], ["onnxruntime"]):
        np.testing.assert_allclose(policy, keras["policy"], atol=1e-4)
        np.testing.assert_allclose(value, keras["value"][:, 0], atol=1e-4)


def test_a_keras_file_is_accepted(keras_files, tmp_path):
    verdict = judge(keras_files / "nested.keras", work_dir=tmp_path)
    assert verdict.accepted and verdict.onnx_path.exists()
    assert verdict.manifest.parameters_total == np.load(keras_files / "nested.npz")["parameters"]


def _members(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def _zip(members, comment=b"", **options) -> bytes:
    """Return a zip of (name, content) pairs."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", **options) as archive:
        archive.comment = comment
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def _with(**changes):
    """Return what gives members other contents, or takes them away."""

    def change(members):
        changed = {**members, **{name.replace("__", "."): new for name, new in changes.items()}}
        return _zip((name, new) for name, new in changed.items() if new is not None)

    return change


def _in_64_bits(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(content)
    before, entry, entries = stream.getvalue().partition(b"PK\1\2")
    # Before 3.11.4 Python leaves out the version 45 that the form asks for.
    return before + re.sub(rb"(?s)(PK\x01\x02..).", lambda m: m[1] + b"\x2d", entry + entries)


def _for_4_gb(members):
    """The form in which the end of a zip names a further end before it."""
    data = _zip(members.items())
    end, directory = data[-22:], int.from_bytes(data[-6:-2], "little")
    size = int.from_bytes(end[12:16], "little")
    further = b"PK\6\6" + (44).to_bytes(8, "little") + bytes([45, 0, 45, 0]) + bytes(8)
    further += b"".join(n.to_bytes(8, "little") for n in (3, 3, size, directory))
    locator = b"PK\6\7" + bytes(4) + (len(data) - 22).to_bytes(8, "little") + b"\1\0\0\0"
    return data[:-22] + further + locator + end


def _encrypted(members):
    data = bytearray(_zip(members.items()))
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + flags] |= 1
            at = data.find(signature, at + 1)
    return bytes(data)


def _weights(change):
    """Return what changes the HDF5 file in the archive."""

    def changed(members):
        stream = io.BytesIO(members[WEIGHTS])
        with h5py.File(stream, "r+") as file:
            change(file)
        return _zip({**members, WEIGHTS: stream.getvalue()}.items())

    return changed


def _too_large_a_description(members):
    return _zip({**members, CONFIG: b" " * 3_000_000 + members[CONFIG]}.items())


def _bomb(members):
    """30 MB in a file of 100 kB."""
    content = members[WEIGHTS] + bytes(30_000_000)
    return _zip({**members, WEIGHTS: content}.items(), compression=zipfile.ZIP_DEFLATED)


def _twice(members):
    with pytest.warns(UserWarning, match="Duplicate"):
        return _zip([*members.items(), (CONFIG, b"{}")])


def _comment(members):
    return _zip(members.items())[:-2] + b"\2\0hi"


ARCHIVES = {
    "no_end": (lambda members: _zip(members.items())[:-30], "does not end as a zip does"),
    "comment": (_comment, "does not end as a zip does"),
    "two_of_a_name": (_twice, "two of one name"),
    "many": (
        lambda members: _zip([*members.items(), *((f"x{n}", b"") for n in range(20))]),
        "has 23 members",
    ),
    "path": (_with(**{"../../etc/passwd": b"x"}), "a member '../../etc/passwd'"),
    "folder": (_with(**{"assets/": b""}), "a member 'assets/'"),
    "code": (_with(model__py=b"import os"), "a member 'model.py'"),
    "no_weights": (_with(model__weights__h5=None), "lacks model.weights.h5"),
    "no_config": (_with(config__json=None), "lacks config.json"),
    "no_json": (_with(metadata__json=b"\xff"), "is not JSON"),
    "deep_json": (_with(metadata__json=b"[" * 9_000), "is not JSON"),
    "empty_config": (_with(config__json=b"{}"), "not a functional one"),
    "lzma": (
        lambda members: _zip(members.items(), compression=zipfile.ZIP_LZMA), "does not use"
    ),
    "encrypted": (_encrypted, "packed in a way that Keras does not use"),
    "in_64_bits": (_in_64_bits, "packed in a way that Keras does not use"),
    "for_4_gb": (_for_4_gb, "more than 4 GB"),
    "bomb": (_bomb, "bytes when it is unpacked"),
    "long_config": (_too_large_a_description, "'config.json' has 3,0"),
    "no_hdf5": (_with(model__weights__h5=b"numbers"), "is not an HDF5 file"),
    "soft_link": (
        _weights(lambda f: f["layers"].__setitem__("x", h5py.SoftLink("/layers"))), "soft link"
    ),
    "other_layer": (
        _weights(lambda f: f["layers"].__setitem__("lstm/vars/0", np.zeros(3, "f4"))),
        "weights 'layers/lstm', which no layer of the model has",
    ),
    "no_numbers": (
        _weights(lambda f: f["layers/conv2d/vars"].__setitem__("x", np.zeros(3, "f4"))),
        "weights in 'layers/conv2d/vars' are not numbered",
    ),
    "missing": (
        _weights(lambda f: f.__delitem__("layers/conv2d/vars/1")), "does not hold its bias"
    ),
    "nan": (
        _weights(lambda f: f["layers/conv2d/vars/0"].__setitem__((0, 0, 0, 0), np.nan)),
        "layers/conv2d/vars/0 holds NaN or infinity",
    ),
    "bfloat16": (
        _weights(lambda f: f["layers/conv2d/vars/0"].attrs.__setitem__("dtype", "bfloat16")),
        "are in bfloat16",
    ),
    "early": (
        _weights(lambda f: f.move("layers", "_layer_checkpoint_dependencies")),
        "an early Keras",
    ),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_of_another_kind_is_refused(keras_files, tmp_path, name):
    change, expected = ARCHIVES[name]
    path = tmp_path / "net.keras"
    path.write_bytes(change(_members((keras_files / "resnet.keras").read_bytes())))
    assert expected in said(refused_by_the_gates(path))


def test_a_compressed_archive_is_read(keras_files):
    """As other tools pack the same members."""
    path = keras_files / "resnet.keras"
    packed = _zip(_members(path.read_bytes()).items(), compression=zipfile.ZIP_DEFLATED)
    assert read_container(Message({}, packed)) == open_file(path)


def test_damaged_archives_are_refused_or_read(keras_files):
    rng, counts = random.Random(5), {"refused": 0, "read": 0}
    whole = (keras_files / "resnet.keras").read_bytes()
    heads = [at for at in range(len(whole)) if whole[at : at + 2] == b"PK"]
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 3, 20))):
            near = rng.choice(heads) + rng.randrange(80)
            at = near if rng.random() < 0.7 else rng.randrange(len(data))
            data[min(at, len(data) - 1)] = rng.choice((0, 1, 255, rng.randrange(256)))
        if rng.random() < 0.1:
            del data[rng.randrange(len(data)):]
        try:
            read_container(Message({}, bytes(data)))
            counts["read"] += 1
        except Refused:
            counts["refused"] += 1
    assert counts["refused"] > 100


@pytest.mark.parametrize("suffix", [".h5", ".keras"])
def test_a_file_that_is_too_large_hears_its_parameters(keras_files, tmp_path, suffix):
    path = keras_files / f"compiled{suffix}"
    network = read(open_file(path))
    options = JudgeOptions(max_bytes=path.stat().st_size - 1)
    [fault] = judge(path, work_dir=tmp_path, options=options).faults
    assert f"the network has {network.parameters_total:,} parameters, its optimizer" in fault.text
    assert "optimizer 0 numbers" not in fault.text
    assert fault.remedy.startswith("save it without its optimizer")


def test_a_file_that_is_too_large_without_an_optimizer_hears_so(keras_files, tmp_path):
    [fault] = judge(
        keras_files / "resnet.h5", work_dir=tmp_path, options=JudgeOptions(max_bytes=1_000)
    ).faults
    assert "parameters, its optimizer 0 numbers" in fault.text
    assert fault.remedy.startswith("make the network smaller")


def test_a_large_file_that_cannot_be_read_hears_its_size(tmp_path):
    path = tmp_path / "net.h5"
    path.write_bytes(json.dumps("x" * 2_000).encode())
    [fault] = judge(path, work_dir=tmp_path / "x", options=JudgeOptions(max_bytes=1_000)).faults
    assert fault.text == "the file has 2,002 bytes: at most 1,000 are taken"


BOTH = "the file is a zip and an HDF5 file at once"


def _behind_user_block(h5: bytes, block: bytes) -> bytes:
    """An HDF5 file with a user block that begins with these bytes, as `h5jam` makes it."""
    size = 512
    while size < len(block):
        size *= 2
    stream = io.BytesIO()
    with h5py.File(io.BytesIO(h5)) as source, h5py.File(
        stream, "w", userblock_size=size, libver="latest"
    ) as copy:
        for name in source:
            source.copy(name, copy)
        for name, value in source.attrs.items():
            copy.attrs[name] = value
    return block + stream.getvalue()[len(block):]


def _zip_around(h5: bytes, archive: bytes) -> bytes:
    """A zip whose first member is stored, and begins where programs look for HDF5."""
    name = "x" * (512 - 30)
    return _zip({name: h5, **_members(archive)}.items())


def _in_an_array(h5: bytes, archive: bytes) -> bytes:
    """An HDF5 file that ends with an array, which holds a zip."""
    stream = io.BytesIO(h5)
    with h5py.File(stream, "r+") as file:
        file["model_weights"]["zip"] = np.frombuffer(archive, np.uint8)
    return stream.getvalue()


def _empty_zip(h5: bytes, archive: bytes) -> bytes:
    return h5 + _zip([])


def _far_from_the_end(h5: bytes, archive: bytes) -> bytes:
    """Where a program that repairs zips looks, and others do not."""
    return h5 + archive + bytes(100_000)


TWO_AT_ONCE = {
    "zip_behind": lambda h5, archive: h5 + archive,
    "zip_with_comment": lambda h5, archive: (
        h5 + _zip(_members(archive).items(), comment=b"x" * 60_000)
    ),
    "empty_zip_behind": _empty_zip,
    "far_from_the_end": _far_from_the_end,
    "in_an_array": _in_an_array,
    "zip_before": lambda h5, archive: _behind_user_block(h5, archive),
    "zip_around": _zip_around,
}


@pytest.fixture(scope="module")
def files(keras_files) -> tuple[bytes, bytes]:
    """The same network as .h5 and as .keras."""
    return (keras_files / "resnet.h5").read_bytes(), (keras_files / "resnet.keras").read_bytes()


@pytest.mark.parametrize("name", TWO_AT_ONCE)
def test_a_zip_that_is_an_hdf5_file_too_is_refused(files, name):
    data = TWO_AT_ONCE[name](*files)
    for gate in (read_container, count):
        with pytest.raises(Refused) as refusal:
            gate(Message({}, data))
        assert said(refusal.value.faults) == BOTH


@pytest.mark.parametrize("name", ["zip_behind", "in_an_array", "zip_before", "zip_around"])
def test_programs_for_either_form_open_such_a_file(files, name):
    """So the files above are what they are meant to be."""
    data = TWO_AT_ONCE[name](*files)
    assert zipfile.is_zipfile(io.BytesIO(data)) or name == "zip_before"  # behind it is 300 kB
    with h5py.File(io.BytesIO(data)) as opened:
        assert "model_weights" in opened


def test_the_weights_in_a_keras_file_are_looked_at_too(files):
    _, archive = files
    members = _members(archive)
    inner = _zip([("config.json", b"{}")])
    changed = _zip({**members, WEIGHTS: members[WEIGHTS] + inner}.items())
    with pytest.raises(Refused) as refusal:
        read_container(Message({}, changed))
    assert said(refusal.value.faults) == BOTH


@pytest.mark.parametrize("block", [b"", b"#!/bin/sh\n", json.dumps({"a": 1}).encode(), bytes(3000)])
def test_a_user_block_is_refused_by_its_name(files, block):
    with pytest.raises(Refused) as refusal:
        read_container(Message({}, _behind_user_block(files[0], block)))
    assert said(refusal.value.faults) == "the file has a user block"


def test_each_form_alone_is_read(files):
    for data in files:
        assert read_container(Message({}, data)).payload
    assert open_contents(_members(files[1])[WEIGHTS]).arrays


@pytest.mark.parametrize(
    ("data", "start", "zipped"),
    [
        (b"", None, False),
        (b"\x89HDF\r\n\x1a\n", 0, False),
        (bytes(512) + b"\x89HDF\r\n\x1a\n", 512, False),
        (bytes(1024) + b"\x89HDF\r\n\x1a\n", 1024, False),
        (bytes(1536) + b"\x89HDF\r\n\x1a\n", None, False),
        (b"PK\5\6" + bytes(18), None, True),
        (b"PK\5\6" + bytes(17), None, False),
        (b"PK\5\6" + b"x" * 18, None, False),  # four bytes of weights may be these
        (b"PK\5\6" + b"x" * 9 + b"PK\5\6" + bytes(18), None, True),
        (b"PK\1\2" + b"PK\5\6" + b"x" * 18, None, True),
        (b"PK\1\2" + bytes(100), None, False),
    ],
)
def test_where_programs_look(data, start, zipped):
    assert hdf5_start(data) == start
    assert holds_zip(data) == zipped
