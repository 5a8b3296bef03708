"""Gate A on top of the HDF5 library: the slow reference for the intake's own reader.

As a program it reads the paths of files from its input, and for each it prints a line: the digest
of what gate A would make of it, or "refused". A damaged file may crash the library, so ask it
through `Oracle`, which starts another one then.
"""

import hashlib
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from math import prod
from pathlib import Path

import h5py
import numpy as np
from h5py import h5a, h5d, h5f, h5g, h5l, h5o, h5t

from tests.data import ROOT
from tournament.intake import weights
from tournament.intake.child import Message
from tournament.intake.faults import Refused, quoted, refuse

MAX_OBJECTS = 4_000
MAX_DEPTH = 12
MAX_ATTRIBUTES = 64
MAX_ATTRIBUTE_ELEMENTS = 4_000
MAX_RANK = 8
MAX_BYTES = 32 << 20
SECONDS = 10
SIGNATURE = b"\x89HDF\r\n\x1a\n"
_SAVE_AGAIN = "save the model again with Keras itself: model.save('net.h5')"


def read(request: Message) -> Message:
    """Return the description of the model in a file, and its weights.

    The reply's header holds "config" (JSON text), "keras_version", and "weights", which with the
    payload is what `weights.unpack` reads.
    """
    data = request.payload
    _check_signature(data)
    try:
        file_id = h5f.open_file_image(data)
        if file_id.get_create_plist().get_userblock() != 0:
            raise refuse("the file has a user block", _SAVE_AGAIN)
        datasets, groups = _walk(file_id)
        _check_total(datasets.values(), len(data))
        config, version = _read_description(h5py.Group(h5g.open(file_id, b"/")))
        return _collect(config, version, datasets, groups)
    except Refused:
        raise
    except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
        raise refuse(f"the file is damaged: {error}", _SAVE_AGAIN) from error


def _check_signature(data: bytes) -> None:
    if data.startswith(SIGNATURE):
        return
    if data.startswith(b"PK"):
        raise refuse("the file is a .keras or zip archive, not an .h5", _SAVE_AGAIN)
    raise refuse("the file is not an HDF5 file", _SAVE_AGAIN)


def _walk(
    file_id: h5f.FileID,
) -> tuple[dict[str, h5d.DatasetID], dict[str, h5g.GroupID]]:
    """Check every object of the file without following a link that is not hard."""
    datasets: dict[str, h5d.DatasetID] = {}
    groups: dict[str, h5g.GroupID] = {"": h5g.open(file_id, b"/")}
    seen = {h5o.get_info(groups[""]).addr}
    _check_attributes(groups[""], "/")
    pending = [("", 0)]
    while pending:
        parent, depth = pending.pop()
        for name in _hard_links(groups[parent], parent):
            path = _joined(parent, name)
            opened = h5o.open(groups[parent], name)
            address = h5o.get_info(opened).addr
            if address in seen:
                raise refuse(f"two links lead to the object {quoted(path)}", _SAVE_AGAIN)
            seen.add(address)
            if len(seen) > MAX_OBJECTS or depth >= MAX_DEPTH:
                raise refuse(
                    f"the file has more than {MAX_OBJECTS} objects or {MAX_DEPTH} levels",
                    "save the model without its optimizer: "
                    "model.save('net.h5', include_optimizer=False)",
                )
            _check_attributes(opened, path)
            if isinstance(opened, h5g.GroupID):
                groups[path] = opened
                pending.append((path, depth + 1))
            elif isinstance(opened, h5d.DatasetID):
                _check_dataset(opened, path)
                datasets[path] = opened
            else:
                raise refuse(f"{quoted(path)} is neither a group nor an array", _SAVE_AGAIN)
    return datasets, groups


def _hard_links(group: h5g.GroupID, path: str) -> Iterator[bytes]:
    """Yield the names in a group; raises Refused at the first soft, external or unknown link."""
    if group.get_num_objs() > MAX_OBJECTS:
        raise refuse(f"a group has more than {MAX_OBJECTS} entries", _SAVE_AGAIN)
    kinds = {h5l.TYPE_SOFT: "a soft link", h5l.TYPE_EXTERNAL: "a link to another file"}
    for name in list(group):
        where = _joined(path, name)
        if b"/" in name:  # HDF5 would take it for a path, and follow it
            raise refuse(f"the name of {quoted(where)} holds a slash", _SAVE_AGAIN)
        kind = group.links.get_info(name).type
        if kind != h5l.TYPE_HARD:
            raise refuse(f"{quoted(where)} is {kinds.get(kind, 'a special link')}", _SAVE_AGAIN)
        yield name


def _joined(parent: str, name: bytes) -> str:
    return f"{parent}/{name.decode('utf-8', 'backslashreplace')}".lstrip("/")


def _check_attributes(opened: h5d.DatasetID | h5g.GroupID, path: str) -> None:
    count = h5a.get_num_attrs(opened)
    if count > MAX_ATTRIBUTES:
        raise refuse(f"{quoted(path)} has {count} attributes", _SAVE_AGAIN)
    for index in range(count):
        attribute = h5a.open(opened, index=index)
        space, kind = attribute.get_space(), attribute.get_type()
        elements = space.get_simple_extent_npoints()
        plain = isinstance(kind, h5t.TypeStringID | h5t.TypeIntegerID | h5t.TypeFloatID)
        if elements > MAX_ATTRIBUTE_ELEMENTS or not plain:
            raise refuse(f"{quoted(path)} has an attribute Keras does not write", _SAVE_AGAIN)


