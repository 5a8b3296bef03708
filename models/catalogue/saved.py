"""Networks that Keras saved, opened without trust: a file may be someone else's.

Keras has run code from files again and again (docs/maintainer/intake.md). So Keras gets a copy that
the intake has read in a confined process.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from models.errors import SavedNetworkError

if TYPE_CHECKING:
    import keras

_KIT = Path(__file__).resolve().parents[2]
_READER = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from tournament.intake.for_keras import main; main(*sys.argv[2:])"
)


def open_network(path: str | Path) -> "keras.Model":
    """Open an .h5 or .keras of any size, without its optimizer; none of its code is run.

    Classes that this process has registered with Keras are known. Raises SavedNetworkError: the
    file cannot be read, names what may be code, or is no network.
    """
    import keras

    import models.parts.equivariant  # noqa: F401  (registers the layers that Keras does not have)

    with TemporaryDirectory() as folder:
        _read(Path(path), folder, sorted(keras.saving.get_custom_objects()))
        try:
            return keras.saving.load_model(_copy(Path(folder)), compile=False)
        except Exception as error:  # whatever h5py and Keras meet in what they did not write
            reason = str(error).strip().partition("\n")[0]
            raise SavedNetworkError(f"Keras cannot load a network from {path}: {reason}") from error


def _read(path: Path, folder: str, own: list[str]) -> None:
    command = [sys.executable, "-I", "-X", "utf8", "-c", _READER, str(_KIT), str(path), folder]
    read = subprocess.run(command, input=json.dumps(own).encode(), capture_output=True)
    if read.returncode != 0:
        said = read.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise SavedNetworkError(f"cannot open a network from {path}: {said}")


def _copy(folder: Path) -> Path:
    from models.catalogue.keras_files import write_h5, write_keras  # here, as h5py takes time

    described = json.loads((folder / "description.json").read_text("ascii"))
    with np.load(folder / "weights.npz", allow_pickle=False) as file:
        arrays = iter([file[name] for name in sorted(file)])
    layers = {
        layer: [next(arrays) for _ in range(count)] for layer, count in described["layers"].items()
    }
    write, name = (write_keras, "copy.keras") if described["by_class"] else (write_h5, "copy.h5")
    write(folder / name, described["config"], layers)
    return folder / name
