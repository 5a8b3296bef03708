"""Files as Keras reads them, written of a model's description and the weights of its layers."""

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import h5py
import numpy as np

Layers = Mapping[str, Sequence[np.ndarray]]


def write_h5(path: Path, config: str, layers: Layers) -> None:
    """Write an .h5; Keras gives the weights to the layers in their order."""
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = config
        weights = file.create_group("model_weights")
        weights.attrs["layer_names"] = _numbers(len(layers))
        for number, arrays in enumerate(layers.values()):
            group = weights.create_group(str(number))
            group.attrs["weight_names"] = _numbers(len(arrays))
            _write_arrays(group, arrays)


def write_keras(path: Path, config: str, layers: Layers) -> None:
    """Write a .keras; `layers` has the paths of the groups, which Keras looks for."""
    weights = BytesIO()
    with h5py.File(weights, "w") as file:
        for layer, arrays in layers.items():
            _write_arrays(file.create_group(f"{layer}/vars"), arrays)
    with ZipFile(path, "w") as archive:
        archive.writestr("config.json", config)
        archive.writestr("metadata.json", "{}")
        archive.writestr("model.weights.h5", weights.getvalue())


def _numbers(count: int) -> list[str]:
    return [str(number) for number in range(count)]


def _write_arrays(group: h5py.Group, arrays: Iterable[np.ndarray]) -> None:
    for number, array in enumerate(arrays):
        group[str(number)] = array
