"""Gate A: from the bytes of a file to its model's description and weights, in a throwaway child.

The child gets bytes, not a path, may open nothing, and its reply is again treated as untrusted
data. It uses neither Keras nor the HDF5 library: `hdf5` reads the part of the format that Keras
writes. All else that HDF5 can do is refused before it is read.
"""

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO

import numpy as np

from tournament.intake.child import Message
from tournament.intake.faults import Refused, quoted, refusal
from tournament.intake.hdf5 import (
    Contents,
    File,
    Group,
    hdf5_start,
    open_contents,
    read_numbers,
    two_at_once,
)
from tournament.intake.hdf5.objects import Attribute
from tournament.intake.hdf5.source import damaged, foreign
from tournament.intake.keras.description import pack_arrays
from tournament.intake.sandbox import Limits

LIMITS = Limits(cpu_seconds=2, memory_bytes=256 << 20, num_files=32)
ZIP_SIGNATURE = b"PK"
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
Saved = tuple[str, str, list[tuple[str, np.ndarray]]]  # description, version of Keras, arrays


def read(request: Message) -> Message:
    """Return the description of the model in a file, and its weights.

    The reply's header holds "config" (JSON text), "keras_version", "by_class", and "weights", which
    with the payload is what `unpack_arrays` reads: arrays, each with the name of its layer, or
    where "by_class" is true with the path of the group of a .keras that holds them, which Keras
    names after the layer's class.
    """
    data = request.payload
    by_class = data.startswith(ZIP_SIGNATURE)
    config, version, arrays = (_read_keras if by_class else _read_h5)(data)
    listed, payload = pack_arrays(arrays)
    header = {"config": config, "keras_version": version, "weights": listed, "by_class": by_class}
    return Message(header, payload)


def _texts(file: File, attribute: Attribute, max_axes: int = 1) -> list[str]:
    texts = file.texts(attribute)
    if texts is None or attribute.shape is None or len(attribute.shape) > max_axes:
        raise foreign("an attribute that is not text")
    return texts


def _names(file: File, group: Group, attribute: str) -> list[str]:
    """Return a list of names, which Keras cuts in pieces when it is long; each is there once."""
    found = group.attributes
    pieces = [found[attribute]] if attribute in found else []
    while attribute not in found and f"{attribute}{len(pieces)}" in found:
        pieces.append(found[f"{attribute}{len(pieces)}"])
    # Of no names NumPy makes numbers, none of them.
    names = [name for piece in pieces if piece.shape != (0,) for name in _texts(file, piece)]
    if len(names) != len(set(names)):
        raise damaged(f"{attribute} lists a name twice")
    return names


def count(request: Message) -> Message:
    """Return how many numbers a file has: "in_layers" and "elsewhere"; none of them is read."""
    data, layers = request.payload, "model_weights/"
    if data.startswith(ZIP_SIGNATURE):
        data, layers = unpack_keras(data)[WEIGHTS], LAYERS
    arrays = open_contents(data).arrays
    total = sum(array.num_elements for array in arrays.values())
    inside = sum(array.num_elements for path, array in arrays.items() if path.startswith(layers))
    return Message({"in_layers": inside, "elsewhere": total - inside})


def _read_h5(data: bytes) -> Saved:
    """Return the model in an .h5; raises Refused."""
    contents = open_contents(data)
    file, attributes = contents.file, contents.groups[""].attributes
    if "model_config" not in attributes:
        raise refusal("weights-only")
    config, version = (
        _texts(file, attributes[name], max_axes=0)[0] if name in attributes else ""
        for name in ("model_config", "keras_version")
    )
    return config, version, list(_listed_arrays(contents))


