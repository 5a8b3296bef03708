import h5py
import numpy as np
import pytest

from models.training.dense_hdf5 import make_dense


@pytest.fixture
def sparse(tmp_path):
    """A file like Keras's of many layers: two groups, a dataset and attributes of each."""
    path = tmp_path / "net.h5"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = '{"layers": "ß"}'
        for number in range(100):
            layer = file.create_group(f"model_weights/layer_{number}")
            layer.attrs["weight_names"] = [b"inner/kernel", b"inner/bias"]
            layer.attrs["empty"] = np.zeros(0, np.float32)
            kernel = layer.create_dataset("inner/kernel", data=np.full((3, 2), number, np.float16))
            kernel.attrs["unit"] = 1.5
            layer["inner/scalar"] = np.float32(number)
    return path


def content(path):
    """Every attribute and dataset by its place in the file."""
    found = {}

    def note(name, member):
        for key, value in member.attrs.items():
            found[f"{name}@{key}"] = np.asarray(value)
        if isinstance(member, h5py.Dataset):
            found[name] = member[()]

    with h5py.File(path) as file:
        note("", file)
        file.visititems(note)
    return found


@pytest.mark.slow
def test_a_dense_file_has_the_same_content_in_fewer_bytes(sparse):
    before, size = content(sparse), sparse.stat().st_size
    make_dense(sparse)
    after = content(sparse)
    assert list(after) == list(before) and len(after) == 1 + 100 * 5
    for name, value in before.items():
        np.testing.assert_array_equal(after[name], value)
        assert after[name].dtype == value.dtype
    assert sparse.stat().st_size < size / 2


def test_a_file_that_is_not_hdf5_is_refused(tmp_path):
    (tmp_path / "net.h5").write_text("no")
    with pytest.raises(OSError, match="signature"):
        make_dense(tmp_path / "net.h5")
    assert (tmp_path / "net.h5").read_text() == "no"
