"""HDF5 files of many small groups, as a network of many layers makes them, kept small."""

from io import BytesIO
from pathlib import Path

import h5py

DENSE = ("v108", "v108")
"""The oldest format of HDF5 (2008) that keeps a small group in its header alone.

Keras writes an older one, for which each group takes 1 KB beside its content: two for each layer.
"""


def make_dense(path: Path) -> None:
    """Write a file of groups, datasets and attributes anew, in fewer bytes.

    Raises:
        OSError: as on a full disk; the file is then broken.
    """
    sparse = BytesIO(path.read_bytes())
    with h5py.File(sparse) as old, h5py.File(path, "w", libver=DENSE) as new:
        _copy(old, new)


def _copy(old: h5py.Group, new: h5py.Group) -> None:
    _copy_attributes(old, new)
    for name, member in old.items():
        if isinstance(member, h5py.Group):
            _copy(member, new.create_group(name))
        else:
            _copy_attributes(member, new.create_dataset(name, data=member[()]))


def _copy_attributes(old: h5py.HLObject, new: h5py.HLObject) -> None:
    for name, value in old.attrs.items():
        new.attrs[name] = value
