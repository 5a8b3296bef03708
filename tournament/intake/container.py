"""Gate A: from the bytes of a file to its model's description and weights, in a throwaway child.

The child gets bytes, not a path, may open nothing, and its reply is again treated as untrusted
data. It uses neither Keras nor the HDF5 library: `hdf5` reads the part of the format that Keras
writes. All else that HDF5 can do is refused before it is read.
"""

from collections.abc import Iterator

import numpy as np

from tournament.intake import archive, weights
from tournament.intake.child import Message
from tournament.intake.faults import quoted, refuse
from tournament.intake.hdf5 import SAVE_AGAIN, Attribute, File, Group
from tournament.intake.hdf5.file import Contents, open_contents, read_numbers
from tournament.intake.sandbox import Limits
from tournament.intake.saved import Saved

LIMITS = Limits(cpu_seconds=2, memory_bytes=256 << 20, num_files=32)


def read(request: Message) -> Message:
    """Return the description of the model in a file, and its weights.

    The reply's header holds "config" (JSON text), "keras_version", "by_class", and "weights", which
    with the payload is what `weights.unpack` reads: arrays by their layer, or where "by_class" is
    true by the group of a .keras that holds them.
    """
    data = request.payload
    found = archive.read(data) if data.startswith(archive.SIGNATURE) else _read_h5(data)
    listed, payload = weights.pack(found.arrays)
    header = {
        "config": found.config, "keras_version": found.keras_version, "weights": listed,
        "by_class": found.by_class,
    }
    return Message(header, payload)


def _texts(file: File, attribute: Attribute) -> list[str]:
    texts = file.texts(attribute)
    if texts is None or attribute.shape is None or len(attribute.shape) > 1:
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


def count(request: Message) -> Message:
    """Return how many numbers a file has: "in_layers" and "elsewhere"; none of them is read."""
    data = request.payload
    if data.startswith(archive.SIGNATURE):
        arrays, layers = open_contents(archive.unpack(data)[archive.WEIGHTS]).arrays, archive.LAYERS
    else:
        arrays, layers = open_contents(data).arrays, "model_weights/"
    total = sum(array.num_elements for array in arrays.values())
    inside = sum(array.num_elements for path, array in arrays.items() if path.startswith(layers))
    return Message({"in_layers": inside, "elsewhere": total - inside})


def _read_h5(data: bytes) -> Saved:
    contents = open_contents(data)
    file, attributes = contents.file, contents.groups[""].attributes
    if "model_config" not in attributes:
        raise refuse(
            "the file holds weights only, without the network",
            "save the whole model: model.save('net.h5'), not save_weights",
        )
    config = _text(file, attributes["model_config"])
    version = attributes.get("keras_version")
    keras_version = "" if version is None else _text(file, version)
    return Saved(config, keras_version, list(_listed_arrays(contents)), by_class=False)


def _listed_arrays(contents: Contents) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the name of the layer and the numbers of each array, in Keras's order."""
    if "model_weights" not in contents.groups:
        raise refuse("the file holds no weights", SAVE_AGAIN)
    for layer in _names(contents.file, contents.groups["model_weights"], "layer_names"):
        base = f"model_weights/{layer}"
        if base not in contents.groups:
            raise refuse(f"the file lists layer {quoted(layer)}, but does not hold it", SAVE_AGAIN)
        for name in _names(contents.file, contents.groups[base], "weight_names"):
            array = contents.arrays.get(f"{base}/{name}")
            if array is None:
                raise refuse(
                    f"the file lists weight {quoted(name)}, but does not hold it", SAVE_AGAIN
                )
            yield layer, read_numbers(array, f"weight {name!r} of layer {layer!r}")
