"""What gate A would make of a file by the HDF5 library: the slow reference for the intake's reader.

As a program it reads the paths of files from its input, and for each it prints a line: the digest
of what it reads, or "refused". It checks less than gate A does, since only what both read is
compared. A damaged file may crash the library, so ask it through `Oracle`, which starts another
process then.
"""

import hashlib
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

from tests.data import ROOT
from tournament.intake.child import Message
from tournament.intake.keras.description import pack_arrays

MAX_BYTES = 32 << 20
SECONDS = 2


def read(request: Message) -> Message:
    """Return what `container.read` returns of an .h5; raises what h5py raises, or ValueError."""
    with h5py.File(h5py.h5f.open_file_image(request.payload)) as file:
        if file.userblock_size:
            raise ValueError("a user block")
        config = _text(file.attrs["model_config"])
        version = _text(file.attrs["keras_version"]) if "keras_version" in file.attrs else ""
        stored = file["model_weights"]
        arrays = [
            (layer, _numbers(stored[layer][name]))
            for layer in _names(stored, "layer_names")
            for name in _names(stored[layer], "weight_names")
        ]
    listed, payload = pack_arrays(arrays)
    header = {"config": config, "keras_version": version, "weights": listed, "by_class": False}
    return Message(header, payload)


def _numbers(array: h5py.Dataset) -> np.ndarray:
    if not isinstance(array, h5py.Dataset) or array.size * array.dtype.itemsize > MAX_BYTES:
        raise ValueError("no array, or one that is too large")
    if array.external or array.is_virtual:
        raise ValueError("numbers of another file")
    numbers = array[()].astype(np.float32)
    if not np.isfinite(numbers).all():
        raise ValueError("a number is not finite")
    return numbers


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    raise ValueError("no text")


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
        raise ValueError("a name is there twice")
    return names


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
        except Exception:  # whatever the library raises for a damaged file
            answer = "refused"
        print(answer, flush=True)


if __name__ == "__main__":
    main()
