"""Hands the file's arrays to the layers that ask for them, and counts them.

Keras lists the arrays of a model that is used as a layer in one row: first the trainable ones of
all its layers in order, then the rest. So which layer gets which array is known only once every
layer has declared its needs: `PlannedWeights` collects them, `distribute` hands the arrays out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from tournament.intake import remedies
from tournament.intake.faults import quoted, refuse
from tournament.intake.functional import LayerConfig, ModelConfig
from tournament.intake.graph import Shape

Path = tuple[str, ...]  # the names of the models around a layer, and its own


class StoredWeights:
    """The arrays of each layer; each is counted once, however often its layer is used."""

    def __init__(self, arrays: Mapping[Path, list[np.ndarray]]) -> None:
        self.total = 0
        self.trainable = 0
        self._arrays = arrays
        self._counted: set[Path] = set()
        self._path: Path = ()
        self._next = 0

    def begin(self, path: Path) -> None:
        """Start a layer: what is taken next is its first array."""
        self._path, self._next = path, 0

    def take(self, name: str, shape: Shape, trainable: bool, counts: bool) -> np.ndarray:
        """Return the layer's next array; raises ValueError where it is missing or does not fit."""
        stored = self._arrays.get(self._path, [])
        if self._next >= len(stored):
            raise ValueError(f"the file does not hold its {name} {shape}")
        array = stored[self._next]
        if array.shape != tuple(shape):
            raise ValueError(f"its {name} in the file is {array.shape}, not {shape}")
        self._next += 1
        if self._path not in self._counted:
            self.total += array.size
            self.trainable += array.size if counts else 0
        return array

    def finish(self) -> None:
        """End the layer; raises ValueError where it has more arrays than it took."""
        stored = len(self._arrays.get(self._path, []))
        if self._next != stored:
            raise ValueError(f"the file holds {stored} arrays of it, not {self._next}")
        self._counted.add(self._path)


@dataclass(frozen=True)
class _Wanted:
    size: int
    trainable: bool


class PlannedWeights:
    """Stands in for the arrays while the needed ones are being determined: all are zero."""

    total = trainable = 0

    def __init__(self, num_stored: int) -> None:
        self.wanted: dict[Path, list[_Wanted]] = {}
        self._num_stored = self._left = num_stored
        self._path: Path = ()
        self._known = False

    def begin(self, path: Path) -> None:
        """Start a layer: what is taken next is its first array."""
        self._path, self._known = path, path in self.wanted
        self.wanted.setdefault(path, [])

    def take(self, name: str, shape: Shape, trainable: bool, counts: bool) -> np.ndarray:
        """Note that the layer wants such an array; return zeros, or raise ValueError.

        It raises where all that is taken is larger than what the file has.
        """
        if not self._known:
            self._left -= prod(shape)
            self.wanted[self._path].append(_Wanted(prod(shape), trainable))
        if self._left < 0 or prod(shape) > self._num_stored:
            raise ValueError(f"the file does not hold its {name} {shape}")
        return np.zeros(shape, np.float32)

    def finish(self) -> None:
        """End the layer."""


def distribute(
    model: ModelConfig, arrays: Mapping[str, list[np.ndarray]], plan: PlannedWeights
) -> dict[Path, list[np.ndarray]]:
    """Return the arrays of each layer, also of those within models; raises Refused."""
    dealt: dict[Path, list[np.ndarray]] = {}
    for layer in model.layers:
        stored = arrays.get(layer.name, [])
        if layer.model is None:
            dealt[layer.name,] = stored
            continue
        order = [*_row(layer, (layer.name,), plan, True), *_row(layer, (layer.name,), plan, False)]
        if len(order) != len(stored):
            raise refuse(
                f"the file holds {len(stored)} arrays of the model {quoted(layer.name)}, "
                f"not {len(order)}", remedies.SAVE_AGAIN,
            )
        for path, array in zip(order, stored, strict=True):
            dealt.setdefault(path, []).append(array)
    return dealt


def _row(
    layer: LayerConfig, path: Path, plan: PlannedWeights, trainable: bool, frozen: bool = False
) -> list[Path]:
    """Return whose the trainable arrays are, or the others, as Keras lists them."""
    frozen = frozen or not layer.config.get("trainable", True)
    if layer.model is None:
        wanted = plan.wanted.get(path, [])
        return [path for item in wanted if (item.trainable and not frozen) == trainable]
    return [
        owner
        for inner in layer.model.layers
        for owner in _row(inner, (*path, inner.name), plan, trainable, frozen)
    ]
