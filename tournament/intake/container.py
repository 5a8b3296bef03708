"""Gate A: from the bytes of an .h5 to its model's description and weights, in a throwaway child.

The child gets bytes, not a path, may open nothing, and its reply is again treated as untrusted
data. It uses neither Keras nor the HDF5 library: `hdf5` reads the part of the format that Keras
writes. All else that HDF5 can do is refused before it is read.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tournament.intake import weights
from tournament.intake.child import Message
from tournament.intake.faults import quoted, refuse
from tournament.intake.hdf5 import SAVE_AGAIN, SIGNATURE, Array, Attribute, File, Group
from tournament.intake.sandbox import Limits

LIMITS = Limits(cpu_seconds=2, memory_bytes=256 << 20, num_files=32)
MAX_OBJECTS = 4_000
MAX_DEPTH = 12
MAX_ATTRIBUTES = 64
MAX_ATTRIBUTE_ELEMENTS = 4_000
MAX_UNPACKED = 32 << 20  # bytes of arrays in chunks


def read(request: Message) -> Message:
    """Return the description of the model in a file, and its weights.

    The reply's header holds "config" (JSON text), "keras_version", and "weights", which with the
    payload is what `weights.unpack` reads.
    """
    return _collect(_open(request.payload))


@dataclass(frozen=True)
class _Contents:
    """What is in a file, each object by its path; the root is ""."""

    file: File
    groups: dict[str, Group]
    arrays: dict[str, Array]


def _open(data: bytes) -> _Contents:
    """Return everything in a file, checked and not yet read."""
    _check_signature(data)
    contents = _walk(File(data))
    _check_total(contents.arrays.values(), len(data))
    return contents


def _check_signature(data: bytes) -> None:
    if data.startswith(SIGNATURE):
        return
    if data.startswith(b"PK"):
        raise refuse("the file is a .keras or zip archive, not an .h5", SAVE_AGAIN)
    raise refuse("the file is not an HDF5 file", SAVE_AGAIN)


def _walk(file: File) -> _Contents:
    """Open every object of the file, by hard links alone and each once."""
    root = file.open(file.root_address, "/")
    if not isinstance(root, Group):
        raise refuse("the file does not begin with a group", SAVE_AGAIN)
    _check_attributes(root, "/")
    contents = _Contents(file, {"": root}, {})
    seen = {file.root_address}
    pending = [("", 0)]
    while pending:
        parent, depth = pending.pop()
        for path, address in _hard_links(contents.groups[parent], parent):
            if address in seen:
                raise refuse(f"two links lead to the object {quoted(path)}", SAVE_AGAIN)
            seen.add(address)
            if len(seen) > MAX_OBJECTS or depth >= MAX_DEPTH:
                raise refuse(
                    f"the file has more than {MAX_OBJECTS} objects or {MAX_DEPTH} levels",
                    "save the model without its optimizer: "
                    "model.save('net.h5', include_optimizer=False)",
                )
            opened = file.open(address, path)
            _check_attributes(opened, path)
            if isinstance(opened, Group):
                contents.groups[path] = opened
                pending.append((path, depth + 1))
            else:
                contents.arrays[path] = opened
    return contents


def _hard_links(group: Group, parent: str) -> Iterator[tuple[str, int]]:
    """Yield the path and the address of what is in a group; raises Refused at any other link."""
    if len(group.links) > MAX_OBJECTS:
        raise refuse(f"a group has more than {MAX_OBJECTS} entries", SAVE_AGAIN)
    if len({link.name for link in group.links}) != len(group.links):
        raise refuse(f"two entries of the group {quoted(parent)} have one name", SAVE_AGAIN)
    for link in group.links:
        path = f"{parent}/{link.name.decode('utf-8', 'backslashreplace')}".lstrip("/")
        if b"/" in link.name:
            raise refuse(f"the name of {quoted(path)} holds a slash", SAVE_AGAIN)
        if link.special:
            raise refuse(f"{quoted(path)} is {link.special}", SAVE_AGAIN)
        yield path, link.address


def _check_attributes(opened: Group | Array, path: str) -> None:
    if len(opened.attributes) > MAX_ATTRIBUTES:
        raise refuse(f"{quoted(path)} has {len(opened.attributes)} attributes", SAVE_AGAIN)
    for attribute in opened.attributes.values():
        plain = attribute.datatype.text or attribute.datatype.number is not None
        if attribute.num_elements > MAX_ATTRIBUTE_ELEMENTS or not plain:
            raise refuse(f"{quoted(path)} has an attribute Keras does not write", SAVE_AGAIN)


def _check_total(arrays: Iterable[Array], file_bytes: int) -> None:
    sizes = {True: 0, False: 0}
    for array in arrays:
        sizes[array.is_packed] += array.num_bytes
    if sizes[False] > file_bytes:
        raise refuse(
            f"the arrays have {sizes[False]:,} bytes, the file {file_bytes:,}: "
            "they share their numbers", SAVE_AGAIN,
        )
    if sizes[True] > MAX_UNPACKED:
        raise refuse(
            f"the arrays in chunks have {sizes[True]:,} bytes when they are unpacked: at most "
            f"{MAX_UNPACKED:,} are read", SAVE_AGAIN,
        )


def _texts(file: File, attribute: Attribute) -> list[str]:
    texts = file.texts(attribute)
    if texts is None or len(attribute.shape) > 1:
        raise refuse("an attribute of the file is not text", SAVE_AGAIN)
    return texts


def _text(file: File, attribute: Attribute) -> str:
    if attribute.shape != ():
        raise refuse("an attribute of the file is not text", SAVE_AGAIN)
    return _texts(file, attribute)[0]


def _names(file: File, group: Group, attribute: str) -> list[str]:
    """Return a list of names, which Keras cuts in pieces when it is long; each is there once."""
    found = group.attributes
    if attribute in found:
        pieces = [found[attribute]]
    else:
        pieces = []
        while f"{attribute}{len(pieces)}" in found:
            pieces.append(found[f"{attribute}{len(pieces)}"])
    # Of no names NumPy makes numbers, none of them.
    names = [name for piece in pieces if piece.shape != (0,) for name in _texts(file, piece)]
    if len(names) != len(set(names)):
        raise refuse(f"{attribute} lists a name twice", SAVE_AGAIN)
    return names


def _collect(contents: _Contents) -> Message:
    """Return the reply: the weights of each layer, as the file itself lists them."""
    file, attributes = contents.file, contents.groups[""].attributes
    if "model_config" not in attributes:
        raise refuse(
            "the file holds weights only, without the network",
            "save the whole model: model.save('net.h5'), not save_weights",
        )
    version = attributes.get("keras_version")
    header = {
        "config": _text(file, attributes["model_config"]),
        "keras_version": "" if version is None else _text(file, version),
    }
    arrays = list(_listed_arrays(contents))
    header["weights"], payload = weights.pack(arrays)
    return Message(header, payload)


def _listed_arrays(contents: _Contents) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the name of the layer and the numbers of each array, in Keras's order."""
    if "model_weights" not in contents.groups:
        raise refuse("the file holds no weights", SAVE_AGAIN)
    for layer in _names(contents.file, contents.groups["model_weights"], "layer_names"):
        base = f"model_weights/{layer}"
        if base not in contents.groups:
            raise refuse(f"layer {quoted(layer)} is listed and not there", SAVE_AGAIN)
        for name in _names(contents.file, contents.groups[base], "weight_names"):
            array = contents.arrays.get(f"{base}/{name}")
            if array is None:
                raise refuse(f"weight {quoted(name)} is listed and not there", SAVE_AGAIN)
            numbers = _numbers(array)
            if not np.isfinite(numbers).all():
                raise refuse(
                    f"weight {quoted(name)} of layer {quoted(layer)} holds NaN or infinity",
                    "the training diverged: lower the learning rate, train again",
                )
            yield layer, numbers


def _numbers(array: Array) -> np.ndarray:
    with np.errstate(over="ignore"):  # what is beyond float32 is infinite then
        return array.read().astype(np.float32)
