"""Gate A for a .keras: a zip of a description, and of an HDF5 file with the weights.

Keras writes three members, not compressed. A member is unpacked only after the directory of the
zip has passed: its names, sizes and ways of packing.
"""

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO

import numpy as np

from tournament.intake.faults import Refused, quoted, refuse
from tournament.intake.hdf5 import SAVE_AGAIN
from tournament.intake.hdf5.file import hdf5_start, open_contents, read_numbers, two_at_once
from tournament.intake.remedies import IN_FLOAT32
from tournament.intake.saved import Saved

SIGNATURE = b"PK"
MAX_MEMBERS = 8
MAX_RATIO = 100
CONFIG, METADATA, WEIGHTS = "config.json", "metadata.json", "model.weights.h5"
MAX_BYTES = {CONFIG: 2_000_000, METADATA: 10_000, WEIGHTS: 32_000_000}
_WAYS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_OF_64_BITS = 45  # the version of the format
_END, _END_BYTES, _LOCATOR, _LOCATOR_BYTES = b"PK\5\6", 22, b"PK\6\7", 20
LAYERS, _VARIABLES = "layers/", "vars"
_LAYERS_OF_OLD = "_layer_checkpoint_dependencies/"
# What the standard library raises where a zip is damaged or of a kind that it does not read.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError,
    LookupError, OverflowError,
)


def read(data: bytes) -> Saved:
    """Return the model in a .keras; raises Refused."""
    members = unpack(data)
    try:
        config = members[CONFIG].decode("utf-8")
        metadata = json.loads(members[METADATA])
    except (ValueError, RecursionError) as error:
        raise refuse("the description in the .keras is not JSON", SAVE_AGAIN) from error
    version = metadata.get("keras_version") if isinstance(metadata, dict) else None
    arrays = list(_arrays(members[WEIGHTS]))
    return Saved(config, version if isinstance(version, str) else "", arrays, by_class=True)


def unpack(data: bytes) -> dict[str, bytes]:
    """Return the three members of a .keras by name; raises Refused."""
    if hdf5_start(data) is not None:
        raise two_at_once()
    _check_end(data)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            found = archive.infolist()
            _check_directory(found, len(data))
            return {member.filename: archive.read(member) for member in found}
    except Refused:
        raise
    except _DAMAGE as error:
        raise refuse("the .keras is damaged, or not a zip that Keras wrote", SAVE_AGAIN) from error


def _check_end(data: bytes) -> None:
    """Refuse what a second reader of zips might read otherwise: a comment, and the 64-bit form."""
    end = len(data) - _END_BYTES
    if end < 0 or data[end : end + 4] != _END:
        raise refuse("the .keras does not end as a zip does", SAVE_AGAIN)
    if data[max(end - _LOCATOR_BYTES, 0) : end].startswith(_LOCATOR):
        raise refuse("the .keras is a zip in the form for more than 4 GB", SAVE_AGAIN)


def _check_directory(members: list[zipfile.ZipInfo], file_bytes: int) -> None:
    names = [member.filename for member in members]
    if names and all(name.endswith(".npy") for name in names):
        raise refuse("the file is an .npz of NumPy, which holds no network", SAVE_AGAIN)
    if not MAX_BYTES.keys() & set(names):
        raise refuse("the file is a zip, and no .keras", SAVE_AGAIN)
    if len(names) > MAX_MEMBERS or len(set(names)) != len(names):
        raise refuse(f"the .keras has {len(names)} members, or two of one name", SAVE_AGAIN)
    for member in members:
        if member.filename not in MAX_BYTES:
            raise refuse(f"the .keras has a member {quoted(member.filename)}", SAVE_AGAIN)
        encrypted, large = member.flag_bits & 1, member.extract_version >= _OF_64_BITS
        if member.compress_type not in _WAYS or encrypted or large or member.extra:
            raise refuse(
                f"{quoted(member.filename)} is packed in a way that Keras does not use", SAVE_AGAIN
            )
        at_most = min(MAX_BYTES[member.filename], MAX_RATIO * file_bytes)
        if member.filename == WEIGHTS:  # of networks that are not handed in
            at_most = max(at_most, file_bytes)
        if member.file_size > at_most:
            raise refuse(
                f"{quoted(member.filename)} has {member.file_size:,} bytes when it is unpacked: at "
                f"most {at_most:,} are read", "make the network smaller",
            )
    for missing in MAX_BYTES.keys() - set(names):
        raise refuse(f"the .keras lacks {missing}", SAVE_AGAIN)


def _arrays(data: bytes) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays of all layers, each with the path of its group, in Keras's order."""
    groups: dict[str, list[str]] = {}
    arrays = open_contents(data).arrays
    for path in arrays:
        if path.startswith(_LAYERS_OF_OLD):
            raise refuse(
                "the .keras is of an early Keras with that format, which names weights otherwise",
                "save the model as .h5 there: model.save('net.h5')",
            )
        if path.startswith(LAYERS):  # else of the optimizer or of a metric
            groups.setdefault(path.rpartition("/")[0], []).append(path)
    for group, paths in sorted(groups.items()):
        layer, _, last = group.rpartition("/")
        expected = [f"{group}/{number}" for number in range(len(paths))]
        if last != _VARIABLES or set(paths) != set(expected):
            raise refuse(f"the weights in {quoted(group)} are not numbered", SAVE_AGAIN)
        for path in expected:
            if "dtype" in arrays[path].attributes:
                raise refuse(
                    f"the numbers of {quoted(path)} are in bfloat16", IN_FLOAT32
                )
            yield layer, read_numbers(arrays[path], path)
