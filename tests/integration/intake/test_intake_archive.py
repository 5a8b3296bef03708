"""A .keras is judged as the .h5 of the same network is; where programs for zip and HDF5 look."""

import io
import random
import zipfile

import h5py
import numpy as np
import pytest
from container_faults import TWO_AT_ONCE, members_of, zip_of
from keras_files import ARCHIVED, HAS_KERAS_2

from tests.integration.intake.parity import answers, bake, open_file, read
from tournament.intake import judge
from tournament.intake.child import Message
from tournament.intake.container import WEIGHTS, count
from tournament.intake.container import read as read_container
from tournament.intake.faults import Refused
from tournament.intake.hdf5 import hdf5_start, holds_zip, open_contents

pytestmark = pytest.mark.usefixtures("forked_children")

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


def test_a_keras_file_is_accepted_and_a_compressed_archive_is_read(keras_files, tmp_path, files):
    verdict = judge(keras_files / "nested.keras", work_dir=tmp_path)
    assert verdict.accepted and verdict.onnx_path.exists()
    assert verdict.manifest.parameters_total == np.load(keras_files / "nested.npz")["parameters"]
    # As other tools pack the same members.
    path = keras_files / "resnet.keras"
    packed = zip_of(members_of(path.read_bytes()).items(), compression=zipfile.ZIP_DEFLATED)
    assert read_container(Message({}, packed)) == open_file(path)
    for data in files:
        assert read_container(Message({}, data)).payload
    assert open_contents(members_of(files[1])[WEIGHTS]).arrays


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


@pytest.fixture(scope="module")
def files(keras_files) -> tuple[bytes, bytes]:
    """The same network as .h5 and as .keras."""
    return (keras_files / "resnet.h5").read_bytes(), (keras_files / "resnet.keras").read_bytes()


@pytest.mark.parametrize("name", TWO_AT_ONCE)
def test_the_numbers_of_a_zip_that_is_an_hdf5_file_too_are_not_counted(files, name):
    with pytest.raises(Refused, match="a zip and an HDF5 file at once"):
        count(Message({}, TWO_AT_ONCE[name](*files)))


@pytest.mark.parametrize("name", ["zip_behind", "in_an_array", "zip_before", "zip_around"])
def test_programs_for_either_form_open_such_a_file(files, name):
    """So the files above are what they are meant to be."""
    data = TWO_AT_ONCE[name](*files)
    assert zipfile.is_zipfile(io.BytesIO(data)) or name == "zip_before"  # behind it is 300 kB
    with h5py.File(io.BytesIO(data)) as opened:
        assert "model_weights" in opened


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