def _listed_arrays(contents: Contents) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the name of the layer and the numbers of each array, in Keras's order."""
    if "model_weights" not in contents.groups:
        raise damaged("it holds no weights")
    for layer in _names(contents.file, contents.groups["model_weights"], "layer_names"):
        base = f"model_weights/{layer}"
        if base not in contents.groups:
            raise refusal("not-held", kind="layer", name=layer)
        for name in _names(contents.file, contents.groups[base], "weight_names"):
            array = contents.arrays.get(f"{base}/{name}")
            if array is None:
                raise refusal("not-held", kind="weight", name=name)
            yield layer, read_numbers(array, f"weight {name!r} of layer {layer!r}")


def _read_keras(data: bytes) -> Saved:
    """Return the model in a .keras; raises Refused."""
    members = unpack_keras(data)
    try:
        config = members[CONFIG].decode("utf-8")
        metadata = json.loads(members[METADATA])
    except (ValueError, RecursionError) as error:
        raise refusal("no-json") from error
    version = metadata.get("keras_version") if isinstance(metadata, dict) else None
    return config, version if isinstance(version, str) else "", list(_arrays(members[WEIGHTS]))


def unpack_keras(data: bytes) -> dict[str, bytes]:
    """Return the three members of a .keras by name; raises Refused."""
    if hdf5_start(data) is not None:
        raise two_at_once()
    # A second reader of zips might read a comment, and the form of 64 bits, otherwise.
    end = len(data) - _END_BYTES
    if end < 0 or data[end : end + 4] != _END:
        raise damaged("it does not end as a zip does")
    if data[max(end - _LOCATOR_BYTES, 0) : end].startswith(_LOCATOR):
        raise foreign("the form of a zip for more than 4 GB")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            found = archive.infolist()
            _check_directory(found, len(data))
            return {member.filename: archive.read(member) for member in found}
    except Refused:
        raise
    except _DAMAGE as error:
        raise damaged("it is not a zip that Keras wrote") from error


def _check_directory(members: list[zipfile.ZipInfo], file_bytes: int) -> None:
    names = [member.filename for member in members]
    if names and all(name.endswith(".npy") for name in names):
        raise refusal("other-file", kind="an .npz of NumPy, which holds no network")
    if not MAX_BYTES.keys() & set(names):
        raise refusal("other-file", kind="a zip, and no .keras")
    if len(names) > MAX_MEMBERS or len(set(names)) != len(names):
        raise foreign(f"{len(names)} members, or two of one name")
    for member in members:
        if member.filename not in MAX_BYTES:
            raise foreign(f"a member {quoted(member.filename)}")
        encrypted, large = member.flag_bits & 1, member.extract_version >= _OF_64_BITS
        if member.compress_type not in _WAYS or encrypted or large or member.extra:
            raise foreign(f"{quoted(member.filename)} that is packed in another way")
        at_most = min(MAX_BYTES[member.filename], MAX_RATIO * file_bytes)
        if member.filename == WEIGHTS:  # of networks that are not handed in
            at_most = max(at_most, file_bytes)
        if member.file_size > at_most:
            raise refusal("unpacked", what=quoted(member.filename), number=member.file_size,
                          most=at_most)
    for missing in MAX_BYTES.keys() - set(names):
        raise damaged(f"it lacks {missing}")


def _arrays(data: bytes) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays of all layers, each with the path of its group, in Keras's order."""
    groups: dict[str, list[str]] = {}
    arrays = open_contents(data).arrays
    for path in arrays:
        if path.startswith(_LAYERS_OF_OLD):
            raise refusal("early-keras")
        if path.startswith(LAYERS):  # else of the optimizer or of a metric
            groups.setdefault(path.rpartition("/")[0], []).append(path)
    for group, paths in sorted(groups.items()):
        layer, _, last = group.rpartition("/")
        expected = [f"{group}/{number}" for number in range(len(paths))]
        if last != _VARIABLES or set(paths) != set(expected):
            raise foreign(f"weights in {quoted(group)} that are not numbered")
        for path in expected:
            if "dtype" in arrays[path].attributes:
                raise refusal("bfloat16", path=path)
            yield layer, read_numbers(arrays[path], path)
