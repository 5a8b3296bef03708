"""HDF5 files of many small groups, as a network of many layers makes them, kept small."""

import os
from io import BytesIO
from pathlib import Path

import h5py
from h5py import h5f, h5g, h5p


def make_dense(path: Path) -> None:
    """Write a file of groups, datasets and attributes anew, in fewer bytes, the same each time.

    Keras writes the oldest format; format 1.8 has no 1 KB a group and no times. Raises OSError: as
    on a full disk; the file is then broken.
    """
    sparse = BytesIO(path.read_bytes())
    with h5py.File(sparse) as old, _created(path) as new:
        _copy(old, new)


def _created(path: Path) -> h5py.File:
    creation, access = (h5p.create(kind) for kind in (h5p.FILE_CREATE, h5p.FILE_ACCESS))
    creation.set_obj_track_times(False)
    access.set_libver_bounds(h5f.LIBVER_V18, h5f.LIBVER_V18)
    access.set_fclose_degree(h5f.CLOSE_STRONG)
    return h5py.File(h5f.create(os.fsencode(path), h5f.ACC_TRUNC, creation, access))


def _created_group(parent: h5py.Group, name: str) -> h5py.Group:
    creation = h5p.create(h5p.GROUP_CREATE)
    creation.set_obj_track_times(False)
    return h5py.Group(h5g.create(parent.id, name.encode(), gcpl=creation))


def _copy(old: h5py.Group, new: h5py.Group) -> None:
    _copy_attributes(old, new)
    for name, member in old.items():
        if isinstance(member, h5py.Group):
            _copy(member, _created_group(new, name))
        else:
            _copy_attributes(member, new.create_dataset(name, data=member[()]))


def _copy_attributes(old: h5py.HLObject, new: h5py.HLObject) -> None:
    for name, value in old.attrs.items():
        new.attrs[name] = value
