"""The arrays of a file: from one child to the next, to the layers that ask for them, and counted.

Keras lists the arrays of a model that is used as a layer in one row: first the trainable ones of
all its layers in order, then the rest. So which layer gets which array is known only once every
layer has declared its needs: `PlannedWeights` of kinds.py collects them, and `distribute` hands the
arrays out.

In a .keras the groups are named after the layers' classes: `layers/conv2d`, `layers/conv2d_1` … are
the layers of class Conv2D in the order of the model; those of a model that is used as a layer are
in `layers/functional/layers/…`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import prod

import numpy as np

from tournament.intake.faults import refusal
from tournament.intake.keras.description import LayerConfig, ModelConfig, Path

MAX_NAME = 256
Wanted = Mapping[Path, list[bool]]  # whether each array that a layer asks for is trainable
# What some layers are made of, in the order of their weights; Keras 2 writes an underscore before.
_PARTS = {"MultiHeadAttention": ("query_dense", "key_dense", "value_dense", "output_dense")}
_INNER = ("activation",)


def pack(arrays: Iterable[tuple[str, np.ndarray]]) -> tuple[list[list], bytes]:
    """Return [[layer, shape], …] and all numbers in a row, little-endian float32.

    Raises:
        Refused: the name of a layer is longer than that of a layer may be.
    """
    listed, payload = [], []
    for layer, array in arrays:
        if len(layer) > MAX_NAME:
            raise refusal("long-name", number=len(layer))
        listed.append([layer, list(array.shape)])
        payload.append(array.astype("<f4").tobytes())
    return listed, b"".join(payload)


def unpack(listed: object, payload: bytes) -> dict[str, list[np.ndarray]]:
    """Return each layer's float32 arrays, in order; the message may be forged.

    Raises:
        Refused: the arrays do not fill the payload exactly, or a number is not finite.
    """
    if not isinstance(listed, list) or len(payload) % 4:
        raise refusal("weights-misfit")
    numbers = np.frombuffer(payload, "<f4")
    weights: dict[str, list[np.ndarray]] = {}
    start = 0
    for item in listed:
        if not isinstance(item, list) or len(item) != 2 or not isinstance(item[0], str):
            raise refusal("weights-misfit")
        layer, shape = item
        if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in shape):
            raise refusal("weights-misfit")
        end = start + prod(shape)
        if end > numbers.size:
            raise refusal("weights-misfit")
        weights.setdefault(layer, []).append(numbers[start:end].reshape(shape))
        start = end
    if start != numbers.size or not np.isfinite(numbers).all():
        raise refusal("weights-misfit")
    return weights


def distribute(
    model: ModelConfig, arrays: Mapping[str, list[np.ndarray]], wanted: Wanted
) -> dict[Path, list[np.ndarray]]:
    """Return the arrays of each layer, also of those within models; raises Refused."""
    dealt: dict[Path, list[np.ndarray]] = {}
    for layer in model.layers:
        stored = arrays.get(layer.name, [])
        if layer.model is None:
            dealt[layer.name,] = stored
            continue
        order = [
            path for kind in (True, False) for path in _row(layer, (layer.name,), wanted, kind)
        ]
        if len(order) != len(stored):
            raise refusal(
                "weights-of-model", stored=len(stored), name=layer.name, wanted=len(order)
            )
        for path, array in zip(order, stored, strict=True):
            dealt.setdefault(path, []).append(array)
    return dealt


def _row(
    layer: LayerConfig, path: Path, wanted: Wanted, trainable: bool, frozen: bool = False
) -> list[Path]:
    """Return whose the trainable arrays are, or the others, as Keras lists them."""
    frozen = frozen or not layer.config.get("trainable", True)
    if layer.model is None:
        listed = wanted.get(path, [])
        return [path for can_train in listed if (can_train and not frozen) == trainable]
    return [
        owner
        for inner in layer.model.layers
        for owner in _row(inner, (*path, inner.name), wanted, trainable, frozen)
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
        raise refusal("weights-of-no-class", name=name)
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
