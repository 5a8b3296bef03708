"""A file that is a zip for one program and an HDF5 file for another is refused, in either order."""

import io
import json
import zipfile

import h5py
import numpy as np
import pytest

from tests.integration.intake.hostile import reason, said
from tournament.intake import judge
from tournament.intake.child import Message
from tournament.intake.container import WEIGHTS, count, read
from tournament.intake.faults import Refused
from tournament.intake.hdf5.file import hdf5_start, holds_zip, open_contents

BOTH = "the file is a zip and an HDF5 file at once"


def _zip_of(members: dict[str, bytes], comment: bytes = b"") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.comment = comment
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _members(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


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
    return _zip_of({name: h5, **_members(archive)})


def _in_an_array(h5: bytes, archive: bytes) -> bytes:
    """An HDF5 file that ends with an array, which holds a zip."""
    stream = io.BytesIO(h5)
    with h5py.File(stream, "r+") as file:
        file["model_weights"]["zip"] = np.frombuffer(archive, np.uint8)
    return stream.getvalue()


def _empty_zip(h5: bytes, archive: bytes) -> bytes:
    return h5 + _zip_of({})


def _far_from_the_end(h5: bytes, archive: bytes) -> bytes:
    """Where a program that repairs zips looks, and others do not."""
    return h5 + archive + bytes(100_000)


TWO_AT_ONCE = {
    "zip_behind": lambda h5, archive: h5 + archive,
    "zip_with_comment": lambda h5, archive: h5 + _zip_of(_members(archive), b"x" * 60_000),
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
    for gate in (read, count):
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
    inner = _zip_of({"config.json": b"{}"})
    changed = _zip_of({**members, WEIGHTS: members[WEIGHTS] + inner})
    with pytest.raises(Refused) as refusal:
        read(Message({}, changed))
    assert said(refusal.value.faults) == BOTH


@pytest.mark.parametrize("block", [b"", b"#!/bin/sh\n", json.dumps({"a": 1}).encode(), bytes(3000)])
def test_a_user_block_is_refused_by_its_name(files, block):
    with pytest.raises(Refused) as refusal:
        read(Message({}, _behind_user_block(files[0], block)))
    assert said(refusal.value.faults) == "the file has a user block"


def test_a_judge_refuses_it_too(files, tmp_path):
    path = tmp_path / "net.h5"
    path.write_bytes(files[0] + files[1])
    assert reason(judge(path, work_dir=tmp_path / "work")) == BOTH


def test_each_form_alone_is_read(files):
    for data in files:
        assert read(Message({}, data)).payload
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
