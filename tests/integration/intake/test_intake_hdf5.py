"""Gate A's own reader of HDF5 against the HDF5 library, on the files that Keras wrote."""

import subprocess
import sys
from pathlib import Path

import h5py
import pytest
from keras_files import HAS_KERAS_2

from models.training.dense_hdf5 import make_dense
from tests.data import ROOT
from tests.integration.intake import hdf5_oracle
from tests.integration.intake.parity import open_file
from tournament.intake.child import Message

NETWORKS = sorted(ROOT.glob("data/networks/*/best.h5"))


def assert_same(path: Path) -> None:
    ours = open_file(path)
    theirs = hdf5_oracle.read(Message({}, path.read_bytes()))
    assert ours.header == theirs.header and ours.payload == theirs.payload, path


@pytest.mark.slow
def test_files_of_every_keras_are_read_as_the_library_reads_them(keras_files):
    paths = sorted(keras_files.glob("*.h5"))
    assert len(paths) > (40 if HAS_KERAS_2 else 30)
    for path in paths:
        assert_same(path)


@pytest.mark.parametrize("path", NETWORKS, ids=[path.parent.name for path in NETWORKS])
def test_the_networks_of_the_kit_are_read_as_the_library_reads_them(path):
    assert_same(path)


@pytest.mark.parametrize("version", ["earliest", ("v108", "v108"), ("v110", "v110"), "latest"])
def test_a_file_that_was_written_anew_is_the_same(keras_files, tmp_path, version):
    """As HDF5 1.6, 1.8, 1.10 and the latest write it; with an optimizer's state."""
    path = tmp_path / "net.h5"
    with h5py.File(keras_files / "compiled.h5") as old, h5py.File(path, "w", libver=version) as new:
        for name in old:
            old.copy(name, new)
        for name, value in old.attrs.items():
            new.attrs[name] = value
    assert_same(path)
    assert open_file(path).payload == open_file(keras_files / "compiled.h5").payload


def test_dense_files_of_the_kit_files_are_read(keras_files, tmp_path):
    path = tmp_path / "net.h5"
    path.write_bytes((keras_files / "nested.h5").read_bytes())
    make_dense(path)
    assert_same(path)
    assert open_file(path).payload == open_file(keras_files / "nested.h5").payload


def test_compressed_weights_are_read(keras_files, tmp_path):
    """As h5repack leaves a file: no Keras writes it, every Keras loads it."""
    path = tmp_path / "net.h5"
    path.write_bytes((keras_files / "resnet.h5").read_bytes())
    with h5py.File(path, "r+") as file:
        kernel = file["model_weights/conv2d/conv2d/kernel"][()]
        del file["model_weights/conv2d/conv2d/kernel"]
        file.create_dataset(
            "model_weights/conv2d/conv2d/kernel", data=kernel, compression="gzip", shuffle=True,
            fletcher32=True,
        )
    assert open_file(path).payload == open_file(keras_files / "resnet.h5").payload


@pytest.mark.parametrize("module", ["container", "bake", "try_runtimes"])
def test_a_child_imports_no_more_than_it_needs(module):
    """Neither Keras nor the HDF5 library, nor what takes long or is for other parts of the kit."""
    unwanted = ["h5py", "keras", "tensorflow", "asyncio", "sqlite3", "tournament.game"]
    code = (
        f"import sys, tournament.intake.child, tournament.intake.{module}; "
        f"print([name for name in {unwanted} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done