def _check_dataset(dataset: h5d.DatasetID, path: str) -> None:
    """Refuse an array that is not plain numbers, stored here, whole and once."""
    stored = dataset.get_create_plist()
    if stored.get_external_count() > 0:
        raise refuse(f"the numbers of {quoted(path)} are in another file", _SAVE_AGAIN)
    if stored.get_layout() == h5d.VIRTUAL:
        raise refuse(f"{quoted(path)} is a virtual array", _SAVE_AGAIN)
    kind = dataset.get_type()
    number = isinstance(kind, h5t.TypeFloatID | h5t.TypeIntegerID)
    if not number or kind.get_size() > 8:
        raise refuse(f"{quoted(path)} does not hold plain numbers", _SAVE_AGAIN)
    shape = dataset.shape
    if shape is None or len(shape) > MAX_RANK:
        raise refuse(f"{quoted(path)} has no numbers, or too many axes", _SAVE_AGAIN)
    declared = prod(shape) * kind.get_size()
    chunked = stored.get_layout() == h5d.CHUNKED
    if declared > MAX_BYTES:
        raise refuse("too large", "")
    if not chunked and declared != dataset.get_storage_size():
        raise refuse(
            f"{quoted(path)} has shape {quoted(shape)}, {declared} bytes: "
            f"{dataset.get_storage_size()} bytes are stored",
            _SAVE_AGAIN,
        )


def _check_total(datasets: Iterable[h5d.DatasetID], file_bytes: int) -> None:
    total = sum(
        dataset.get_storage_size() for dataset in datasets
        if dataset.get_create_plist().get_layout() != h5d.CHUNKED
    )
    if total > file_bytes:
        raise refuse(
            f"the arrays have {total:,} bytes, the file {file_bytes:,}: they share their numbers",
            _SAVE_AGAIN,
        )


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    raise refuse("an attribute of the file is not text", _SAVE_AGAIN)


def _names(group: h5py.Group, attribute: str) -> list[str]:
    """Return a list of names, which Keras cuts in pieces when it is long; each is there once."""
    if attribute in group.attrs:
        pieces = [group.attrs[attribute]]
    else:
        pieces = []
        while f"{attribute}{len(pieces)}" in group.attrs:
            pieces.append(group.attrs[f"{attribute}{len(pieces)}"])
    names = [_text(name) for piece in pieces for name in np.atleast_1d(piece).tolist()]
    if len(names) != len(set(names)):
        raise refuse(f"{attribute} lists a name twice", _SAVE_AGAIN)
    return names


def _read_description(root: h5py.Group) -> tuple[str, str]:
    if "model_config" not in root.attrs:
        raise refuse(
            "the file holds weights only, without the network",
            "save the whole model: model.save('net.h5'), not save_weights",
        )
    version = _text(root.attrs["keras_version"]) if "keras_version" in root.attrs else ""
    return _text(root.attrs["model_config"]), version


def _collect(
    config: str,
    version: str,
    datasets: dict[str, h5d.DatasetID],
    groups: dict[str, h5g.GroupID],
) -> Message:
    if "model_weights" not in groups:
        raise refuse("the file holds no weights", _SAVE_AGAIN)
    arrays: list[tuple[str, np.ndarray]] = []
    for layer in _names(h5py.Group(groups["model_weights"]), "layer_names"):
        base = f"model_weights/{layer}"
        if base not in groups:
            raise refuse(f"the file lists layer {quoted(layer)}, but does not hold it", _SAVE_AGAIN)
        for name in _names(h5py.Group(groups[base]), "weight_names"):
            dataset = datasets.get(f"{base}/{name}")
            if dataset is None:
                raise refuse(
                    f"the file lists weight {quoted(name)}, but does not hold it", _SAVE_AGAIN
                )
            array = h5py.Dataset(dataset)[()].astype(np.float32)
            if not np.isfinite(array).all():
                raise refuse(
                    f"weight {quoted(name)} of layer {quoted(layer)} holds NaN or infinity",
                    "the training diverged: lower the learning rate, train again",
                )
            arrays.append((layer, array))
    listed, payload = weights.pack(arrays)
    header = {
        "config": config, "keras_version": version, "weights": listed, "by_class": False
    }
    return Message(header, payload)


def digest(reply: Message) -> str:
    """Return what stands for a reply: equal ones only have the same."""
    return hashlib.sha256(reply.encode()).hexdigest()


class Oracle:
    """The reference in a process of its own."""

    def __init__(self) -> None:
        self._process: subprocess.Popen | None = None

    def ask(self, path: Path) -> str:
        """Return the digest of the reply, "refused", or "crashed"."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__], cwd=ROOT, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        if not answer:
            self.close()
        return answer or "crashed"

    def close(self) -> None:
        if self._process is not None:
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
            self._process = None


def main() -> None:
    for line in sys.stdin:
        signal.alarm(SECONDS)  # ends this process where the library hangs
        try:
            answer = digest(read(Message({}, Path(line.strip()).read_bytes())))
        except (Refused, MemoryError):
            answer = "refused"
        print(answer, flush=True)


if __name__ == "__main__":
    main()
