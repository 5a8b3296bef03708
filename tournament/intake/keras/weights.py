"""The arrays of a file: from one child to the next, to the layers that ask for them, and counted.

Keras lists the arrays of a model that is used as a layer in one row: first the trainable ones of
all its layers in order, then the rest. So which layer gets which array is known only once every
layer has declared its needs: `PlannedWeights` collects them, `distribute` hands the arrays out.

In a .keras the groups are named after the layers' classes: `layers/conv2d`, `layers/conv2d_1` … are
the layers of class Conv2D in the order of the model; those of a model that is used as a layer are
in `layers/functional/layers/…`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import prod

import numpy as np

from tournament.intake import remedies
from tournament.intake.faults import quoted, refuse
from tournament.intake.graph.nodes import Shape
from tournament.intake.keras.description import LayerConfig, ModelConfig

MAX_NAME = 256
_AGAIN = "save the model again with Keras itself: model.save('net.h5')"
Path = tuple[str, ...]  # the names of the models around a layer, and its own
# What some layers are made of, in the order of their weights; Keras 2 writes an underscore before.
_PARTS = {"MultiHeadAttention": ("query_dense", "key_dense", "value_dense", "output_dense")}
_INNER = ("activation",)
_AS_H5 = "save the model as .h5: model.save('net.h5')"


def pack(arrays: Iterable[tuple[str, np.ndarray]]) -> tuple[list[list], bytes]:
    """Return [[layer, shape], …] and all numbers in a row, little-endian float32.

    Raises:
        Refused: the name of a layer is longer than that of a layer may be.
    """
    listed, payload = [], []
    for layer, array in arrays:
        if len(layer) > MAX_NAME:
            raise refuse(f"the name of a layer has {len(layer)} characters", _AGAIN)
        listed.append([layer, list(array.shape)])
        payload.append(array.astype("<f4").tobytes())
    return listed, b"".join(payload)


def unpack(listed: object, payload: bytes) -> dict[str, list[np.ndarray]]:
    """Return each layer's float32 arrays, in order; the message may be forged.

    Raises:
        Refused: the arrays do not fill the payload exactly, or a number is not finite.
    """
    damaged = refuse("the weights of the file do not fit together", _AGAIN)
    if not isinstance(listed, list) or len(payload) % 4:
        raise damaged
    numbers = np.frombuffer(payload, "<f4")
    weights: dict[str, list[np.ndarray]] = {}
    start = 0
    for item in listed:
        if not isinstance(item, list) or len(item) != 2 or not isinstance(item[0], str):
            raise damaged
        layer, shape = item
        if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in shape):
            raise damaged
        end = start + prod(shape)
        if end > numbers.size:
            raise damaged
        weights.setdefault(layer, []).append(numbers[start:end].reshape(shape))
        start = end
    if start != numbers.size or not np.isfinite(numbers).all():
        raise damaged
    return weights


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


class PlannedWeights:
    """Stands in for the arrays while the needed ones are being determined: all are zero."""

    total = trainable = 0

    def __init__(self, num_stored: int) -> None:
        self.wanted: dict[Path, list[bool]] = {}  # whether each array is trainable
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
            self.wanted[self._path].append(trainable)
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
        return [path for can_train in wanted if (can_train and not frozen) == trainable]
    return [
        owner
        for inner in layer.model.layers
        for owner in _row(inner, (*path, inner.name), plan, trainable, frozen)
    ]


def find_by_class(
    model: ModelConfig, groups: Mapping[str, list[np.ndarray]]
) -> dict[Path, list[np.ndarray]]:
    """Return the arrays of each layer of a .keras, whose arrays are given by the path of a group.

    Raises:
        Refused: the file has arrays of a group that no layer has.
    """
    found: dict[Path, list[np.ndarray]] = {}
    left = dict(groups)
    for path, candidates in _places(model, (), ""):
        arrays = [array for name in candidates for array in left.pop(name, ())]
        if arrays:
            found[path] = arrays
    for name in left:
        raise refuse(
            f"the file holds weights {quoted(name)}, which no layer of the model has", _AS_H5
        )
    return found


def _places(model: ModelConfig, path: Path, prefix: str) -> Iterator[tuple[Path, list[str]]]:
    """Yield the path of each layer and the groups that its arrays may be in, in their order."""
    used: Counter[str] = Counter()
    for layer in model.layers:
        if layer.is_operation:
            continue
        kind = _snake_case(layer.class_name.rpartition(">")[2])
        group = f"{prefix}layers/{kind}" + f"_{used[kind]}" * (used[kind] > 0)
        used[kind] += 1
        inner = (*path, layer.name)
        if layer.model is not None:
            yield from _places(layer.model, inner, f"{group}/")
            continue
        parts = _PARTS.get(layer.class_name, _INNER)
        yield inner, [group, *(f"{group}/{mark}{part}" for part in parts for mark in ("", "_"))]


def _snake_case(class_name: str) -> str:
    """Return a class's name as Keras writes it in paths: conv2d, re_lu, multi_head_attention."""
    name = re.sub(r"\W+", "", class_name)
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
